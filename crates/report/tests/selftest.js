// Runs inside the gallery page in a real browser and writes what it finds into the page around it.
(() => {
  const results = [];
  const check = (name, ok, detail = "") => results.push(`${ok ? "ok" : "NOT OK"} ${name} ${ok ? "" : detail}`.trim());
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);

  const rgba = (text) => {
    const numbers = (text.match(/[\d.]+/g) || []).map(Number);
    return text.startsWith("rgb") ? { r: numbers[0], g: numbers[1], b: numbers[2], a: numbers[3] ?? 1 } : null;
  };
  const luminance = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour && colour.a === 1) return colour;
    }
    return { r: 255, g: 255, b: 255, a: 1 };
  };
  const contrast = (ink, paper) => {
    const [l1, l2] = [luminance(ink), luminance(paper)];
    return (Math.max(l1, l2) + 0.05) / (Math.min(l1, l2) + 0.05);
  };
  const lowContrast = () => {
    const bad = new Set();
    // The coordinates of a board are defined elsewhere and take the board's colour.
    for (const board of document.querySelectorAll("svg.board")) {
      const ratio = contrast(rgba(getComputedStyle(board).color), ground(board));
      if (ratio < 4.5) bad.add(`${ratio.toFixed(2)} coordinates`);
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!node.textContent.trim() || element.closest("script,style,title,desc,.visually-hidden,option")) continue;
      const style = getComputedStyle(element);
      if (style.display === "none" || style.visibility === "hidden" || !element.getClientRects().length) continue;
      const ink = rgba(element instanceof SVGElement ? style.fill : style.color);
      if (!ink || element.closest("svg.board")) continue;
      const ratio = contrast(ink, ground(element));
      if (ratio < 4.5) bad.add(`${ratio.toFixed(2)} "${node.textContent.trim().slice(0, 30)}" <${element.tagName} class=${element.getAttribute("class")}>`);
    }
    return [...bad];
  };

  const run = () => {
    check("width", innerWidth === EXPECTED_WIDTH, `innerWidth ${innerWidth}`);
    check("hostile names stay text", !document.title.includes("owned") || document.title.includes("<script>"), document.title);
    check("one script only", all("script").length === 2, String(all("script").length));
    check("nothing fetched", performance.getEntriesByType("resource").length === 0, performance.getEntriesByType("resource").map((e) => e.name).join());

    // Nothing sticks out of the page.
    const root = document.documentElement;
    check("no sideways scrolling", root.scrollWidth <= innerWidth, `scrollWidth ${root.scrollWidth}`);
    const sticking = all("body *").filter((e) => !e.closest(".scroll, pre, .skip-link, svg, .visually-hidden") && e.getBoundingClientRect().right > innerWidth + 0.5);
    check("nothing sticks out", sticking.length === 0, sticking.map((e) => e.outerHTML.slice(0, 60)).join(" | "));

    // Sorting.
    const table = one("table[data-sortable]");
    const heads = all("thead th", table);
    const column = (name) => heads.findIndex((h) => h.textContent === name);
    const numbers = (name) => all("tbody tr", table).map((row) => row.cells[column(name)].dataset.key).map((k) => k === "" ? null : Number(k));
    const texts = (name) => all("tbody tr", table).map((row) => row.cells[column(name)].textContent);
    const click = (name) => one("button", heads[column(name)]).click();
    const rises = (list) => list.every((v, i) => i === 0 || list[i - 1] <= v);
    const before = texts("Id").join();
    click("Nodes");
    check("numbers sort up as numbers", rises(numbers("Nodes")) && texts("Id").join() !== before, numbers("Nodes").join());
    check("aria-sort ascending", heads[column("Nodes")].getAttribute("aria-sort") === "ascending");
    click("Nodes");
    check("numbers sort down", rises(numbers("Nodes").reverse()));
    check("aria-sort descending", heads[column("Nodes")].getAttribute("aria-sort") === "descending");
    click("Nodes");
    check("third click restores", texts("Id").join() === before && !one("[aria-sort]", table));
    for (const clicks of [1, 2]) {
      click("Depth");
      const depths = numbers("Depth");
      const known = depths.filter((d) => d !== null);
      check(`unknown last (${clicks})`, known.length < depths.length && depths.slice(known.length).every((d) => d === null), depths.join());
    }
    click("Time");
    check("spans of time sort by length", rises(numbers("Time")));
    check("one sorted column", all("[aria-sort]", table).length === 1);
    check("heads are buttons", heads.every((h) => one("button", h)?.tabIndex === 0));

    // Filtering.
    const block = table.closest("[data-filter]");
    const box = one("input[type=search]", block);
    const menu = one("select", block);
    const shown = () => all("tbody tr", table).filter((row) => row.offsetHeight > 0);
    const type = (text) => { box.value = text; box.dispatchEvent(new Event("input")); };
    type("wac.037");
    check("filter finds", shown().length === 1 && shown()[0].textContent.includes("WAC.037"), String(shown().length));
    type("no such thing");
    check("filter hides all", shown().length === 0 && one("output", block).textContent.startsWith("0 of"));
    box.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
    check("escape clears", shown().length === 60 && box.value === "", String(shown().length));
    menu.value = "=fail"; menu.dispatchEvent(new Event("change"));
    check("menu filters", shown().length === 9 && shown().every((row) => row.textContent.includes("fail")), String(shown().length));
    menu.value = ""; menu.dispatchEvent(new Event("change"));
    const cards = one(".cards-block");
    const cardBox = one("input", cards);
    cardBox.value = "WAC.004"; cardBox.dispatchEvent(new Event("input"));
    check("cards filter", all(".card", cards).filter((c) => !c.hidden).length === 1);
    cardBox.value = ""; cardBox.dispatchEvent(new Event("input"));

    // Boards.
    const boards = all("svg.board");
    check("boards are there", boards.length === 14, String(boards.length));
    check("start position has 32 drawn pieces", all(".pieces use", boards[0]).filter((p) => p.getBoundingClientRect().width > 8).length === 32);
    check("boards are square and visible", boards.every((b) => { const r = b.getBoundingClientRect(); return r.width >= 120 && Math.abs(r.width - r.height) < 2; }), boards.map((b) => b.getBoundingClientRect().width).join());
    check("pieces lie on the board", boards.every((b) => { const r = b.getBoundingClientRect(); return all(".pieces use", b).every((p) => { const q = p.getBoundingClientRect(); return q.left >= r.left - 1 && q.right <= r.right + 1 && q.top >= r.top - 1 && q.bottom <= r.bottom + 1; }); }));
    check("boards are described", boards.every((b) => b.getAttribute("role") === "img" && one("title", b) && one("desc", b)));
    check("arrows have their legend", all(".position").every((f) => new Set(all(".arrow", f).map((a) => a.getAttribute("class"))).size === all(".key", f).length));

    // Charts.
    const charts = all("figure.chart");
    check("charts show one drawing", charts.length > 5 && charts.every((c) => all("svg", c).filter((s) => s.getClientRects().length).length === 1));
    const cutOff = charts.flatMap((c) => all("svg", c).filter((s) => s.getClientRects().length).flatMap((s) => {
      const r = s.getBoundingClientRect();
      return all("text", s).filter((t) => { const q = t.getBoundingClientRect(); return q.left < r.left || q.right > r.right || q.top < r.top || q.bottom > r.bottom; }).map((t) => t.textContent);
    }));
    check("no chart text is cut off", cutOff.length === 0, cutOff.join(" | "));
    const small = charts.flatMap((c) => all("text", c).filter((t) => t.getClientRects().length && t.getBoundingClientRect().height < 11).map((t) => t.textContent));
    check("chart text is readable", small.length === 0, small.slice(0, 5).join(" | "));
    check("bars have their length", Math.abs(one(".bars svg.bar rect:nth-child(2)").getBoundingClientRect().width / one(".bars svg.bar").getBoundingClientRect().width - 0.81) < 0.01);

    // The rest.
    check("copy buttons", all("[data-copy] button").length === all("[data-copy]").length && all("[data-copy]").length > 0);
    check("tables are captioned", all("table").every((t) => t.caption));
    check("contrast in light", lowContrast().length === 0, lowContrast().join(" | "));
    const toggle = one("#theme");
    const light = getComputedStyle(document.body).backgroundColor;
    toggle.click(); toggle.click();
    check("theme turns dark", root.dataset.theme === "dark" && getComputedStyle(document.body).backgroundColor !== light);
    check("contrast in dark", lowContrast().length === 0, lowContrast().join(" | "));
  };
  try { run(); } catch (error) { results.push("NOT OK exception " + error.stack); }
  const out = parent.document.createElement("pre");
  out.id = "selftest";
  out.textContent = results.join("\n");
  parent.document.body.append(out);
})();
