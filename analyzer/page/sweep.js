// SPDX-License-Identifier: MIT
//
// Flags that were tried by replays: memory against what it costs.
"use strict";

const drawing = (tag, attributes, ...children) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) node.setAttribute(name, value);
  node.append(...children);
  return node;
};
const sweepColour = (row) => row.is_advised ? "blocks" : row.flags === "" ? "peak" : row.is_on_frontier ? "carriers" : "soft";
const sweepName = (row) => row.flags === "" ? "as recorded" : row.is_advised ? "advised" : row.flags;

// Ticks at round numbers between two bounds, or in decades around them.
function ticksOf(least, most, isDecades) {
  if (isDecades) {
    const first = Math.floor(Math.log10(Math.max(1, least)));
    return Array.from({ length: Math.max(1, Math.ceil(Math.log10(Math.max(1, most))) - first) + 1 }, (_, i) => 10 ** (first + i));
  }
  const step = 2 ** Math.ceil(Math.log2(Math.max(most - least, 4) / 5));
  return Array.from({ length: Math.floor(most / step) - Math.ceil(least / step) + 1 }, (_, i) => (Math.ceil(least / step) + i) * step);
}

// Of two figures: those that no other row beats in one without losing in the other, least memory first.
function frontierOf(rows, cost) {
  let least = Infinity;
  return [...rows].sort((a, b) => a.objective_bytes - b.objective_bytes || a[cost] - b[cost])
    .filter((row) => row[cost] < least && ((least = row[cost]), true));
}

// A dot for each set of flags, the best ones joined: down and to the left is better.
function scatter(rows, cost, title, value) {
  const [width, height, left, bottom, top, right] = [460, 260, 62, 40, 12, 16];
  const sizes = rows.map((row) => row.objective_bytes);
  const [from, to] = [Math.min(...sizes) * 0.96, Math.max(...sizes) * 1.02];
  const isDecades = cost === "calls";
  const costs = rows.map((row) => row[cost]);
  const ticks = ticksOf(isDecades ? Math.min(...costs) : 0, Math.max(1, ...costs) * (isDecades ? 1 : 1.04), isDecades);
  const ends = isDecades ? [ticks[0], ticks.at(-1)].map(Math.log10) : [0, Math.max(1, ...costs) * 1.04];
  const share = (v) => ((isDecades ? Math.log10(Math.max(1, v)) : v) - ends[0]) / (ends[1] - ends[0]);
  const x = (row) => left + (width - left - right) * (row.objective_bytes - from) / (to - from);
  const y = (row) => height - bottom - (height - bottom - top) * share(row[cost]);
  const text = (at, words, anchor) => drawing("text", { ...at, "text-anchor": anchor, class: "tick" }, words);
  const parts = ticksOf(from, to, false).map((v) => text({ x: x({ objective_bytes: v }), y: height - bottom + 16 }, bytes(v).replace(/\.0+ /, " "), "middle"));
  for (const v of ticks) {
    const at = y({ [cost]: v });
    parts.push(drawing("line", { x1: left, x2: width - right, y1: at, y2: at, class: "grid" }), text({ x: left - 6, y: at + 4 }, value(v), "end"));
  }
  parts.push(drawing("polyline", { points: frontierOf(rows, cost).map((row) => `${x(row)},${y(row)}`).join(" "), class: "frontier" }));
  // What is named lies above the rest.
  const order = [...rows].sort((a, b) => a.is_on_frontier - b.is_on_frontier || (a.flags === "") - (b.flags === "") || a.is_advised - b.is_advised);
  for (const row of order) {
    const isNamed = row.flags === "" || row.is_advised;
    parts.push(drawing("circle", { cx: x(row), cy: y(row), r: isNamed ? 6 : 3.5, fill: `var(--${sweepColour(row)})` },
      drawing("title", {}, `${sweepName(row)}: ${bytes(row.objective_bytes)}, ${value(row[cost])}`)));
  }
  parts.push(text({ x: (left + width) / 2, y: height - 4 }, "carriers", "middle"));
  return element("div", { class: "scatter" }, element("p", { class: "note" }, title),
    drawing("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}: ${rows.length} sets of flags, ${order.filter((row) =>
      row.flags === "" || row.is_advised).map((row) => `${sweepName(row)} ${bytes(row.objective_bytes)}, ${value(row[cost])}`).join("; ")}` }, ...parts));
}

drawn.sweep = () => {
  const rows = rowsOf("sweep");
  if (rows.length < 2 || view.holder !== null) return null;
  return [element("div", { class: "scatters" },
    scatter(rows, "calls", "Requests for carriers, a scale of decades", (v) => String(v)),
    scatter(rows, "copied_bytes", "Bytes that reallocations copied", (v) => bytes(v).replace(/\.0+ /, " "))),
  key(["peak", "as recorded"], ["blocks", "advised"], ["carriers", "no other is better in memory, requests and copies"], ["soft", "others"]),
  element("p", { class: "note" }, `Carriers ${{ peak: "at the peak", end: "at the end", average: "on average", rss: "at the peak" }[rows[0].objective]}, by replays of this recording.`)];
};

curves.sweep = () => {
  const rows = rowsOf("sweep_curve");
  if (!rows.length || view.holder !== null) return null;
  const series = [[0, "Carriers, replayed as recorded", "peak"], [1, "Carriers with the advised flags", "blocks"]]
    .map(([isAdvised, name, colour]) => [name, colour, levels(rows.filter((row) => row.is_advised === isAdvised), placeOf, [(row) => row.carriers_bytes])])
    .filter(([, , counted]) => counted.times.length > 1)
    .map(([name, colour, counted]) => [name, colour, counted.times, counted.sums[0]]);
  return { series, ...inBytes, isGrouped: true };
};
