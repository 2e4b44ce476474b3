// SPDX-License-Identifier: MIT
//
// code_difference_test.mjs BROWSER PAGE OLD NEW: on the page of two recordings, the graph by code is that of their difference.
import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";

import { openBrowser } from "./browser.mjs";

const [browserProgram, file, older, newer] = process.argv.slice(2);
const sql = (database, text) => JSON.parse(execFileSync("sqlite3", ["-json", database, text], { encoding: "utf8" }))[0].bytes;
const browser = await openBrowser(browserProgram);
const complaints = [];
const page = await browser.openPage(pathToFileURL(file).href, { width: 1280, complaints });
let failures = 0;
function expect(what, found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    failures++;
    console.log(`FAILED: ${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  }
}

await page.waitFor("document.querySelector('.flame svg') !== null");
for (const [moment, from] of [["code", "end"], ["code made", "made"]]) {
  await page.ask(`(() => { const s = document.querySelector('.flame-tools select'); s.value = "${moment}"; s.dispatchEvent(new Event("change")); })()`);
  await page.waitFor(`flame.moment === "${moment}"`);
  expect(`${moment} begins as the difference`, await page.ask("flame.before"), `old:${moment}`);
  const ofPut = await page.ask(`(() => { let found = null; d3.select('.flame').datum().each((node) => { if (node.data.name === 'shop:put/2') found = [node.data.then, node.data.now]; }); return found; })()`);
  const ofAll = await page.ask("(() => { const { data } = d3.select('.flame').datum(); return [data.then, data.now]; })()");
  const both = (where) => [older, newer].map((database) => sql(database, `SELECT total(bytes) AS bytes FROM page_stack WHERE moment = '${from}'${where}`));
  expect(`${moment}: a function`, ofPut, both(" AND function LIKE '%shop:put/2'"));
  expect(`${moment}: all`, ofAll, both(""));
  if (!(ofPut?.[1] > ofPut?.[0])) expect(`${moment}: a function that made more`, ofPut, "more");
}
expect("the console is empty", complaints, []);
await page.close();
await browser.close();
process.exit(failures ? 1 : 0);
