// SPDX-License-Identifier: MIT
//
// read.mjs PACKAGES FORMAT FILE SUMS: reads an export by packages of npm in the folder PACKAGES; the sums over all
// stacks, value by value, are SUMS (numbers between blanks).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";

const [packages, format, file, expected] = process.argv.slice(2);
const require = createRequire(resolve(packages, "package.json"));
const wanted = expected.split(" ").map(Number);
const names = ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"].slice(-wanted.length);

function readPprof() {
  const { Profile } = require("pprof-format");
  const profile = Profile.decode(gunzipSync(readFileSync(file)));
  const text = (number) => profile.stringTable.strings[Number(number)];
  const functions = new Map(profile.function.map((f) => [Number(f.id), text(f.name)]));
  const locations = new Map(profile.location.map((l) => [Number(l.id), functions.get(Number(l.line[0].functionId))]));

  assert.deepEqual(profile.sampleType.map((t) => text(t.type)), names);
  assert.deepEqual(profile.sampleType.map((t) => text(t.unit)), names.map((n) => (n.endsWith("space") ? "bytes" : "count")));
  assert.equal(text(profile.defaultSampleType), "inuse_space");
  assert.equal(text(0), "");
  for (const sample of profile.sample) {
    const labels = Object.fromEntries(sample.label.map((l) => [text(l.key), text(l.str) || Number(l.num)]));
    const frames = sample.locationId.map((id) => locations.get(Number(id)));

    assert.ok(frames.length >= 1 && frames.every((f) => f), `frames ${frames}`);
    assert.equal(labels.allocator, frames.at(-1));
    assert.ok(labels.node);
    assert.ok(labels.type === undefined || frames.includes(labels.type));
    assert.ok(labels.process === undefined || frames.includes(labels.process));
    assert.ok(labels.instance === undefined || Number.isInteger(labels.instance));
    assert.ok(labels.pid === undefined || /^<\d+\.\d+\.\d+>$/.test(labels.pid));
  }
  return names.map((_, i) => profile.sample.reduce((sum, s) => sum + Number(s.value[i]), 0));
}

function readSpeedscope() {
  const Ajv = require("ajv");
  const schema = JSON.parse(readFileSync(resolve(packages, "node_modules/speedscope/dist/release/file-format-schema.json")));
  const valid = new Ajv({ strict: false }).compile(schema);
  const whole = JSON.parse(readFileSync(file, "utf8"));

  assert.ok(valid(whole), JSON.stringify(valid.errors));
  // The schema has to refuse something.
  assert.ok(!valid({ ...whole, profiles: [{ ...whole.profiles[0], unit: "elephants" }] }));
  assert.deepEqual(whole.profiles.map((p) => p.name), names);
  assert.equal(whole.profiles[whole.activeProfileIndex].name, "inuse_space");
  for (const profile of whole.profiles) {
    assert.equal(profile.samples.length, profile.weights.length);
    assert.ok(profile.samples.flat().every((f) => whole.shared.frames[f]?.name));
    assert.equal(profile.endValue, profile.weights.reduce((a, b) => a + b, 0));
  }
  return whole.profiles.map((p) => p.endValue);
}

assert.deepEqual(format === "pprof" ? readPprof() : readSpeedscope(), wanted);
