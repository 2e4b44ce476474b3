// SPDX-License-Identifier: MIT
//
// holders_test.mjs BROWSER CARRIERSCOPE DATABASE: the page of a node with 10,000 processes (holders.sql) in a browser: it
// is small, and shows one holder, or a range of time, everywhere; its address keeps both.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { openBrowser } from "./browser.mjs";

const [browserProgram, program, database] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "carrierscope-holders-test-"));
const file = join(work, "page.html");
let failures = 0;
function expect(what, isTrue, found = "") {
  if (!isTrue) {
    failures++;
    console.log(`FAILED: ${what} ${JSON.stringify(found)}`);
  }
}
const sql = (query) => JSON.parse(execFileSync("sqlite3", ["-readonly", "-json", database, query], { encoding: "utf8", maxBuffer: 1 << 26 }) || "[]");

execFileSync(program, ["report", database, "--format", "html", "-o", file]);
expect("the page of 10,000 holders has at most 2 MB", statSync(file).size <= 2e6, statSync(file).size);

const url = pathToFileURL(file).href;
const holders = sql("SELECT process, allocator, type, bytes FROM page_holder WHERE kind = 'process' ORDER BY bytes DESC");
const chosen = holders[0].process;
const bytesOf = (rows) => rows.reduce((sum, row) => sum + row.bytes, 0);
const held = bytesOf(holders.filter((row) => row.process === chosen));
const browser = await openBrowser(browserProgram);
const complaints = [];
const open = async (fragment = "") => {
  const page = await browser.openPage(url + fragment, { width: 1280, complaints });
  expect("it is drawn", await page.waitFor("document.documentElement.dataset.drawn === 'yes'"));
  return page;
};
const shownHolders = "[...new Set([...document.querySelectorAll('[data-bars=holders] button.holder')].map((b) => b.textContent))]";
const graph = (page, part) => page.waitFor("document.querySelector('.flame svg') !== null")
  .then(() => page.ask(`d3.select('.flame').datum().data.${part}`));

async function checkChosen(page, how) {
  const only = await page.ask("document.querySelector('#controls .only')?.textContent ?? ''");
  expect(`${how}: what is shown is named`, only.includes(`Showing only ${chosen}`) && only.includes("Clear"), only);
  expect(`${how}: the table has this holder alone`, String(await page.ask(shownHolders)) === chosen);
  expect(`${how}: the graph has its bytes`, await graph(page, "now") === held, [await graph(page, "now"), held]);
  const text = await page.ask("document.querySelector('[data-bars=allocators]').innerText");
  expect(`${how}: the bars are its types`, text.includes("binary (binary_alloc)") && text.includes("heap (eheap_alloc)"), text);
  const grown = await page.ask("document.querySelector('[data-bars=growers]').innerText");
  expect(`${how}: what grew are its binaries, too`, grown.includes("binary (binary_alloc)"), grown);
  expect(`${how}: its curve is drawn`, (await page.ask("document.querySelector('[data-curve=held]').plot.series.map((s) => s.label)")).includes("binary (binary_alloc)"));
  expect(`${how}: what is not of it is hidden`, await page.ask("[...document.querySelectorAll('h2')].find((h) => h.textContent === 'Settings in force').getClientRects().length === 0 && document.querySelector('[data-bars=waterfall]').getClientRects().length === 0"));
}

const page = await open();
expect("the table says how many there are", (await page.ask("document.querySelector('[data-bars=holders] output').textContent")).startsWith("25 of 20,"));
const table = await page.ask("document.querySelector('[data-bars=holders]').innerText");
expect("temporary garbage has a line of its own, which cannot be chosen", /temporary garbage: 2,[0-9]{3} blocks, 400[0-9]\.[0-9] MiB/.test(table)
  && !String(await page.ask(shownHolders)).includes("garbage"), table.slice(-300));
expect("six holders have curves", await page.ask("document.querySelector('[data-curve=held]').plot.series.length") === 7);
await page.ask("document.querySelector('[data-bars=holders] button.holder').focus()");
await page.key("Enter");
await checkChosen(page, "by keyboard");
const fragment = await page.ask("location.hash");
expect("the address has it", new URLSearchParams(fragment.slice(1)).get("holder") === chosen, fragment);
await page.key("Escape");
expect("Escape shows all", await page.ask("view.holder === null && location.hash === '' && document.querySelector('#controls .only') === null"));
await page.ask("history.back()");
expect("one step back it is chosen again", await page.waitFor("view.holder !== null"));
await page.ask("document.querySelector('#controls .only button').focus()");
await page.key("Enter");
expect("so does the button", await page.ask(`view.holder === null && document.activeElement.dataset.keep === "holder" && ${shownHolders}.length === 25`));

// A search, and a name that is markup.
await page.ask("(() => { const box = document.querySelector('[data-keep=holder-search]'); box.value = 'onerror'; box.dispatchEvent(new Event('input')); })()");
expect("the search finds a name", (await page.ask(shownHolders))[0]?.includes("<img src=x"));
expect("which is no markup", await page.ask("document.title !== 'broken' && document.querySelector('img') === null"));

// The difference between two lists of holders.
const lists = sql("SELECT ts_ns - (SELECT min(first_ts_ns) FROM source) AS at, sum(bytes) AS bytes FROM page_held GROUP BY ts_ns ORDER BY ts_ns");
await page.ask(`(() => { flame.isChosen = true; flame.moment = "held:${lists.at(-1).at}"; flame.before = "held:${lists[0].at}"; draw(); })()`);
expect("two moments are compared", await graph(page, "now") === lists.at(-1).bytes && await graph(page, "then") === lists[0].bytes, lists);

// A range of time, by its boxes.
const most = await page.ask("document.querySelector('[data-curve=footprint]').plot.scales.x.max");
await page.ask(`(() => { for (const [name, value] of [["from", ${most / 4}], ["to", ${most / 2}]]) { const box = document.getElementById("time-" + name); box.value = value; box.dispatchEvent(new Event("change")); } })()`);
expect("the address has the time", await page.waitFor("location.hash.includes('from=') && location.hash.includes('to=')"), await page.ask("location.hash"));
const ranged = await page.ask("location.hash");
const [from, to] = await page.ask("[view.from, view.to]");
expect("all curves have it", await page.ask("plots.length >= 3 && plots.every(([plot]) => plot.scales.x.min === view.from / 1e9 && plot.scales.x.max === view.to / 1e9)"));
const made = sql(`SELECT sum(made_bytes) AS bytes FROM page_change WHERE end_ns - (SELECT min(first_ts_ns) FROM source) BETWEEN ${from} AND ${to}`)[0].bytes;
await page.ask("(() => { flame.moment = 'made'; flame.isChosen = true; flame.before = ''; draw(); })()");
expect("what was made is that of the time", made > 0 && await graph(page, "now") === made, [await graph(page, "now"), made]);
expect("bars are of its end, or say otherwise", await page.ask("document.querySelector('[data-bars=allocators] .note').textContent.startsWith('At ') && document.querySelector('[data-bars=waterfall] .note:last-of-type') !== null"));
await page.close();

const again = await open(fragment);
await checkChosen(again, "by address");
await again.close();
const late = await open(ranged);
expect("the time comes from the address, too", String(await late.ask("[view.from, view.to]")) === String([from, to].map((ns) => +(ns / 1e9).toFixed(6) * 1e9)), await late.ask("[view.from, view.to]"));
await late.close();
const strange = await open("#holder=nobody&allocator=%3Cb%3E&from=3&to=x&of=r99");
expect("what an address names and the page has not is left out", await strange.ask("view.holder === null && view.allocator === null && view.from === null && view.place !== 'r99'"));
await strange.close();

expect("the console is empty", complaints.length === 0, complaints);
await browser.close();
rmSync(work, { recursive: true });
process.exit(failures ? 1 : 0);
