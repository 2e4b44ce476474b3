#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints block events that were recorded in batches, as CSV, one line each.

    babeltrace2 TRACE | examples/read_batches.py

The format is that of tp/README.md.  Times are ns of the trace's clock.  A payload that is damaged ends
where it is damaged, with a line on standard error, and the exit code is 1.
"""
import re
import sys

KINDS = ("alloc", "free", "realloc", "process")
ESCAPE = re.compile(rb"\\(x[0-9a-f]{2}|.)", re.DOTALL)
LETTERS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r", b"e": b"\x1b"}
EVENT = re.compile(rb'carrierscope:block_batch: .*\bthread = (\d+), ordinal = (\d+), .*\brecords = (\d+), .*payload = "(.*)" \}$')
MASK = (1 << 64) - 1


class Damaged(Exception):
    """Why a payload cannot be read on."""


def as_bytes(text):
    """The bytes of a text that babeltrace2 prints."""
    return ESCAPE.sub(lambda m: bytes([int(m[1][1:], 16)]) if len(m[1]) > 1 else LETTERS.get(m[1], m[1]), text)


class Numbers:
    """The numbers of a payload, one after the other."""

    def __init__(self, payload):
        self.payload = payload
        self.at = 1

    def next(self):
        number = shift = 0
        while self.at < len(self.payload):
            byte = self.payload[self.at]
            self.at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number - 1
        raise Damaged("a number has no end")


def way_end(start, way):
    """The address at the end of a way from `start`."""
    distance = way >> 1
    distance = (distance << 3 | distance >> 60) & (MASK >> 1)
    if way == 1:
        distance = 1 << 63
    return (start - distance if way & 1 else start + distance) & MASK


def records(payload):
    """Yields (time, kind, address, old address, size, type, allocator, instance, process) of each record."""
    if payload[:1] != b"\x01":
        raise Damaged("it is of another version")
    numbers, process = Numbers(payload), None
    groups = []  # [address, size, type, allocator, instance]
    time = address = 0
    while numbers.at < len(payload):
        head = numbers.next()
        kind, is_same, number = KINDS[head & 3], head & 4, head >> 3
        if kind == "process":
            process = numbers.next() if is_same else None
            continue
        if number > len(groups):
            raise Damaged("a group is missing")
        if number == len(groups):
            groups.append([address, None] + [numbers.next() for _ in range(3)])
        group = groups[number]
        time += numbers.next()
        address = group[0] = way_end(group[0], numbers.next())
        old = way_end(address, numbers.next()) if kind == "realloc" else 0
        if not is_same:
            group[1] = numbers.next()
        yield time, kind, address, old, *group[1:], None if kind == "free" else process


def main():
    code = 0
    print("thread,time_ns,kind,address,old_address,size,type,allocator,instance,process")
    for line in sys.stdin.buffer:
        event = EVENT.search(line.rstrip(b"\n"))
        if not event:
            continue
        try:
            for record in records(as_bytes(event[4])):
                print(int(event[1]), *("" if value is None else value for value in record), sep=",")
        except Damaged as damage:
            print(f"batch {int(event[2])} of thread {int(event[1])} is damaged: {damage}", file=sys.stderr)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
