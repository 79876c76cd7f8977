"use strict";
(() => {
  const make = (tag, properties = {}) => Object.assign(document.createElement(tag), properties);

  /* Light, dark, or as the system says; remembered where the browser lets us. */
  const root = document.documentElement;
  const store = {
    get() { try { return localStorage.getItem("dyno-theme"); } catch { return null; } },
    set(theme) { try { localStorage.setItem("dyno-theme", theme); } catch { /* private window */ } },
  };
  const themes = ["auto", "light", "dark"];
  const toggle = make("button", { type: "button", className: "control", id: "theme" });
  const show = (theme) => {
    if (theme === "auto") delete root.dataset.theme; else root.dataset.theme = theme;
    toggle.textContent = "Theme: " + theme;
  };
  let theme = themes.includes(store.get()) ? store.get() : "auto";
  toggle.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    store.set(theme);
    show(theme);
  });
  show(theme);
  document.querySelector(".top").append(toggle);

  /* Sorting: up, down, and back to the order of the file. What has no value stays last. */
  const names = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const valueOf = (row, column, kind) => {
    const cell = row.cells[column];
    const key = cell.dataset.key;
    if (key !== undefined) return key === "" ? null : Number(key);
    const text = cell.textContent.trim();
    if (kind !== "number") return text || null;
    const number = parseFloat(text.replace(/[,\s]/g, ""));
    return Number.isNaN(number) ? null : number;
  };
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : names.compare(String(a), String(b));
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    const heads = [...table.tHead.rows[0].cells];
    const body = table.tBodies[0];
    const original = [...body.rows];
    const said = make("div", { className: "visually-hidden" });
    said.setAttribute("role", "status");
    table.after(said);
    const sort = (column, direction) => {
      heads.forEach((head, index) => {
        if (index === column && direction) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
        else head.removeAttribute("aria-sort");
      });
      let rows = original;
      if (direction) {
        const kind = heads[column].dataset.sort;
        const keyed = original.map((row) => [row, valueOf(row, column, kind)]);
        keyed.sort(([, a], [, b]) => a === null || b === null ? (a === null) - (b === null) : direction * compare(a, b));
        rows = keyed.map(([row]) => row);
      }
      body.append(...rows);
      table.dispatchEvent(new Event("sorted"));
      said.textContent = direction ? `Sorted by ${heads[column].textContent}, ${direction > 0 ? "ascending" : "descending"}` : "Original order";
    };
    heads.forEach((head, column) => {
      const button = make("button", { type: "button", className: "sort" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        sort(column, now === "ascending" ? -1 : now === "descending" ? 0 : 1);
      });
    });
  }

  /* Filtering: every word must occur; a menu for each column of choices. Long lists come in pages. */
  for (const block of document.querySelectorAll("[data-filter]")) {
    const table = block.querySelector("table");
    const inOrder = () => table ? [...table.tBodies[0].rows] : [...block.querySelectorAll(".card")];
    const items = inOrder();
    const perPage = table ? 200 : 24;
    const label = table ? table.caption.textContent : block.dataset.label;
    const texts = new Map(items.map((item) => [item, item.textContent.toLowerCase()]));
    const tools = make("div", { className: "tools" });
    const box = make("input", { type: "search", placeholder: "Filter…" });
    box.setAttribute("aria-label", "Filter: " + label);
    const count = make("output");
    const menus = [];
    tools.append(box);
    const heads = table ? [...table.tHead.rows[0].cells] : [];
    heads.forEach((head, column) => {
      if (head.dataset.choice === undefined) return;
      const value = (row) => row.cells[column].textContent.replace(/^[^\p{L}\p{N}]+/u, "").trim();
      const choices = [...new Set(items.map(value))].sort(names.compare);
      if (choices.length < 2) return;
      const menu = make("select");
      menu.append(make("option", { value: "", textContent: "all" }));
      choices.forEach((choice) => menu.append(make("option", { value: "=" + choice, textContent: choice || "–" })));
      const named = make("label", { textContent: head.textContent });
      named.append(menu);
      tools.append(named);
      menu.addEventListener("change", () => apply());
      menus.push([menu, value]);
    });
    tools.append(count);
    const pages = make("div", { className: "tools pages" });
    const where = make("output");
    const turn = (text, words, by) => {
      const button = make("button", { type: "button", className: "control", textContent: text });
      button.setAttribute("aria-label", words + ": " + label);
      button.addEventListener("click", () => { page += by; showPage(); block.scrollIntoView({ block: "nearest" }); });
      return button;
    };
    const back = turn("‹ Back", "Page before", -1);
    const next = turn("Next ›", "Next page", 1);
    pages.append(back, where, next);
    let page = 0;
    let fitting = items;
    const showPage = (everything = false) => {
      const last = Math.max(0, Math.ceil(fitting.length / perPage) - 1);
      page = Math.min(Math.max(page, 0), last);
      const [from, to] = everything ? [0, Infinity] : [page * perPage, (page + 1) * perPage];
      items.forEach((item) => { item.hidden = true; });
      fitting.forEach((item, index) => { item.hidden = index < from || index >= to; });
      pages.hidden = last === 0;
      [back.disabled, next.disabled] = [page === 0, page === last];
      where.textContent = `page ${page + 1} of ${last + 1}`;
    };
    const apply = () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      const fits = (item) => words.every((word) => texts.get(item).includes(word)) &&
        menus.every(([menu, value]) => menu.value === "" || menu.value === "=" + value(item));
      fitting = inOrder().filter(fits);
      page = 0;
      showPage();
      const total = items.length.toLocaleString("en");
      count.textContent = fitting.length === items.length ? total + (table ? " rows" : " cards") : `${fitting.length.toLocaleString("en")} of ${total}`;
    };
    box.addEventListener("input", apply);
    box.addEventListener("keydown", (event) => { if (event.key === "Escape") { box.value = ""; apply(); } });
    if (table) table.addEventListener("sorted", apply);
    addEventListener("beforeprint", () => showPage(true));
    addEventListener("afterprint", () => showPage());
    apply();
    block.prepend(tools);
    block.append(pages);
  }

  /* A button that copies, on every code block. */
  for (const block of document.querySelectorAll("[data-copy]")) {
    const button = make("button", { type: "button", className: "control", textContent: "Copy" });
    button.setAttribute("aria-label", "Copy: " + block.dataset.copy);
    const code = block.querySelector("code");
    button.addEventListener("click", async () => {
      let done = false;
      try { await navigator.clipboard.writeText(code.textContent); done = true; } catch {
        /* Pages opened from disk may not use the clipboard: select, and try the older way. */
        getSelection().selectAllChildren(code);
        try { done = document.execCommand("copy"); } catch { /* the selection is there */ }
      }
      button.textContent = done ? "Copied" : "Selected";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }

  /* A link into folded details opens them; so does printing. */
  const unfold = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
})();
