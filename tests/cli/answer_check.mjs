// SPDX-License-Identifier: MIT
// answer_check.mjs SCHEMA ANSWER…: whether each file has one line of JSON that keeps to the schema, and to what the schema cannot say.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import Ajv from "ajv";

const [schema, ...files] = process.argv.slice(2);
const validate = new Ajv({ allErrors: true, strict: true, strictTypes: false, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(schema, "utf8")),
);
let failures = 0;

function fail(file, text) {
  console.log(`${basename(file)}: ${text}`);
  failures++;
}

// At least, likely, at most are in this order where they are known.
function inOrder({ low, likely, high }) {
  return [low, likely, high].filter((value) => value !== null).every((value, i, all) => i === 0 || all[i - 1] <= value);
}

for (const file of files) {
  const text = readFileSync(file, "utf8");
  const answer = JSON.parse(text);
  if (text.indexOf("\n") !== text.length - 1) {
    fail(file, "not one line");
  }
  if (!validate(answer)) {
    for (const error of validate.errors) {
      fail(file, `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`);
    }
    continue;
  }
  const intervals = [
    ...answer.growth.flatMap((row) => [row.grown_bytes, row.bytes_per_s]),
    ...answer.holders.map((row) => row.bytes),
    ...Object.values(answer.memory),
  ];
  for (const interval of intervals.filter((each) => !inOrder(each))) {
    fail(file, `out of order: ${JSON.stringify(interval)}`);
  }
  answer.holders.forEach((row, i) => {
    if (i > 0 && row.bytes.likely > answer.holders[i - 1].bytes.likely) {
      fail(file, `holder ${row.who} has more than the one before`);
    }
  });
  for (const row of answer.growth.filter((each) => each.to_the_end !== true && each.bytes_per_s.likely !== null)) {
    fail(file, `a rate of ${row.who}, which does not go on`);
  }
  if (answer.verdict === "outside" && (answer.growth.length === 0 || answer.allocator !== null)) {
    fail(file, "outside: nothing that grew, or an allocator");
  }
  if (answer.verdict === "unknown" && answer.unknown.length === 0) {
    fail(file, "unknown, and not said what");
  }
  if (answer.verdict === "fragmentation" && answer.allocator !== null && answer.mechanism !== "fragmentation") {
    fail(file, `fragmentation by ${answer.mechanism}`);
  }
  if (answer.record_seconds !== null && !["unknown", "normal"].includes(answer.verdict)) {
    fail(file, "how long to record, of what is known");
  }
}

process.exit(failures > 0 ? 1 : 0);
