# SPDX-License-Identifier: MIT
"""leftovers.py DATABASE COUNTS: of each thread of ring_victim all records are loaded, in order, and the blocks that live are those that
its count says.  The record that was being written when it was killed may be there."""
import sqlite3
import struct
import sys

database, counts = sys.argv[1:]
with open(counts, "rb") as file:
    written = struct.unpack("4Q", file.read(32))
rows = {1: [], 2: [], 3: []}
live = {1: set(), 2: set(), 3: set()}
query = """SELECT op, address, id NOT IN (SELECT ended_id FROM block_event WHERE ended_id IS NOT NULL), process
FROM block_event ORDER BY id"""
for op, address, is_open, process in sqlite3.connect(database).execute(query):
    thread, number = address >> 36, address >> 4 & 0xFFFFFFFF
    rows[thread].append((op, number, process))
    if op != 1 and is_open:
        live[thread].add(number)


def expected(count):
    made, alive = [], set()
    for n in range(count):
        process = n // 1000 + 1
        if n % 4 < 2:
            made.append((0, n, process))
            alive.add(n)
        elif n % 4 == 2:
            # A resize ends the old block and makes the new one: two rows.
            made.append((1, n - 1, process))
            made.append((2, n, process))
            alive.remove(n - 1)
            alive.add(n)
        else:
            made.append((1, n - 3, None))
            alive.remove(n - 3)
    return made, alive


for thread in 1, 2, 3:
    for count in written[thread], written[thread] + 1:
        made, alive = expected(count)
        if len(made) == len(rows[thread]):
            break
    else:
        sys.exit(f"thread {thread}: {written[thread]} records were written, {len(rows[thread])} rows are loaded")
    for have, want in zip(rows[thread], made):
        if have[:2] != want[:2] or (want[0] != 1 and have[2] != want[2]):
            sys.exit(f"thread {thread}: {have} instead of {want}")
    if live[thread] != alive:
        sys.exit(f"thread {thread}: blocks that live are not those of {count} records: {len(live[thread])}, {len(alive)}")
