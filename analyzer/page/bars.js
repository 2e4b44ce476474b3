// SPDX-License-Identifier: MIT
//
// Figures as objects, numbers as words, and bars of plain elements.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

// Rows of a figure as objects, those of the place and allocator that are looked at.
const view = { place: null, allocator: null };
const placeOf = (row) => row.snapshot_id != null ? `s${row.snapshot_id}` : `r${row.runtime_id}`;
function rowsOf(name, { ofAllocator = false } = {}) {
  const figure = data.figures[name];
  if (!figure) return [];
  const all = figure.objects ??= figure.rows.map((row) =>
    Object.fromEntries(figure.columns.map((column, i) => [column, row[i]])));
  return all.filter((row) => (view.place === null || placeOf(row) === view.place) &&
    (!ofAllocator || view.allocator === null || row.allocator === view.allocator));
}

function bytes(value) {
  if (value == null) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  let v = Math.abs(value);
  while (v >= 1024 && i < units.length - 1) { v /= 1024; i++; }
  return `${value < 0 ? "−" : ""}${i === 0 ? v.toFixed(0) : v.toFixed(v < 10 ? 2 : 1)} ${units[i]}`;
}
const percent = (ratio) => ratio == null ? "–" : `${(100 * ratio).toFixed(1)} %`;
function duration(ns) {
  if (ns < 1e3) return `${ns} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toFixed(ns < 1e4 ? 1 : 0)} µs`;
  if (ns < 1e9) return `${(ns / 1e6).toFixed(ns < 1e7 ? 1 : 0)} ms`;
  if (ns < 600e9) return `${(ns / 1e9).toFixed(ns < 1e10 ? 1 : 0)} s`;
  return `${(ns / 60e9).toFixed(0)} min`;
}

// Texts go in as texts: what a database says is never markup.
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "style") Object.assign(node.style, value);
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// One row of bars: parts are [from, to, colour] of `most`.
function bar(name, parts, most, value, title) {
  const track = element("div", { class: "track", title: title ?? value });
  for (const [from, to, colour] of parts) {
    const left = Math.min(from, to) / (most || 1);
    const width = Math.abs(to - from) / (most || 1);
    if (width > 0) {
      track.append(element("span", { class: "fill",
        style: { left: `${100 * left}%`, width: `${100 * width}%`, background: `var(--${colour})` } }));
    }
  }
  return [element("span", { class: "name" }, name), track, element("span", { class: "value" }, value)];
}
function bars(rows) {
  return element("div", { class: "bars" }, ...rows.flat());
}
function key(...entries) {
  return element("p", { class: "key" }, ...entries.map(([colour, text]) =>
    element("span", {}, element("i", { style: { background: `var(--${colour})` } }), text)));
}

const drawn = {
  waterfall() {
    const rows = rowsOf("waterfall").filter((row) => row.allocator === view.allocator);
    if (!rows.length) return null;
    // What the source does not show is named, and has no bar.
    const most = Math.max(...rows.map((row) => row.running_bytes ?? 0), 1);
    const parts = (row) => {
      if (row.bytes == null) return [];
      if (row.kind === "level") return [[0, row.bytes, "carriers"]];
      return [[0, Math.min(row.running_bytes, row.running_bytes - row.bytes), "line"],
        [row.running_bytes - row.bytes, row.running_bytes, row.bytes < 0 ? "pool" : "blocks"]];
    };
    const value = (row) => row.bytes == null ? "unknown"
      : `${row.kind === "level" || row.bytes <= 0 ? "" : "+"}${row.quality === "bound" && row.bytes_bound !== row.bytes ? "≥ " : ""}${bytes(row.bytes)}`;
    return [bars(rows.map((row) => bar(row.name, parts(row), most, value(row),
      `${row.meaning} (${row.quality})`))),
    key(["carriers", "total"], ["pool", "subtracted"], ["blocks", "added"])];
  },
  allocators() {
    const rows = rowsOf("allocators").filter((row) => row.level === "allocator");
    if (!rows.length) return null;
    rows.sort((a, b) => b.carriers_bytes + (b.pooled_bytes ?? 0) - a.carriers_bytes - (a.pooled_bytes ?? 0));
    const most = Math.max(...rows.map((row) => row.carriers_bytes + (row.pooled_bytes ?? 0)), 1);
    return [bars(rows.map((row) => bar(row.allocator,
      [[0, row.carriers_bytes, "carriers"], [0, row.blocks_bytes, "blocks"],
        [row.carriers_bytes, row.carriers_bytes + (row.pooled_bytes ?? 0), "pool"]],
      most, `${bytes(row.carriers_bytes)}, ${percent(row.utilisation)}`, row.sentence))),
    key(["blocks", "blocks"], ["carriers", "carriers around them"], ["pool", "in the pool"])];
  },
  instances() {
    const rows = rowsOf("instances", { ofAllocator: true }).filter((row) => row.carriers_bytes > 0);
    if (!rows.length) return null;
    rows.sort((a, b) => b.carriers_bytes - a.carriers_bytes);
    const most = rows[0].carriers_bytes;
    return [bars(rows.slice(0, 16).map((row) => bar(`${row.allocator} ${row.instance}`,
      [[0, row.carriers_bytes, "carriers"], [0, row.blocks_bytes, "blocks"]], most,
      `${bytes(row.carriers_bytes)}, ${percent(row.utilisation)}`))),
    key(["blocks", "in use at the last event"], ["carriers", "carriers around them"])];
  },
  sizes() {
    const rows = rowsOf("sizes", { ofAllocator: true });
    if (!rows.length) return null;
    const moments = [...new Set(rows.map((row) => row.begin_ns))].sort((a, b) => a - b);
    const sizes = [...new Set(rows.map((row) => row.size_from))].sort((a, b) => a - b);
    const series = new Map();
    for (const row of rows) {
      const name = `${row.allocator} ${row.size_from}`;
      if (!series.has(name)) series.set(name, []);
      series.get(name).push(row);
    }
    for (const list of series.values()) list.sort((a, b) => a.begin_ns - b.begin_ns);
    // What is live at a moment: of each series the last level recorded before.
    const at = (ns) => {
      const found = new Map(sizes.map((size) => [size, []]));
      for (const list of series.values()) {
        const row = list.findLast((level) => level.begin_ns <= ns);
        if (row) found.get(row.size_from).push(row);
      }
      return [...found.values()];
    };
    const sum = (list, name) => list.reduce((total, row) => total + Math.max(0, row[name]), 0);
    const most = Math.max(1, ...moments.flatMap((ns) => at(ns).map((list) => sum(list, "live_bytes"))));
    const box = element("div");
    const label = element("output", { id: "sizes-at" });
    function show(i) {
      const ns = moments[i];
      label.textContent = `at ${(ns / 1e9).toFixed(3)} s`;
      box.replaceChildren(bars(at(ns).map((list, k) => bar(sizes[k] === 0 ? "0–1 B" : `${bytes(sizes[k])}–`,
        [[0, sum(list, "live_bytes"), "blocks"]], most,
        `${bytes(sum(list, "live_bytes"))}, ${sum(list, "live_blocks")}`))));
    }
    const last = moments.length - 1;
    const input = element("input", { type: "range", min: 0, max: last, value: last, "aria-label": "Moment",
      oninput: (event) => show(+event.target.value) });
    show(last);
    return [element("div", { class: "slider" }, element("span", {}, "Moment"), input, label), box,
      key(["blocks", "bytes asked for by live blocks, and how many blocks"])];
  },
  ages() {
    const rows = rowsOf("ages", { ofAllocator: true });
    if (!rows.length) return null;
    const groups = new Map();
    // Three powers of two are one row.
    for (const row of rows) {
      const power = row.from_ns === 0 ? -1 : Math.floor(Math.log2(row.from_ns) / 3);
      const group = groups.get(power) ?? { to: 8 ** (power + 1), power, shortest: 0, longest: 0 };
      group.shortest += row.ends_if_shortest;
      group.longest += row.ends_if_longest;
      groups.set(power, group);
    }
    const sorted = [...groups.values()].sort((a, b) => a.power - b.power);
    const most = Math.max(...sorted.flatMap((group) => [group.shortest, group.longest]));
    return [bars(sorted.flatMap((group) => [
      bar(`up to ${duration(group.to)}`, [[0, group.shortest, "blocks"]], most, `${group.shortest}`),
      bar("", [[0, group.longest, "carriers"]], most, `${group.longest}`)])),
    key(["blocks", "shortest possible lifetime"], ["carriers", "longest possible lifetime"])];
  },
  growers() {
    const rows = rowsOf("growers", { ofAllocator: true }).filter((row) => row.growth_bytes > 0);
    if (!rows.length) return null;
    rows.sort((a, b) => b.growth_bytes - a.growth_bytes);
    const most = Math.max(...rows.map((row) => row.to_bytes));
    return [bars(rows.slice(0, 15).map((row) => bar(row.type ? `${row.type} (${row.allocator})` : row.allocator,
      [[0, row.from_bytes, "line"], [row.from_bytes, row.to_bytes, "carriers"]], most,
      `+${bytes(row.growth_bytes)}`))),
    key(["line", "live a quarter into the recording"], ["carriers", "added since"])];
  },
};
