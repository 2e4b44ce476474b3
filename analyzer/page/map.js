// SPDX-License-Identifier: MIT
//
// The map of carriers on a canvas: a cell each, in the order of addresses or by instance, at the end or at a moment before.
"use strict";

// chosen: the name of a cell; moment: ns or "end", null: it follows the range of time; isListed: the chosen cell's blocks are shown.
const map = { chosen: null, by: "address", moment: null, isListed: false };
const mapLines = ["line-1", "line-3", "line-4", "line-2", "line-5", "line-6"];
// Of a group's label, px.
const mapLabel = { width: 128, height: 16 };
const isPinned = (row) => row.blocks > 0 && row.used_max_bytes * 10 < row.size_bytes;
const sinceMs = (ms) => ms == null ? "–" : `${(ms / 1000).toFixed(3)} s`;
const cellName = (row, i) => row.address == null ? `number ${i}` : `${row.runtime_id} ${row.address}`;

function cellText(row) {
  const parts = [`${row.address ?? "carrier"} of ${row.allocator ?? "?"}${row.instance == null ? "" : ` ${row.instance}`} (${row.place})`, `${bytes(row.used_bytes)} of ${bytes(row.size_bytes)} in ${row.blocks.toLocaleString("en")} blocks${row.used_max_bytes > row.used_bytes ? " that were recorded" : ""}`];
  if (row.type != null) parts.push(`most of it ${row.type}${row.process == null ? "" : ` made by ${row.process}`}`);
  if (row.oldest_ms != null) parts.push(`the oldest is there since ${sinceMs(row.oldest_ms)}`);
  return parts.join("; ");
}

// The moment that is drawn: the chosen one, else the last one that is not later than the range of time; "end": none is.
function mapMoment(moments) {
  if (map.moment === "end") return "end";
  // While it grows moments move: the nearest is the chosen one.
  if (map.moment !== null && moments.length) return moments.reduce((a, b) => Math.abs(b - map.moment) < Math.abs(a - map.moment) ? b : a);
  const end = ["footprint", "live", "changes"].flatMap((name) => rowsOf(name).map((row) => row.end_ns)).reduce((a, b) => Math.max(a, b), 0);
  return !hasRange() || !moments.length || view.to >= end ? "end" : moments.findLast((ns) => ns <= view.to) ?? moments[0];
}

// Cells in the order in which they are drawn, in groups: [label, rows].
function mapGroups(rows, names) {
  if (map.by === "address") return [[null, rows]];
  const groups = new Map();
  for (const row of rows) {
    const label = `${row.allocator ?? "allocator not known"} ${row.instance ?? ""}`.trim();
    if (!groups.has(label)) groups.set(label, []);
    groups.get(label).push(row);
  }
  const order = ([row]) => names.indexOf(row.allocator) * 65536 + (row.instance ?? 0);
  return [...groups].sort((a, b) => order(a[1]) - order(b[1]));
}

// Where cells of so many px stand, right of labels: of each group the first cell and where its rows begin.
function mapLayout(groups, cell, width) {
  const left = groups.some(([label]) => label !== null) ? mapLabel.width : 0;
  const columns = Math.max(1, Math.floor((width - left) / cell));
  let first = 0;
  let top = 0;
  const parts = groups.map(([label, rows]) => {
    const part = { label, first, top, count: rows.length };
    first += rows.length;
    top += Math.max(label === null ? 0 : mapLabel.height, Math.ceil(rows.length / columns) * cell);
    return part;
  });
  return { cell, columns, left, parts, height: top };
}

// Cells as pixels: many times faster than a rectangle each.
function mapPixels(pen, { cell, columns, left, parts, height }, width, scale, rows, colourOf) {
  const image = pen.createImageData(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  const pixels = new Uint32Array(image.data.buffer);
  const style = getComputedStyle(document.documentElement);
  const colour = (name, alpha) => {
    pen.fillStyle = style.getPropertyValue(`--${name}`).trim();
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(pen.fillStyle.slice(at, at + 2), 16));
    return new Uint32Array(new Uint8Array([red, green, blue, Math.round(255 * alpha)]).buffer)[0];
  };
  const fill = (x, y, wide, high, value) => {
    const from = Math.round(x * scale);
    const to = Math.round((x + wide) * scale);
    const last = Math.round((y + high) * scale);
    // A few pixels: a call for each line would cost more than they.
    for (let line = Math.round(y * scale); line < last; line++) for (let i = line * image.width + from; i < line * image.width + to; i++) pixels[i] = value;
  };
  const colours = new Map();
  const bad = colour("bad", 1);
  let [name, pale, full] = [undefined, 0, 0];
  for (const part of parts) {
    for (let i = 0; i < part.count; i++) {
      const row = rows[part.first + i];
      if (row.allocator !== name) {
        name = row.allocator;
        if (!colours.has(name)) colours.set(name, [colour(colourOf(name), 0.22), colour(colourOf(name), 1)]);
        [pale, full] = colours.get(name);
      }
      const x = left + i % columns * cell;
      const y = part.top + Math.floor(i / columns) * cell;
      const used = Math.ceil(Math.min(1, row.used_bytes / row.size_bytes) * (cell - 1));
      fill(x, y, cell - 1, cell - 1 - used, pale);
      fill(x, y + cell - 1 - used, cell - 1, used, full);
      if (!isPinned(row)) continue;
      fill(x, y, cell - 1, 1, bad);
      fill(x, y + cell - 2, cell - 1, 1, bad);
      fill(x, y, 1, cell - 1, bad);
      fill(x + cell - 2, y, 1, cell - 1, bad);
    }
  }
  return image;
}

// The database as a shell reads it.
const mapFile = () => `'${document.querySelector("h1").textContent.replaceAll("'", "'\\''")}'`;

// A page has so many cells; the command has all.
function mapRest(moment) {
  const cells = rowsOf("map_cells").reduce((sum, row) => sum + row.cells, 0);
  const shown = rowsOf("map").length;
  return moment !== "end" || shown >= cells ? null : element("p", { class: "note" }, `The first ${shown.toLocaleString("en")} of ${cells.toLocaleString("en")} cells. All: `,
    element("code", {}, `carrierscope report map --format svg ${mapFile()} > map.svg`));
}

function mapBlocks(row, moment) {
  const file = mapFile();
  if (moment !== "end") return element("p", { class: "note" }, "All blocks at this moment: ", element("code", {}, `carrierscope report block_at --at +${seconds(moment).toFixed(9)} ${file}`));
  const listed = row.address == null ? [] : rowsOf("map_blocks").filter((block) => block.runtime_id === row.runtime_id && block.cell === row.address);
  const all = row.address == null ? `carrierscope report block_at ${file}`
    : `sqlite3 ${file} "SELECT * FROM block_at WHERE address >= ${row.address} AND address < ${row.address} + ${row.size_bytes} ORDER BY size DESC"`;
  const rest = Math.max(0, row.blocks - listed.length);
  return element("div", {},
    listed.length ? tableOf("Blocks of the chosen cell", ["type", "size", "made by", "since", "held by"], [1, 3], listed.map((block) => [block.type ?? "–", bytes(block.size), block.process ?? "–",
      sinceMs(block.since_ms), block.holders ?? "–"])) : null,
    rest > 0 ? element("p", { class: "note" }, listed.length ? `The ${listed.length} largest of ${row.blocks.toLocaleString("en")} blocks. All: ` : `It has ${row.blocks.toLocaleString("en")} blocks. They are listed by `,
      element("code", {}, all)) : row.blocks ? null : element("p", { class: "note" }, "No block is in it."));
}

drawn.map = () => {
  const moments = [...new Set(rowsOf("map_then").map((row) => row.at_ns))];
  const moment = mapMoment(moments);
  const all = moment === "end" ? rowsOf("map", { ofAllocator: true }) : rowsOf("map_then", { ofAllocator: true }).filter((row) => row.at_ns === moment);
  const found = view.holder === null ? all : all.filter((row) => row.process === view.holder);
  if (!found.length && moment === "end") return null;
  const sums = new Map();
  let [size, used, isWhole] = [0, 0, true];
  for (const row of found) {
    sums.set(row.allocator, (sums.get(row.allocator) ?? 0) + row.size_bytes);
    size += row.size_bytes;
    used += row.used_bytes;
    isWhole &&= row.used_max_bytes === row.used_bytes;
  }
  const names = [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const colourOf = (name) => mapLines[Math.min(names.indexOf(name), mapLines.length - 1)];
  const groups = mapGroups(found, names);
  const rows = groups.length === 1 ? groups[0][1] : groups.flatMap(([, list]) => list);
  const pinned = rows.filter(isPinned);
  const at = moment === "end" ? "" : `At ${atTime(moment)}: `;
  const whole = rows.length ? `${at}${rows.length.toLocaleString("en")} ${rows[0].basis === "carrier" ? "carriers" : "pieces of 256 KiB and large blocks"}, ${bytes(size)}, ${isWhole ? `${percent(used / size)} in use; ${
    pinned.length.toLocaleString("en")} pinned, with ${bytes(pinned.reduce((sum, row) => sum + row.size_bytes - row.used_bytes, 0))} empty`
    : `with ${bytes(used)} of blocks in the events recorded, which are not all`}` : `${at}no carrier`;
  const canvas = element("canvas", { class: "map", tabindex: 0, role: "img", "aria-label": whole, "data-keep": "map" });
  const details = element("output", { class: "flame-details" }, whole);
  const list = element("div", { class: "map-blocks", "aria-live": "polite" });
  let layout = mapLayout(groups, 3, 240);
  let chosen = map.chosen === null ? -1 : rows.findIndex((row, i) => cellName(row, i) === map.chosen);
  const paint = () => {
    const width = Math.max(240, canvas.parentElement.clientWidth - 2);
    const scale = devicePixelRatio || 1;
    layout = mapLayout(groups, Math.max(3, Math.min(18, Math.floor(Math.sqrt(width * 420 / Math.max(1, rows.length))))), width);
    Object.assign(canvas, { width: width * scale, height: layout.height * scale });
    Object.assign(canvas.style, { width: `${width}px`, height: `${layout.height}px` });
    const pen = canvas.getContext("2d");
    pen.putImageData(mapPixels(pen, layout, width, scale, rows, colourOf), 0, 0);
    pen.scale(scale, scale);
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = color("soft");
    for (const part of layout.parts) if (part.label !== null) pen.fillText(part.label, 0, part.top + 13, mapLabel.width - 6);
    if (chosen < 0) return;
    const part = layout.parts.findLast((one) => one.first <= chosen);
    pen.strokeStyle = color("ink");
    pen.lineWidth = 2;
    pen.strokeRect(layout.left + (chosen - part.first) % layout.columns * layout.cell, part.top + Math.floor((chosen - part.first) / layout.columns) * layout.cell, layout.cell - 1, layout.cell - 1);
  };
  const show = () => {
    details.textContent = chosen < 0 ? whole : cellText(rows[chosen]);
    list.replaceChildren(...(chosen >= 0 && map.isListed ? [mapBlocks(rows[chosen], moment)] : []));
    list.querySelectorAll("table").forEach(sortable);
  };
  const choose = (i, isListed) => {
    if (i < 0 || i >= rows.length) return;
    chosen = i;
    Object.assign(map, { chosen: cellName(rows[i], i), isListed });
    show();
    paint();
  };
  // The number of the cell at a place, -1: there is none.
  const cellAt = (event) => {
    const part = layout.parts.findLast((one) => one.top <= event.offsetY);
    const column = Math.floor((event.offsetX - layout.left) / layout.cell);
    const i = part ? Math.floor((event.offsetY - part.top) / layout.cell) * layout.columns + column : -1;
    return part && column >= 0 && column < layout.columns && i < part.count ? part.first + i : -1;
  };
  canvas.addEventListener("click", (event) => choose(cellAt(event), true));
  canvas.addEventListener("mousemove", (event) => { const row = rows[cellAt(event)]; if (row) details.textContent = cellText(row); });
  canvas.addEventListener("mouseleave", () => { details.textContent = chosen < 0 ? whole : cellText(rows[chosen]); });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -layout.columns, ArrowDown: layout.columns, Enter: 0 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose(chosen < 0 ? 0 : chosen + step, step === 0);
  });
  requestAnimationFrame(() => { if (canvas.isConnected) paint(); });
  const redraw = () => drawAll(boxes("[data-bars=map]"));
  const controls = element("div", { class: "flame-tools" },
    choice("Cells", [["address", "by address"], ["instance", "by instance"]], map.by, (value) => { map.by = value; redraw(); }, "map-by"),
    moments.length ? choice("Moment", [...moments.map((ns) => [String(ns), `at ${atTime(ns)}`]), ["end", "the end"]], String(moment),
      (value) => { map.moment = value === "end" ? "end" : Number(value); redraw(); }, "map-moment") : null,
    moments.length ? null : element("span", { class: "note" }, "At a moment: ", element("code", {}, `carrierscope report map --at +SECONDS ${mapFile()}`)), details);
  const place = element("div", { class: "map-place" }, canvas);
  place.repaint = paint;
  show();
  const worst = [...pinned].sort((a, b) => (b.size_bytes - b.used_bytes) - (a.size_bytes - a.used_bytes)).slice(0, 30);
  return [controls, place, mapRest(moment), list, key(...names.slice(0, mapLines.length - 1).map((name) => [colourOf(name), name ?? "?"]), ["bad", "pinned"]),
    worst.length ? element("details", {}, element("summary", {}, "What pins the emptiest"), tableOf("The emptiest carriers that are pinned",
      ["empty", "blocks", "allocator", "type", "made by", "oldest"], [0, 1, 5], worst.map((row) => [bytes(row.size_bytes - row.used_bytes), String(row.blocks), row.allocator ?? "–", row.type ?? "–",
        row.process ?? "–", sinceMs(row.oldest_ms)]))) : null];
};
