// SPDX-License-Identifier: MIT
//
// The flame graph: allocator, type of block, application, process, functions, each as wide as its bytes; or functions alone.
"use strict";

// What has no name here: neither recorded nor none.
const frameLevels = [["allocator", "allocator not recorded"], ["type", "type not recorded"], ["application", null],
  ["process", null], ["function", null]];

// [column, name] of a row, from the root; the functions of a stack are one text, the outermost first.
function framesOf(row) {
  const levels = row.isCode ? [["function", null]] : frameLevels;
  return levels.flatMap(([column, missing]) => (row[column] ?? missing)?.split("\x1f").map((name) => [column, name]) ?? []);
}

// The stacks without functions of libraries, of OTP and of Elixir.
function withoutLibraries(rows) {
  const libraries = new Set(rowsOf("libraries").map((row) => row.function));
  return rows.map((row) => ({ ...row, function: row.function.split("\x1f").filter((name) => !libraries.has(name)).join("\x1f") || "libraries alone" }));
}

// One tree of two lists of rows: widths are the larger of both, so that what is gone is seen as well.
function tree(rows, before) {
  const root = { name: "all", now: 0, then: 0, blocks: 0, children: new Map() };
  const add = (row, part) => {
    let node = root;
    const step = () => { node[part] += row.bytes; if (part === "now") node.blocks += row.blocks ?? 0; };
    step();
    for (const [column, name] of framesOf(row)) {
      if (!node.children.has(name)) node.children.set(name, { name, column, now: 0, then: 0, blocks: 0, children: new Map() });
      node = node.children.get(name);
      step();
    }
  };
  rows.forEach((row) => add(row, "now"));
  before.forEach((row) => add(row, "then"));
  const finish = (node) => {
    node.children = [...node.children.values()].map(finish);
    const inside = node.children.reduce((sum, child) => sum + child.value, 0);
    node.value = Math.max(node.now, node.then, inside);
    return node;
  };
  return finish(root);
}

// isChosen: by the user; else it follows the range of time.  On a page of two recordings it begins with their difference.
const flame = { chart: null, isTreemap: false, isOwn: false, moment: "held", isChosen: false, before: "", isBeforeChosen: false, term: "" };
const words = { held: "held at the end", end: "live at the end", peak: "live at the peak", question: "live at the moment asked for",
  "by function": "live at the last snapshot, by function (atags)", made: "made in the whole recording",
  code: "live at the end, by code", "code made": "made in the whole recording, by code" };

// The moments that can be chosen, by name: [name, text].  Those of one kind can be compared: what is held, what lives.
function momentsOf(stacks) {
  const few = (times, most) => times.filter((_, i) => times.length <= most || i * most % times.length < most);
  const times = (name, time, most) => few([...new Set(rowsOf(name).map((row) => row[time]))].filter(isInRange).sort((a, b) => a - b), most);
  const moments = [];
  // What a leak leaves: made within the range, and there at the end.
  const isKept = rowsOf("changes").some((row) => row.kept_bytes > 0);
  if (hasRange() && isKept) {
    moments.push(["kept", `made from ${atTime(view.from)} to ${atTime(view.to)}, and live at the end`],
      ["gone", `live at ${atTime(view.from)}, and gone at the end`]);
  }
  if (!hasRange() && heldNow().length) moments.push(["held", words.held]);
  moments.push(...times("held", "at_ns", 25).reverse().map((ns) => [`held:${ns}`, `held at ${atTime(ns)}`]));
  const changes = times("changes", "end_ns", 12);
  const recorded = [...new Set(stacks.map((row) => row.moment))];
  if (!hasRange()) moments.push(...Object.keys(words).filter((name) => name !== "made" && recorded.includes(name)).map((name) => [name, words[name]]));
  moments.push(...changes.reverse().map((ns) => [`live:${ns}`, `live at ${atTime(ns)}`]));
  if (!hasRange() && stacks.some(hasCode)) moments.push(["code", words.code], ["code made", words["code made"]]);
  if (!hasRange() && isKept) moments.push(["kept", "made while recorded, and live at the end"]);
  if (changes.length) moments.push(["made", hasRange() ? `made from ${atTime(view.from)} to ${atTime(view.to)}` : words.made]);
  else if (!hasRange() && recorded.includes("made")) moments.push(["made", words.made]);
  return moments;
}
// A sample with a stack: what tags say is another moment.
const hasCode = (row) => row.function != null && ["end", "made"].includes(row.moment);
const heldNow = () => rowsOf("holders", { ofAllocator: true, ofHolder: true }).filter(isHeld);
const kindOf = (moment) => moment.startsWith("old:") ? kindOf(moment.slice(4)) : moment === "by function" ? moment
  : moment.startsWith("held") ? "held" : ["made", "kept", "gone", "code", "code made"].includes(moment) ? moment : "live";
function rowsAt(moment) {
  const of = { ofAllocator: true, ofHolder: true };
  const [kind, ns] = moment.split(":");
  if (kind === "old") return rowsOfOldAt(ns);
  const changes = rowsOf("changes", of);
  if (moment === "held") {
    // Compared with an earlier list, the last one counts as that does: the smallest together.
    const last = flame.before.startsWith("held") ? Math.max(...rowsOf("held").map((row) => row.at_ns)) : null;
    return last === null ? heldNow() : rowsOf("held", of).filter((row) => row.at_ns === last);
  }
  if (kind === "held") return rowsOf("held", of).filter((row) => row.at_ns === +ns);
  if (kind === "live") return liveBy(+ns);
  if (moment === "made" && changes.length) {
    return changes.filter((row) => isInRange(row.end_ns)).map((row) => ({ ...row, bytes: row.made_bytes, blocks: row.made_blocks }));
  }
  if (moment === "kept") {
    return changes.filter((row) => isInRange(row.end_ns)).map((row) => ({ ...row, bytes: row.kept_bytes, blocks: row.kept_blocks }));
  }
  if (moment === "gone") return goneSince(view.from, changes);
  if (moment.startsWith("code")) return byCode(rowsOf("stacks", of), moment);
  return rowsOf("stacks", of).filter((row) => row.moment === moment);
}
// Beside another recording, what has no stack is by kinds of processes, since pids differ.
function byCode(stacks, moment) {
  const from = moment === "code" ? "end" : "made";
  const name = (row) => flame.before.startsWith("old:") ? nameOfKind(row.process) : row.process ?? "no process";
  const rows = stacks.filter((row) => row.moment === from)
    .map((row) => ({ ...row, isCode: true, function: row.function ?? `no stack was read\x1f${name(row)}` }));
  return flame.isOwn ? withoutLibraries(rows) : rows;
}
// What lived at a time, less what of it lives at the end.
function goneSince(ns, changes) {
  const name = (row) => `${row.allocator} ${row.type} ${row.process}`;
  const kept = new Map();
  for (const row of changes) if (row.end_ns <= ns) kept.set(name(row), (kept.get(name(row)) ?? 0) + row.kept_bytes);
  return liveBy(ns).map((row) => ({ ...row, bytes: row.bytes - (kept.get(name(row)) ?? 0), blocks: null })).filter((row) => row.bytes > 0);
}

function frameText(node, total) {
  const share = total ? ` (${percent(node.now / total)})` : "";
  const change = flame.before ? `, ${node.now < node.then ? "−" : "+"}${bytes(Math.abs(node.now - node.then))}` : "";
  const blocks = node.blocks ? `, ${node.blocks.toLocaleString("en")} blocks` : "";
  return `${node.name}: ${bytes(node.now)}${share}${blocks}${change}`;
}

// Without a comparison a colour for each level; with one, by how much of it is new or gone.
function frameColour(node) {
  if (flame.before) {
    const change = (node.now - node.then) / (Math.max(node.now, node.then) || 1);
    const part = Math.round(15 + 70 * Math.abs(change));
    return Math.abs(change) < 0.005 ? "var(--flame-level)" : `color-mix(in srgb, var(--${change > 0 ? "flame-more" : "flame-less"}) ${part}%, var(--card))`;
  }
  if (!node.column) return "var(--flame-level)";
  const hue = [...node.name].reduce((sum, c) => (31 * sum + c.codePointAt(0)) % 9973, 7) % 40;
  const base = { allocator: "flame-allocator", type: "flame-type" }[node.column] ?? "flame-process";
  return `color-mix(in srgb, var(--${base}) ${60 + hue}%, var(--card))`;
}

// What the search has found: a frame in one that was found is a part of it.
function foundText(root, isFound) {
  let sum = 0;
  let count = 0;
  const look = (node, isInside) => {
    const isOne = isFound(node);
    count += isOne ? 1 : 0;
    sum += isOne && !isInside ? node.now : 0;
    node.children.forEach((child) => look(child, isInside || isOne));
  };
  look(root, false);
  return `"${flame.term}": ${bytes(sum)} in ${count} frames`;
}

// A process that was clicked can be chosen.
function pickButton(node) {
  if (node.column !== "process" || view.holder !== null || !holderNames().includes(node.name)) return [];
  return [element("button", { type: "button", "data-keep": "pick", onclick: () => change({ holder: node.name }) }, `Show only ${node.name}`)];
}

drawn.flame = () => {
  const offered = momentsOf(rowsOf("stacks", { ofAllocator: true, ofHolder: true }));
  if (!offered.length) return null;
  const moments = [...offered, ...oldMoments()].map(([name]) => name);
  flame.isChosen = flame.isChosen && moments.includes(flame.moment);
  const hasOld = (moment) => moments.includes(`old:${moment}`);
  if (!flame.isChosen) flame.moment = moments.find(hasOld) ?? moments[0];
  if (!moments.includes(flame.before) || kindOf(flame.before) !== kindOf(flame.moment)) flame.before = "";
  if (!flame.isBeforeChosen && !flame.before && hasOld(flame.moment)) flame.before = `old:${flame.moment}`;
  const isOld = flame.before.startsWith("old:");
  const of = (moment) => (isOld ? asKinds(rowsAt(moment)) : rowsAt(moment)).filter((row) => row.bytes > 0);
  const place = element("div", { class: "flame" });
  const details = element("output", { class: "flame-details" });
  const picking = element("span");
  const root = tree(of(flame.moment), flame.before ? of(flame.before) : []);
  const whole = `${frameText(root, 0).replace(/^all: /, "")} ${new Map(offered).get(flame.moment)}`;
  details.textContent = whole;
  const isFound = (node) => flame.term && node.name.toLowerCase().includes(flame.term.toLowerCase());
  const point = (node) => { details.textContent = frameText(node, root.now); };
  let recolour = null;
  const paintAreas = (top) => {
    flame.chart = null;
    recolour = paintTreemap(place, top, { point, text: (node) => frameText(node, root.now), colour: (node) => isFound(node) ? "var(--flame-found)" : frameColour(node),
      open: (node) => {
        picking.replaceChildren(...pickButton(node));
        if (node.children.length && node !== top) paintAreas(node);
        place.querySelector(".cell")?.focus({ preventScroll: true });
      } });
  };
  const paint = () => {
    if (flame.isTreemap) {
      paintAreas(root);
      return;
    }
    flame.chart = flamegraph().width(Math.max(240, place.clientWidth)).cellHeight(20).transitionDuration(0).inverted(true)
      .minFrameSize(2).selfValue(false).sort((a, b) => b.value - a.value)
      .setLabelHandler((d) => frameText(d.data, root.now)).setColorMapper((d) => d.highlight ? "var(--flame-found)" : frameColour(d.data))
      .setDetailsHandler((text) => { details.textContent = text ?? whole; })
      .setSearchMatch((d, term) => d.data.name.toLowerCase().includes(term.toLowerCase()))
      .setSearchHandler((found, sum) => { details.textContent = `"${flame.term}": ${bytes(sum)} in ${found.length} frames`; })
      .onClick((d) => { picking.replaceChildren(...pickButton(d.data)); })
      .onHover((d) => { point(d.data); });
    place.replaceChildren();
    d3.select(place).datum(root).call(flame.chart);
    if (flame.term) flame.chart.search(flame.term);
  };
  const picked = (name) => (value) => {
    flame[name] = value;
    flame.isChosen = flame.isChosen || name === "moment";
    flame.isBeforeChosen = name === "before";
    draw();
  };
  const alike = [...offered, ...oldMoments()].filter(([name]) => name !== flame.moment && kindOf(name) === kindOf(flame.moment));
  const search = element("input", { type: "search", placeholder: "name", value: flame.term, "data-keep": "flame-search", oninput: (event) => {
    flame.term = event.target.value;
    if (flame.isTreemap) {
      recolour();
      details.textContent = flame.term ? foundText(root, isFound) : whole;
    } else if (flame.term) flame.chart.search(flame.term);
    else { flame.chart.clear(); details.textContent = whole; }
  } });
  requestAnimationFrame(paint);
  place.repaint = paint;
  return [element("div", { class: "flame-tools" }, choice("Bytes", offered, flame.moment, picked("moment")),
    choice("compared with", [["", "nothing"], ...alike], flame.before, picked("before")),
    element("label", {}, "Search ", search),
    element("button", { type: "button", onclick: () => {
      if (flame.isTreemap) paint();
      else flame.chart.resetZoom();
      details.textContent = whole;
    } }, "Whole graph"),
    element("button", { type: "button", "data-keep": "treemap", "aria-pressed": String(flame.isTreemap), onclick: () => {
      flame.isTreemap = !flame.isTreemap;
      drawAll([place.closest(".figure")]);
    } }, "As a treemap"), ...flame.moment.startsWith("code") ? [element("button", { type: "button", "data-keep": "own", "aria-pressed": String(flame.isOwn), onclick: () => {
      flame.isOwn = !flame.isOwn;
      drawAll([place.closest(".figure")]);
    } }, "Only my applications")] : [], picking),
  details, place,
  flame.before ? key(["flame-more", "red: more than then"], ["flame-less", "blue: less than then"], ["flame-level", "as much as then"])
    : key(["flame-allocator", "allocator"], ["flame-type", "type of block"], ["flame-process", "application, process, function"]),
  flame.before ? changeTable(root) : stackTable(of(flame.moment), root.now)];
};

// The largest changes of the ends of stacks, the same way.
function changeTable(root) {
  const ends = [];
  const collect = (node, path) => {
    const own = node.column ? [...path, node.name] : path;
    if (!node.children.length) ends.push({ name: own.join(" / "), now: node.now, then: node.then });
    node.children.forEach((child) => collect(child, own));
  };
  collect(root, []);
  const rows = ends.filter((end) => end.now !== end.then).sort((a, b) => Math.abs(b.now - b.then) - Math.abs(a.now - a.then)).slice(0, 30);
  return element("details", {}, element("summary", {}, "The largest changes as a table"),
    tableOf("The largest changes", ["change", "then", "now", "who"], [0, 1, 2], rows.map((end) =>
      [`${end.now > end.then ? "+" : ""}${bytes(end.now - end.then)}`, bytes(end.then), bytes(end.now), end.name])));
}

// The largest stacks as text, for those who cannot see or use the graph.
function stackTable(rows, total) {
  const sorted = [...rows].sort((a, b) => b.bytes - a.bytes).slice(0, 30);
  return element("details", {}, element("summary", {}, "The largest as a table"),
    tableOf("The largest stacks", ["bytes", "share", "blocks", "who"], [0, 1, 2], sorted.map((row) => [bytes(row.bytes), percent(row.bytes / (total || 1)),
      row.blocks == null ? "–" : String(row.blocks),
      frameLevels.map(([column, missing]) => row[column] ?? missing).filter((name) => name != null).join(" / ")])));
}
