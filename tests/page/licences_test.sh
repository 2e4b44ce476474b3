#!/bin/sh
# SPDX-License-Identifier: MIT
#
# licences_test.sh CARRIERSCOPE TRACE_DIR MODULES COPYRIGHT: each package whose code is in a page is named there, and in the
# file COPYRIGHT, by its version, with its licence.  Which are in it is found here by their code, not by what the bundler says.
. "$(dirname "$0")/../harness/main.sh"
trace=$2 modules=$3 copyright=$4
tests_program "$1"
needs node

"$program" load -q -o "$work/run.db" "$trace" || fail 'the trace is not loaded'
"$program" report --format html -o "$work/page.html" "$work/run.db" 2>"$work/err" || skip "there is no page: $(cat "$work/err")"

# Texts that a package alone has, of what minifying leaves: long strings.
node - "$modules" "$work/page.html" "$copyright" >"$work/out" 2>"$work/err" <<'END' || fail 'licences are missing'
const fs = require("node:fs"), path = require("node:path");
const [modules, pageFile, copyrightFile] = process.argv.slice(2);
const words = (text) => text.replace(/[\s*]+/g, " ").trim();
const page = fs.readFileSync(pageFile, "utf8"), copyright = words(fs.readFileSync(copyrightFile, "utf8"));
const code = page.replace(/\/\*[^]*?\*\//g, "");
const files = (folder) => fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? files(path.join(folder, entry.name)) : entry.name.endsWith(".js") ? [path.join(folder, entry.name)] : []);
const known = new Map();
for (const name of fs.readdirSync(modules).filter((one) => !/^[.@]|^esbuild$/.test(one))) {
  const sources = ["src", "dist"].map((folder) => path.join(modules, name, folder)).filter((one) => fs.existsSync(one));
  const text = files(sources[0]).map((file) => fs.readFileSync(file, "utf8").replace(/\/\*[^]*?\*\/|\/\/.*/g, "")).join("\n");
  known.set(name, new Set([...text.matchAll(/\.([a-zA-Z_]\w{7,})\b/g)].map((match) => match[1])));
}
let found = 0;
for (const [name, own] of known) {
  const others = [...known].filter(([other]) => other !== name);
  const alone = [...own].filter((word) => !others.some(([, list]) => list.has(word)) && new RegExp(`\\.${word}\\b`).test(code));
  if (alone.length === 0) continue;
  found++;
  const { version, license } = JSON.parse(fs.readFileSync(path.join(modules, name, "package.json"), "utf8"));
  const text = words(fs.readFileSync(path.join(modules, name, "LICENSE"), "utf8"));
  for (const [where, content] of [["the page", words(page)], ["the copyright", copyright]]) {
    if (!content.includes(`${name} ${version}`)) console.error(`${where} does not name ${name} ${version} (${alone.slice(0, 3)})`);
    const wanted = where === "the page" || license !== "Apache-2.0" ? text : "/usr/share/common-licenses/Apache-2.0";
    if (!content.includes(wanted)) console.error(`${where} has no licence of ${name}`);
  }
}
console.log(found);
process.exitCode = found >= 5 ? 0 : 1;
END
[ ! -s "$work/err" ] || fail 'licences are missing'
ends
