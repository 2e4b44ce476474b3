// SPDX-License-Identifier: MIT
//
// axe_test.mjs BROWSER PACKAGES PAGE...: axe-core, in the folder PACKAGES of npm, finds nothing in the pages: light, dark, on
// a phone, on paper, as a treemap, with one holder chosen, and with all details open.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { openBrowser } from "./browser.mjs";

const [browserProgram, packages, ...files] = process.argv.slice(2);
const axe = readFileSync(join(packages, "node_modules/axe-core/axe.min.js"), "utf8");
const modes = [["light", {}], ["dark", { dark: true }], ["phone", { width: 390 }], ["print", { media: "print" }]];
const browser = await openBrowser(browserProgram);
let failures = 0;

async function findings(page) {
  const { violations } = await page.ask("axe.run(document, { resultTypes: ['violations'] })");
  return violations.map((violation) => `${violation.id}: ${violation.help}: ${violation.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" | ")}`);
}
function report(file, how, found) {
  failures += found.length;
  found.forEach((line) => console.log(`FAILED: ${file}, ${how}: ${line}`));
}

for (const file of files) {
  for (const [name, mode] of modes) {
    const page = await browser.openPage(pathToFileURL(file).href, { width: 1280, complaints: [], ...mode });
    await page.waitFor("document.documentElement.dataset.drawn === 'yes'");
    // With the map by instance, and the blocks of a cell.
    await page.ask(`(() => { map.by = "instance"; drawAll(boxes("[data-bars=map]"));
      document.querySelector("canvas.map")?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true })); })()`);
    await page.ask("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
    await page.ask(axe);
    report(file, name, await findings(page));
    if (["light", "dark"].includes(name) && await page.ask("document.querySelector('[data-keep=treemap]') !== null")) {
      await page.ask("document.querySelector('[data-keep=treemap]').click()");
      await page.waitFor("document.querySelector('.treemap .cell') !== null");
      report(file, `${name}, a treemap`, await findings(page));
      await page.ask("document.querySelector('[data-keep=treemap]').click()");
    }
    if (name === "light" && await page.ask("typeof holderNames === 'function' && holderNames().length > 0")) {
      await page.ask("change({ holder: holderNames()[0] })");
      report(file, "one holder", await findings(page));
    }
    // It has to find something where something is wrong.
    await page.ask("document.body.append(document.createElement('button'))");
    if (!(await findings(page)).some((line) => line.startsWith("button-name"))) report(file, name, ["a button without a name is not found"]);
    await page.close();
  }
}
await browser.close();
process.exit(failures ? 1 : 0);
