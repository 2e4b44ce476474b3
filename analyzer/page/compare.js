// SPDX-License-Identifier: MIT
//
// What an older recording had, beside this one.
"use strict";

// Its rows, of the process that has the place of the one that is looked at: their order is the same.
function rowsOfOld(name) {
  const figure = data.old?.figures[name];
  if (!figure) return [];
  const oldPlaces = [...new Set(objectsOf(data.old.figures.allocators).filter((row) => row.level === "runtime").map(placeOf))];
  const place = oldPlaces[Math.max(0, places().findIndex(([id]) => id === view.place))];
  return objectsOf(figure).filter((row) => placeOf(row) === place && (view.allocator === null || row.allocator === view.allocator));
}

// Pids differ from run to run, as do the ports of clients and how many a group has: what is left is the same in both.  holder_change.c
// has the same rules.
const remark = / \((?:[^()]* looked at|[a-z0-9_]+)\)$/;
function nameOfKind(name) {
  const bare = (name ?? "not recorded").replace(/(?:#Port|#Ref)?<[\d.]+> ?/g, "")
    .replace(/:(\d{5})(?!\d)/g, (text, port) => +port >= 32768 ? "" : text).replace(/ +$/, "").replace(remark, "");
  const counted = /^[\d,]+ (.*)$/.exec(bare);
  const kind = counted ? counted[1].replace(/^process(?:es)? (?!of )/, "").replace(/:init\/.$/, "") : bare;
  return kind.replace(remark, "") || "processes without a name";
}
const asKinds = (rows) => rows.map((row) => ({ ...row, process: nameOfKind(row.process) }));

function oldMoments() {
  if (!data.old) return [];
  const recorded = new Set(rowsOfOld("stacks").map((row) => row.moment));
  const held = rowsOfOld("holders").some(isHeld) ? [["old:held", `${data.old.name}: held at the end`]] : [];
  const ofCode = rowsOfOld("stacks").some(hasCode) ? ["code", "code made"] : [];
  const named = [...["end", "peak", "made"].filter((name) => recorded.has(name)), ...ofCode];
  return [...held, ...named.map((name) => [`old:${name}`, `${data.old.name}: ${words[name]}`])];
}
function rowsOfOldAt(moment) {
  const rows = moment === "held" ? rowsOfOld("holders").filter(isHeld)
    : moment.startsWith("code") ? byCode(rowsOfOld("stacks"), moment)
    : rowsOfOld("stacks").filter((row) => row.moment === moment);
  return asKinds(rows).filter((row) => view.holder === null || row.process === nameOfKind(view.holder));
}
function oldCurves() {
  const rows = rowsOfOld("footprint");
  if (!rows.length) return [];
  const counted = levels(rows, keyOf, [(row) => row.carriers_bytes, (row) => row.blocks_bytes]);
  return [[`Carriers of ${data.old.name}`, "line-5", counted.times, counted.sums[0]],
    [`Blocks of ${data.old.name}`, "line-4", counted.times, counted.sums[1]]];
}

drawn.compared = () => {
  // Of one recording alone there is nothing to compare.
  if (!rowsOf("holders").length || !rowsOfOld("holders").length) return null;
  const sums = new Map();
  const add = (rows, part) => rows.forEach((row) => {
    const name = `${row.process}, ${row.type ?? "type not recorded"}`;
    const sum = sums.get(name) ?? { name, now: null, then: null };
    sum[part] = (sum[part] ?? 0) + row.bytes;
    sums.set(name, sum);
  });
  add(asKinds(rowsOf("holders", { ofAllocator: true }).filter((row) => !isGarbage(row))), "now");
  add(asKinds(rowsOfOld("holders").filter((row) => !isGarbage(row))), "then");
  const change = (sum) => sum.now - sum.then;
  const rows = [...sums.values()].filter((sum) => Math.abs(change(sum)) > 0.05 * Math.max(sum.now, sum.then)).sort((a, b) => Math.abs(change(b)) - Math.abs(change(a))).slice(0, 12);
  if (!rows.length) return null;
  const most = Math.max(...rows.map((sum) => Math.max(sum.now, sum.then)));
  return [bars(rows.map((sum) => bar(sum.name, [[0, Math.min(sum.now, sum.then), "line"],
    [Math.min(sum.now, sum.then), Math.max(sum.now, sum.then), change(sum) > 0 ? "carriers" : "pool"]], most,
  sum.then === null ? "not listed before" : sum.now === null ? "not listed now" : `${change(sum) > 0 ? "+" : ""}${bytes(change(sum))}`,
  `${sum.then === null ? "not listed" : bytes(sum.then)} before, ${sum.now === null ? "not listed" : bytes(sum.now)} now`))),
  key(["line", "in both"], ["carriers", "more than before"], ["pool", "less than before"])];
};
