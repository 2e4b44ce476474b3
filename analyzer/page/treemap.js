// SPDX-License-Identifier: MIT
//
// The tree of the flame graph as a treemap: each rectangle has the area of its bytes.
"use strict";

// More cannot be told apart, and take longer than a gesture may.
const treemapCells = 500;

// look: text and colour of a node, what to do when one is pointed at, or was opened.  Returns what colours it again.
function paintTreemap(place, top, look) {
  const width = Math.max(240, place.clientWidth);
  const height = 420;
  // The largest; others leave their place empty.
  const values = [];
  const collect = (node) => { values.push(node.value); node.children.forEach(collect); };
  collect(top);
  const least = values.sort((a, b) => b - a)[treemapCells - 1] ?? 0;
  const whole = d3.hierarchy(top, (node) => node.children.filter((child) => child.value >= least));
  // A node may have more than its parts.
  whole.each((node) => { node.value = node.data.value; });
  whole.sort((a, b) => b.value - a.value);
  d3.treemap().size([width, height]).paddingTop(18).paddingInner(1).round(true)(whole);
  const shown = new Set(whole.descendants().filter((node) => node.x1 - node.x0 >= 3 && node.y1 - node.y0 >= 3).slice(0, treemapCells));
  const cells = new Map();
  const nodes = new Map();
  // Before what is in it.
  whole.eachBefore((node) => {
    if (!shown.has(node)) return;
    const [nodeWidth, nodeHeight] = [node.x1 - node.x0, node.y1 - node.y0];
    const cell = element("button", { type: "button", class: "cell", tabindex: cells.size ? -1 : 0, "aria-label": look.text(node.data),
      style: { left: `${node.x0}px`, top: `${node.y0}px`, width: `${nodeWidth}px`, height: `${nodeHeight}px`, background: look.colour(node.data) } },
    nodeWidth > 30 && nodeHeight > 13 ? node.data.name : null);
    cells.set(node, cell);
    nodes.set(cell, node);
  });
  const list = [...cells.keys()];
  const of = (what) => (event) => { if (nodes.has(event.target)) what(nodes.get(event.target), event); };
  const point = of((node) => look.point(node.data));
  // Along the drawn cells, into one, and out of it.
  const move = of((node, event) => {
    if (!event.key.startsWith("Arrow") || event.ctrlKey || event.metaKey || event.altKey) return;
    const i = list.indexOf(node);
    const next = cells.get({ ArrowRight: list[i + 1], ArrowLeft: list[i - 1], ArrowDown: node.children?.find((child) => cells.has(child)), ArrowUp: node.parent }[event.key]);
    event.preventDefault();
    if (!next) return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  place.replaceChildren(element("div", { class: "treemap", role: "group", style: { height: `${height}px` }, onclick: of((node) => look.open(node.data)),
    onmouseover: point, onfocusin: point, onkeydown: move, "aria-label": "Treemap: arrow keys go from cell to cell, Enter shows one alone" }, ...cells.values()));
  d3.select(place).datum(whole);
  return () => cells.forEach((cell, node) => { cell.style.background = look.colour(node.data); });
}
