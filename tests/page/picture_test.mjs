// SPDX-License-Identifier: MIT
//
// picture_test.mjs BROWSER FOLDER [--write] NAME=PAGE...: pictures of pages in a real browser, compared with those in FOLDER;
// --write renews these.
//
// Fonts differ between machines, so squares of 16 x 16 px are compared by their mean luminance (0 to 255): it may differ by
// 16, and by more in one square of eight.  A picture without its chart must be told from it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { openBrowser } from "./browser.mjs";

const square = 16;
const mostDifference = 16;
const mostShare = 1 / 8;
const mostBytes = 40 * 1024;

const [browserProgram, folder, ...more] = process.argv.slice(2);
const isWriting = more[0] === "--write";
const pages = Object.fromEntries(more.slice(isWriting ? 1 : 0).map((pair) => pair.split(/=(.*)/s)));
// What is looked at: page, width, what stands at the top left, its size in px, and what is drawn there.
const pictures = {
  leak: { page: "leak", width: 1280, at: "[data-curve=areas] .plot", size: [1000, 240], drawing: "[data-curve=areas] canvas" },
  // Three lines of cells, at the width of a telephone.
  fragmentation: { page: "fragmentation", width: 390, at: "canvas.map", size: [342, 64], drawing: "canvas.map" },
  // Few sums of live blocks: what is in use before the first is what counters say.
  used: { page: "fragmentation", width: 1280, at: "[data-curve=areas] .plot", size: [1000, 240], drawing: "[data-curve=areas] canvas" },
  board: { page: "board", width: 1280, at: ".verdict", size: [1024, 250], drawing: ".verdict" },
  dark: { page: "leak", width: 1280, dark: true, at: "[data-curve=areas] .plot", size: [1000, 240], drawing: "[data-curve=areas] canvas" },
  narrow: { page: "leak", width: 390, at: "[data-curve=areas] .plot", size: [360, 240], drawing: "[data-curve=areas] canvas" },
};

const browser = await openBrowser(browserProgram);
const reader = await browser.openPage("data:text/html,<title>pictures</title>", { width: 640, complaints: [] });
let failures = 0;
function fail(what) {
  failures++;
  console.log(`FAILED: ${what}`);
}

// The mean luminance of each square.
const squares = (picture) => reader.ask(`(async () => {
  const image = new Image();
  image.src = "data:image/png;base64,${picture.toString("base64")}";
  await image.decode();
  const pen = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height }).getContext("2d");
  pen.drawImage(image, 0, 0);
  const means = [];
  for (let y = 0; y + ${square} <= image.height; y += ${square}) {
    for (let x = 0; x + ${square} <= image.width; x += ${square}) {
      const { data } = pen.getImageData(x, y, ${square}, ${square});
      let sum = 0;
      for (let i = 0; i < data.length; i += 4) sum += 0.2126 * data[i] + 0.7152 * data[i + 1] + 0.0722 * data[i + 2];
      means.push(sum / (data.length / 4));
    }
  }
  return means;
})()`);
// The share of squares that differ by more than they may.
function share(one, other) {
  if (one.length !== other.length) return 1;
  return one.filter((mean, i) => Math.abs(mean - other[i]) > mostDifference).length / one.length;
}

for (const [name, { page: source, width, dark, at, size, drawing }] of Object.entries(pictures)) {
  const page = await browser.openPage(pathToFileURL(pages[source]).href, { width, dark, complaints: [] });
  await page.waitFor("document.documentElement.dataset.drawn === 'yes'");
  if (!await page.waitFor(`document.querySelector("${drawing}")?.getBoundingClientRect().height > 0`)) {
    fail(`${name}: '${drawing}' is missing`);
    continue;
  }
  const take = async () => {
    // Two frames: what is drawn in the next one is there.
    await page.ask("new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => done())); })");
    const [x, y] = await page.ask(`(() => { const r = document.querySelector("${at}").getBoundingClientRect(); return [r.x + scrollX, r.y + scrollY]; })()`);
    return page.picture(true, { x: Math.floor(x), y: Math.floor(y), width: size[0], height: size[1], scale: width > 600 ? 0.5 : 1 });
  };
  const picture = await take();
  const file = join(folder, `${name}.png`);
  if (picture.length > mostBytes) fail(`${name}: a picture has ${picture.length} bytes`);
  if (isWriting) writeFileSync(file, picture);
  const stored = await squares(readFileSync(file));
  const differs = share(stored, await squares(picture));
  if (differs > mostShare) {
    fail(`${name}: ${(100 * differs).toFixed(0)} % of the squares differ from ${file}: look at both, and renew it with picture_test.sh --write`);
    if (process.env.PICTURES) writeFileSync(join(process.env.PICTURES, `${name}.png`), picture);
  }
  await page.ask(`document.querySelectorAll("${drawing}").forEach((node) => { node.style.visibility = "hidden"; })`);
  const hidden = share(stored, await squares(await take()));
  console.log(`${name}: ${(100 * differs).toFixed(1)} % of ${stored.length} squares differ, without its chart ${(100 * hidden).toFixed(1)} %; ${picture.length} bytes`);
  if (hidden <= mostShare) fail(`${name}: it is the same without '${drawing}'`);
  await page.close();
}
await reader.close();
await browser.close();
process.exit(failures ? 1 : 0);
