// SPDX-License-Identifier: MIT
//
// Puts the figures into the page and keeps them at what is looked at.
"use strict";

function csv(figure) {
  const field = (value) => value == null ? "" : /[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
  return [figure.columns, ...rowsAsRead(figure)].map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
}
function save(name) {
  const link = element("a", { href: URL.createObjectURL(new Blob([csv(data.figures[name])], { type: "text/csv" })),
    download: `${name}.csv` });
  link.click();
  URL.revokeObjectURL(link.href);
}
function tools(box, name) {
  const sql = element("pre", { hidden: true, tabindex: "0" }, data.figures[name].sql);
  const title = box.querySelector("h3")?.textContent ?? name;
  const button = element("button", { type: "button", "aria-expanded": "false", "aria-label": `SQL of ${title}`, onclick: () => {
    sql.hidden = !sql.hidden;
    button.setAttribute("aria-expanded", String(!sql.hidden));
  } }, "SQL");
  const buttons = [button, element("button", { type: "button", "aria-label": `CSV of ${title}`, onclick: () => save(name) }, "CSV")];
  if (box.plot && !box.plot.isApart) {
    buttons.push(element("button", { type: "button", "data-keep": `whole-${box.dataset.curve}`, onclick: () => setRange(null, null) }, "Whole time"));
  }
  box.append(element("div", { class: "tools" }, ...buttons), sql);
}

// A figure that is not known by time, or by holder, says so or is hidden: it never shows more than was asked for.
function drawFigure(box) {
  const title = box.querySelector("h3");
  box.replaceChildren(...(title ? [title] : []));
  box.plot = undefined;
  const { curve, bars: kind, figure, of } = box.dataset;
  let isDrawn = false;
  if (data.figures[figure] && !(of && view.holder !== null)) {
    const parts = curve ? null : drawn[kind]();
    isDrawn = curve ? drawCurve(box, curve) : parts !== null;
    if (parts) box.append(...parts.filter((part) => part !== null));
  }
  if (isDrawn && of === "all" && hasRange()) box.append(element("p", { class: "note" }, "Of the end of the recording, whatever time is shown."));
  // Without lists of holders the curves are those of recorded blocks.
  if (isDrawn) tools(box, figure === "held" && !rowsOf("held").length ? "changes" : figure);
  return isDrawn;
}
const boxes = (selector = ".figure") => [...document.querySelectorAll(selector)];
function drawAll(list) {
  const kept = document.activeElement?.dataset?.keep;
  for (const box of list) {
    // A place that is not shown has no width.
    box.classList.remove("bare");
    box.closest("section").hidden = false;
    box.classList.toggle("bare", !drawFigure(box));
  }
  for (const section of boxes("section[data-figures]")) section.hidden = !section.querySelector(".figure:not(.bare)");
  document.getElementById("holders-plain").hidden = rowsOf("holders").length > 0;
  // A board has a heap, and nobody who holds parts of it.
  document.getElementById("who").hidden = !document.querySelector("#who .figure:not(.bare)") && rowsOf("board").length > 0;
  for (const part of boxes("[data-of=all]:not(.figure)")) part.hidden = view.holder !== null;
  for (const table of document.querySelectorAll("main table")) sortable(table);
  if (kept) document.querySelector(`[data-keep="${CSS.escape(kept)}"]`)?.focus({ preventScroll: true });
}
function draw() {
  plots.splice(0).forEach(([plot]) => plot.destroy());
  controls();
  drawAll(boxes());
}

// Changes what is looked at, and keeps it in the address.
function change(what) {
  Object.assign(view, what);
  if ("place" in what) Object.assign(view, { allocator: known(view.allocator, allocators()), holder: known(view.holder, holderNames()) });
  keepFragment();
  draw();
}
const known = (value, list) => list.includes(value) ? value : null;

// The range of time: curves move at once, all else when it rests.
let resting = null;
function setRange(from, to) {
  [view.from, view.to] = [from, to];
  // The whole time shows all of it as at first.
  if (from === null) Object.assign(flame, { isChosen: false, before: "", isBeforeChosen: false });
  map.moment = null;
  plots.forEach(([plot]) => showRange(plot));
  showTimes();
  clearTimeout(resting);
  resting = setTimeout(() => { resting = null; keepFragment(); drawAll(boxes(".figure:not([data-curve])")); }, 150);
}

function controls() {
  const nav = document.getElementById("controls");
  const kept = document.activeElement?.dataset?.keep;
  const parts = [];
  const all = places();
  const names = allocators();
  if (all.length > 1) parts.push(choice("Of", all, view.place, (value) => { change({ place: value }); }));
  if (names.length) {
    parts.push(choice("Allocator", [["", "all"], ...names.map((name) => [name, name])], view.allocator ?? "",
      (value) => { change({ allocator: value || null }); }));
  }
  parts.push(...timeControls(), ...holderControls());
  nav.replaceChildren(...parts);
  nav.hidden = !parts.length;
  if (kept) document.querySelector(`[data-keep="${CSS.escape(kept)}"]`)?.focus({ preventScroll: true });
}
function timeControls() {
  const ends = ["footprint", "live", "held", "changes"].flatMap((name) => rowsOf(name).map((row) => row.end_ns ?? row.at_ns));
  const most = ends.reduce((a, b) => Math.max(a, b), 0);
  if (!(most > 0)) return [];
  const take = () => {
    const [from, to] = ["from", "to"].map((name) => Number.parseFloat(document.getElementById(`time-${name}`).value) * 1e9);
    if (from < to) setRange(from, to);
    else showTimes();
  };
  const box = (name, value) => element("label", {}, name === "from" ? "Time from " : "to ", element("input", { type: "number", id: `time-${name}`,
    "data-keep": `time-${name}`, min: 0, step: "any", value, onchange: take }), " s");
  const limits = [0, most];
  const go = (value) => {
    const at = peaks[value]?.();
    if (at !== undefined) setRange(Math.max(0, at - most / 10), Math.min(most, at + most / 10));
  };
  return [box("from", shownTime(0, limits)), box("to", shownTime(1, limits)),
    choice("Go to", [["", "…"], ["carriers", "most carriers"], ["blocks", "most in use"], ["resident", "most resident"]].filter(([name]) => !name || peaks[name]() !== undefined), "", go),
    element("button", { type: "button", "data-keep": "time-whole", hidden: !hasRange(), id: "time-whole", "data-most": most,
      onclick: () => setRange(null, null) }, "Whole time")];
}
// When there was most of something, in ns.
const highest = (times, values) => values.length ? times[values.indexOf(values.reduce((a, b) => Math.max(a, b)))] : undefined;
const peaks = {
  carriers() {
    const { times, sums } = levels(rowsOf("footprint"), keyOf, [(row) => row.carriers_bytes]);
    return times.length ? highest(times.map((s) => s * 1e9), sums[0]) : undefined;
  },
  blocks() {
    const rows = rowsOf("footprint").some((row) => row.basis === "snapshots") ? [] : rowsOf("live");
    const { times, sums } = rows.length ? levels(rows, keyOf, [(row) => row.live_bytes]) : levels(rowsOf("footprint"), keyOf, [(row) => row.blocks_bytes]);
    return times.length ? highest(times.map((s) => s * 1e9), sums[0]) : undefined;
  },
  resident() {
    const rows = rowsOf("resident");
    return highest(rows.map((row) => row.at_ns), rows.map((row) => row.bytes));
  },
};
const shownTime = (i, limits) => String(+seconds(hasRange() ? [view.from, view.to][i] : limits[i]).toFixed(3));
function showTimes() {
  const whole = document.getElementById("time-whole");
  if (!whole) return;
  whole.hidden = !hasRange();
  ["from", "to"].forEach((name, i) => { document.getElementById(`time-${name}`).value = shownTime(i, [0, +whole.dataset.most]); });
}
function holderControls() {
  if (view.holder !== null) {
    return [element("p", { class: "only", role: "status" }, "Showing only ", element("b", {}, view.holder), " ",
      element("button", { type: "button", "data-keep": "holder", onclick: clearHolder }, "Clear"))];
  }
  const names = holderNames();
  if (!names.length) return [];
  const list = element("datalist", { id: "holders" }, ...names.slice(0, 200).map((value) => element("option", { value })));
  return [element("label", {}, "Holder ", element("input", { type: "search", list: "holders", placeholder: "all", "data-keep": "holder",
    onchange: (event) => { if (names.includes(event.target.value)) change({ holder: event.target.value }); } })), list];
}
const clearHolder = () => { change({ holder: null }); };

// A click on the head of a column sorts by it; numbers by their size, whatever their unit.
const units = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1, "%": 1 };
function sortKey(text) {
  const [, number, unit] = /^[≥+]?(−?-?[\d,]*\.?\d+) ?(\S*)/.exec(text.trim()) ?? [];
  const value = number === undefined ? NaN : Number(number.replaceAll(",", "").replace("−", "-")) * (units[unit] ?? 1);
  return Number.isNaN(value) ? null : value;
}
function sortable(table) {
  const body = table.tBodies[0];
  if (!table.tHead || !body || body.rows.length < 2 || table.querySelector("button.sort")) return;
  [...table.tHead.rows[0].cells].forEach((head, i) => {
    const sort = () => {
      const isDown = head.getAttribute("aria-sort") !== "descending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      const keyed = [...body.rows].map((row) => ({ row, text: row.cells[i]?.textContent ?? "", value: sortKey(row.cells[i]?.textContent ?? "") }));
      const order = (a, b) => a.value !== null && b.value !== null ? a.value - b.value : a.value !== null ? 1 : b.value !== null ? -1 : b.text.localeCompare(a.text);
      keyed.sort((a, b) => isDown ? order(b, a) : order(a, b));
      body.append(...keyed.map(({ row }) => row));
    };
    head.replaceChildren(element("button", { type: "button", class: "sort", onclick: sort }, ...head.childNodes));
  });
}

let waiting;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    plots.forEach(([plot, place]) => plot.setSize({ width: Math.max(240, place.clientWidth), height: 230 }));
    boxes(".flame, .map-place").forEach((place) => place.repaint());
  }, 100);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
addEventListener("popstate", () => { if (readFragment()) draw(); });
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && view.holder !== null && event.target.type !== "search") clearHolder();
});
// What is folded away is read on paper.
addEventListener("beforeprint", () => {
  for (const details of boxes("details:not([open])")) Object.assign(details, { open: true, wasClosed: true });
});
addEventListener("afterprint", () => {
  for (const details of boxes("details")) if (details.wasClosed) Object.assign(details, { open: false, wasClosed: false });
});
addEventListener("DOMContentLoaded", () => {
  // Without this script the tables are open.
  for (const details of boxes("details")) details.open = false;
  readFragment();
  draw();
  performance.mark("drawn");
  document.documentElement.dataset.drawn = "yes";
});
