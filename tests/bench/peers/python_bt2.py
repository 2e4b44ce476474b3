#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# python_bt2.py TRACE DATABASE carrier|block: what one would write with babeltrace2's Python
# bindings: every event of the kind into a plain table, in one transaction.
# Prints the number of rows.
import sqlite3
import sys

import bt2

COUNTERS = [
    'mbc_carriers', 'mbc_carriers_size', 'mbc_blocks', 'mbc_blocks_size',
    'sbc_carriers', 'sbc_carriers_size', 'sbc_blocks', 'sbc_blocks_size',
]

SCHEMA = '''
CREATE TABLE carrier (
  time_ns INTEGER, name TEXT, vpid INTEGER, vtid INTEGER, type TEXT, instance INTEGER,
  size INTEGER, mbc_carriers INTEGER, mbc_carriers_size INTEGER, mbc_blocks INTEGER,
  mbc_blocks_size INTEGER, sbc_carriers INTEGER, sbc_carriers_size INTEGER,
  sbc_blocks INTEGER, sbc_blocks_size INTEGER
);
CREATE TABLE block (
  time_ns INTEGER, name TEXT, vpid INTEGER, vtid INTEGER, address INTEGER,
  size_bytes INTEGER, type_id INTEGER, allocator_id INTEGER, instance INTEGER
);
'''


def rows(trace, kind):
    """One tuple for each event of the kind, which is 'carrier' or 'block'."""
    for message in bt2.TraceCollectionMessageIterator(trace):
        if type(message) is not bt2._EventMessageConst:
            continue
        event = message.event
        name = event.name
        context = event.common_context_field
        fields = event.payload_field
        head = (message.default_clock_snapshot.ns_from_origin, name,
                int(context['vpid']), int(context['vtid']))
        if kind == 'carrier' and name.startswith('org_erlang_otp:carrier_'):
            if 'mbc_carriers' in fields:
                counters = tuple(int(fields[counter]) for counter in COUNTERS)
            else:
                counters = (None,) * len(COUNTERS)
            yield head + (str(fields['type']), int(fields['instance']),
                          int(fields['size'])) + counters
        elif kind == 'block' and name.startswith('carrierscope:block_'):
            yield head + (int(fields['address']), int(fields['size_bytes']),
                          int(fields['type_id']), int(fields['allocator_id']),
                          int(fields['instance']))


def main():
    if len(sys.argv) != 4 or sys.argv[3] not in ('carrier', 'block'):
        sys.exit('usage: python_bt2.py TRACE DATABASE carrier|block')
    trace, path, kind = sys.argv[1:]
    database = sqlite3.connect(path)
    database.execute('PRAGMA synchronous = OFF')
    database.executescript(SCHEMA)
    places = ', '.join('?' * (15 if kind == 'carrier' else 9))
    with database:
        database.executemany(f'INSERT INTO {kind} VALUES ({places})', rows(trace, kind))
    print(database.execute(f'SELECT count(*) FROM {kind}').fetchone()[0])


main()
