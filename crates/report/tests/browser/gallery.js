// What must hold on the gallery page besides what holds on every page.
check("hostile names stay text", document.title.includes("<script>") && !document.title.startsWith("owned"), document.title);
const table = one("table[data-sortable]");
const field = one("input", table.closest("[data-filter]"));
const shown = () => all("tbody tr", table).filter(seen);
set(field, "wac.037", "input");
check("filter finds a row", shown().length === 1 && shown()[0].textContent.includes("WAC.037"), String(shown().length));
set(field, "", "input");
const menu = one("select", table.closest("[data-filter]"));
set(menu, "=fail", "change");
check("menu keeps the failures", shown().length === 9 && shown().every((row) => row.textContent.includes("fail")), String(shown().length));
set(menu, "", "change");
check("all boards are there", all("svg.board").length === 14, String(all("svg.board").length));
check("the start position has 32 pieces", all(".pieces use", one("svg.board")).length === 32);
check("all charts are there", all("figure.chart").length === 7, String(all("figure.chart").length));
const bar = one(".bars svg.bar");
check("bars have their length", Math.abs(box(one("rect:nth-child(2)", bar)).width / box(bar).width - 0.81) < 0.01);
