// SPDX-License-Identifier: MIT
//
// hostile_test.mjs BROWSER FILE: a page of a database with hostile names runs none of them.
import { pathToFileURL } from "node:url";

import { openBrowser } from "./browser.mjs";

const [program, file] = process.argv.slice(2);
const browser = await openBrowser(program);
const complaints = [];
const page = await browser.openPage(pathToFileURL(file).href, { width: 1280, complaints });
await page.waitFor("document.documentElement.dataset.drawn === 'yes'");
const found = await page.ask(`({ title: document.title, drawn: document.documentElement.dataset.drawn,
  scripts: document.scripts.length, images: document.images.length, svgs: document.querySelectorAll("svg").length,
  bold: document.querySelectorAll("b[onmouseover]").length, shown: document.body.textContent.includes("<img src=x") })`);
await browser.close();
const isSafe = found.title === "hostile.db" && found.drawn === "yes" && found.scripts === 2 && found.images === 0 &&
  found.svgs === 0 && found.bold === 0 && found.shown && complaints.length === 0;
console.log(isSafe ? "hostile names are texts" : `FAILED: ${JSON.stringify([found, complaints])}`);
process.exit(isSafe ? 0 : 1);
