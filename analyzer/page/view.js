// SPDX-License-Identifier: MIT
//
// Figures as objects, what of them is looked at, and the address that keeps it.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

// What is looked at: a process or reading, an allocator, a holder, and a range of time in ns; null: all.
const view = { place: null, allocator: null, holder: null, from: null, to: null };
const placeOf = (row) => row.snapshot_id != null ? `s${row.snapshot_id}` : `r${row.runtime_id}`;

// Rows as the views have them: a text that is one of the last eight different texts of its column was written as
// its place among them, 0 for the latest.
function rowsAsRead(figure) {
  if (!figure.isRead) {
    const recent = figure.columns.map(() => []);
    for (const row of figure.rows) {
      row.forEach((value, i) => {
        const texts = recent[i];
        if (typeof value === "string") {
          texts.unshift(value);
          if (texts.length > 8) texts.pop();
        } else if (typeof value === "number" && texts.length) {
          row[i] = texts[value];
          texts.splice(value, 1);
          texts.unshift(row[i]);
        }
      });
    }
    figure.isRead = true;
  }
  return figure.rows;
}

const objectsOf = (figure) => figure.objects ??= rowsAsRead(figure).map((row) =>
  Object.fromEntries(figure.columns.map((column, i) => [column, row[i]])));

// Rows of a figure as objects, those of the place, and where asked of the allocator and the holder.
function rowsOf(name, { ofAllocator = false, ofHolder = false } = {}) {
  const figure = data.figures[name];
  if (!figure) return [];
  return objectsOf(figure).filter((row) => (view.place === null || placeOf(row) === view.place) &&
    (!ofAllocator || view.allocator === null || row.allocator === view.allocator) &&
    (!ofHolder || view.holder === null || row.process === view.holder));
}

const hasRange = () => view.from !== null;
const isInRange = (ns) => !hasRange() || (ns >= view.from && ns <= view.to);

// The fragment of the address: pairs, of which an empty one has none.
const fragmentNames = { place: "of", allocator: "allocator", holder: "holder" };
function fragment() {
  const pairs = new URLSearchParams();
  for (const [key, name] of Object.entries(fragmentNames)) {
    if (view[key] !== null && !(key === "place" && view.place === places()[0]?.[0])) pairs.set(name, view[key]);
  }
  if (hasRange()) {
    pairs.set("from", +(view.from / 1e9).toFixed(6));
    pairs.set("to", +(view.to / 1e9).toFixed(6));
  }
  const text = pairs.toString();
  return text ? `#${text}` : "";
}
// Takes what a fragment names and the page has; what else it says is left out.
function readFragment() {
  if (location.hash.length > 1 && !location.hash.includes("=")) return false;
  const pairs = new URLSearchParams(location.hash.slice(1));
  const known = (value, list) => value !== null && list.includes(value) ? value : null;
  view.place = known(pairs.get("of"), places().map(([place]) => place)) ?? places()[0]?.[0] ?? null;
  view.allocator = known(pairs.get("allocator"), allocators());
  view.holder = known(pairs.get("holder"), holderNames());
  const from = Number.parseFloat(pairs.get("from"));
  const to = Number.parseFloat(pairs.get("to"));
  [view.from, view.to] = from < to ? [from * 1e9, to * 1e9] : [null, null];
  return true;
}
function keepFragment() {
  const wanted = fragment();
  if (wanted !== location.hash) history.pushState(null, "", wanted || location.pathname + location.search);
}

// [place, text]: each process and reading.
function places() {
  const found = new Map();
  for (const row of data.figures.allocators.objects ?? rowsOfAll("allocators")) {
    if (row.level === "runtime") {
      found.set(placeOf(row), row.snapshot_id != null ? `reading ${row.snapshot_id}` : row.node != null ? `${row.node} (OS pid ${row.vpid})` : `OS process ${row.vpid ?? row.runtime_id}`);
    }
  }
  return [...found];
}
function rowsOfAll(name) {
  const { place } = view;
  view.place = null;
  const rows = rowsOf(name);
  view.place = place;
  return rows;
}
const allocators = () => [...new Set(rowsOf("allocators").filter((row) => row.level === "allocator").map((row) => row.allocator))].sort();
// What is not one holder.
const manyKinds = new Set(["nobody", "others", "processes", "tables", "temporary"]);
// What a snapshot, a dump or samples show to be held; temporary garbage has no holder.
const isGarbage = (row) => row.kind === "temporary";
const isHeld = (row) => row.basis !== "blocks it made" && !isGarbage(row);
// Those that hold most come first.
function holderNames() {
  const sums = new Map();
  for (const name of ["holders", "held", "changes", "stacks"]) {
    for (const row of rowsOf(name)) {
      if (row.process != null && !manyKinds.has(row.kind)) sums.set(row.process, (sums.get(row.process) ?? 0) + (name === "holders" ? row.bytes : 0));
    }
  }
  return [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
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
const seconds = (ns) => ns / 1e9;
const atTime = (ns) => `${seconds(ns).toFixed(3)} s`;
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

// A labelled choice: options are [value, text]; keep: its name, by which it has the focus again when it was drawn anew.
function choice(label, options, value, onchange, keep) {
  const select = element("select", { "data-keep": keep ?? label, onchange: (event) => onchange(event.target.value) },
    ...options.map(([name, text]) => element("option", { value: name }, text)));
  select.value = value;
  return element("label", {}, `${label} `, select);
}
function lineOf(tag, texts, numbers) {
  return element("tr", {}, ...texts.map((text, i) => element(tag, { class: numbers.includes(i) ? "n" : null, scope: tag === "th" ? "col" : null }, text)));
}
// A table that can be scrolled by keyboard.
function tableOf(label, heads, numbers, rows) {
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    element("table", {}, element("thead", {}, lineOf("th", heads, numbers)),
      element("tbody", {}, ...rows.map((row) => lineOf("td", row, numbers)))));
}
