// SPDX-License-Identifier: MIT
//
// page_test.mjs BROWSER CARRIERSCOPE DATABASE [PICTURES]: the HTML report in a real browser, at the
// widths of a laptop and of a phone, light and dark: it is drawn without complaints, its numbers are
// those of the views, and it does what its buttons say.  PICTURES: folder for screenshots.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { openBrowser } from "./browser.mjs";

const [browserProgram, program, database, pictures] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "carrierscope-page-test-"));
const file = join(work, "page.html");
let failures = 0;
let checkedRanges = 0;
function expect(what, isTrue, found = "") {
  if (!isTrue) {
    failures++;
    console.log(`FAILED: ${what} ${JSON.stringify(found)}`);
  }
}
const sql = (query) => JSON.parse(execFileSync("sqlite3", ["-readonly", "-json", database, query], { encoding: "utf8", maxBuffer: 1 << 26 }) || "[]");
// SQLite writes 15 digits of a real as text, 17 as JSON.
const isSame = (a, b) => a === b || (typeof a === "number" && typeof b === "number" && Math.abs(a - b) <= 1e-14 * Math.abs(a));
const mib = (bytes) => (bytes / 1048576).toFixed(1);

execFileSync(program, ["report", database, "--format", "html", "-o", file]);
expect("the page is smaller than 3 MB", statSync(file).size < 3e6, statSync(file).size);

const browser = await openBrowser(browserProgram);
const url = pathToFileURL(file).href;
const verdicts = sql("SELECT * FROM verdict WHERE level <> 'allocator'");

async function checkNumbers(page) {
  const text = await page.ask("document.body.textContent");
  for (const verdict of verdicts) {
    expect("the verdict stands on the page", text.includes(verdict.sentence), verdict.sentence);
    if (verdict.saving_max_bytes != null) expect("so does the upper bound", text.includes(`at most ${mib(verdict.saving_max_bytes)} MiB now`), verdict.saving_max_bytes);
  }
  for (const finding of sql("SELECT rule, sentence, flag FROM finding")) {
    expect("each finding stands on the page", text.includes(finding.rule) && text.includes(finding.sentence), finding);
    if (finding.flag) expect("with its flag", text.includes(finding.flag), finding.flag);
  }
  const figures = await page.ask("Object.values(data.figures).forEach(rowsAsRead), data.figures");
  for (const [name, figure] of Object.entries(figures)) {
    const rows = sql(figure.sql);
    expect(`figure ${name} has the rows of its SQL`, rows.length === figure.rows.length, [rows.length, figure.rows.length]);
    const wrong = rows.find((row, i) => figure.columns.some((column, k) => !isSame(row[column], figure.rows[i]?.[k])));
    expect(`figure ${name} has the values of its SQL`, !wrong, wrong);
  }
  // What the curve draws at its end is what the view says.
  const end = await page.ask("(() => { const box = document.querySelector('[data-curve=footprint]'); return box.plot && box.plot.data.map((list) => list.at(-1)); })()");
  const first = verdicts.length && sql(`SELECT sum(carriers_bytes) AS carriers, sum(blocks_bytes) AS blocks FROM utilisation_now_allocator WHERE runtime_id = (SELECT min(runtime_id) FROM verdict WHERE level = 'runtime')`)[0];
  if (first?.carriers != null) {
    expect("the curve of carriers ends where utilisation_now_allocator does", end[1] === first.carriers, [end, first]);
    expect("so does the curve of blocks", end[2] === first.blocks, [end, first]);
    // Areas lie on each other: the highest is what all carriers have, at each moment.
    const piled = await page.ask("(() => { const { data } = document.querySelector('[data-curve=areas]').plot; return [data[1].at(-1), data.at(-1).at(-1)]; })()");
    expect("areas end at the same carriers", piled[0] === first.carriers && piled[1] <= piled[0], [piled, first]);
  }
}

// One number in all parts of the page: the answer, bars, waterfall.
async function checkOneNumber(page) {
  const answers = sql("SELECT json FROM answer");
  if (answers.length !== 1 || verdicts.length !== 1) return;
  const { memory } = JSON.parse(answers[0].json);
  const [runtime] = await page.ask("rowsOf('allocators').filter((row) => row.level === 'runtime')");
  const level = await page.ask("rowsOf('waterfall').find((row) => row.allocator === null && row.name === 'carriers')?.bytes ?? null");
  const text = await page.ask("document.querySelector('.answer').innerText");
  if (memory.carriers.likely !== null) {
    expect("bars have the carriers of the answer", runtime.carriers_bytes === null || runtime.carriers_bytes === memory.carriers.likely, [runtime.carriers_bytes, memory.carriers]);
    expect("so has the waterfall", level === null || level === memory.carriers.likely, [level, memory.carriers]);
    expect("the answer says so", memory.carriers.low !== memory.carriers.high || text.includes(`carriers ${mib(memory.carriers.likely)} MiB`), [text, memory.carriers]);
  }
}

// The graph's widths are the bytes of its rows, the comparison takes the larger of two, the search finds frames.
async function checkFlame(page) {
  const root = "d3.select('.flame').datum()";
  const sum = (moment) => sql(moment === "held" ? "SELECT sum(bytes) AS bytes FROM page_holder WHERE basis <> 'blocks it made'"
    : moment === "made" ? "SELECT sum(made_bytes) AS bytes FROM page_change" : moment === "kept" ? "SELECT sum(kept_bytes) AS bytes FROM page_change" : `SELECT sum(bytes) AS bytes FROM page_stack WHERE moment = '${moment}'`)[0].bytes;
  if (!await page.ask("document.querySelector('.flame') !== null")) {
    expect("without rows there is no flame graph", await page.ask("['stacks', 'holders', 'changes'].every((name) => rowsOf(name).length === 0)"));
    return;
  }
  expect("the flame graph has frames", await page.waitFor("document.querySelectorAll('.flame rect').length > 1"));
  const drawn = await page.ask("flame.moment");
  const bytes = sum(drawn);
  expect("its root has the bytes of the rows", await page.waitFor(`${root}.data.now === ${bytes}`),
    [drawn, bytes, await page.ask(`${root}.data.now`)]);
  const set = (label, value) => page.ask(`(() => { const s = [...document.querySelectorAll('.flame-tools label')].find((l) => l.textContent.startsWith("${label}")).querySelector("select"); s.value = "${value}"; s.dispatchEvent(new Event("change")); })()`);
  const moments = await page.ask("[...new Set(rowsOf('stacks').map((row) => row.moment))]");
  if (moments.includes("peak") && moments.includes("end")) {
    // Blocks that live are compared with those that lived, not with what is held.
    await set("Bytes", "end");
    await set("compared", "peak");
    expect("the flame graph is drawn again", await page.waitFor("document.querySelectorAll('.flame rect').length > 1"));
    expect("compared, the root has both", await page.ask(`${root}.data.then`) === sum("peak"));
    expect("and is as wide as the larger", await page.ask(`${root}.data.value >= Math.max(${root}.data.now, ${root}.data.then)`));
    await set("compared", "");
    await page.waitFor("document.querySelectorAll('.flame rect').length > 1");
  }
  await page.ask(`(() => { const s = document.querySelector('.flame-tools input'); s.value = ${root}.data.children[0].name.slice(0, 6); s.dispatchEvent(new Event('input')); })()`);
  expect("the search names what it found", /^".+": .*B in [1-9]/.test(await page.ask("document.querySelector('.flame-details').textContent")));
  await page.ask("(() => { const s = document.querySelector('.flame-tools input'); s.value = ''; s.dispatchEvent(new Event('input')); })()");
}

// Made within a range and live at the end, its opposite, and back: the whole time shows what it showed at first.
async function checkKept(page) {
  const root = "d3.select('.flame').datum()";
  const [ends] = sql("SELECT min(end_ns) - first_ns AS low, max(end_ns) - first_ns AS high, count(*) FILTER (WHERE kept_bytes > 0) AS kept FROM page_change, page_time");
  if (!ends || !ends.kept) return 0;
  const first = await page.ask("flame.moment");
  const middle = ends.low + Math.floor((ends.high - ends.low) / 2);
  const kept = sql(`SELECT sum(kept_bytes) AS bytes FROM page_change, page_time WHERE end_ns - first_ns BETWEEN ${middle} AND ${ends.high}`)[0].bytes;
  await page.ask(`setRange(${middle}, ${ends.high})`);
  expect("a range shows what was made in it and is kept", await page.waitFor(`flame.moment === "kept" && ${root}?.data.now === ${kept ?? 0}`),
    [kept, await page.ask(`[flame.moment, ${root}?.data.now]`)]);
  const gone = await page.ask("rowsAt('gone').reduce((sum, row) => sum + row.bytes, 0)");
  const then = await page.ask("liveBy(view.from).reduce((sum, row) => sum + row.bytes, 0)");
  const left = sql(`SELECT ifnull(sum(kept_bytes), 0) AS bytes FROM page_change, page_time WHERE end_ns - first_ns <= ${middle}`)[0].bytes;
  expect("what lived then and is gone is the rest of it", Math.abs(gone - (then - left)) <= 0.02 * then + 64, [gone, then, left]);
  await page.ask("setRange(null, null)");
  expect("the whole time shows what it showed at first", await page.waitFor(`flame.moment === "${first}"`), await page.ask("flame.moment"));
  return 1;
}

// A cell for each carrier; what a cell is, by mouse and by keyboard.
async function checkMap(page) {
  const rows = sql("SELECT * FROM report_map ORDER BY runtime_id, address");
  const canvas = "document.querySelector('canvas.map')";
  if (!rows.length) {
    expect("without addresses there is no map", await page.ask(`${canvas} === null`));
    return 0;
  }
  expect("the map is drawn", await page.waitFor(`${canvas}.height > 0`));
  const label = await page.ask(`${canvas}.getAttribute("aria-label")`);
  const pinned = rows.filter((row) => row.blocks > 0 && row.used_max_bytes * 10 < row.size_bytes).length;
  const isWhole = rows.every((row) => row.used_max_bytes === row.used_bytes);
  expect("it says how many cells there are", label.startsWith(`${rows.length.toLocaleString("en")} `) && label.includes(isWhole ? `${pinned.toLocaleString("en")} pinned` : "of blocks in the events recorded, which are not all"), [label, rows.length, pinned]);
  expect("it has their bytes", await page.ask("rowsOf('map').reduce((sum, row) => sum + row.used_bytes, 0)") === rows.reduce((sum, row) => sum + row.used_bytes, 0));
  const details = "document.querySelector('[data-bars=map] output').textContent";
  const press = (key) => page.ask(`${canvas}.dispatchEvent(new KeyboardEvent("keydown", { key: "${key}", bubbles: true }))`);
  await press("ArrowRight");
  const first = await page.ask(details);
  expect("the first cell is the first carrier", first.startsWith(`0x${rows[0].address.toString(16)} of ${rows[0].allocator}`), first);
  if (rows.length > 1) {
    await press("ArrowRight");
    expect("the arrow goes to the next one", (await page.ask(details)).startsWith(`0x${rows[1].address.toString(16)} of `), await page.ask(details));
  }
  await page.ask(`${canvas}.dispatchEvent(new MouseEvent("click", { clientX: ${canvas}.getBoundingClientRect().x + 1, clientY: ${canvas}.getBoundingClientRect().y + 1, bubbles: true }))`);
  expect("a click chooses a cell", (await page.ask(details)) === first, await page.ask(details));
  const many = await page.ask(`(() => { const one = rowsOf("map")[0]; const all = data.figures.map.objects; data.figures.map.objects = Array.from({ length: 100000 }, () => one);
    const box = document.querySelector("[data-bars=map]"); const begun = performance.now(); drawAll([box]); box.querySelector(".map-place").repaint(); const took = performance.now() - begun;
    data.figures.map.objects = all; drawAll([box]); return took; })()`);
  console.log(`100,000 cells are drawn in ${many.toFixed(0)} ms`);
  return 1;
}

// The page goes to the moment when there was most.
async function checkPeak(page) {
  const choice = "[...document.querySelectorAll('#controls label')].find((l) => l.textContent.startsWith('Go to'))?.querySelector('select')";
  if (!await page.ask(`${choice} !== undefined && ${choice} !== null`)) return;
  const at = await page.ask("peaks.carriers()");
  await page.ask(`(() => { const s = ${choice}; s.value = "carriers"; s.dispatchEvent(new Event("change")); })()`);
  expect("the range has the peak of carriers", await page.waitFor(`hasRange() && view.from <= ${at} && view.to >= ${at}`), [at, await page.ask("[view.from, view.to]")]);
  await page.ask("setRange(null, null)");
  await page.waitFor("resting === null");
}

// The head of a column sorts by it, once downwards and once upwards.
async function checkSorted(page) {
  const table = "[...document.querySelectorAll('main table')].find((t) => t.querySelector('button.sort') && t.tBodies[0].rows.length > 2 && [...t.tBodies[0].rows].some((r) => /MiB|KiB/.test(r.textContent)))";
  if (!await page.ask(`${table} !== undefined`)) return;
  const column = await page.ask(`(() => { const t = ${table}; return [...t.tBodies[0].rows[0].cells].findIndex((c, i) => [...t.tBodies[0].rows].some((r) => /MiB|KiB/.test(r.cells[i]?.textContent))); })()`);
  const values = () => page.ask(`(() => { const t = ${table}; t.querySelectorAll('button.sort')[${column}].click(); return [...t.tBodies[0].rows].map((r) => sortKey(r.cells[${column}].textContent)).filter((v) => v !== null); })()`);
  const down = await values();
  expect("a column sorts downwards", down.length > 1 && down.every((value, i) => i === 0 || down[i - 1] >= value), down);
  const up = await values();
  expect("and upwards", up.every((value, i) => i === 0 || up[i - 1] <= value) && up.length === down.length, up);
}

async function checkUse(page) {
  // What is drawn above moves it.
  await page.waitFor("(() => { const o = document.querySelector('[data-curve=footprint] .u-over'); o?.scrollIntoView({ block: 'center' }); const r = o?.getBoundingClientRect(); const now = r ? [r.x, r.y, r.width, r.height].join() : 'none'; const same = window.lastBox === now; window.lastBox = now; return same; })()");
  const box = await page.ask("(() => { const o = document.querySelector('[data-curve=footprint] .u-over'); if (!o) return null; o.scrollIntoView({block: 'center'}); const r = o.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()");
  if (!box) return;
  const span = "(() => { const s = document.querySelector('[data-curve=footprint]').plot.scales.x; return [s.min, s.max]; })()";
  const [x, y, width, height] = box;
  const whole = await page.ask(span);
  await page.mouse("mouseMoved", x + width * 0.25, y + height / 2);
  await page.mouse("mousePressed", x + width * 0.25, y + height / 2);
  await page.mouse("mouseMoved", x + width * 0.5, y + height / 2, { buttons: 1 });
  await page.mouse("mouseReleased", x + width * 0.5, y + height / 2);
  await page.waitFor(`(([from, to]) => to - from < ${0.5 * (whole[1] - whole[0])})(${span})`);
  const zoomed = await page.ask(span);
  const share = (zoomed[1] - zoomed[0]) / (whole[1] - whole[0]);
  expect("dragging over a quarter zooms to it", share > 0.2 && share < 0.3, [whole, zoomed]);
  await page.ask("document.querySelector('[data-curve=footprint] .plot').focus()");
  await page.key("+");
  const closer = await page.ask(span);
  expect("+ zooms further", closer[1] - closer[0] < 0.6 * (zoomed[1] - zoomed[0]), closer);
  await page.ask("[...document.querySelectorAll('[data-curve=footprint] button')].find((b) => b.textContent === 'Whole time').click()");
  expect("a button shows the whole time", String(await page.ask(span)) === String(whole));
  // All else is drawn a moment later.
  await page.waitFor("resting === null");

  await page.ask("document.querySelector('[data-bars=allocators] .tools button').click()");
  expect("a button shows the SQL", await page.ask("!document.querySelector('[data-bars=allocators] pre').hidden && document.querySelector('[data-bars=allocators] pre').textContent.includes('FROM verdict')"));
  const lines = await page.ask("csv(data.figures.allocators).trimEnd().split('\\r\\n').length");
  expect("the CSV has a line for each row and a header", lines === 1 + await page.ask("data.figures.allocators.rows.length"), lines);

  await checkOneNumber(page);
  await checkFlame(page);
  checkedRanges += await checkKept(page);
  await checkMap(page);
  await checkSorted(page);
  await checkPeak(page);
  const slider = "document.querySelector('[data-bars=sizes] input')";
  if (await page.ask(`${slider} !== null`)) {
    const values = "[...document.querySelectorAll('[data-bars=sizes] .value')].map((v) => v.textContent).join()";
    const late = await page.ask(values);
    await page.ask(`${slider}.value = 0, ${slider}.dispatchEvent(new Event('input'))`);
    // Where sizes have not changed it shows the same.
    const moments = sql("SELECT count(DISTINCT live_bytes) AS n FROM (SELECT begin_ns, sum(live_bytes) AS live_bytes FROM size_over_time GROUP BY begin_ns)")[0].n;
    if (moments > 2) expect("the slider shows another moment", late !== await page.ask(values), moments);
  }
  const name = await page.ask("[...document.querySelectorAll('nav label')].find((l) => l.textContent.startsWith('Allocator'))?.querySelector('select')?.options[1]?.value");
  if (name) await page.ask(`(() => { const s = [...document.querySelectorAll('nav label')].find((l) => l.textContent.startsWith('Allocator'))?.querySelector('select'); s.value = ${JSON.stringify(name)}; s.dispatchEvent(new Event('change')); })()`);
  if (name) expect("an allocator can be chosen", (await page.ask("[...document.querySelectorAll('[data-bars=instances] .name')].map((n) => n.textContent)")).every((text) => text.startsWith(name)), name);
}

for (const [width, dark] of process.env.ONE_WIDTH ? [[1280, false]] : [[1280, false], [390, true], [1280, true], [390, false]]) {
  const complaints = [];
  const page = await browser.openPage(url, { width, dark, complaints });
  expect(`${width}: it is drawn`, await page.waitFor("document.documentElement.dataset.drawn === 'yes'"));
  // A change of the window's width is drawn a moment later.
  expect(`${width}: curves are as wide as their places`, await page.waitFor(`[...document.querySelectorAll("[data-curve]")].every(
    (box) => !box.plot || box.plot.width === Math.max(240, box.querySelector(".plot").clientWidth))`));
  expect(`${width}: nothing is wider than the window`, await page.ask("document.documentElement.scrollWidth <= innerWidth"),
    await page.ask("[...document.querySelectorAll('body *')].filter((n) => n.getBoundingClientRect().right > innerWidth + 1).map((n) => n.tagName + '.' + n.className).slice(0, 5)"));
  expect(`${width}: the ground is ${dark ? "dark" : "light"}`, await page.ask("getComputedStyle(document.body).backgroundColor") === (dark ? "rgb(20, 24, 27)" : "rgb(251, 251, 249)"));
  if (pictures) writeFileSync(join(pictures, `page-${width}-${dark ? "dark" : "light"}.png`), await page.picture());
  // They are the same at every width.
  if (width === 1280 && !dark) await checkNumbers(page);
  await checkUse(page);
  expect(`${width}: the console is empty`, complaints.length === 0, complaints);
  await page.close();
}

// Without JavaScript the texts and tables are there.
const plain = await browser.openPage(url, { width: 1280, scripts: false, complaints: [] });
const html = await plain.text();
for (const verdict of verdicts) {
  expect("the verdict can be read without JavaScript", html.includes(verdict.sentence.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")) , verdict.sentence);
}
for (const part of ["<noscript>", "multi-block carrier", "low-water mark", "<details open"]) expect(`without JavaScript: ${part}`, html.includes(part));
await plain.close();
await browser.close();
rmSync(work, { recursive: true });
console.log(`${database}: ${failures} failures, ${checkedRanges} ranges of time`);
process.exit(failures ? 1 : 0);
