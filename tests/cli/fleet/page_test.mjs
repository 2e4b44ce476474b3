// SPDX-License-Identifier: MIT
//
// page_test.mjs BROWSER PAGE SERVER [AXE]: the page of a fleet, on a screen, a telephone, in the dark and on paper: strips in the order of the
// server, a page for each node, names as texts, words instead of names of columns, and nothing that its policy forbids.  AXE: the file of axe-core, which finds nothing.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { openBrowser } from "../../page/browser.mjs";
import { hostile } from "./answers.mjs";

const [browserProgram, file, server, axeFile] = process.argv.slice(2);
const browser = await openBrowser(browserProgram);
const complaints = [];
let failures = 0;
function expect(what, isTrue, found = "") {
  if (!isTrue) {
    failures++;
    console.log(`FAILED: ${what} ${JSON.stringify(found)}`);
  }
}
const axe = axeFile ? readFileSync(axeFile, "utf8") : null;
async function isAccessible(page, where) {
  if (!axe) return;
  await page.ask("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
  await page.ask(axe);
  const { violations } = await page.ask("axe.run(document, { resultTypes: ['violations'] })");
  expect(`axe finds nothing: ${where}`, violations.length === 0, violations.map((one) => [one.id, one.nodes[0].html.slice(0, 200)]));
}
const fits = "document.documentElement.scrollWidth <= innerWidth";
const isShown = (selector) => `document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().height > 0`;
const texts = (selector) => `[...document.querySelectorAll(${JSON.stringify(selector)})].map((node) => node.textContent)`;

for (const mode of [{ width: 1280 }, { width: 390 }, { width: 1280, dark: true }, { width: 1280, media: "print" }]) {
  const page = await browser.openPage(pathToFileURL(file).href, { complaints, ...mode });
  expect(`it fits ${JSON.stringify(mode)}`, await page.ask(fits));
  expect("strips are drawn", await page.ask("[...document.querySelectorAll('.strips .all')].filter((path) => path.getBBox().width > 90).length === 24"));
  const [ground, ink] = await page.ask("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('.strips .used')).fill]");
  expect("it has its style", (ground === "rgb(18, 22, 28)") === (mode.dark === true) && ink !== "rgb(0, 0, 0)", [ground, ink]);
  await isAccessible(page, JSON.stringify(mode));
  await page.close();
}

const page = await browser.openPage(pathToFileURL(file).href, { width: 1280, complaints });
const title = await page.ask("document.title");
expect("the title has the server and the day", title.includes(server) && /\d{4}-\d\d-\d\d \d\d:\d\d UTC/.test(title), title);
expect("the headline is the first", (await page.ask("document.querySelector('h1').textContent")).includes("1 node fragments, flags would save 0.2 GiB"));
const names = await page.ask(texts(".strips tbody tr td:first-child"));
expect("the most surprising is first, and a name is a text", names[0] === "jump@h" && names[1] === hostile && names.length === 24, names);
const how = await page.ask(texts(".strips .how"));
expect("it is said how far", how[0] === "291 % above what is usual for it" && how[2] === "as usual", how);
expect("those that surprise less are folded", await page.ask("document.querySelectorAll('details .strips tbody tr').length === 4"));
const gap = await page.ask("document.querySelectorAll('.strips .all')[2].getAttribute('d').split('M').length - 1");
expect("hours that are not known are empty", gap === 2, gap);
expect("each strip is said", (await page.ask("document.querySelector('.strip').getAttribute('aria-label')"))
  .startsWith("The last 7 days of jump@h: carriers from 200.00 MiB to 900.00 MiB, in use at last 450.00 MiB"));
const heads = await page.ask(texts("th"));
expect("columns have words", heads.every((head) => head && !/_|bytes|\bp\d\d\b/.test(head)), heads);
expect("nothing runs", await page.ask("document.querySelectorAll('script, [style], [onerror], img').length === 0"));
expect("what scrolls has the focus by keyboard", await page.ask("[...document.querySelectorAll('.scroll')].every((box) => box.tabIndex === 0 && box.ariaLabel)"));

// A node's own page, by keyboard, and the way back.
await page.ask("document.querySelector('.strips a').focus()");
await page.key("Enter");
expect("a strip leads to the page of its node", await page.waitFor(isShown("article:target svg.week")) && !await page.ask(isShown("h1")));
expect("it has its days and its report", await page.ask(`(() => { const node = document.querySelector('article:target');
  return node.querySelector('h1').textContent === 'jump@h' && node.querySelectorAll('tbody')[0].rows.length === 7 &&
    node.querySelector('a[href="https://pages.invalid/jump.html"]') !== null; })()`));
expect("no link runs", await page.ask("[...document.links].every((link) => /^(file|https):/.test(link.href))"));
await isAccessible(page, "a node");
await page.ask("document.querySelector('article:target a').focus()");
await page.key("Enter");
expect("and back", await page.waitFor(isShown("h1")));
expect("the console is empty", complaints.length === 0, complaints);
await page.close();
await browser.close();
process.exit(failures ? 1 : 0);
