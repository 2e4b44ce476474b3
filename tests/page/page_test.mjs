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
let checkedCode = 0;
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
expect("the page is smaller than 2 MB", statSync(file).size < 2e6, statSync(file).size);

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
    // Of moments, which a command is asked about: checkMap() does.
    if (name === "map_then") continue;
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

// What is seen at first: the answer, who grew and who holds most as bars of intervals, and most of the first chart.
async function checkFirst(page, width) {
  const [first] = sql("SELECT json FROM answer ORDER BY rank LIMIT 1");
  if (!first) return;
  const answer = JSON.parse(first.json);
  const lists = [["Who grew", answer.growth.slice(0, 5).map((one) => [one.who, one.grown_bytes])], ["Holds most", answer.holders.slice(0, 3).map((one) => [one.who, one.bytes])]];
  for (const [title, wanted] of lists) {
    const most = Math.max(...wanted.map(([, { low, likely, high }]) => high ?? likely ?? low));
    const found = await page.ask(`(() => { const dt = [...document.querySelectorAll("main .amounts dt")].find((n) => n.textContent === "${title}"); const found = [];
      for (let dd = dt?.nextElementSibling; dd?.tagName === "DD"; dd = dd.nextElementSibling) { const svg = dd.querySelector("svg"); const whole = svg?.getBoundingClientRect();
        found.push([dd.textContent, ...(svg ? [...svg.querySelectorAll("rect")] : []).map((r) => { const box = r.getBoundingClientRect(); return [(box.left - whole.left) / whole.width, box.width / whole.width]; })]); }
      return found; })()`);
    expect(`${title}: a bar for each`, found.length === wanted.length, [found, wanted]);
    wanted.forEach(([who, { low, likely, high }], i) => {
      const [text, sure, maybe] = found[i] ?? [];
      expect(`${title}: its name`, text?.startsWith(`${who}: `), [text, who]);
      if (!(most > 0)) return;
      const wide = [(low ?? 0) / most, ((high ?? likely ?? low) - (low ?? 0)) / most];
      expect(`${title}: what is sure, and behind it what may be`, sure && Math.abs(sure[1] - wide[0]) < 0.01 && Math.abs(maybe[0] - wide[0]) < 0.01 && Math.abs(maybe[1] - wide[1]) < 0.01, [sure, maybe, wide]);
    });
  }
  const chart = await page.ask("(() => { scrollTo(0, 0); const r = document.querySelector('#curves .figure:not(.bare) .u-over')?.getBoundingClientRect(); return r ? [r.top, r.bottom] : null; })()");
  if (chart && width >= 1280 && verdicts.length === 1) expect("most of the first chart is seen at once", chart[0] < 600 && 800 - chart[0] > 0.6 * (chart[1] - chart[0]), chart);
  console.log(`${width}: the first chart is at ${chart?.map(Math.round)}`);
}

// What is live is divided by carriers of the same moment: in between there are no points.
async function checkUtilisation(page) {
  const series = await page.ask(`(() => {
    const level = (begin_ns, end_ns, carriers_bytes) => ({ runtime_id: 1, allocator: "a", begin_ns, end_ns, carriers_bytes, blocks_bytes: 1, basis: "carrier events" });
    const live = (begin_ns, end_ns, live_bytes, carriers_bytes) => ({ runtime_id: 1, allocator: "a", begin_ns, end_ns, live_bytes, carriers_bytes, basis: "blocks" });
    const kept = [data.figures.footprint.objects, data.figures.live.objects, view.place, view.allocator];
    data.figures.footprint.objects = [level(0, 1e9, 100), level(1e9, 2e9, 1000), level(2e9, 3e9, 100)];
    data.figures.live.objects = [live(0.5e9, 1.5e9, 50, 100), live(1.5e9, 2.5e9, 900, 1000), live(2.5e9, 3e9, 50, null)];
    [view.place, view.allocator] = [null, null];
    const { series } = curves.utilisation();
    [data.figures.footprint.objects, data.figures.live.objects, view.place, view.allocator] = kept;
    return series[1].slice(2); })()`);
  expect("utilisation is of one moment", String(series) === "0.5,1.5,2.5,3,50,90,50,50", series);
}

// What replays made of the recording, without and with the flags that are advised.
async function checkTried(page) {
  const wanted = sql("SELECT group_concat(carriers_bytes) AS bytes FROM (SELECT * FROM sweep_curve ORDER BY is_advised, ts_ns) GROUP BY is_advised").map((row) => row.bytes);
  const found = await page.ask("(() => { const plot = document.querySelector('[data-curve=sweep]')?.plot; return plot ? plot.data.slice(1).map((list) => list.filter((value, i) => i === 0 || value !== list[i - 1]).join()) : []; })()");
  if (wanted.every((bytes) => bytes.split(",").length < 256)) expect("the curves of replays are drawn", String(found) === String(wanted), [found, wanted]);
}

// Settings stand at the sizes that they are about, as they were recorded.
async function checkThresholds(page) {
  const found = await page.ask("[...document.querySelectorAll('[data-bars=sizes] .threshold')].map((n) => n.textContent)");
  if (!await page.ask("rowsOf('sizes').length > 0")) {
    expect("without sizes there are no thresholds", found.length === 0, found);
    return;
  }
  const recorded = sql("SELECT DISTINCT t.name, CAST(t.value AS INTEGER) AS bytes FROM setting AS t WHERE t.name IN ('sbct', 'smbcs', 'lmbcs') AND t.runtime_id IS NOT NULL AND length(t.value) < 13 AND t.allocator IN (SELECT allocator FROM size_over_time)");
  for (const { name, bytes } of recorded) {
    const text = await page.ask(`bytes(${bytes})`);
    expect(`${name} has a mark`, found.some((line) => line.startsWith(`${text}: `) && line.includes(`(${name}`)), [text, found]);
  }
  expect("and nothing else but the limit of heaps", found.length === recorded.length + found.filter((line) => line.startsWith("64 B: smaller binaries")).length, found);
  const marks = await page.ask("[...document.querySelectorAll('[data-bars=sizes] .threshold')].map((n) => { let next = n.nextElementSibling; while (next?.className === 'threshold') next = next.nextElementSibling; let before = n; while (before && before.className !== 'name') before = before.previousElementSibling; return [n.textContent, next?.textContent ?? null, before?.textContent ?? null]; })");
  const size = (text) => { const [, number, unit] = /^([\d.]+) (B|KiB|MiB|GiB)/.exec(text); return number * { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }[unit]; };
  expect("each stands above sizes that are not smaller", marks.every(([text, next, before]) => (next === null || size(next) >= 0.99 * size(text)) && (before === null || before === "0–1 B" || size(before) < size(text))), marks);
}

// The heap of a board: its readings, what could not be had, and nobody who holds it.
async function checkBoard(page) {
  const rows = sql("SELECT free_bytes, free_largest FROM report_board_readings");
  const plot = "document.querySelector('[data-curve=board]').plot";
  if (!rows.length) {
    expect("without a board there is no curve of it", await page.ask(`${plot} === undefined`));
    return;
  }
  const [places, free, largest] = await page.ask(`${plot}.data`);
  const failures = sql("SELECT line, size_bytes FROM board_failure");
  expect("the curve has each reading", rows.every((row) => free.includes(row.free_bytes) && largest.includes(row.free_largest)), [rows.length, free.length]);
  expect("it goes on to what was refused", failures.every((row) => row.line <= places.at(-1)), places.at(-1));
  const text = await page.ask("document.querySelector('[data-curve=board]').innerText");
  expect("what could not be had is named", failures.slice(0, 5).every((row) => text.includes(`${row.size_bytes.toLocaleString("en")} bytes`) && text.includes(`on line ${row.line}`)), text);
  // The mark of a failure is drawn: red where its place and size meet.
  const reds = await page.ask(`(() => { const plot = ${plot}; const bad = color("bad"); const pen = document.createElement("canvas").getContext("2d"); pen.fillStyle = bad; pen.fillRect(0, 0, 1, 1); const wanted = [...pen.getImageData(0, 0, 1, 1).data].join();
    return ofBoard("board_failures").map((row) => [...plot.ctx.getImageData(Math.round(plot.valToPos(row.line, "x", true)) - 1, Math.round(plot.valToPos(row.size_bytes, "y", true)), 1, 1).data].join() === wanted); })()`);
  expect("each failure is marked", reds.length === failures.length && reds.every(Boolean), reds);
  expect("nobody holds a board", await page.ask("document.getElementById('who').hidden && document.querySelector('#curves .why').getClientRects().length === 0"));
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

// By code, functions alone, and those of libraries left out.
async function checkCode(page) {
  const root = "d3.select('.flame').datum()";
  const choose = (moment) => page.ask(`(() => { const s = document.querySelector('.flame-tools select'); s.value = "${moment}"; s.dispatchEvent(new Event("change")); })()`);
  const drawn = await page.ask("flame?.moment");
  if (!await page.ask("[...document.querySelectorAll('.flame-tools select:first-of-type option')].some((o) => o.value === 'code')")) return 0;
  const names = () => page.ask(`(() => { const names = []; ${root}.each((node) => { if (node.depth) names.push(node.data.name); }); return names; })()`);
  const libraries = sql("SELECT DISTINCT function FROM stack_function WHERE is_library").map((row) => row.function);
  const own = sql("SELECT DISTINCT function FROM stack_function WHERE NOT is_library").map((row) => row.function);
  const bytes = sql("SELECT sum(bytes) AS bytes FROM page_stack WHERE moment = 'end'")[0].bytes;
  await choose("code");
  expect("by code, the root has all bytes, also those without a stack", await page.waitFor(`flame.moment === 'code' && ${root}?.data.now === ${bytes}`), [bytes, await page.ask(`${root}?.data.now`)]);
  const all = await names();
  const without = sql("SELECT count(*) AS rows FROM page_stack WHERE moment = 'end' AND function IS NULL")[0].rows;
  expect("what has no stack is a frame of its own", all.includes("no stack was read") === without > 0, [without, all]);
  expect("its frames are functions", libraries.some((name) => all.includes(name)) && own.some((name) => all.includes(name)), all);
  const press = () => page.ask("document.querySelector('[data-keep=own]').click()");
  await press();
  expect("a button leaves out those of libraries", await page.waitFor(`flame.isOwn && ${root}?.data.now === ${bytes} && document.querySelector('[data-keep=own]').getAttribute('aria-pressed') === 'true'`));
  const left = await names();
  expect("and keeps the others", own.every((name) => left.includes(name)) && !libraries.some((name) => left.includes(name)), left);
  await press();
  await choose(drawn);
  await page.waitFor(`flame.moment === "${drawn}" && document.querySelectorAll('.flame rect').length > 1`);
  return 1;
}

// The same tree as a treemap: areas are bytes, and keys go through it.
async function checkTreemap(page) {
  if (!await page.ask("document.querySelector('[data-keep=treemap]') !== null")) return;
  const bytes = await page.ask("d3.select('.flame').datum().data.now");
  await page.ask("document.querySelector('[data-keep=treemap]').focus()");
  await page.key("Enter");
  expect("a button shows the treemap", await page.waitFor("document.querySelectorAll('.treemap .cell').length > 1") && await page.ask("document.activeElement.dataset.keep === 'treemap' && document.activeElement.getAttribute('aria-pressed') === 'true'"));
  expect("it has the same bytes", await page.ask("d3.select('.flame').datum().data.now") === bytes);
  const wrong = await page.ask(`(() => { const wrong = []; d3.select(".flame").datum().each((node) => { if (!node.children || node.y1 - node.y0 < 100 || node.x1 - node.x0 < 100) return;
    const area = (n) => (n.x1 - n.x0) * (n.y1 - n.y0); const [a, b] = node.children; if (b && area(b) > 2000 && Math.abs(area(a) / area(b) / (a.data.value / b.data.value) - 1) > 0.25) wrong.push([a.data.name, area(a), a.data.value, area(b), b.data.value]); }); return wrong; })()`);
  expect("areas are as bytes", wrong.length === 0, wrong);
  const press = (key) => page.ask(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "${key}", bubbles: true, cancelable: true }))`);
  // The mouse points at none of them.
  await page.mouse("mouseMoved", 1, 1);
  await page.ask("document.querySelector('.treemap .cell').focus()");
  expect("one cell is in the order of Tab", await page.ask("document.querySelectorAll('.treemap .cell:not([tabindex=\"-1\"])').length") === 1);
  await press("ArrowDown");
  const first = await page.ask("d3.select('.flame').datum().children[0].data.name");
  expect("an arrow goes into the largest", (await page.ask("document.activeElement.getAttribute('aria-label')")).startsWith(`${first}: `), first);
  const said = await page.ask("document.querySelector('.flame-details').textContent");
  expect("which is said", said.startsWith(`${first}: `), said);
  await page.key("Enter");
  expect("Enter shows it alone", await page.waitFor(`d3.select('.flame').datum().data.name === ${JSON.stringify(first)} && document.activeElement.className === "cell"`));
  await page.ask("[...document.querySelectorAll('.flame-tools button')].find((b) => b.textContent === 'Whole graph').click()");
  expect("and a button all of it", await page.ask("d3.select('.flame').datum().data.now") === bytes);
  await page.ask("document.querySelector('[data-keep=treemap]').click()");
  expect("another click shows the flame graph", await page.waitFor("document.querySelectorAll('.flame rect').length > 1 && document.querySelector('.treemap') === null"));
}

// Made within a range and live at the end, its opposite, and back: the whole time shows what it showed at first.
async function checkKept(page) {
  const root = "d3.select('.flame').datum()";
  const [ends] = sql("SELECT min(end_ns) - first_ns AS low, max(end_ns) - first_ns AS high, count(*) FILTER (WHERE kept_bytes > 0) AS kept FROM page_change, page_time");
  if (!ends || !ends.kept) return 0;
  // What was chosen before is let go of.
  await page.ask("setRange(null, null), new Promise((done) => { setTimeout(done, 1000); })");
  await page.waitFor("resting === null");
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
  // The blocks of a cell, the largest first.
  const cell = rows.findIndex((row) => row.blocks === Math.max(...rows.map((one) => one.blocks)));
  const { runtime_id, address, size_bytes } = rows[cell];
  const listed = "[...document.querySelectorAll('.map-blocks tbody tr')].map((row) => row.innerText.split('\\t'))";
  for (let i = 0; i < cell; i++) await press("ArrowRight");
  expect("the arrows list no blocks", (await page.ask(listed)).length === 0);
  await press("Enter");
  const blocks = sql(`SELECT type, size FROM block_at WHERE runtime_id = ${runtime_id} AND address >= ${address} AND address < ${address} + ${size_bytes} ORDER BY size DESC, address`);
  const shown = await page.ask(listed);
  expect("Enter lists the blocks of the cell", shown.length === Math.min(50, blocks.length) && shown.every((row, i) => row[0] === blocks[i].type), [shown.length, blocks.length, shown[0], blocks[0]]);
  expect("and says how many more", (await page.ask("document.querySelector('.map-blocks').textContent")).includes(`largest of ${blocks.length.toLocaleString("en")} blocks`) === blocks.length > shown.length);

  // Rows of instances, by the allocator that has most.
  const choose = (name, value) => page.ask(`(() => { const s = document.querySelector("[data-keep=map-${name}]"); s.value = "${value}"; s.dispatchEvent(new Event("change")); })()`);
  const groups = "mapGroups(rowsOf('map'), [...new Set(rowsOf('map').map((row) => row.allocator))]).map(([label, list]) => [label, list.length])";
  await choose("by", "instance");
  const wanted = sql("SELECT trim(ifnull(allocator, 'allocator not known') || ' ' || ifnull(instance, '')) AS label, count(*) AS cells FROM report_map GROUP BY 1 ORDER BY 1");
  const grouped = (await page.ask(groups)).sort((a, b) => a[0] < b[0] ? -1 : 1);
  expect("cells are grouped by instance", String(grouped) === String(wanted.map((row) => [row.label, row.cells])), [grouped, wanted]);
  expect("the cell stays the chosen one", (await page.ask(details)).startsWith(`0x${address.toString(16)} `), await page.ask(details));
  await choose("by", "address");

  // Each stored moment has the map that the command has at it.
  const moments = await page.ask("[...new Set(rowsOf('map_then').map((row) => row.at_ns))]");
  const [{ much }] = sql("SELECT (SELECT count(*) FROM block_event) > 400000 OR (SELECT count(*) FROM report_map) > 8000 AS much");
  expect("there are moments, but of much", moments.length <= 12 && (moments.length > 0 || much === 1), [moments, much]);
  const [{ first_ns }] = sql("SELECT CAST(first_ns AS TEXT) AS first_ns FROM page_time");
  for (const at of moments.length ? [moments[0], moments.at(-1)] : []) {
    const then = JSON.parse(execFileSync(program, ["report", "map", "--at", String(BigInt(first_ns) + BigInt(at)), "--format", "json", database], { encoding: "utf8" }));
    await choose("moment", String(at));
    expect("the map of a moment says so", (await page.ask(details.replace("textContent", "parentElement.parentElement.querySelector('canvas').getAttribute('aria-label')"))).startsWith(`At ${(at / 1e9).toFixed(3)} s: ${then.length} `), [at, then.length]);
    const drawn = await page.ask(`rowsOf("map_then").filter((row) => row.at_ns === ${at}).map((row) => [row.address, row.used_bytes, row.blocks])`);
    expect("it has the cells of report map --at", JSON.stringify(drawn) === JSON.stringify(then.map((row) => [`0x${row.address.toString(16)}`, row.used_bytes, row.blocks])), [at, drawn[0], then[0]]);
  }
  if (moments.length) {
    await page.ask(`setRange(0, ${moments[0]} + 1)`);
    expect("the map follows the range of time", await page.waitFor(`resting === null && ${canvas}?.getAttribute("aria-label").startsWith("At ")`));
  }
  await page.ask("setRange(null, null)");
  expect("and goes back to the end", await page.waitFor(`resting === null && !${canvas}?.getAttribute("aria-label").startsWith("At ")`));

  // Where the page has not all cells it says so.
  const said = "document.querySelector('[data-bars=map]').textContent.includes(`The first ${rowsOf('map').length.toLocaleString('en')} of 100,047 cells.`)";
  expect("all cells are there", !await page.ask(said));
  expect("a part is called one", await page.ask(`(() => { const kept = data.figures.map_cells.objects; data.figures.map_cells.objects = [{ ...kept[0], cells: 100047 }]; drawAll(boxes("[data-bars=map]"));
    const is = ${said}; data.figures.map_cells.objects = kept; return is; })()`));

  // The first time the browser has yet to compile it.
  const times = await page.ask(`(() => { const one = rowsOf("map")[0]; const all = data.figures.map.objects; data.figures.map.objects = Array.from({ length: 100000 }, () => one);
    const box = document.querySelector("[data-bars=map]"); const times = [0, 1, 2, 3, 4].map(() => { const begun = performance.now(); drawAll([box]); box.querySelector(".map-place").repaint(); return performance.now() - begun; });
    data.figures.map.objects = all; drawAll([box]); return times; })()`);
  console.log(`100,000 cells are drawn in ${times.map((ms) => ms.toFixed(0)).join(", ")} ms`);
  expect("100,000 cells are drawn", times.length === 5 && times.every((ms) => ms > 0), times);
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
  await checkTreemap(page);
  await checkThresholds(page);
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
  const page = await browser.openPage(url, { width, height: 800, dark, complaints });
  expect(`${width}: it is drawn`, await page.waitFor("document.documentElement.dataset.drawn === 'yes'"));
  // A change of the window's width is drawn a moment later.
  expect(`${width}: curves are as wide as their places`, await page.waitFor(`[...document.querySelectorAll("[data-curve]")].every(
    (box) => !box.plot || box.plot.width === Math.max(240, box.querySelector(".plot").clientWidth))`));
  expect(`${width}: nothing is wider than the window`, await page.ask("document.documentElement.scrollWidth <= innerWidth"),
    await page.ask("[...document.querySelectorAll('body *')].filter((n) => n.getBoundingClientRect().right > innerWidth + 1).map((n) => n.tagName + '.' + n.className).slice(0, 5)"));
  expect(`${width}: the ground is ${dark ? "dark" : "light"}`, await page.ask("getComputedStyle(document.body).backgroundColor") === (dark ? "rgb(20, 24, 27)" : "rgb(251, 251, 249)"));
  if (pictures) writeFileSync(join(pictures, `page-${width}-${dark ? "dark" : "light"}.png`), await page.picture());
  await checkFirst(page, width);
  await checkBoard(page);
  await checkTried(page);
  // They are the same at every width.
  if (width === 1280 && !dark) {
    await checkNumbers(page);
    await checkUtilisation(page);
  }
  await checkUse(page);
  checkedCode += await checkCode(page);
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
console.log(`${database}: ${failures} failures, ${checkedRanges} ranges of time, ${checkedCode} graphs by code`);
process.exit(failures ? 1 : 0);
