// SPDX-License-Identifier: MIT
//
// live_test.mjs BROWSER URL DATABASE: the page of `carrierscope serve` in a real browser takes what has changed in the database
// within seconds, and keeps what was chosen: range of time, allocator, order, what is open, what is searched for, and where it is.
import { execFileSync } from "node:child_process";

import { openBrowser } from "./browser.mjs";

const [browserProgram, url, database] = process.argv.slice(2);
let failures = 0;
function expect(what, isTrue, found = "") {
  if (!isTrue) {
    failures++;
    console.log(`FAILED: ${what} ${JSON.stringify(found)}`);
  }
}
const sql = (query) => execFileSync("sqlite3", ["-cmd", ".timeout 100000", database, query]);
const browser = await openBrowser(browserProgram);
const complaints = [];
const page = await browser.openPage(url, { width: 1280, complaints });
await page.waitFor("document.documentElement.dataset.drawn === 'yes'");
expect("the page says that it is live", await page.waitFor("document.getElementById('live') !== null"));
// The first answer is taken whole.
await page.waitFor("live.tag !== null");

// What is chosen.
await page.ask("change({ allocator: allocators()[1] })");
const end = await page.ask("+(document.getElementById('time-whole')?.dataset.most ?? 0)");
if (end > 0) {
  await page.ask(`setRange(${end} / 4, ${end} / 2)`);
  await page.waitFor("resting === null");
}
await page.ask(`(() => { const table = [...document.querySelectorAll("main table")].filter((t) => t.querySelector("button.sort") && t.closest("section").querySelector("h2")?.textContent === "Words")[0];
  table.querySelectorAll("button.sort")[0].click(); table.querySelectorAll("button.sort")[0].click();
  document.querySelector(".finding, main details").open = true;
  flame.term = "a"; holderTable.term = "a"; map.by = "instance";
  document.querySelector("[data-keep=Allocator]").focus({ preventScroll: true });
  document.querySelector(".finding, main details").scrollIntoView();
  window.isSame = "yes"; })()`);
const state = () => page.ask(`({ hash: location.hash, view: { ...view }, flame: [flame.term, flame.moment], holder: holderTable.term, map: { ...map }, entries: history.length,
  open: [...document.querySelectorAll("main details[open]")].map((d) => d.querySelector("summary").textContent),
  sorted: [...document.querySelectorAll("[aria-sort]")].map((h) => [h.textContent, h.getAttribute("aria-sort")]),
  words: [...document.querySelectorAll("main section")].at(-1).querySelector("tbody td").textContent,
  top: Math.round(document.querySelector(".finding, main details").getBoundingClientRect().top), focus: document.activeElement.dataset.keep, same: window.isSame })`);
const before = await state();
expect("something is chosen", before.open.length === 1 && before.sorted.length === 1 && before.view.allocator !== null, before);

for (const word of ["first", "second"]) {
  const begun = Date.now();
  sql(`UPDATE glossary SET meaning = 'the ${word} change' WHERE term = 'block'; UPDATE source SET path = path || '-${word}'`);
  expect(`the ${word} change is shown`, await page.waitFor(`document.querySelector("main").textContent.includes("the ${word} change")`));
  console.log(`a change is shown after ${Date.now() - begun} ms`);
  // A change of the page's data redraws figures a frame later.
  const after = await state();
  expect(`what was chosen stays at the ${word} change`, JSON.stringify(after) === JSON.stringify(before), [before, after]);
}
expect("the curves are drawn", await page.ask("plots.length > 0 && document.querySelector('.u-wrap') !== null"));

// Nothing has changed: nothing is drawn.
await page.ask("document.querySelector('main').dataset.kept = 'yes'; document.querySelector('main h2').dataset.kept = 'yes'");
await new Promise((done) => { setTimeout(done, 5000); });
expect("without a change the page stays as it is", await page.ask("document.querySelector('main h2').dataset.kept === 'yes'"));
// A failure of the network is an entry of the console, too.
expect("the console is empty", complaints.length === 0, complaints);
await page.close();
await browser.close();
process.exit(failures ? 1 : 0);
