// SPDX-License-Identifier: MIT
//
// Curves over time, by uPlot.
"use strict";

const plots = [];

// Levels that hold until the next row, of several keys, summed onto one axis of time.
function levels(rows, keyOf, columns) {
  const times = [...new Set(rows.map((row) => row.begin_ns))].sort((a, b) => a - b);
  const ends = Math.max(...rows.map((row) => row.end_ns));
  if (times.length && ends > times.at(-1)) times.push(ends);
  const index = new Map(times.map((ns, i) => [ns, i]));
  const sums = columns.map(() => new Array(times.length).fill(0));
  const byKey = new Map();
  for (const row of rows) {
    const list = byKey.get(keyOf(row)) ?? [];
    list.push(row);
    byKey.set(keyOf(row), list);
  }
  for (const list of byKey.values()) {
    list.sort((a, b) => a.begin_ns - b.begin_ns);
    list.forEach((row, i) => {
      const from = index.get(row.begin_ns);
      const to = i + 1 < list.length ? index.get(list[i + 1].begin_ns) : times.length;
      for (let k = from; k < to; k++) columns.forEach((column, c) => { sums[c][k] += column(row) ?? 0; });
    });
  }
  return { times: times.map(seconds), sums };
}

// Tables of times and values on one axis of time: a level holds where its own table has no point.  ends: of a table that belongs to
// another recording, when that ends: it is drawn no further.
function held(tables, ends = []) {
  const [times, ...lists] = uPlot.join(tables);
  return [times, ...lists.map((list, i) => {
    let last = null;
    return list.map((value, k) => {
      last = value === undefined ? last : value;
      return times[k] > ends[i] ? null : last;
    });
  })];
}

const keyOf = (row) => `${placeOf(row)} ${row.allocator}`;
const lossy = () => rowsOf("losses").map((row) => [seconds(row.begin_ns), seconds(row.end_ns)]);

// What is live, and all carriers at the same moments: in between carriers change, and what is live is not known.
function liveInCarriers(rows, live) {
  const list = new Map();
  for (const row of rows) list.set(keyOf(row), [...(list.get(keyOf(row)) ?? []), row]);
  const recorded = new Set(live.map(keyOf));
  const at = (key, ns) => list.get(key)?.findLast((row) => row.begin_ns <= ns)?.carriers_bytes ?? 0;
  const now = levels(live, keyOf, [(row) => row.live_bytes, (row) => row.carriers_bytes ?? at(keyOf(row), row.begin_ns)]);
  for (const key of list.keys()) if (!recorded.has(key)) now.times.forEach((s, i) => { now.sums[1][i] += at(key, s * 1e9); });
  return now;
}

const inBytes = { value: bytes, incrs: Array.from({ length: 50 }, (_, i) => 2 ** i), tick: (v) => bytes(v).replace(/\.0+ /, " ") };
const liveName = (live) => live.some((row) => row.basis === "samples") ? "Live samples (estimate)" : "Live blocks that were recorded";
const countedName = (rows, live, otherwise) => rows.some((row) => row.basis === "snapshots") ? "Blocks at each snapshot"
  : live.length ? "Blocks at the last event" : otherwise;

// What an allocator is for.
const purposes = { eheap_alloc: "heaps", binary_alloc: "binaries", ets_alloc: "tables", ll_alloc: "code and long-lived", literal_alloc: "literals",
  fix_alloc: "fixed structures", driver_alloc: "ports", sl_alloc: "short-lived", std_alloc: "others of the runtime", temp_alloc: "one call" };

const curves = {
  // What is in use by allocator, and what is empty: together the carriers; over it what is resident, and the limit where it is near.
  areas() {
    const rows = rowsOf("footprint", { ofAllocator: true });
    if (!rows.length || view.holder !== null) return null;
    // At each moment what was recorded last: counters of carriers, which do not say what is freed inside them, or live blocks, seldom.
    const live = rows.some((row) => row.basis === "snapshots") ? [] : rowsOf("live", { ofAllocator: true });
    const used = [...live.map((row) => ({ ...row, used_bytes: row.live_bytes })),
      ...rows.filter((row) => row.blocks_bytes !== null).map((row) => ({ ...row, used_bytes: row.blocks_bytes }))]
      .sort((a, b) => a.begin_ns - b.begin_ns);
    const most = new Map();
    for (const row of used) most.set(row.allocator, Math.max(most.get(row.allocator) ?? 0, row.used_bytes ?? 0));
    const names = [...most].filter(([, bytesMost]) => bytesMost > 0).sort((a, b) => b[1] - a[1]).map(([name]) => name);
    const own = names.slice(0, names.length > 6 ? 5 : 6);
    const series = [];
    const add = (label, colour, part, column) => {
      if (!part.length) return;
      const counted = levels(part, keyOf, [column]);
      series.push([label, colour, counted.times, counted.sums[0]]);
    };
    own.forEach((name, i) => add(purposes[name] ? `${purposes[name]} (${name})` : name, `line-${i + 1}`, used.filter((row) => row.allocator === name), (row) => row.used_bytes));
    add("Others in use", "line-6", used.filter((row) => names.includes(row.allocator) && !own.includes(row.allocator)), (row) => row.used_bytes);
    const carriers = levels(rows, keyOf, [(row) => row.carriers_bytes]);
    const inUse = levels(used, keyOf, [(row) => row.used_bytes]);
    const [times, all, parts] = held([[carriers.times, carriers.sums[0]], [inUse.times, inUse.sums[0]]]);
    series.push(["Empty in carriers", "peak", times, times.map((_, i) => Math.max(0, (all[i] ?? 0) - (parts[i] ?? 0)))]);
    const stack = series.length;
    if (view.allocator === null) {
      const resident = rowsOf("resident").sort((a, b) => a.at_ns - b.at_ns);
      if (resident.length > 1) series.push(["Resident", "ink", resident.map((row) => seconds(row.at_ns)), resident.map((row) => row.bytes)]);
      const [limit] = rowsOf("limit");
      const top = Math.max(...resident.map((row) => row.bytes), ...carriers.sums[0]);
      if (limit && limit.bytes < 3 * top) series.push([limit.name ?? "limit", "bad", [times[0], times.at(-1)], [limit.bytes, limit.bytes]]);
    }
    return { series, stack, ...inBytes };
  },
  footprint() {
    const rows = rowsOf("footprint", { ofAllocator: true });
    const live = rowsOf("live", { ofAllocator: true });
    if (!rows.length || view.holder !== null) return null;
    const counted = levels(rows, keyOf, [(row) => row.carriers_bytes, (row) => row.blocks_bytes]);
    const series = [["Carriers", "carriers", counted.times, counted.sums[0]],
      [countedName(rows, live, "Blocks"), live.length ? "peak" : "blocks", counted.times, counted.sums[1]]];
    if (live.length) {
      const now = levels(live, keyOf, [(row) => row.live_bytes]);
      series.push([liveName(live), "blocks", now.times, now.sums[0]]);
    }
    const old = oldCurves();
    const endOf = (lines) => Math.max(...lines.map(([, , times]) => times.at(-1)));
    // Both begin at 0 s, and each ends where it ends.
    return { series: [...series, ...old], ends: old.length ? [...series.map(() => endOf(series)), ...old.map(() => endOf(old))] : [], ...inBytes };
  },
  utilisation() {
    const rows = rowsOf("footprint", { ofAllocator: true });
    // What is live counts all blocks only where they were recorded from the start.
    const live = rows.some((row) => row.basis === "snapshots") ? [] : rowsOf("live", { ofAllocator: true });
    if (!rows.length || view.holder !== null) return null;
    const counted = levels(rows, keyOf, [(row) => row.carriers_bytes, (row) => row.blocks_bytes]);
    const ratio = (blocks, size) => size > 0 ? Math.max(0, Math.min(100, 100 * blocks / size)) : null;
    const series = [[countedName(rows, live, "Blocks by carriers"), live.length ? "peak" : "blocks", counted.times,
      counted.sums[0].map((size, i) => ratio(counted.sums[1][i], size))]];
    if (live.length) {
      const { times, sums: [bytesLive, sizes] } = liveInCarriers(rows, live);
      series.push([liveName(live), "blocks", times, times.map((_, i) => ratio(bytesLive[i], sizes[i]))]);
    }
    return { series, value: (v) => v == null ? "–" : `${v.toFixed(1)} %`,
      tick: (v) => `${v} %`, range: [0, 100] };
  },
  pool() {
    const rows = rowsOf("pool").filter((row) => row.level === "runtime");
    if (!rows.length || view.allocator !== null || view.holder !== null) return null;
    const counted = levels(rows, placeOf, [(row) => row.pooled_carriers, (row) => row.pooled_bytes_min]);
    if (!counted.sums[0].some((count) => count > 0)) return null;
    return { series: [["In the pool, at least", "pool", counted.times, counted.sums[1]]], ...inBytes };
  },
  held() {
    const most = heldOverTime();
    if (!most.some((one) => one.values.filter((value) => value !== null).length > 1)) return null;
    return { series: most.map((one, i) => [one.name, `line-${i + 1}`, one.times.map(seconds), one.values]), ...inBytes, isGrouped: true };
  },
  made() {
    const rows = rowsOf("changes", { ofAllocator: true, ofHolder: true });
    if (!rows.length) return null;
    const ends = [...new Set(rowsOf("changes").map((row) => row.end_ns))].sort((a, b) => a - b);
    const width = ends.slice(1).reduce((least, ns, i) => Math.min(least, ns - ends[i]), Infinity);
    const sums = new Map(ends.map((ns) => [ns, 0]));
    for (const row of rows) sums.set(row.end_ns, sums.get(row.end_ns) + row.made_bytes);
    if (!isFinite(width)) return null;
    // A level holds from the begin of its slot; of slots in which nothing was made there is no row.
    const slots = Math.round((ends.at(-1) - ends[0]) / width) + 1;
    const times = Array.from({ length: slots + 1 }, (_, i) => ends[0] + (i - 1) * width);
    const rate = (ns) => ends.reduce((sum, end) => Math.abs(end - ns) < width / 2 ? sum + sums.get(end) : sum, 0) / seconds(width);
    const values = times.map((ns) => rate(ns + width));
    values[slots] = values[slots - 1];
    return { series: [["Bytes made in a second", "carriers", times.map(seconds), values]], ...inBytes,
      value: (v) => v == null ? "–" : `${bytes(v)}/s` };
  },
};

function shade(plot) {
  const { ctx } = plot;
  ctx.save();
  ctx.fillStyle = color("loss");
  for (const [from, to] of lossy()) {
    const left = Math.max(plot.bbox.left, plot.valToPos(from, "x", true));
    const right = Math.min(plot.bbox.left + plot.bbox.width, plot.valToPos(to, "x", true));
    if (right > left) ctx.fillRect(left, plot.bbox.top, right - left, plot.bbox.height);
  }
  ctx.restore();
}

// Moments that stand out: a line, and its letter where there is room for it.
const marks = () => rowsOf("marks");
// Readings that come regularly are named, but would hide the curves.
function drawnMarks() {
  const readings = marks().filter((row) => row.kind === "reading").length;
  return marks().filter((row) => row.kind !== "reading" || readings <= 8);
}
function mark(plot) {
  const { ctx } = plot;
  const size = 11 * devicePixelRatio;
  let free = -Infinity;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = color("soft");
  ctx.lineWidth = devicePixelRatio;
  ctx.font = `${size}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  for (const row of drawnMarks()) {
    const at = Math.round(plot.valToPos(seconds(row.at_ns), "x", true));
    if (at < plot.bbox.left || at > plot.bbox.left + plot.bbox.width) continue;
    const isLettered = at - size / 2 >= free;
    ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(at, plot.bbox.top + (isLettered ? size : 0));
    ctx.lineTo(at, plot.bbox.top + plot.bbox.height);
    ctx.stroke();
    if (!isLettered) continue;
    const half = size / 2;
    ctx.fillText(row.letter, Math.max(plot.bbox.left + half, Math.min(plot.bbox.left + plot.bbox.width - half, at)),
      plot.bbox.top);
    free = at + size / 2 + 2;
  }
  ctx.restore();
}

// What the letters mean, as a text that is read without the curve.
function legend() {
  const kinds = new Map();
  for (const row of marks()) {
    const kind = kinds.get(row.letter + row.kind) ?? { ...row, total: 0 };
    kind.total += row.number;
    kinds.set(row.letter + row.kind, kind);
  }
  if (!kinds.size) return null;
  return element("p", { class: "key marks" }, ...[...kinds.values()].map((kind) => element("span", {},
    element("b", {}, kind.letter), ` ${kind.kind}${kind.total > 1 ? ` (${kind.total})` : ""}: ${kind.label}, ${
      kind.total > 1 ? "first " : ""}at ${seconds(kind.at_ns).toFixed(3)} s`)));
}

function zoom(plot, from, to) {
  const [least, most] = plot.whole;
  const width = Math.min(to - from, most - least);
  const begin = Math.max(least, Math.min(from, most - width));
  if (width >= most - least) setRange(null, null);
  else setRange(begin * 1e9, (begin + width) * 1e9);
}
function onKey(plot, event) {
  const { min, max } = plot.scales.x;
  const width = max - min;
  const moves = { "+": [min + width / 4, max - width / 4], "=": [min + width / 4, max - width / 4],
    "-": [min - width / 2, max + width / 2], ArrowLeft: [min - width / 4, max - width / 4],
    ArrowRight: [min + width / 4, max + width / 4], 0: plot.whole };
  if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  zoom(plot, ...moves[event.key]);
}

// The range of time is that of all curves; what is not drawn over time stands apart.
function showRange(plot) {
  if (plot.isApart) return;
  const [min, max] = hasRange() ? [seconds(view.from), seconds(view.to)] : plot.whole;
  plot.setScale("x", { min, max });
}
function chosen(plot) {
  const { left, width } = plot.select;
  if (width < 4) return;
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  zoom(plot, plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
}

function drawCurve(box, name) {
  const curve = curves[name]();
  if (!curve) return false;
  const steps = uPlot.paths.stepped({ align: 1 });
  const filled = held(curve.series.map(([, , times, values]) => [times, values]), curve.ends);
  // Areas lie on each other: the highest is drawn first.  Their texts are what each has of it.
  const apart = filled.slice(1);
  if (curve.stack) {
    const below = filled[0].map(() => 0);
    const piled = apart.slice(0, curve.stack).map((values) => values.map((value, i) => (below[i] += value ?? 0)));
    filled.splice(1, curve.stack, ...piled.reverse());
    curve.series.splice(0, curve.stack, ...curve.series.slice(0, curve.stack).reverse());
    apart.splice(0, curve.stack, ...apart.slice(0, curve.stack).reverse());
  }
  const axis = { stroke: color("soft"), grid: { stroke: color("line"), width: 1 }, ticks: { stroke: color("line") } };
  const place = element("div", { class: "plot", tabindex: 0, "data-keep": `plot-${name}`, role: "img",
    "aria-label": `${box.querySelector("h3").textContent}: ${curve.series.map((series) =>
      `${series[0]} at the end ${curve.value(series[3].at(-1))}`).join(", ")}${curve.said ? `; ${curve.said}` : ""}` });
  box.append(place);
  const plot = new uPlot({
    width: Math.max(240, place.clientWidth || box.clientWidth - 32), height: 230,
    cursor: { sync: { key: curve.isApart ? name : "time" }, drag: { x: true, y: false, setScale: false }, bind: { dblclick: () => () => { setRange(null, null); } } },
    scales: { x: { time: false }, y: { range: curve.range ?? ((_, least, most) => [0, most > 0 ? most * 1.06 : 1]) } },
    axes: [{ ...axis, values: (_, ticks) => ticks.map(curve.at ?? ((tick) => `${+tick.toPrecision(6)} s`)) },
      { ...axis, size: 74, incrs: curve.incrs, values: (_, ticks) => ticks.map(curve.tick ?? curve.value) }],
    series: [{ label: curve.at ? "Place" : "Time", value: (_, v) => v == null ? "–" : curve.at ? curve.at(v) : `${v.toFixed(3)} s` },
      ...curve.series.map(([label, colour], i) => ({ label, stroke: color(colour), width: curve.stack > i ? 1 : 2, paths: steps,
        fill: curve.stack > i ? color(colour) : i === 0 && curve.series.length > 1 && !curve.isGrouped && !curve.stack ? `${color(colour)}22` : undefined,
        points: { show: false }, value: (_, v, __, at) => curve.value(curve.stack && at != null ? apart[i][at] : v) }))],
    hooks: curve.isApart ? { draw: [curve.draw] } : { drawAxes: [shade], draw: [mark, ...(curve.draw ? [curve.draw] : [])], setSelect: [chosen] },
  }, filled, place);
  plot.whole = [filled[0][0], filled[0].at(-1)];
  plot.isApart = curve.isApart;
  showRange(plot);
  if (!curve.isApart) place.addEventListener("keydown", (event) => onKey(plot, event));
  box.append(...(curve.words ?? [name === "footprint" ? legend() : null]).filter((words) => words !== null));
  box.plot = plot;
  plots.push([plot, place]);
  return true;
}
