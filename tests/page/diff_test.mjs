// SPDX-License-Identifier: MIT
//
// diff_test.mjs BROWSER PAGE: the page of two recordings: the metrics that differ, the old curve beside the new one, and
// the graph compared with the old one.
import { pathToFileURL } from "node:url";

import { openBrowser } from "./browser.mjs";

const [browserProgram, file] = process.argv.slice(2);
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
expect("holders that changed have bars", await page.ask("document.querySelector('[data-bars=compared]').innerText.includes('rabbit_amqqueue_process')"));
await page.ask("(() => { [flame.moment, flame.before] = ['made', 'old:made']; flame.isChosen = true; draw(); })()");
await page.waitFor("document.querySelector('.flame svg') !== null");
const [now, then] = await page.ask("(() => { const { data } = d3.select('.flame').datum(); return [data.now, data.then]; })()");
expect("the graph has both", now > 0 && now === then, [now, then]);
expect("the console is empty", complaints.length === 0, complaints);
await page.close();
await browser.close();
process.exit(failures ? 1 : 0);
