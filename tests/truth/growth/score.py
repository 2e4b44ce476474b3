#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what `carrierscope report --format json` says of recordings with what their nodes' own programs say:

    score.py [--goals] [--manifest] [--only REGEX] [--program CARRIERSCOPE] FOLDER

FOLDER has CELL.db and CELL.truth (run.sh).  Prints the table, in all and by each dimension, and what is wrong, a line
each; FOLDER/score.tsv gets a row for each recording.  --goals: exit status 1 if one is missed.  --manifest:
prints the truth of each recording and asks nothing.

A growth to the end of the recording is a leak, of memory that no allocator has `outside`; whatever else there is (what
filled and stopped, a cache that evicts, teeth of a saw, a growth that ended, nothing) must not be called so.  The true
rate is of the recording's own time: from the least to the most that the payload may take in the runtime (growth_node.erl), by the
mean and by least squares; an interval is right if it has some of that.  Recordings of 10 s count as wrong or not wrong,
and nowhere else.  A growth of which `power_bytes_per_s` says that it could have been missed is no miss."""
import argparse
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.abspath(__file__)) + "/../../.."
DIMENSIONS = ["who", "rate_kib", "static_mib", "seconds", "way", "shape"]
MIB = 1048576


def slopes(rows, column):
    """Bytes per second of the column: the mean and the line of least squares."""
    xs = [(row[0] - rows[0][0]) / 1e9 for row in rows]
    ys = [row[column] for row in rows]
    mean_x, mean_y = statistics.fmean(xs), statistics.fmean(ys)
    square = sum((x - mean_x) ** 2 for x in xs)
    line = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / square
    return [(ys[-1] - ys[0]) / xs[-1], line]


def truth_of(folder, cell):
    """The head of CELL.truth, and rates within the recording's time."""
    truth = dict(zip(DIMENSIONS, cell.split("-")))
    rows = []
    with open(f"{folder}/{cell}.truth", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("# ") and "=" in line:
                key, value = line[2:].rstrip("\n").split("=", 1)
                truth["name" if key == "who" else key] = value
            elif line[0] != "#" and line.endswith("\n"):
                rows.append([int(value) for value in line.split(",")])
    database = sqlite3.connect(f"file:{folder}/{cell}.db?mode=ro", uri=True)
    first, last = database.execute("SELECT min(first_ts_ns), max(last_ts_ns) FROM source").fetchone()
    # Words of the verdict that only the database has.
    truth["is_exact"] = database.execute(
        "SELECT count(*) FROM verdict WHERE level = 'runtime' AND confidence = 'exact'").fetchone()[0] > 0
    database.close()
    rows = [row for row in rows if first <= row[0] <= last]
    if len(rows) < 20:
        raise ValueError(f"{cell}: the truth has {len(rows)} lines of the recording's time")
    truth["rate"] = statistics.fmean(slopes(rows, 1))
    truth["rate_low"] = min(slopes(rows, 2))
    truth["rate_high"] = max(slopes(rows, 3))
    truth["grows"] = truth["grows_to_the_end"] == "1"
    # A program that is not as it says is no truth: the runtime's own total, but for loads that swing beside; heaps make room for
    # more than has come, also after the last of it.
    total = max(slopes([row for row in rows if len(row) > 10], 10))
    near = 9e6 / int(truth["seconds"]) + 0.2 * abs(truth["rate_high"])
    if truth["type"] == "heap" and truth["shape"] != "cache":
        near += 2 * 1024 * int(truth["rate_kib"])
    if truth["shape"] == "sawtooth":
        near += 3 * 1024 * int(truth["rate_kib"]) * float(truth["period_s"]) / int(truth["seconds"])
    if truth["mechanism"] != "outside" and truth["shape"] != "swing" and not (
            truth["rate_low"] - near <= total <= truth["rate_high"] + near):
        raise ValueError(f"{cell}: its program counts {truth['rate_low']:.0f} to {truth['rate_high']:.0f} B/s, the runtime {total:.0f}")
    if truth["grows"] and truth["rate_low"] <= 0:
        raise ValueError(f"{cell}: it should grow, and its program did not")
    return truth


def said_of(program, file):
    """The object of the report."""
    text = subprocess.run([program, "report", "--format", "json", file], capture_output=True, text=True, check=True).stdout
    said = json.loads(text)
    if not isinstance(said, dict) or "verdict" not in said:
        raise ValueError(f"{file}: the report has no verdict")
    return said


def compare(truth, said):
    """A row: what is right, wrong, or not asked (None)."""
    first = said["growth"][0] if said["growth"] else {}
    verdict = said["verdict"]
    says_growth = verdict == "leak" or (verdict == "outside" and bool(first.get("to_the_end")))
    expected = "outside" if truth["mechanism"] == "outside" else "leak"
    power = said["power_bytes_per_s"] or 0
    row = {"verdict": verdict, "power": power, "said_who": first.get("who"), "said_kind": first.get("kind"),
           "said_mechanism": said["mechanism"], "said_low": None, "said_high": None, "result": "right",
           "grower": None, "mechanism_right": None, "rate_right": None, "sentence": said["sentence"]}
    if verdict == "unknown":
        row["result"] = "unknown"
    elif says_growth and not truth["grows"]:
        row["result"] = "false"
    elif truth["grows"] and not says_growth:
        row["result"] = "missed" if truth["rate"] > power else "below"
    elif truth["grows"]:
        rate = first.get("bytes_per_s") or {}
        row["said_low"], row["said_high"] = rate.get("low"), rate.get("high")
        row["result"] = "right" if verdict == expected else "class"
        row["grower"] = first.get("kind") in truth["kind"].split("|") and any(
            name in (first.get("who") or "") for name in truth["name"].split("|"))
        row["mechanism_right"] = said["mechanism"] == truth["mechanism"]
        row["rate_right"] = None not in (row["said_low"], row["said_high"]) and (
            row["said_low"] <= truth["rate_high"] and row["said_high"] >= truth["rate_low"])
    row["exact_wrong"] = row["result"] in ("false", "missed", "class") and (
        truth["is_exact"] or "exact" in (said["sentence"] or ""))
    return row


def share(rows, *keys):
    """Of those that are True or False at this key."""
    asked = [row[key] for row in rows for key in keys if row[key] is not None]
    return (sum(asked) / len(asked) if asked else None), len(asked)


def figures(rows):
    """Of recordings of 30 s and more."""
    count = {name: sum(row["result"] == name for row in rows)
             for name in ("right", "false", "missed", "below", "unknown", "class")}
    found = sum(row["grows"] and row["result"] in ("right", "class") for row in rows)
    fast = [row for row in rows if int(row["rate_kib"]) >= 1024]
    return {
        "n": len(rows), **count, "found": found,
        "precision": found / (found + count["false"]) if found + count["false"] else None,
        "recall": found / (found + count["missed"]) if found + count["missed"] else None,
        "grower": share(rows, "grower")[0], "mechanism": share(rows, "mechanism_right")[0],
        "rate": share(rows, "rate_right")[0],
        "unknown_fast": sum(row["result"] == "unknown" for row in fast) / len(fast) if fast else None,
        "exact_wrong": sum(row["exact_wrong"] for row in rows)}


# Of all recordings of 30 s and more: at least, at most.
GOALS = [("precision", 0.97, None), ("recall", 0.95, None), ("grower", 0.95, None), ("mechanism", 0.90, None),
         ("rate", 0.95, None), ("unknown_fast", None, 0.10), ("exact_wrong", None, 0)]
COLUMNS = ["n", "found", "false", "missed", "below", "unknown", "class", "precision", "recall", "grower", "mechanism", "rate",
           "unknown_fast", "exact_wrong"]


def shown(value):
    if value is None:
        return "-"
    return f"{100 * value:.1f}" if isinstance(value, float) else str(value)


def print_table(rows):
    lines = [["", ""] + COLUMNS]
    groups = [("all", "", rows)]
    for dimension in DIMENSIONS:
        for value in sorted({row[dimension] for row in rows}, key=lambda text: (len(text), text)):
            groups.append((dimension, value, [row for row in rows if row[dimension] == value]))
    for dimension, value, members in groups:
        result = figures(members)
        lines.append([dimension, value] + [shown(result[column]) for column in COLUMNS])
    widths = [max(len(line[n]) for line in lines) for n in range(len(lines[0]))]
    for line in lines:
        print("  ".join(text.ljust(width) if n < 2 else text.rjust(width)
                        for n, (text, width) in enumerate(zip(line, widths))).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--goals", action="store_true")
    parser.add_argument("--manifest", action="store_true")
    parser.add_argument("--only", default=".")
    parser.add_argument("--program", default=ROOT + "/build/dev/analyzer/carrierscope")
    parser.add_argument("folder")
    options = parser.parse_args()
    cells = sorted(name[:-3] for name in os.listdir(options.folder) if name.endswith(".db") and
                   os.path.exists(f"{options.folder}/{name[:-3]}.truth") and re.search(options.only, name[:-3]))
    if options.manifest:
        print("\t".join(["cell"] + DIMENSIONS + ["grows_to_the_end", "name", "kind", "mechanism", "type", "bytes_per_s_low",
                                                 "bytes_per_s", "bytes_per_s_high"]))
    rows, failures = [], 0
    for cell in cells:
        try:
            truth = truth_of(options.folder, cell)
            if options.manifest:
                print("\t".join([cell] + [truth[key] for key in DIMENSIONS + ["grows_to_the_end", "name", "kind", "mechanism",
                                                                             "type"]] +
                                [str(round(truth[key])) for key in ("rate_low", "rate", "rate_high")]))
                continue
            rows.append({"cell": cell, **truth, **compare(truth, said_of(options.program, f"{options.folder}/{cell}.db"))})
        except (ValueError, KeyError, OSError, sqlite3.Error, subprocess.CalledProcessError) as error:
            failures += 1
            print(f"FAILED: {cell}: {error}", file=sys.stderr)
    if options.manifest:
        return failures > 0
    names = ["cell"] + DIMENSIONS + ["grows", "rate_low", "rate", "rate_high", "name", "kind", "mechanism", "result", "verdict",
                                     "said_who", "said_kind", "said_mechanism", "said_low", "said_high", "power", "grower",
                                     "mechanism_right", "rate_right", "exact_wrong", "sentence"]
    with open(options.folder + "/score.tsv", "w", encoding="utf-8") as table:
        table.write("\t".join(names) + "\n")
        for row in rows:
            table.write("\t".join("" if row[name] is None else
                                  str(round(row[name]) if isinstance(row[name], float) else int(row[name])
                                      if isinstance(row[name], bool) else row[name]).replace("\t", " ").replace("\n", " ")
                                  for name in names) + "\n")
    long = [row for row in rows if int(row["seconds"]) >= 30]
    for row in rows:
        wrong = [row["result"]] if row["result"] in ("false", "missed", "class") else []
        wrong += [what for what, key in (("grower", "grower"), ("mechanism", "mechanism_right"), ("rate", "rate_right"))
                  if row[key] is False and int(row["seconds"]) >= 30]
        if wrong:
            print(f"WRONG: {row['cell']}: {', '.join(wrong)}: {row['verdict']}, {row['said_kind']} '{row['said_who']}' "
                  f"{row['said_mechanism']} {row['said_low']} to {row['said_high']} B/s, power {row['power']}; truth: "
                  f"{row['kind']} '{row['name']}' {row['mechanism']} {row['rate_low']:.0f} to {row['rate_high']:.0f} B/s")
    if long:
        print_table(long)
    short = [row for row in rows if int(row["seconds"]) < 30]
    print(f"{len(short)} recordings of 10 s: "
          f"{sum(row['result'] in ('false', 'missed', 'class') for row in short)} wrong, "
          f"{sum(row['result'] == 'unknown' for row in short)} unknown")
    widths = [row["said_high"] / row["said_low"] for row in long if row["said_low"] and row["said_high"]]
    if widths:
        print(f"rates: high is {statistics.median(widths):.2f} x low in the median")
    large = [row for row in long if row["static_mib"] == "1536" and row["seconds"] == "60" and row["grows"]]
    if large:
        print("in 1.5 GiB after 60 s, MiB/s: seen", " ".join(
            f"{row['rate'] / MIB:.2f}" for row in sorted(large, key=lambda row: row["rate"])
            if row["result"] in ("right", "class")) or "none", "| not seen", " ".join(
            f"{row['rate'] / MIB:.2f}" for row in large if row["result"] not in ("right", "class")) or "none")
    status = failures > 0 or not rows
    if options.goals:
        result = figures(long)
        for name, least, most in GOALS:
            value = result[name]
            if value is None or (least is not None and value < least) or (most is not None and value > most):
                status = True
                print(f"MISSED: {name} is {shown(value)}, goal {shown(least if most is None else most)}")
    return status


sys.exit(main())
