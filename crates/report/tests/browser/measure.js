  // How pages are measured: reports from disk, and pages of a server.
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  const seen = (element) => element.getClientRects().length > 0;
  const box = (element) => element.getBoundingClientRect();
  const some = (elements) => elements.slice(0, 5).map((e) => e.outerHTML.slice(0, 90)).join(" | ");
  const rgba = (text) => {
    const numbers = (text.match(/[\d.]+/g) || []).map(Number);
    return text.startsWith("rgb") ? { r: numbers[0], g: numbers[1], b: numbers[2], a: numbers[3] ?? 1 } : null;
  };
  const luminance = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (ink, paper) => {
    const [l1, l2] = [luminance(ink), luminance(paper)];
    return (Math.max(l1, l2) + 0.05) / (Math.min(l1, l2) + 0.05);
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour && colour.a === 1) return colour;
    }
    return { r: 255, g: 255, b: 255, a: 1 };
  };
  const lowContrast = () => {
    const bad = new Set();
    // The coordinates of a board are defined elsewhere and take the board's colour.
    for (const board of all("svg.board")) {
      const ratio = contrast(rgba(getComputedStyle(board).color), ground(board));
      if (ratio < 4.5) bad.add(`${ratio.toFixed(2)} coordinates`);
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!node.textContent.trim() || element.closest("script,style,title,desc,.visually-hidden,option,svg.board") || !seen(element)) continue;
      const style = getComputedStyle(element);
      const ink = rgba(element instanceof SVGElement ? style.fill : style.color);
      const ratio = ink ? contrast(ink, ground(element)) : 21;
      if (ratio < 4.5) bad.add(`${ratio.toFixed(2)} "${node.textContent.trim().slice(0, 30)}" <${element.tagName} class=${element.getAttribute("class")}>`);
    }
    return [...bad].slice(0, 8).join(" | ");
  };
  const sticking = () => all("body *").filter((e) => !e.closest(".scroll, pre, .skip-link, svg, .visually-hidden, .tree, .pv, .name") && box(e).right > innerWidth + 0.5);
  const troubles = () => [
    document.documentElement.scrollWidth > innerWidth && `scrolls sideways: ${document.documentElement.scrollWidth} of ${innerWidth}`,
    sticking().length > 0 && `sticks out: ${some(sticking())}`,
    lowContrast() && `contrast: ${lowContrast()}`,
    all("h1").length !== 1 && "no main heading",
    all("svg.board").filter(seen).some((b) => box(b).width < 120 || Math.abs(box(b).width - box(b).height) > 2) && "a board is not square",
    all("button, a[href]").filter((e) => seen(e) && !(e.textContent.trim() || e.getAttribute("aria-label"))).length > 0 && "a control without a name",
    new Set(all("[id]").map((e) => e.id)).size !== all("[id]").length && "an id twice",
  ].filter(Boolean);
