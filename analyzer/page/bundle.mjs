// SPDX-License-Identifier: MIT
//
// bundle.mjs SOURCE MODULES OUTPUT LICENCES: one file of the page's parts: template, styles, charts; and the licences of
// all packages that the bundler has put into it.
// The marks <!--@name--> stay; `carrierscope report --format html` puts figures there.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [source, modules, output, licences] = process.argv.slice(2);
const text = (folder, name) => readFileSync(join(folder, name), "utf8");
const { buildSync } = createRequire(join(resolve(modules), "package.json"))("esbuild");

// The libraries as one script or style, and what files of which packages are in it.
const bundle = (loader, contents) => {
  const { outputFiles, metafile } = buildSync({ stdin: { contents, loader, resolveDir: modules }, bundle: true, minify: true,
    format: "iife", target: "es2020", legalComments: "none", charset: "utf8", metafile: true, write: false, outdir: modules,
    absWorkingDir: resolve(modules, "..") });
  return { text: outputFiles[0].text, inputs: Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0)) };
};
const libraries = bundle("js", `
  import uPlot from "uplot";
  import flamegraph from "d3-flame-graph/src/flamegraph.js";
  import { hierarchy, treemap } from "d3-hierarchy";
  import { select } from "d3-selection";
  Object.assign(globalThis, { uPlot, flamegraph, d3: { hierarchy, select, treemap } });`);
const librariesStyle = bundle("css", '@import "uplot/dist/uPlot.min.css"; @import "d3-flame-graph/dist/d3-flamegraph.css";');
const packages = [...new Set([...libraries.inputs, ...librariesStyle.inputs].filter((path) => path !== "<stdin>")
  .map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)[1]))].sort().map((name) => {
  const about = JSON.parse(text(join(modules, name), "package.json"));
  return { name: `${name} ${about.version}`, author: (about.author?.name ?? about.author ?? "").replace(/ *<.*/, ""),
    license: about.license, text: text(join(modules, name), "LICENSE").trim() };
});
// Packages of one licence, and its text.
const licensed = [...new Set(packages.map((one) => one.text))].map((shared) => {
  const those = packages.filter((one) => one.text === shared);
  return { ...those[0], names: those.map((one) => one.name).join(", ") };
});

// A script that is inlined must not close its element.
const script = (code) => code.replaceAll("</script", "<\\/script");
const comment = (code) => `/* ${code.replaceAll("*/", "* /")}\n*/\n`;
const ours = ["view.js", "bars.js", "holders.js", "curves.js", "board.js", "sweep.js", "compare.js", "treemap.js", "flame.js", "map.js", "page.js",
  "live.js"];
const parts = {
  styles: `${librariesStyle.text}\n${text(source, "page.css")}`,
  scripts: script([...licensed.map((one) => comment(`${one.names}\n${one.text}`)), libraries.text,
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

// Debian has the text of this one, and wants no copy.
const apache = (one) => `Copyright ${one.author}\n\nApache License, version 2.0 (/usr/share/common-licenses/Apache-2.0)`;
writeFileSync(licences, licensed.map((one) => `
carrierscope contains in its HTML reports: ${one.names}

${one.license === "Apache-2.0" ? apache(one) : one.text}
`).join(""));
