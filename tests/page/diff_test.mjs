// SPDX-License-Identifier: MIT
//
// diff_test.mjs BROWSER PAGE NAMES: the page of two recordings: the metrics that differ, the old curve beside the new one, holders
// that are found again (NAMES: what of them stays), and the graph of the difference.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { openBrowser } from "./browser.mjs";

const [browserProgram, file, namesFile] = process.argv.slice(2);
const browser = await openBrowser(browserProgram);
const complaints = [];
const page = await browser.openPage(pathToFileURL(file).href, { width: 1280, complaints });
let failures = 0;
function expect(what, isTrue, found = "") {
  if (!isTrue) {
    failures++;
    console.log(`FAILED: ${what} ${JSON.stringify(found)}`);
  }
}

expect("it is drawn", await page.waitFor("document.documentElement.dataset.drawn === 'yes'"));
const rows = await page.ask("[...document.querySelectorAll('#compared tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))");
expect("metrics that differ are named", rows.some(([name, , , share, change]) => name === "carriers_bytes" && share.startsWith("+") && change === "worse"), rows);
expect("the first sentence is what has become of it", / before, .* now: .*carriers [0-9.]+ to [0-9.]+ MiB/.test(await page.ask("document.querySelector('#verdicts > :first-child').textContent")));
expect("the old verdict stands there", await page.ask("document.querySelectorAll('#compared .verdict').length === 1"));
const labels = await page.ask("document.querySelector('[data-curve=footprint]').plot.series.map((series) => series.label)");
expect("the old curve is beside the new one", labels.includes("Carriers") && labels.includes("Carriers of old.db"), labels);
// The shorter one ends where it ends.
const [times, values] = await page.ask(`(() => { const { plot } = document.querySelector('[data-curve=footprint]');
  return [plot.data[0], plot.data[plot.series.findIndex((series) => series.label === 'Carriers of old.db')]]; })()`);
const ends = values.findLastIndex((value) => value !== null);
expect("the old curve ends before the new one", ends > 0 && times[ends] < 0.02 && times.at(-1) > 0.03, [times[ends], times.at(-1)]);
const names = readFileSync(namesFile, "utf8").trimEnd().split("\n").map((line) => line.split("\t"));
for (const [name, wanted] of names) {
  const found = await page.ask(`nameOfKind(${JSON.stringify(name)})`);
  expect(`what stays of ${name}`, found === wanted, found);
}
// Other pids: in both, and the table says so without scripts.
const [bar] = await page.ask("[...document.querySelectorAll('[data-bars=compared] .name')].map((name) => name.textContent)");
const table = await page.ask("[...document.querySelectorAll('#holder-changes tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))");
expect("a holder with another pid is the same", table[0][0] === bar &&
  table.some(([name, then, now, change]) => /^rabbit_amqqueue_process "queue \d+ in vhost/.test(name) && ![then, now].includes("0 B") && change.startsWith("+")), [bar, table]);
expect("the lengths are said", /The old recording lasted [0-9.]+ s, the new one/.test(await page.ask("document.querySelector('.become').textContent")));
await page.waitFor("document.querySelector('.flame svg') !== null");
expect("the graph begins as the difference, with its legend and a table", await page.ask(`(() => flame.before === 'old:' + flame.moment &&
  document.getElementById('flame').innerText.includes('red: more than then') && document.querySelectorAll('#flame details tbody tr').length > 5)()`));
expect("holders that changed have bars", await page.ask("document.querySelector('[data-bars=compared]').innerText.includes('rabbit_amqqueue_process')"));
await page.ask("(() => { [flame.moment, flame.before] = ['made', 'old:made']; flame.isChosen = true; draw(); })()");
await page.waitFor("document.querySelector('.flame svg') !== null");
const [now, then] = await page.ask("(() => { const { data } = d3.select('.flame').datum(); return [data.now, data.then]; })()");
expect("the graph has both", now > 0 && now === then, [now, then]);
expect("the console is empty", complaints.length === 0, complaints);
await page.close();
await browser.close();
process.exit(failures ? 1 : 0);
