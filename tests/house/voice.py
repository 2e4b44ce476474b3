#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# voice.py CARRIERSCOPE SOURCES: what users read keeps the rules of voice (CONTRIBUTING.md): no sentence of more than MOST words, no
# range of equal ends, no word of voice.words.  Read are: verdicts, findings and steps as the examples of views expect them; the
# tables of rules, mechanisms, thresholds and words; what columns mean; all help; README, guide and man pages.
import csv
import glob
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

program, root = sys.argv[1:3]
MOST, REFERENCE = 20, 26
os.chdir(root)
words = [line.rstrip("\n").split("\t") for line in open("tests/house/voice.words") if not line.startswith("#")]
texts = []  # (where, text, most words of a sentence)


def cells_of(cell):
    """Texts in what an example expects: an object of JSON has several, a query none."""
    if cell.startswith("{"):
        try:
            stack, found = [json.loads(cell)], []
        except ValueError:
            return []
        while stack:
            value = stack.pop()
            if isinstance(value, dict):
                stack.extend(value.values())
            elif isinstance(value, list):
                stack.extend(value)
            elif isinstance(value, str):
                found.append(value)
        return found
    return [] if re.search(r"\b(SELECT|WHERE)\b", cell) else [cell]


for path in sorted(glob.glob("tests/views/*.example")):
    _, _, expected = open(path).read().partition("-- expect")
    for row in csv.reader(io.StringIO(expected.partition("\n")[2])):
        texts += [(path, text, MOST) for cell in row for text in cells_of(cell) if len(text.split()) > 5]

with tempfile.TemporaryDirectory() as work:
    open(f"{work}/vm.args", "w").write("+MBas aobf\n")
    subprocess.run([program, "load", "-q", "-o", f"{work}/r.db", f"{work}/vm.args"], check=True)
    db = sqlite3.connect(f"{work}/r.db")
    for table, columns, most in (("finding_rule", ("title", "falsify"), MOST), ("glossary", ("meaning",), MOST),
                                 ("finding_threshold", ("meaning",), REFERENCE), ("view_doc", ("meaning",), REFERENCE)):
        known = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        assert any(column in known for column in columns), f"{table} has none of {columns}: {known}"
        for column in set(columns) & set(known):
            texts += [(f"{table}.{column}: {row[0]}", row[1], most)
                      for row in db.execute(f"SELECT {known[0]}, {column} FROM {table} WHERE {column} IS NOT NULL")]

environment = {"ARGP_HELP_FMT": "rmargin=900,opt-doc-col=40", "PATH": os.environ["PATH"], "LC_ALL": "C"}
commands = re.findall(r"^  ([a-z]+)  ", subprocess.run([program, "--help"], capture_output=True, text=True, env=environment).stdout, re.M)
assert len(commands) > 12, commands
for command in commands:
    shown = subprocess.run([program, command, "--help"], capture_output=True, text=True, env=environment).stdout
    for line in re.split(r"\n", shown):
        # The option, or how the command is called, comes before its text.
        texts.append((f"help {command}", re.sub(r"^ *(Usage:|or:|-).*?(?=  |$)|^ {6,}--\S+", "", line), MOST))

for path in ["README.md", "NEWS.md"] + sorted(glob.glob("analyzer/guide/*.md")):
    prose = re.sub(r"```.*?```|`[^`]*`", "`code`", open(path).read(), flags=re.S)
    texts += [(path, line, MOST) for part in prose.split("\n\n") for line in re.split(r"\n(?=[|*#-])|\|", part)]
for path in sorted(glob.glob("analyzer/man/*.[17]")):
    body = re.sub(r"^\.(EX|nf)\n.*?^\.(EE|fi)\n", "\n\n", open(path).read(), flags=re.M | re.S)
    body = re.sub(r"^\.(SH|SS|TP|PP|TH|RS|RE|IP|in|EX|EE|\\\").*$", "\n", body, flags=re.M)
    texts += [(path, re.sub(r"^\.[A-Z]+ ", "", part, flags=re.M), REFERENCE) for part in body.split("\n\n")]

bad = 0
for where, text, most in texts:
    text = re.sub(r"\s+", " ", text)
    faults = [f"'{found.group()}': say '{instead}'" for banned, instead in words for found in [re.search(banned, text, re.I)] if found]
    faults += [f"a range of equal ends: '{found.group()}'" for found in [re.search(r"\b(\d[\d.,]*)( \S+)? to \1\b(?![.,]\d)", text)] if found]
    for sentence in re.split(r"(?<=[.;:!?])[)\"]?\s+", text):
        # An enumeration is no sentence.
        count = len(sentence.split())
        if count > most and sentence.count(",") < 5:
            faults.append(f"{count} words, {most} at most")
            text = sentence
    for fault in faults:
        bad += 1
        print(f"{where}: {fault}: {text[:160]}", file=sys.stderr)
print(f"{len(texts)} texts")
assert len(texts) > 2000, "too few texts were found"
sys.exit(bad > 0)
