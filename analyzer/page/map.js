// SPDX-License-Identifier: MIT
//
// The map of carriers: a cell each, in the order of addresses, on a canvas.
"use strict";

const map = { chosen: null };
const mapLines = ["line-1", "line-3", "line-4", "line-2", "line-5", "line-6"];
const isPinned = (row) => row.blocks > 0 && row.used_max_bytes * 10 < row.size_bytes;

function cellText(row) {
  const parts = [`${row.address ?? "carrier"} of ${row.allocator ?? "?"} (${row.place})`, `${bytes(row.used_bytes)} of ${bytes(row.size_bytes)} in ${row.blocks.toLocaleString("en")} blocks${row.used_max_bytes > row.used_bytes ? " that were recorded" : ""}`];
  if (row.type != null) parts.push(`most of it ${row.type}${row.process == null ? "" : ` made by ${row.process}`}`);
  if (row.oldest_ms != null) parts.push(`the oldest is there since ${(row.oldest_ms / 1000).toFixed(3)} s`);
  return parts.join("; ");
}

drawn.map = () => {
  const rows = rowsOf("map", { ofAllocator: true }).filter((row) => view.holder === null || row.process === view.holder);
  if (!rows.length) return null;
  const sums = new Map();
  for (const row of rows) sums.set(row.allocator, (sums.get(row.allocator) ?? 0) + row.size_bytes);
  const names = [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const colourOf = (name) => mapLines[Math.min(names.indexOf(name), mapLines.length - 1)];
  const pinned = rows.filter(isPinned);
  const size = rows.reduce((sum, row) => sum + row.size_bytes, 0);
  const used = rows.reduce((sum, row) => sum + row.used_bytes, 0);
  const isWhole = rows.every((row) => row.used_max_bytes === row.used_bytes);
  const whole = `${rows.length.toLocaleString("en")} ${rows[0].basis === "carrier" ? "carriers" : "pieces of 256 KiB and large blocks"}, ${bytes(size)}, ${isWhole ? `${percent(used / size)} in use; ${
    pinned.length.toLocaleString("en")} pinned, with ${bytes(pinned.reduce((sum, row) => sum + row.size_bytes - row.used_bytes, 0))} empty`
    : `with ${bytes(used)} of blocks in the events recorded, which are not all`}`;
  const canvas = element("canvas", { class: "map", tabindex: 0, role: "img", "aria-label": whole });
  const details = element("output", { class: "flame-details" }, whole);
  let cell = 0;
  let columns = 1;
  const paint = () => {
    const width = Math.max(240, canvas.parentElement.clientWidth - 2);
    const scale = devicePixelRatio || 1;
    cell = Math.max(3, Math.min(18, Math.floor(Math.sqrt(width * 420 / rows.length))));
    columns = Math.max(1, Math.floor(width / cell));
    const height = Math.ceil(rows.length / columns) * cell;
    Object.assign(canvas, { width: width * scale, height: height * scale });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    const pen = canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    pen.scale(scale, scale);
    // One colour after the other: changing it costs more than a cell.
    for (const name of names) {
      pen.fillStyle = style.getPropertyValue(`--${colourOf(name)}`);
      for (const isFill of [false, true]) {
        pen.globalAlpha = isFill ? 1 : 0.22;
        pen.beginPath();
        rows.forEach((row, i) => {
          if (row.allocator !== name) return;
          const part = isFill ? Math.ceil(Math.min(1, row.used_bytes / row.size_bytes) * (cell - 1)) : cell - 1;
          pen.rect(i % columns * cell, Math.floor(i / columns) * cell + cell - 1 - part, cell - 1, part);
        });
        pen.fill();
      }
    }
    pen.globalAlpha = 1;
    pen.strokeStyle = style.getPropertyValue("--bad");
    pen.beginPath();
    rows.forEach((row, i) => { if (isPinned(row)) pen.rect(i % columns * cell + 0.5, Math.floor(i / columns) * cell + 0.5, cell - 2, cell - 2); });
    pen.stroke();
    if (map.chosen !== null && map.chosen < rows.length) {
      pen.strokeStyle = style.getPropertyValue("--ink");
      pen.lineWidth = 2;
      pen.strokeRect(map.chosen % columns * cell, Math.floor(map.chosen / columns) * cell, cell - 1, cell - 1);
    }
  };
  const choose = (i) => {
    map.chosen = i !== null && i >= 0 && i < rows.length ? i : map.chosen;
    details.textContent = map.chosen === null ? whole : cellText(rows[map.chosen]);
    paint();
  };
  const at = (event) => Math.floor(event.offsetY / cell) * columns + Math.min(columns - 1, Math.floor(event.offsetX / cell));
  canvas.addEventListener("click", (event) => choose(at(event)));
  canvas.addEventListener("mousemove", (event) => { if (rows[at(event)]) details.textContent = cellText(rows[at(event)]); });
  canvas.addEventListener("mouseleave", () => { details.textContent = map.chosen === null ? whole : cellText(rows[map.chosen]); });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose(map.chosen === null ? 0 : map.chosen + step);
  });
  if (map.chosen !== null && map.chosen >= rows.length) map.chosen = null;
  requestAnimationFrame(() => { if (canvas.isConnected) paint(); });
  const place = element("div", { class: "map-place" }, canvas);
  place.repaint = paint;
  const worst = [...pinned].sort((a, b) => (b.size_bytes - b.used_bytes) - (a.size_bytes - a.used_bytes)).slice(0, 30);
  return [details, place, key(...names.slice(0, mapLines.length - 1).map((name) => [colourOf(name), name ?? "?"]), ["bad", "pinned"]),
    worst.length ? element("details", {}, element("summary", {}, "What pins the emptiest"), tableOf("The emptiest carriers that are pinned",
      ["empty", "blocks", "allocator", "type", "made by", "oldest"], [0, 1, 5], worst.map((row) => [bytes(row.size_bytes - row.used_bytes), String(row.blocks), row.allocator ?? "–", row.type ?? "–",
        row.process ?? "–", row.oldest_ms == null ? "–" : `${(row.oldest_ms / 1000).toFixed(3)} s`]))) : null];
};
