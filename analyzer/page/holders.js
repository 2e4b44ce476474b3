// SPDX-License-Identifier: MIT
//
// Who holds memory: a table of which one can be chosen, and what it held before.
"use strict";

// Rows of what was held at the last list not later than a time; -Infinity: at the first.  Without lists over time: at
// the end.
function heldAt(ns) {
  const before = rowsOf("held", { ofAllocator: true, ofHolder: true });
  const times = [...new Set(rowsOf("held").map((row) => row.at_ns))].sort((a, b) => a - b);
  const now = rowsOf("holders", { ofAllocator: true, ofHolder: true });
  if (!times.length || (ns >= times.at(-1) && now.length)) {
    return now.length || ns === -Infinity ? now.map((row) => ({ ...row })) : liveBy(ns);
  }
  const at = times.findLast((time) => time <= ns) ?? times[0];
  return before.filter((row) => row.at_ns === at).map((row) => ({ ...row }));
}
// The same of recorded blocks, by who made them.
function liveBy(ns) {
  const sums = new Map();
  for (const row of rowsOf("changes", { ofAllocator: true, ofHolder: true })) {
    if (row.end_ns > ns) continue;
    const name = `${row.allocator} ${row.type} ${row.process}`;
    const sum = sums.get(name) ?? { ...row, bytes: 0 };
    sum.bytes += row.made_bytes - row.ended_bytes;
    sums.set(name, sum);
  }
  return [...sums.values()].filter((row) => row.bytes > 0);
}

const holderTable = { term: "", shown: 25 };
drawn.holders = () => {
  const all = hasRange() ? heldAt(view.to) : rowsOf("holders", { ofAllocator: true, ofHolder: true });
  if (!all.length) return null;
  const rows = all.sort((a, b) => b.bytes - a.bytes);
  const place = element("div");
  const count = element("output", { class: "flame-details" });
  const show = () => {
    const term = holderTable.term.toLowerCase();
    const found = term ? rows.filter((row) => (row.process ?? "").toLowerCase().includes(term)) : rows;
    // Temporary garbage stands below the others, however many are shown.
    const held = found.filter((row) => !isGarbage(row));
    const part = held.slice(0, holderTable.shown);
    count.textContent = `${part.length} of ${held.length.toLocaleString("en")}${term ? ` with "${holderTable.term}"` : ""}${
      hasRange() ? `, at ${atTime(view.to)}` : ""}`;
    place.replaceChildren(tableOf("Processes, tables and ports", ["holder", "allocator", "type", "bytes", "quality", "basis"], [3],
      [...part, ...found.filter(isGarbage)].map((row) => [holderButton(row), row.allocator, row.type ?? "–", bytes(row.bytes), row.quality ?? "–", row.basis ?? "snapshot"])));
    more.hidden = part.length === held.length;
  };
  const more = element("button", { type: "button", "data-keep": "more", onclick: () => { holderTable.shown *= 4; show(); } }, "More");
  const search = element("input", { type: "search", placeholder: "name", value: holderTable.term, "data-keep": "holder-search",
    oninput: (event) => { holderTable.term = event.target.value; show(); } });
  show();
  return [element("div", { class: "flame-tools" }, element("label", {}, "Search ", search), count), place,
    element("div", { class: "tools" }, more)];
};
function holderButton(row) {
  // Only what is one holder can be chosen.
  if (row.process == null || manyKinds.has(row.kind)) return row.process ?? "not recorded";
  return element("button", { type: "button", class: "holder", title: "Show only this one", "aria-pressed": String(view.holder === row.process),
    onclick: () => change({ holder: row.process }) }, row.process);
}

// What was held over time, by lists of holders, else by recorded blocks: [name, times, values] of the most at any time.
function heldOverTime() {
  const lists = rowsOf("held", { ofAllocator: true, ofHolder: true });
  return lists.length ? seriesOf(lists, "at_ns", (sum, row) => sum + row.bytes, [...new Set(rowsOf("held").map((row) => row.at_ns))])
    : liveOverTime();
}
const seriesName = (row) => view.holder === null ? row.process ?? "not recorded" : `${row.type ?? "type not recorded"} (${row.allocator})`;
function seriesOf(rows, time, add, times) {
  times.sort((a, b) => a - b);
  const index = new Map(times.map((ns, i) => [ns, i]));
  const series = new Map();
  for (const row of rows) {
    const name = seriesName(row);
    if (!series.has(name)) series.set(name, new Array(times.length).fill(null));
    const values = series.get(name);
    values[index.get(row[time])] = add(values[index.get(row[time])] ?? 0, row);
  }
  return mostOf(times, series);
}
function liveOverTime() {
  const rows = rowsOf("changes", { ofAllocator: true, ofHolder: true });
  const times = [...new Set(rowsOf("changes").map((row) => row.end_ns))].sort((a, b) => a - b);
  const index = new Map(times.map((ns, i) => [ns, i]));
  const series = new Map();
  for (const row of rows) {
    const name = seriesName(row);
    if (!series.has(name)) series.set(name, new Array(times.length).fill(0));
    series.get(name)[index.get(row.end_ns)] += row.made_bytes - row.ended_bytes;
  }
  for (const values of series.values()) {
    for (let i = 1; i < values.length; i++) values[i] += values[i - 1];
  }
  return mostOf(times, series);
}
// More than six curves look alike.
function mostOf(times, series) {
  return [...series].map(([name, values]) => ({ name, times, values, most: Math.max(...values.map((value) => value ?? 0)) }))
    .filter((one) => one.most > 0).sort((a, b) => b.most - a.most).slice(0, 6);
}
