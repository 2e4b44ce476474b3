// SPDX-License-Identifier: MIT
//
// Puts the figures into the page and keeps them at what is looked at.
"use strict";

function csv(figure) {
  const field = (value) => value == null ? "" : /[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
  return [figure.columns, ...figure.rows].map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
}
function save(name) {
  const link = element("a", { href: URL.createObjectURL(new Blob([csv(data.figures[name])], { type: "text/csv" })),
    download: `${name}.csv` });
  link.click();
  URL.revokeObjectURL(link.href);
}
function tools(box, name) {
  const sql = element("pre", { hidden: true }, data.figures[name].sql);
  const button = element("button", { type: "button", "aria-expanded": "false", onclick: () => {
    sql.hidden = !sql.hidden;
    button.setAttribute("aria-expanded", String(!sql.hidden));
  } }, "SQL");
  const buttons = [button, element("button", { type: "button", onclick: () => save(name) }, "CSV")];
  if (box.plot) {
    buttons.push(element("button", { type: "button", onclick: () => zoom(box.plot, ...box.plot.whole) }, "Whole time"));
  }
  box.append(element("div", { class: "tools" }, ...buttons), sql);
}

function draw() {
  plots.splice(0).forEach(([plot]) => plot.destroy());
  let hasCurves = false;
  for (const box of document.querySelectorAll(".figure")) {
    const title = box.querySelector("h3");
    box.replaceChildren(...(title ? [title] : []));
    box.plot = undefined;
    box.classList.remove("bare");
    document.getElementById("curves").hidden = false;
    const { curve, bars: kind, figure } = box.dataset;
    let isDrawn = false;
    if (data.figures[figure] && curve) {
      isDrawn = drawCurve(box, curve);
      hasCurves ||= isDrawn;
    } else if (data.figures[figure]) {
      const parts = drawn[kind]();
      isDrawn = parts !== null;
      if (isDrawn) box.append(...parts);
    }
    if (isDrawn) tools(box, figure);
    else box.classList.add("bare");
  }
  document.getElementById("curves").hidden = !hasCurves;
}

function choice(label, options, onchange) {
  const select = element("select", { onchange: (event) => onchange(event.target.value) },
    ...options.map(([value, text]) => element("option", { value }, text)));
  return element("label", {}, `${label} `, select);
}
function controls() {
  const nav = document.getElementById("controls");
  const places = new Map();
  for (const row of rowsOf("allocators")) {
    if (row.level === "runtime") {
      places.set(placeOf(row), row.snapshot_id != null ? `reading ${row.snapshot_id}` : `process ${row.vpid ?? row.runtime_id}`);
    }
  }
  if (places.size) view.place = [...places.keys()][0];
  const names = [...new Set(rowsOf("allocators").filter((row) => row.level === "allocator").map((row) => row.allocator))].sort();
  if (places.size > 1) nav.append(choice("Of", [...places], (value) => { view.place = value; draw(); }));
  if (names.length) {
    nav.append(choice("Allocator", [["", "all"], ...names.map((name) => [name, name])],
      (value) => { view.allocator = value || null; draw(); }));
  }
  nav.hidden = !nav.children.length;
}

let waiting;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => plots.forEach(([plot, place]) =>
    plot.setSize({ width: Math.max(240, place.clientWidth), height: 230 })), 100);
  setTimeout(() => document.querySelectorAll(".flame").forEach((place) => place.repaint()), 100);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
addEventListener("DOMContentLoaded", () => {
  // Without this script the tables are open.
  document.querySelectorAll("details").forEach((details) => { details.open = false; });
  controls();
  draw();
  document.documentElement.dataset.drawn = "yes";
});
