// Runs inside a report page in a real browser and writes what it finds into the page around
// it. What holds for every report is here; EXTRA are the checks of one page alone.
(() => {
  const results = [];
  const check = (name, ok, detail = "") => results.push(`${ok ? "ok" : "NOT OK"} ${name} ${ok ? "" : detail}`.trim());
MEASURE
  const inside = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1 && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
  const set = (field, value, event) => { field.value = value; field.dispatchEvent(new Event(event)); };

  const examineShell = () => {
    check("width", innerWidth === EXPECTED_WIDTH, `innerWidth ${innerWidth}`);
    check("no script but ours", all("script").length === 2, String(all("script").length));
    check("nothing fetched", performance.getEntriesByType("resource").length === 0, performance.getEntriesByType("resource").map((e) => e.name).join());
    const root = document.documentElement;
    check("no sideways scrolling", root.scrollWidth <= innerWidth, `scrollWidth ${root.scrollWidth}`);
    check("nothing sticks out", sticking().length === 0, some(sticking()));
    const ids = all("[id]").map((e) => e.id);
    check("ids are unique", new Set(ids).size === ids.length);
    const lost = all('a[href^="#"]').filter((a) => !document.getElementById(a.getAttribute("href").slice(1)));
    check("links inside the page lead somewhere", lost.length === 0, some(lost));
    check("one main heading", all("h1").length === 1);
    const clipped = all(".card pre").filter((pre) => pre.scrollWidth > pre.clientWidth + 1);
    check("code on cards wraps", clipped.length === 0, some(clipped));
    check("copy buttons", all("[data-copy]").every((block) => one("button", block)));
  };

  const valueOf = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.key !== undefined) return cell.dataset.key === "" ? null : Number(cell.dataset.key);
    const number = parseFloat(cell.textContent.replace(/[,\s]/g, ""));
    return Number.isNaN(number) ? null : number;
  };
  const rises = (values) => values.every((v, i) => i === 0 || values[i - 1] <= v);
  const examineTables = () => {
    check("tables are captioned", all("table").every((t) => t.caption?.textContent.trim()));
    for (const table of all("table[data-sortable]")) {
      const name = table.caption.textContent;
      const heads = [...table.tHead.rows[0].cells];
      const rows = () => [...table.tBodies[0].rows];
      const before = rows();
      check(`${name}: heads are buttons`, heads.every((h) => one("button", h)?.tabIndex === 0));
      heads.forEach((head, column) => {
        const button = one("button", head);
        const sorted = [];
        for (const direction of ["ascending", "descending"]) {
          button.click();
          check(`${name}: ${head.textContent} says ${direction}`, head.getAttribute("aria-sort") === direction && all("[aria-sort]", table).length === 1);
          sorted.push(rows().map((row) => valueOf(row, column)));
        }
        if (head.dataset.sort === "number") {
          const [up, down] = sorted.map((values) => values.filter((v) => v !== null));
          check(`${name}: ${head.textContent} sorts as numbers`, rises(up) && rises(down.toReversed()), up.slice(0, 20).join());
          check(`${name}: ${head.textContent} keeps the unknown last`, sorted.every((values) => values.slice(up.length).every((v) => v === null)));
        }
        button.click();
        check(`${name}: ${head.textContent} goes back to the first order`, !head.hasAttribute("aria-sort") && rows().every((row, i) => row === before[i]));
      });
    }
    for (const block of all("[data-filter]")) {
      const items = one("table", block) ? all("tbody tr", block) : all(".card", block);
      const field = one("input[type=search]", block);
      const shown = () => items.filter((item) => !item.hidden).length;
      // Of a long list, a page alone is shown.
      const fitting = () => parseInt(one("output", block).textContent.replaceAll(",", ""), 10);
      const whole = () => one(".pages", block).hidden ? shown() === fitting() : shown() < fitting();
      check("filter has a name", Boolean(field.getAttribute("aria-label")));
      set(field, "no such thing \u2603", "input");
      check("filter hides what does not fit", shown() === 0 && fitting() === 0);
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
      check("escape shows all", fitting() === items.length && whole() && field.value === "");
      for (const menu of all("select", block)) {
        const counts = [...menu.options].slice(1).map((option) => { set(menu, option.value, "change"); return whole() ? fitting() : 0; });
        set(menu, "", "change");
        check("menus part the rows", counts.every((n) => n > 0) && counts.reduce((a, b) => a + b, 0) === items.length, counts.join());
      }
    }
  };

  const examineDrawings = () => {
    const boards = all("svg.board").filter(seen);
    const oddBoards = boards.filter((b) => box(b).width < 120 || Math.abs(box(b).width - box(b).height) > 2);
    check("boards are square and visible", oddBoards.length === 0, some(oddBoards));
    const pieces = (b) => all(".pieces use", b);
    check("pieces are drawn on the board", boards.every((b) => pieces(b).every((p) => box(p).width > 5 && inside(box(p), box(b)))));
    check("boards are described", boards.every((b) => b.getAttribute("role") === "img" && one("title", b) && one("desc", b)));
    const kinds = (figure) => new Set(all(".arrow", figure).map((a) => a.getAttribute("class"))).size;
    check("arrows have their legend", all(".position").every((f) => kinds(f) === all(".key", f).length));

    const charts = all("figure.chart");
    const drawn = (chart) => all("svg", chart).filter(seen);
    check("charts show one drawing", charts.every((c) => drawn(c).length === 1));
    const texts = charts.flatMap((c) => drawn(c).flatMap((s) => all("text", s).map((t) => [t, s])));
    const cut = texts.filter(([t, s]) => !inside(box(t), box(s))).map(([t]) => t);
    check("no chart text is cut off", cut.length === 0, some(cut));
    const small = texts.filter(([t]) => box(t).height < 11).map(([t]) => t);
    check("chart text is readable", small.length === 0, some(small));
  };

  const examineColours = () => {
    check("contrast in light", lowContrast() === "", lowContrast());
    const toggle = one("#theme");
    const light = getComputedStyle(document.body).backgroundColor;
    toggle.click(); toggle.click();
    check("theme turns dark", document.documentElement.dataset.theme === "dark" && getComputedStyle(document.body).backgroundColor !== light);
    check("contrast in dark", lowContrast() === "", lowContrast());
  };

  try {
    all("details").forEach((fold) => { fold.open = true; });
    examineShell();
    examineTables();
    examineDrawings();
    EXTRA
    examineColours();
  } catch (error) {
    results.push("NOT OK exception " + error.stack);
  }
  const out = parent.document.createElement("pre");
  out.id = "health";
  out.textContent = results.join("\n");
  parent.document.body.append(out);
})();
