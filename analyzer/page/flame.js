// SPDX-License-Identifier: MIT
//
// The flame graph: allocator, type of block, application, process, function, each as wide as its bytes.
"use strict";

// What has no name here: neither recorded nor none.
const frameLevels = [["allocator", "allocator not recorded"], ["type", "type not recorded"], ["application", null],
  ["process", null], ["function", null]];

// One tree of two lists of rows: widths are the larger of both, so that what is gone is seen as well.
function tree(rows, before) {
  const root = { name: "all", now: 0, then: 0, blocks: 0, children: new Map() };
  const add = (row, part) => {
    let node = root;
    const step = () => { node[part] += row.bytes; if (part === "now") node.blocks += row.blocks ?? 0; };
    step();
    for (const [column, missing] of frameLevels) {
      const name = row[column] ?? missing;
      if (name == null) continue;
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

const flame = { chart: null, moment: "held", before: "", term: "" };
const words = { held: "held at the last snapshot", end: "live at the end", peak: "live at the peak", question: "live at the moment asked for",
  made: "allocated in the whole recording" };

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

drawn.flame = () => {
  const all = rowsOf("stacks", { ofAllocator: true });
  const moments = [...new Set(all.map((row) => row.moment))];
  if (!moments.length) return null;
  if (!moments.includes(flame.moment)) flame.moment = Object.keys(words).find((moment) => moments.includes(moment)) ?? moments[0];
  if (!moments.includes(flame.before)) flame.before = "";
  const of = (moment) => all.filter((row) => row.moment === moment && row.bytes > 0);
  const place = element("div", { class: "flame" });
  const details = element("output", { class: "flame-details" });
  const root = tree(of(flame.moment), flame.before ? of(flame.before) : []);
  const whole = `${frameText(root, 0).replace(/^all: /, "")} ${words[flame.moment] ?? flame.moment}`;
  details.textContent = whole;
  const paint = () => {
    flame.chart = flamegraph().width(Math.max(240, place.clientWidth)).cellHeight(20).transitionDuration(0).inverted(true)
      .minFrameSize(2).selfValue(false).sort((a, b) => b.value - a.value)
      .setLabelHandler((d) => frameText(d.data, root.now)).setColorMapper((d) => d.highlight ? "var(--flame-found)" : frameColour(d.data))
      .setDetailsHandler((text) => { details.textContent = text ?? whole; })
      .setSearchMatch((d, term) => d.data.name.toLowerCase().includes(term.toLowerCase()))
      .setSearchHandler((found, sum) => { details.textContent = `"${flame.term}": ${bytes(sum)} in ${found.length} frames`; })
      .onHover((d) => { details.textContent = frameText(d.data, root.now); });
    place.replaceChildren();
    d3.select(place).datum(root).call(flame.chart);
    if (flame.term) flame.chart.search(flame.term);
  };
  const change = (name) => (value) => { flame[name] = value; draw(); };
  const picked = (label, options, value, onchange) => {
    const box = choice(label, options, onchange);
    box.querySelector("select").value = value;
    return box;
  };
  const named = (moment) => [moment, words[moment] ?? moment];
  const search = element("input", { type: "search", placeholder: "name", value: flame.term, oninput: (event) => {
    flame.term = event.target.value;
    if (flame.term) flame.chart.search(flame.term);
    else { flame.chart.clear(); details.textContent = whole; }
  } });
  requestAnimationFrame(paint);
  place.repaint = paint;
  return [element("div", { class: "flame-tools" }, picked("Bytes", moments.map(named), flame.moment, change("moment")),
    picked("compared with", [["", "nothing"], ...moments.filter((moment) => moment !== flame.moment).map(named)], flame.before, change("before")),
    element("label", {}, "Search ", search),
    element("button", { type: "button", onclick: () => { flame.chart.resetZoom(); details.textContent = whole; } }, "Whole graph")),
  details, place,
  flame.before ? key(["flame-more", "more than then"], ["flame-less", "less than then"])
    : key(["flame-allocator", "allocator"], ["flame-type", "type of block"], ["flame-process", "application, process, function"]),
  stackTable(of(flame.moment), root.now)];
};

// The largest stacks as text, for those who cannot see or use the graph.
function stackTable(rows, total) {
  const cells = (row) => [bytes(row.bytes), percent(row.bytes / (total || 1)), row.blocks == null ? "–" : String(row.blocks),
    frameLevels.map(([column, missing]) => row[column] ?? missing).filter((name) => name != null).join(" / ")];
  const sorted = [...rows].sort((a, b) => b.bytes - a.bytes).slice(0, 30);
  const line = (tag, texts) => element("tr", {}, ...texts.map((text, i) => element(tag, { class: i < 3 ? "n" : "" }, text)));
  return element("details", {}, element("summary", {}, "The largest as a table"), element("div", { class: "scroll", tabindex: "0" },
    element("table", {}, element("thead", {}, line("th", ["bytes", "share", "blocks", "who"])),
      element("tbody", {}, ...sorted.map((row) => line("td", cells(row)))))));
}
