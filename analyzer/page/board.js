// SPDX-License-Identifier: MIT
//
// The heap of a board: what is free, the largest piece of it, and what could not be had.
"use strict";

// Those of the place; of logs, which have none, all.
const ofBoard = (name) => objectsOf(data.figures[name]).filter((row) => row.runtime_id == null || view.place === null || placeOf(row) === view.place);
// A recording has times, a log lines.
const isTimed = (rows) => rows.some((row) => row.at_s != null);
const boardPlace = (row, timed) => timed ? row.at_s : row.line;
const failureText = (row) => `${row.allocator ?? "the runtime"} could not ${row.operation} ${row.size_bytes.toLocaleString("en")} bytes${row.type == null ? "" : ` (${row.type})`}${
  row.free_largest == null || row.free_largest > row.size_bytes ? "" : `, the largest piece had ${row.free_largest.toLocaleString("en")}`}`;

curves.board = () => {
  const all = ofBoard("board");
  if (!all.length || view.holder !== null) return null;
  const timed = isTimed(all);
  const rows = all.filter((row) => (row.at_s != null) === timed);
  const sources = [...new Set(rows.map((row) => row.source))].slice(0, 3);
  const failures = ofBoard("board_failures").filter((row) => (row.at_s != null) === timed && sources.includes(row.source));
  const series = sources.flatMap((source, i) => {
    const own = rows.filter((row) => row.source === source);
    // Up to what was refused after the last reading.
    const ends = failures.filter((row) => row.source === source).map((row) => boardPlace(row, timed)).filter((at) => at > boardPlace(own.at(-1), timed));
    if (ends.length) own.push({ ...own.at(-1), line: Math.max(...ends), at_s: Math.max(...ends) });
    const times = own.map((row) => boardPlace(row, timed));
    const name = (text) => sources.length > 1 ? `${text}, source ${source}` : text;
    return [[name("Free"), `line-${2 * i + 1}`, times, own.map((row) => row.free_bytes)],
      [name("Largest piece of it"), `line-${2 * i + 2}`, times, own.map((row) => row.free_largest)]];
  });
  const starts = rows.filter((row, i) => i > 0 && rows[i - 1].source === row.source && rows[i - 1].run !== row.run);
  const top = Math.max(...series.flatMap(([, , , values]) => values), ...failures.map((row) => row.size_bytes));
  const draw = (plot) => {
    const { ctx, bbox } = plot;
    const at = (row) => Math.round(plot.valToPos(boardPlace(row, timed), "x", true));
    const line = (x, dash, colour) => {
      ctx.strokeStyle = color(colour);
      ctx.setLineDash(dash.map((length) => length * devicePixelRatio));
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    };
    const isInside = (x) => x >= bbox.left && x <= bbox.left + bbox.width;
    ctx.save();
    ctx.lineWidth = devicePixelRatio;
    starts.map(at).filter(isInside).forEach((x) => line(x, [1, 3], "soft"));
    for (const row of failures) {
      if (!isInside(at(row))) continue;
      line(at(row), [4, 3], "bad");
      ctx.fillStyle = color("bad");
      ctx.beginPath();
      ctx.arc(at(row), plot.valToPos(row.size_bytes, "y", true), 4 * devicePixelRatio, 0, 2 * Math.PI);
      ctx.fill();
    }
    ctx.restore();
  };
  const place = (row) => timed ? `at ${boardPlace(row, true).toFixed(3)} s` : `on line ${row.line}`;
  const words = element("ul", { class: "note failures" }, ...failures.slice(0, 5).map((row) => element("li", {}, `${failureText(row)}, ${place(row)}`)),
    failures.length > 5 ? element("li", {}, `and ${failures.length - 5} more`) : null);
  return { series, ...inBytes, isGrouped: true, draw, isApart: !timed, range: (_, __, most) => [0, Math.max(most, top, 1) * 1.06],
    at: timed ? undefined : (v) => `line ${v}`, said: failures.length ? `${failures.length} failures, the last: ${failureText(failures.at(-1))}` : null,
    words: [key(["bad", "could not be had: how much was asked for"], ["soft", "dotted: the board began anew"]), failures.length ? words : null] };
};
