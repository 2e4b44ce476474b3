// SPDX-License-Identifier: MIT
//
// bundle.mjs SOURCE MODULES OUTPUT: one file of the page's parts: template, styles, charts.
// The marks <!--@name--> stay; `carrierscope report --format html` puts figures there.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [source, modules, output] = process.argv.slice(2);
const text = (folder, name) => readFileSync(join(folder, name), "utf8");
const uplot = join(modules, "uplot");
const flame = join(modules, "d3-flame-graph");
const selection = join(modules, "d3-selection");

// A script that is inlined must not close its element.
const script = (code) => code.replaceAll("</script", "<\\/script");
const license = (folder) => text(folder, "LICENSE").trim().replaceAll("*/", "* /");
const library = (name, folder, file) => `/* ${name}\n${license(folder)}\n*/\n${text(folder, file)}\n`;
const ours = ["view.js", "bars.js", "holders.js", "curves.js", "sweep.js", "compare.js", "flame.js", "page.js"];
const parts = {
  styles: `${text(uplot, "dist/uPlot.min.css")}\n${text(flame, "dist/d3-flamegraph.css")}\n${text(source, "page.css")}`,
  scripts: script([library("uPlot", uplot, "dist/uPlot.iife.min.js"),
    library("d3-selection", selection, "dist/d3-selection.min.js"),
    library("d3-flame-graph", flame, "dist/d3-flamegraph.min.js"),
    ...ours.map((name) => text(source, name))].join("\n")),
};
// The page's policy names what may run by its digest: nothing that a database says is among it.
const digest = (code) => `'sha256-${createHash("sha256").update(code, "utf8").digest("base64")}'`;
for (const code of [parts.styles, parts.scripts]) {
  // A browser would read it as other bytes, or the command would put figures into it.
  if (/\r|\0|<!--@/.test(code)) throw new Error("a style or script holds what changes on its way to the browser");
}
parts["style-digest"] = digest(parts.styles);
parts["script-digest"] = digest(parts.scripts);
const page = text(source, "page.html").replace(/<!--!([\w-]+)-->/g, (_, name) => parts[name]);
writeFileSync(output, page);
