// SPDX-License-Identifier: MIT
//
// Bars of plain elements.
"use strict";

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

// Sizes at which an allocator does something else: [bytes, words], smallest first.  Only the first is no setting.
const settingWords = { sbct: "a block of at least so much has a carrier of its own", smbcs: "carriers of many blocks begin with this size", lmbcs: "carriers of many blocks grow to this size" };
function thresholdsOf(names) {
  const rows = rowsOf("thresholds").filter((row) => names.has(row.allocator));
  const groups = new Map();
  for (const row of rows) {
    const group = groups.get(`${row.name} ${row.bytes}`) ?? { ...row, names: new Set() };
    groups.set(`${row.name} ${row.bytes}`, group);
    group.names.add(row.allocator);
  }
  const isOfAll = (group) => rows.every((row) => row.name !== group.name || row.bytes === group.bytes);
  const found = [...groups.values()].map((group) => [group.bytes, `${settingWords[group.name]} (${group.name}${isOfAll(group) ? "" : ` of ${[...group.names].join(", ")}`})`]);
  if (names.has("binary_alloc")) found.push([64, "smaller binaries are in the heaps of processes, not in binary_alloc"]);
  return found.sort((a, b) => a[0] - b[0]);
}
// Each stands above the first size that is not smaller.
function withThresholds(sizes, lines, thresholds) {
  const texts = (from, to) => thresholds.filter(([size]) => size > from && size <= to)
    .map(([size, words]) => [element("span", { class: "threshold" }, `${bytes(size)}: ${words}`)]);
  return [...sizes.flatMap((size, i) => [...texts(i ? sizes[i - 1] : -Infinity, size), lines[i]]), ...texts(sizes.at(-1) ?? -Infinity, Infinity)];
}

const drawn = {
  waterfall() {
    const rows = rowsOf("waterfall").filter((row) => row.allocator === view.allocator);
    if (!rows.length) return null;
    // What the source does not show has no bar, and is named below.
    const shown = rows.filter((row) => row.bytes != null);
    const missing = rows.filter((row) => row.bytes == null).map((row) => row.name);
    const most = Math.max(...shown.map((row) => row.running_bytes ?? 0), 1);
    const parts = (row) => {
      if (row.kind === "level") return [[0, row.bytes, "carriers"]];
      return [[0, Math.min(row.running_bytes, row.running_bytes - row.bytes), "line"],
        [row.running_bytes - row.bytes, row.running_bytes, row.bytes < 0 ? "pool" : "blocks"]];
    };
    const value = (row) => `${row.kind === "level" || row.bytes <= 0 ? "" : "+"}${row.quality === "bound" && row.bytes_bound !== row.bytes ? "≥ " : ""}${bytes(row.bytes)}`;
    return [bars(shown.map((row) => bar(row.name, parts(row), most, value(row),
      `${row.meaning} (${row.quality})`))),
    key(["carriers", "total"], ["pool", "subtracted"], ["blocks", "added"]),
    missing.length ? element("p", { class: "note" }, `Unknown in this recording: ${missing.join(", ")}.`) : null];
  },
  allocators() {
    if (view.holder !== null) return heldBars();
    const rows = hasRange() ? allocatorsAt(view.to) : rowsOf("allocators").filter((row) => row.level === "allocator");
    if (!rows.length) return null;
    rows.sort((a, b) => b.carriers_bytes + (b.pooled_bytes ?? 0) - a.carriers_bytes - (a.pooled_bytes ?? 0));
    const most = Math.max(...rows.map((row) => (row.carriers_bytes ?? row.blocks_bytes ?? 0) + (row.pooled_bytes ?? 0)), 1);
    const value = (row) => row.carriers_bytes == null ? `unknown, ${bytes(row.blocks_bytes)} in blocks` : `${bytes(row.carriers_bytes)}, ${percent(row.utilisation)}`;
    return [bars(rows.map((row) => bar(row.allocator,
      [[0, row.carriers_bytes, "carriers"], [0, row.blocks_bytes, "blocks"],
        [row.carriers_bytes, row.carriers_bytes + (row.pooled_bytes ?? 0), "pool"]],
      most, value(row), row.sentence))),
    key(["blocks", "blocks"], ["carriers", "carriers around them"], ["pool", "in the pool"]),
    hasRange() ? element("p", { class: "note" }, `At ${atTime(view.to)}.`) : null];
  },
  instances() {
    const rows = rowsOf("instances", { ofAllocator: true }).filter((row) => row.carriers_bytes > 0);
    if (!rows.length) return null;
    // One row for each allocator, one column for each instance: the more carriers, the darker.
    const most = rows.reduce((least, row) => Math.max(least, row.carriers_bytes), 1);
    const sums = new Map();
    for (const row of rows) sums.set(row.allocator, (sums.get(row.allocator) ?? 0) + row.carriers_bytes);
    const names = [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
    const instances = [...new Set(rows.map((row) => row.instance))].sort((a, b) => a - b);
    const found = new Map(rows.map((row) => [`${row.allocator} ${row.instance}`, row]));
    const cell = (row) => row ? element("td", { class: "n", title: `${row.allocator} ${row.instance}: ${bytes(row.carriers_bytes)} in carriers, ${percent(row.utilisation)} in use`,
      style: { background: `color-mix(in srgb, var(--carriers) ${Math.round(45 * Math.sqrt(row.carriers_bytes / most))}%, var(--card))` } },
    row.utilisation == null ? "–" : (100 * row.utilisation).toFixed(0)) : element("td", {});
    return [element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Allocators by instance" }, element("table", { class: "heat" },
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "% in use"), ...instances.map((instance) => element("th", { scope: "col", class: "n" }, String(instance))),
        element("th", { scope: "col", class: "n" }, "carriers"))),
      element("tbody", {}, ...names.map((name) => element("tr", {}, element("th", { scope: "row", class: "name" }, name),
        ...instances.map((instance) => cell(found.get(`${name} ${instance}`))), element("td", { class: "n" }, bytes(sums.get(name)))))))),
    element("p", { class: "note" }, "0 is the global instance, n that of scheduler n. Darker: more bytes in carriers.")];
  },
  sizes() {
    const rows = rowsOf("sizes", { ofAllocator: true });
    if (!rows.length) return null;
    const all = [...new Set(rows.map((row) => row.begin_ns))].sort((a, b) => a - b);
    const inside = all.filter(isInRange);
    // Between two levels the earlier one holds.
    const moments = inside.length ? inside : [all.findLast((ns) => ns <= view.to) ?? all[0]];
    const sizes = [...new Set(rows.map((row) => row.size_from))].sort((a, b) => a - b);
    const thresholds = thresholdsOf(new Set(rows.map((row) => row.allocator)));
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
      label.textContent = `at ${atTime(ns)}`;
      box.replaceChildren(bars(withThresholds(sizes, at(ns).map((list, k) => bar(sizes[k] === 0 ? "0–1 B" : `${bytes(sizes[k])}–`,
        [[0, sum(list, "live_bytes"), "blocks"]], most,
        `${bytes(sum(list, "live_bytes"))}, ${sum(list, "live_blocks")}`)), thresholds)));
    }
    const last = moments.length - 1;
    const input = element("input", { type: "range", min: 0, max: last, value: last, "aria-label": "Moment", "data-keep": "sizes",
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
    const rows = (hasRange() || view.holder !== null ? grownBetween() : rowsOf("growers", { ofAllocator: true }))
      .filter((row) => row.growth_bytes > 0);
    if (!rows.length) return null;
    rows.sort((a, b) => b.growth_bytes - a.growth_bytes);
    const most = Math.max(...rows.map((row) => row.to_bytes));
    return [bars(rows.slice(0, 15).map((row) => bar(row.type ? `${row.type} (${row.allocator})` : row.allocator,
      [[0, row.from_bytes, "line"], [row.from_bytes, row.to_bytes, "carriers"]], most,
      `+${bytes(row.growth_bytes)}`))),
    key(["line", hasRange() ? `live at ${atTime(view.from)}` : view.holder !== null ? "live at the first moment" : "live a quarter into the recording"],
      ["carriers", "added since"])];
  },
};

// Each allocator as it was at a time, by what was recorded last before.
function allocatorsAt(ns) {
  const last = new Map();
  for (const row of rowsOf("footprint")) {
    if (row.begin_ns <= ns && !(last.get(row.allocator)?.begin_ns > row.begin_ns)) last.set(row.allocator, row);
  }
  return [...last.values()].map((row) => ({ ...row, utilisation: row.carriers_bytes > 0 ? row.blocks_bytes / row.carriers_bytes : null }));
}
// What the holder has of each allocator and type.
function heldBars() {
  const rows = heldAt(hasRange() ? view.to : Infinity);
  if (!rows.length) return null;
  rows.sort((a, b) => b.bytes - a.bytes);
  return [bars(rows.map((row) => bar(`${row.type ?? "type not recorded"} (${row.allocator})`, [[0, row.bytes, "blocks"]], rows[0].bytes, bytes(row.bytes)))),
    key(["blocks", `bytes that it holds${hasRange() ? ` at ${atTime(view.to)}` : ""}`])];
}
// Growth between the ends of the range of time, by type where it is recorded, else by allocator.
function grownBetween() {
  const [from, to] = hasRange() ? [view.from, view.to] : [0, Infinity];
  const sums = new Map();
  const add = (row, early, late) => {
    const name = `${row.type} ${row.allocator}`;
    const sum = sums.get(name) ?? { type: row.type, allocator: row.allocator, from_bytes: 0, to_bytes: 0 };
    sum.from_bytes += early;
    sum.to_bytes += late;
    sums.set(name, sum);
  };
  // What a holder refers to others may have made: lists of holders have that.
  const isListed = view.holder !== null && rowsOf("held", { ofHolder: true }).length > 0;
  const changes = isListed ? [] : rowsOf("changes", { ofAllocator: true, ofHolder: true });
  for (const row of changes) {
    const change = row.made_bytes - row.ended_bytes;
    if (row.end_ns <= to) add(row, row.end_ns <= from ? change : 0, change);
  }
  if (!changes.length && view.holder !== null) {
    const early = heldAt(hasRange() ? from : -Infinity);
    for (const row of heldAt(to)) {
      if (view.allocator === null || row.allocator === view.allocator) {
        add(row, early.filter((old) => old.type === row.type && old.allocator === row.allocator).reduce((sum, old) => sum + old.bytes, 0), row.bytes);
      }
    }
  } else if (!changes.length) {
    const early = new Map(allocatorsAt(from).map((row) => [row.allocator, row.blocks_bytes]));
    for (const row of allocatorsAt(to)) {
      if (view.allocator === null || row.allocator === view.allocator) add(row, early.get(row.allocator) ?? 0, row.blocks_bytes);
    }
  }
  return [...sums.values()].map((row) => ({ ...row, growth_bytes: row.to_bytes - row.from_bytes }));
}
