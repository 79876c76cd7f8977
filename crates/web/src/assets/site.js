"use strict";
/* Keeps a live page current and plays games through. What comes from engines is only ever text. */
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const draw = (tag, attributes) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  /* A board, from the drawing that the server sent. */
  const MARGIN = 44;
  const newBoard = () => {
    const svg = one("svg.board", one("#board").content).cloneNode(true);
    const names = one('use[href^="#dyno-names"]', svg);
    const [white, black] = all(".pieces", svg);
    one(".mover", svg)?.remove();
    const mover = draw("circle", { class: "mover", cx: 20, cy: 824, r: 13, stroke: "#6d7a60", "stroke-width": 4 });
    svg.append(mover);
    const corner = (file, rank, flipped) => flipped
      ? [MARGIN + 100 * (7 - file), 100 * rank]
      : [MARGIN + 100 * file, 100 * (7 - rank)];
    const show = (pieces, uci, flipped, blackToMove) => {
      names.setAttribute("href", flipped ? "#dyno-names-flipped" : "#dyno-names");
      all(".mark", svg).forEach((mark) => mark.remove());
      for (const square of uci ? [uci.slice(0, 2), uci.slice(2, 4)] : []) {
        const [x, y] = corner(square.charCodeAt(0) - 97, square.charCodeAt(1) - 49, flipped);
        names.before(draw("path", { class: "mark", fill: "#e8b923", "fill-opacity": ".6", d: `M${x} ${y}h100v100h-100z` }));
      }
      const groups = [[], []];
      pieces.split("/").forEach((row, index) => {
        let file = 0;
        for (const letter of row) {
          if (letter >= "1" && letter <= "8") { file += Number(letter); continue; }
          const [x, y] = corner(file, 7 - index, flipped);
          groups[letter === letter.toUpperCase() ? 0 : 1].push(draw("use", { href: "#dyno-" + letter.toLowerCase(), x, y }));
          file += 1;
        }
      });
      white.replaceChildren(...groups[0]);
      black.replaceChildren(...groups[1]);
      mover.setAttribute("fill", blackToMove ? "#20242c" : "#fffdf7");
      one("title", svg).textContent = "Chess board";
      one("desc", svg).textContent = pieces;
    };
    return { svg, show };
  };

  /* The evaluation from White's point of view; beyond five pawns the scale is compressed. */
  const newGraph = () => {
    const svg = draw("svg", { class: "evals", viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img" });
    const title = draw("title", {});
    const path = draw("path", { class: "path" });
    const here = draw("path", { class: "here" });
    svg.append(title, draw("path", { class: "zero", d: "M0 50H100" }), path, here);
    const show = (plies, at) => {
      const height = (cp) => 50 - 46 * Math.tanh(cp / 500);
      const across = (ply) => plies.length > 1 ? 100 * ply / (plies.length - 1) : 0;
      let line = "", last = null;
      plies.forEach((ply, index) => {
        if (ply.cp === undefined) return;
        line += `${line ? "L" : "M"}${across(index).toFixed(2)} ${height(ply.cp).toFixed(1)}`;
        last = ply.cp;
      });
      path.setAttribute("d", line);
      here.setAttribute("d", at !== undefined && at > 0 ? `M${across(at - 1).toFixed(2)} 0V100` : "");
      title.textContent = "Evaluation from White's point of view" + (last === null ? "" : `, last ${(last / 100).toFixed(2)}`);
    };
    return { svg, show };
  };

  const clockText = (ms) => {
    const left = Math.max(0, ms);
    const minutes = Math.floor(left / 60000);
    const seconds = (left % 60000) / 1000;
    return minutes > 0 ? `${minutes}:${String(Math.floor(seconds)).padStart(2, "0")}` : seconds.toFixed(1);
  };

  const newSide = (colour) => {
    const name = make("span", { className: "name" });
    const clock = make("span", { className: "clock" });
    const said = make("span", { className: "said" });
    const pv = make("p", { className: "pv" });
    const label = make("span", { className: "visually-hidden", textContent: colour === "white" ? "White: " : "Black: " });
    const head = make("span", { className: "name" }, make("span", { className: "disc" }), label, name);
    const element = make("div", { className: "side " + colour }, head, clock, said, pv);
    const show = (side, thinks) => {
      name.textContent = side.name;
      element.classList.toggle("thinks", thinks);
      clock.hidden = side.clock_ms === undefined;
      said.replaceChildren(...(side.score ? [make("b", { textContent: side.score })] : []),
        [side.depth && ` depth ${side.depth}`, side.nps && ` ${side.nps} nps`, side.time && ` ${side.time}`].filter(Boolean).join(","));
      pv.textContent = side.pv || "";
      pv.title = side.pv || "";
    };
    const tick = (ms) => { clock.textContent = clockText(ms); };
    return { element, show, tick };
  };

  const blackMoves = (game, ply) => game.black_first !== (ply % 2 === 1);

  /* A game with its board, both sides and the graph; `at` is how many moves are shown. */
  const newScene = () => {
    const board = newBoard(), graph = newGraph();
    const sides = { white: newSide("white"), black: newSide("black") };
    const turn = make("button", { type: "button", className: "turn" }, board.svg);
    turn.setAttribute("aria-label", "Turn the board");
    const top = make("div"), bottom = make("div");
    let flipped = false, game = null, at = 0, known = [{}, {}];
    const place = () => {
      top.replaceChildren((flipped ? sides.white : sides.black).element);
      bottom.replaceChildren((flipped ? sides.black : sides.white).element);
    };
    const show = () => {
      if (!game) return;
      const ply = at > 0 ? game.plies[at - 1] : null;
      const black = blackMoves(game, at);
      board.show(ply ? ply.board : game.start, ply?.uci, flipped, black);
      const running = game.received !== undefined && at === game.plies.length;
      sides.white.show(known[0], running && !black);
      sides.black.show(known[1], running && black);
      graph.show(game.plies, at);
      tick();
    };
    const tick = () => {
      if (!game) return;
      known.forEach((side, index) => {
        if (side.clock_ms === undefined) return;
        const runs = game.received !== undefined && !game.over && blackMoves(game, game.plies.length) === (index === 1) && game.plies.length > 0;
        const gone = runs ? performance.now() - game.received + game.since_ms : 0;
        (index === 0 ? sides.white : sides.black).tick(side.clock_ms - gone);
      });
    };
    turn.addEventListener("click", () => flip());
    const flip = () => { flipped = !flipped; place(); show(); };
    const set = (next, ply, thoughts) => { game = next; at = ply; known = thoughts; show(); };
    place();
    return { board, graph, turn, top, bottom, set, flip, tick, get at() { return at; } };
  };

  /* What both sides had last said after the first n moves. */
  const thoughtsAt = (game, at) => {
    const known = game.sides.map((side) => ({ name: side.name }));
    for (let ply = 0; ply < at; ply += 1) {
      const thought = game.plies[ply].thought;
      if (thought) known[blackMoves(game, ply) ? 1 : 0] = { ...thought, name: game.sides[blackMoves(game, ply) ? 1 : 0].name };
    }
    return known;
  };

  /* The larger view: steps, keys and a list of moves. Follows a running game while at its end. */
  const newViewer = (root) => {
    const scene = newScene();
    const moves = make("ol", { className: "moves" });
    moves.setAttribute("aria-label", "Moves");
    let game = null, at = 0, playing = 0;
    const isLive = () => game.received !== undefined;
    const known = () => isLive() && at === game.plies.length ? game.sides
      : isLive() ? game.sides.map((side) => ({ name: side.name })) : thoughtsAt(game, at);
    const go = (ply) => {
      at = Math.max(0, Math.min(ply, game.plies.length));
      scene.set(game, at, known());
      all("[aria-current]", moves).forEach((button) => button.removeAttribute("aria-current"));
      const current = one(`[data-ply="${at}"]`, moves);
      current?.setAttribute("aria-current", "true");
      if (current) moves.scrollTop = current.offsetTop - moves.offsetTop - moves.clientHeight / 2;
      root.dataset.ply = at;
    };
    const list = () => {
      const shown = all("button", moves).length;
      if (shown > game.plies.length || shown === 0) moves.replaceChildren();
      for (let ply = all("button", moves).length; ply < game.plies.length; ply += 1) {
        const black = blackMoves(game, ply);
        if (!black || ply === 0) {
          const number = game.first_number + Math.floor((ply + (game.black_first ? 1 : 0)) / 2);
          moves.append(make("li", { className: "no", textContent: number + "." }));
          if (black) moves.append(make("li", { textContent: "…" }));
        }
        const button = make("button", { type: "button", textContent: game.plies[ply].san });
        button.dataset.ply = ply + 1;
        button.addEventListener("click", () => go(ply + 1));
        moves.append(make("li", {}, button));
      }
    };
    const stop = () => { clearInterval(playing); playing = 0; play.textContent = "Play"; };
    const start = () => {
      if (at === game.plies.length) go(0);
      play.textContent = "Pause";
      playing = setInterval(() => { go(at + 1); if (at === game.plies.length) stop(); }, 700);
    };
    const step = (label, name, action) => {
      const button = make("button", { type: "button", className: "control", textContent: label });
      button.setAttribute("aria-label", name);
      button.addEventListener("click", action);
      return button;
    };
    const play = step("Play", "Play or pause", () => playing ? stop() : start());
    play.removeAttribute("aria-label");
    const steps = make("div", { className: "steps" },
      step("«", "To the start", () => go(0)), step("‹", "One move back", () => go(at - 1)), play,
      step("›", "One move on", () => go(at + 1)), step("»", "To the end", () => go(game.plies.length)),
      step("Flip", "Turn the board", () => scene.flip()));
    const hint = make("p", { className: "hint", textContent: "Keys: ← → one move, Home and End, space plays, f flips." });
    const left = make("div", { className: "column" }, scene.top, scene.turn, scene.bottom);
    const right = make("div", { className: "column" }, steps, scene.graph.svg, moves, hint);
    root.replaceChildren(make("div", { className: "stage" }, left, right));
    const key = (event) => {
      if (!game || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea")) return;
      const isButton = event.key === " " && event.target.closest?.("button, a, summary");
      const actions = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(game.plies.length), f: () => scene.flip(), " ": () => playing ? stop() : start() };
      if (!actions[event.key] || isButton) return;
      event.preventDefault();
      actions[event.key]();
    };
    const show = (next) => {
      const follows = !game || game.game !== next.game || at === game.plies.length;
      const isOther = !game || game.game !== next.game;
      game = next;
      if (isOther) moves.replaceChildren();
      list();
      go(follows ? game.plies.length : at);
    };
    return { show, key, go, tick: scene.tick, get game() { return game; } };
  };

  /* A finished game. */
  const root = one("#viewer");
  if (root) {
    const viewer = newViewer(root);
    fetch(root.dataset.game).then((answer) => answer.json()).then((game) => {
      viewer.show(game);
      viewer.go(0);
      addEventListener("keydown", viewer.key);
    }).catch(() => { root.textContent = "The game could not be loaded."; });
  }

  if (one("#starting")) setTimeout(() => location.reload(), 1000);

  /* A live page. */
  const live = one("#live");
  if (!live) return;
  const address = "/live/" + encodeURIComponent(live.dataset.run);
  const connection = one("#connection");
  const grid = one("#boards .games");
  const games = new Map();
  const spare = [];
  const large = one("#large");
  const largeTitle = one("#large-title");
  const viewer = newViewer(one(".viewer", large));
  let last = "", over = false, source = null;

  const newCard = () => {
    const scene = newScene();
    const title = make("span");
    const more = make("button", { type: "button", className: "control", textContent: "Larger" });
    const element = make("article", { className: "card game" }, make("h3", {}, title, more), scene.top, scene.turn, scene.bottom, scene.graph.svg);
    const card = { element, scene, title, game: null };
    more.addEventListener("click", () => {
      if (!card.game) return;
      largeTitle.textContent = title.textContent;
      viewer.show(card.game);
      large.showModal();
    });
    return card;
  };

  const showBoard = (update) => {
    let card = games.get(update.game);
    if (!card) {
      card = spare.shift() || newCard();
      if (!card.element.isConnected) grid.append(card.element);
      card.game = null;
      games.set(update.game, card);
    }
    const plies = (card.game?.plies || []).slice(0, update.from).concat(update.plies || []);
    card.game = { ...update, plies, received: performance.now() };
    card.title.textContent = `Game ${update.game}, round ${update.round}`;
    card.element.dataset.game = update.game;
    card.element.dataset.plies = plies.length;
    card.scene.set(card.game, plies.length, update.sides);
    if (large.open && viewer.game?.game === update.game) viewer.show(card.game);
  };

  /* Replaces a part of the page and leaves folds, focus and scrolling as they are. */
  const reachable = "a, button, summary, [tabindex]";
  const showPanel = (id, html) => {
    const section = document.getElementById("panel-" + id);
    if (!section) return;
    const content = one(".content", section);
    const open = new Set(all("details[open] > summary", content).map((fold) => fold.textContent));
    const scrolled = all(".scroll, .log", content).map((box) => [box.scrollTop, box.scrollLeft]);
    const focus = all(reachable, content).indexOf(document.activeElement);
    /* Markup of the server's own making: names and lines of engines are escaped there. */
    content.innerHTML = html;
    section.hidden = html === "";
    all("details > summary", content).forEach((fold) => { if (open.has(fold.textContent)) fold.parentElement.open = true; });
    all(".scroll, .log", content).forEach((box, index) => { if (scrolled[index]) [box.scrollTop, box.scrollLeft] = scrolled[index]; });
    if (focus >= 0) all(reachable, content)[focus]?.focus({ preventScroll: true });
  };

  const take = (update) => {
    const boards = update.boards || [];
    const gone = update.snapshot ? [...games.keys()].filter((game) => !boards.some((board) => board.game === game)) : update.gone || [];
    for (const game of gone) {
      const card = games.get(game);
      if (!card) continue;
      games.delete(game);
      if (card.game) card.game.over = true;
      if (viewer.game?.game === game) {
        largeTitle.replaceChildren(make("a", { href: `${address}/game/${game}`, textContent: `Game ${game} is over` }));
      }
      spare.push(card);
    }
    if (update.snapshot) games.forEach((card) => { card.game = null; });
    boards.forEach(showBoard);
    /* A card waits for the next game, as boards do; with fewer games at once it goes. */
    const most = Math.max(1, games.size + (update.over ? 0 : 1));
    while (spare.length && games.size + spare.length > most) spare.pop().element.remove();
    if (update.over) while (spare.length) spare.pop().element.remove();
    one("#boards").hidden = games.size + spare.length === 0;
    Object.entries(update.panels || {}).forEach(([id, html]) => showPanel(id, html));
    if (update.title) {
      one("h1").textContent = update.title;
      document.title = `${update.title} · Dyno`;
    }
    if (update.over) finish();
  };

  const finish = () => {
    over = true;
    source?.close();
    say("This run is over: the page shows its last state.");
    one("#controls")?.remove();
    live.dataset.over = "true";
  };

  const say = (text, lost = false) => {
    connection.textContent = text;
    connection.classList.toggle("lost", lost);
  };

  const open = () => {
    if (source || over) return;
    source = new EventSource(`${address}/events${last ? "?last=" + encodeURIComponent(last) : ""}`);
    source.onopen = () => say("Live");
    source.onmessage = (event) => {
      last = event.lastEventId;
      take(JSON.parse(event.data));
      live.dataset.seen = last;
    };
    source.onerror = () => {
      if (over) return;
      say("The connection is lost; trying again…", true);
      if (source.readyState === EventSource.CLOSED) { close(); setTimeout(open, 3000); }
    };
  };
  const close = () => { source?.close(); source = null; };

  /* A hidden page takes nothing; when it is seen again it is sent what it missed. */
  let hiding = 0;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(close, 20000); else open();
  });
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  addEventListener("keydown", (event) => { if (large.open) viewer.key(event); });
  setInterval(() => { games.forEach((card) => card.scene.tick()); if (large.open) viewer.tick(); }, 100);

  all("#controls [data-do]").forEach((button) => button.addEventListener("click", async () => {
    const wanted = button.dataset.do;
    if (wanted === "stop-now" && !confirm("Break off the running games?")) return;
    const answer = await fetch(`${address}/control?do=${wanted}`, { method: "POST" }).catch(() => null);
    one("#controls output").textContent = answer ? (await answer.text()).trim() : "No answer.";
  }));
  open();
})();
