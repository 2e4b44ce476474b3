// SPDX-License-Identifier: MIT
//
// hostile_test.mjs BROWSER FILE TITLE: a page of a database with hostile names runs none of them;
// the name of the database is TITLE.  Whatever got into the page all the same, its policy keeps
// it from running.
import { pathToFileURL } from "node:url";

import { openBrowser } from "./browser.mjs";

const [program, file, title] = process.argv.slice(2);
const browser = await openBrowser(program);
const complaints = [];
const page = await browser.openPage(pathToFileURL(file).href, { width: 1280, complaints });
await page.waitFor("document.documentElement.dataset.drawn === 'yes'");
const found = await page.ask(`({ title: document.title, drawn: document.documentElement.dataset.drawn,
  scripts: document.scripts.length, images: document.images.length, svgs: document.querySelectorAll("svg").length,
  bold: document.querySelectorAll("b[onmouseover]").length, shown: document.body.textContent.includes("<img src=x") })`);
const heads = await page.ask(`[...document.querySelectorAll("th")].map((head) => head.textContent)`);
const complaintsOfPage = complaints.length;
const injected = await page.ask(`(async () => {
  const script = document.createElement("script");
  script.textContent = "document.title = 'ran'";
  document.body.append(script);
  const holder = document.createElement("div");
  holder.innerHTML = '<img src="nowhere:x" onerror="document.title = 1"><p style="color: red">';
  document.body.append(holder);
  await new Promise((done) => setTimeout(done, 300));
  return { title: document.title, styled: holder.querySelector("p").style.color };
})()`);
const policy = await page.ask(`document.querySelector("meta[http-equiv]").content`);
await browser.close();
const isSafe = found.title.endsWith(title) && injected.title === found.title && injected.styled === "" &&
  !policy.includes("unsafe") && heads.some((head) => head.includes("<script>")) &&
  heads.some((head) => head.includes("<img src=x onerror=")) && complaintsOfPage === 0 && found.drawn === "yes" && found.scripts === 2 && found.images === 0 &&
  found.svgs === 0 && found.bold === 0 && found.shown;
console.log(isSafe ? "hostile names are texts" : `FAILED: ${JSON.stringify([found, injected, policy, complaints])}`);
process.exit(isSafe ? 0 : 1);
