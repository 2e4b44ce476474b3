// SPDX-License-Identifier: MIT
//
// A page of `carrierscope serve` asks each 2 s for what has changed, and takes it without losing what was chosen.
"use strict";

const live = { tag: null, busyUntil: 0, at: null };
const liveMs = 2000;

// Names of things that are there again in the new page.
const sectionName = (node) => node.closest("section")?.querySelector("h2, h3")?.textContent ?? "";
const detailsName = (details) => `${sectionName(details)}/${details.parentElement.closest("details")?.querySelector("h3, summary")?.textContent ?? ""}/${(details.querySelector("summary h3") ?? details.querySelector("summary")).textContent}`;
const scrollName = (node) => `${sectionName(node)}/${node.getAttribute("aria-label") ?? node.className}`;
const named = (selector, name) => new Map(boxes(selector).map((node) => [name(node), node]));
const sortName = (head) => `${scrollName(head.closest(".scroll") ?? head)}/${head.cellIndex}`;

// What a reader has done to the page, beside `view` and what the figures keep themselves.
function keepState() {
  const active = document.activeElement;
  // A section that is seen stays where it is, whatever grows above it.
  const anchor = boxes("main section").find((section) => section.getBoundingClientRect().bottom > 0);
  return {
    open: new Set(boxes("main details[open]").map(detailsName)),
    sorted: boxes("main th[aria-sort]").map((head) => [sortName(head), head.getAttribute("aria-sort")]),
    queries: new Set(boxes(".tools [aria-expanded=true]").map((button) => button.getAttribute("aria-label"))),
    scrolled: boxes(".scroll, .map-place").filter((node) => node.scrollTop || node.scrollLeft).map((node) => [scrollName(node), node.scrollTop, node.scrollLeft]),
    slid: boxes("input[type=range]").filter((input) => input.value !== input.max).map((input) => [input.dataset.keep, input.value]),
    anchor: anchor ? [sectionName(anchor), anchor.getBoundingClientRect().top + scrollY, scrollY] : null,
    focus: active?.dataset?.keep ? [active.dataset.keep, active.tagName === "INPUT" ? active.value : null] : active?.closest?.("main summary") ? [null, detailsName(active.parentElement)] : null,
  };
}
function restoreState(state) {
  for (const details of boxes("main details")) details.open = state.open.has(detailsName(details));
  const heads = named("main th", sortName);
  for (const [name, order] of state.sorted) {
    const head = heads.get(name);
    for (let i = 0; head && i < 2 && head.getAttribute("aria-sort") !== order; i++) head.querySelector("button.sort")?.click();
  }
  for (const button of boxes(".tools [aria-expanded=false]")) if (state.queries.has(button.getAttribute("aria-label"))) button.click();
  for (const [keep, value] of state.slid) {
    const input = document.querySelector(`[data-keep="${CSS.escape(keep)}"]`);
    if (input) { input.value = value; input.dispatchEvent(new Event("input")); }
  }
  const places = named(".scroll, .map-place", scrollName);
  for (const [name, top, left] of state.scrolled) Object.assign(places.get(name) ?? {}, { scrollTop: top, scrollLeft: left });
  if (state.focus?.[0]) {
    const node = document.querySelector(`[data-keep="${CSS.escape(state.focus[0])}"]`);
    if (node && state.focus[1] !== null) node.value = state.focus[1];
    node?.focus({ preventScroll: true });
  } else if (state.focus) {
    named("main details", detailsName).get(state.focus[1])?.querySelector("summary").focus({ preventScroll: true });
  }
  const anchor = state.anchor && boxes("main section").find((section) => sectionName(section) === state.anchor[0]);
  if (anchor) scrollTo({ top: Math.round(state.anchor[2] + anchor.getBoundingClientRect().top + scrollY - state.anchor[1]), behavior: "instant" });
}

// A chosen moment of the flame graph may be there no longer: the nearest of its kind is.
function nearestMoment() {
  const [kind, ns] = flame.moment.split(":");
  const offered = momentsOf(rowsOf("stacks", { ofAllocator: true, ofHolder: true })).map(([name]) => name).filter((name) => name.startsWith(`${kind}:`));
  if (!flame.isChosen || ns === undefined || !offered.length) return;
  flame.moment = offered.reduce((a, b) => Math.abs(b.split(":")[1] - ns) < Math.abs(a.split(":")[1] - ns) ? b : a);
}

function takePage(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const state = keepState();
  Object.assign(data, JSON.parse(page.getElementById("data").textContent));
  document.title = page.title;
  document.querySelector("header").replaceWith(document.adoptNode(page.querySelector("header")));
  sayLive(true);
  plots.splice(0).forEach(([plot]) => plot.destroy());
  document.querySelector("main").replaceChildren(...page.querySelector("main").childNodes);
  view.place = known(view.place, places().map(([place]) => place)) ?? places()[0]?.[0] ?? null;
  Object.assign(view, { allocator: known(view.allocator, allocators()), holder: known(view.holder, holderNames()) });
  nearestMoment();
  draw();
  // These are painted a frame later, and have their height then.
  boxes(".flame, .map-place").forEach((place) => place.repaint());
  restoreState(state);
}

function sayLive(isThere) {
  const text = isThere ? `Live: as of ${live.at}.` : `The server does not answer. This is as of ${live.at}.`;
  const line = document.getElementById("live") ?? document.querySelector("header").appendChild(element("p", { class: "about", id: "live" }));
  if (line.textContent !== text) line.textContent = text;
}

// Another server has no such tag: its page is as it is.
const tagOf = (answer) => /^(W\/)?"carrierscope-/.test(answer.headers.get("ETag") ?? "") ? answer.headers.get("ETag") : null;
async function ask(method) {
  const answer = await fetch(location.pathname + location.search, { method, cache: "no-store", headers: live.tag ? { "If-None-Match": live.tag } : {} });
  if (answer.status !== 200) return answer.status === 304;
  const tag = tagOf(answer);
  if (method === "HEAD") return tag !== null;
  const text = await answer.text();
  // While something is dragged or chosen it is not taken away.
  if (tag === null || performance.now() < live.busyUntil) return tag !== null;
  live.tag = tag;
  live.at = new Date().toLocaleTimeString("en-GB");
  takePage(text);
  return true;
}
async function follow() {
  if (!document.hidden && performance.now() >= live.busyUntil) sayLive(await ask("GET").catch(() => false));
  setTimeout(follow, liveMs);
}
addEventListener("pointerdown", () => { live.busyUntil = performance.now() + 3000; });
addEventListener("change", () => { live.busyUntil = 0; });
addEventListener("DOMContentLoaded", async () => {
  if (!location.protocol.startsWith("http") || !await ask("HEAD").catch(() => false)) return;
  live.at = new Date().toLocaleTimeString("en-GB");
  sayLive(true);
  setTimeout(follow, liveMs);
});
