#!/bin/sh
# SPDX-License-Identifier: MIT
# board_twin_test.sh TWIN CARRIERSCOPE EXAMPLES SEED: the twin on a board ends like the real one,
# its console is a log that can be loaded, and so is the real one's.
. "$(dirname "$0")/../harness/main.sh"
twin=$1 carrierscope=$2 examples=$3 seed=$4

# expect FILE TEXT...: each text is in a line of the file.
expect() {
	file=$1
	shift
	for text; do
		grep -qE -- "$text" "$file" || fail "$file has no line '$text'"
	done
}

board=$examples/boards/grisp1.board
workload=$examples/grisp-7-nodes/achlys.workload

# The ending of the seed's first crash.
"$twin" --no-trace --board "$board" --workload "$workload" >"$work/console" 2>&1
[ $? -eq 1 ] || fail 'the board lives'
expect "$work/console" '^eheap_alloc: Cannot allocate 2059352 bytes of memory \(of type "heap"\)\.$' \
	'^Largest free block: {28}1572856$' '^Largest used block: {28}8388616$' \
	'^Size of the allocatable area in bytes: {8}60530680$' \
	'^Total number of failed allocations: {18}4$'
free=$(sed -n 's/^Total bytes free: *//p' "$work/console")
blocks=$(sed -n 's/^Number of free blocks: *//p' "$work/console")
# The seed's were 12,994,288 bytes in 189 blocks.
[ "$free" -gt 11000000 ] && [ "$free" -lt 15000000 ] || fail "$free bytes free"
[ "$blocks" -gt 150 ] && [ "$blocks" -lt 230 ] || fail "$blocks free blocks"

# The same in every run.
"$twin" --no-trace --board "$board" --workload "$workload" >"$work/again" 2>&1
cmp -s "$work/console" "$work/again" || fail 'another run ends otherwise'

# With the patch it lives; --quiet says nothing.
sed '$a trim 12' "$board" >"$work/trim.board"
"$twin" --no-trace --quiet --board "$work/trim.board" --workload "$workload" --scale 60 \
	>"$work/quiet" 2>&1 || fail 'the patched board dies'
[ ! -s "$work/quiet" ] || fail '--quiet prints something'

# 19 main carriers at the start, on the board's addresses.
printf 'phase nothing operations 0\n' >"$work/nothing.workload"
"$twin" --no-trace --board "$board" --workload "$work/nothing.workload" --stats "$work/terms" \
	>"$work/out" 2>&1 || fail "nothing cannot be run: $(cat "$work/out")"
expect "$work/out" '0 operations, 19 carriers, 0 blocks.* footprint 8126464 bytes'
expect "$work/terms" '^\{temp_alloc,\[$'

# A limit on carriers is one on a board, too.
"$twin" --no-trace --board "$board" --memory-limit 7m --workload "$work/nothing.workload" \
	>"$work/out" 2>&1
[ $? -eq 1 ] || fail 'main carriers beyond the limit'
expect "$work/out" 'Failed to create main carrier'
"$twin" --no-trace --threads --board "$board" --workload "$workload" --scale 5 \
	>"$work/out" 2>&1 || fail "no threads on a board: $(tail -n 1 "$work/out")"

# Flags as the board has them, and as everybody else has them.
for sign in - +; do
	"$twin" --no-trace --board "$board" --workload "$work/nothing.workload" -- \
		${sign}Mea min >"$work/out" 2>&1 || fail "${sign}Mea min: $(cat "$work/out")"
	expect "$work/out" '0 operations, 3 carriers'
done

# What is refused.
printf 'heap 0x1000 64k\nregion r 0x1000 16\n' >"$work/bad.board"
"$twin" --board "$work/bad.board" --workload "$workload" >"$work/out" 2>&1
[ $? -eq 2 ] || fail 'a bad board is not exit code 2'
expect "$work/out" "bad.board:2: region 'r' and the heap overlap"
"$twin" --board "$work/missing.board" --workload "$workload" >"$work/out" 2>&1
[ $? -eq 2 ] || fail 'a missing board is not exit code 2'
"$twin" --board "$board" --print-options >"$work/out" 2>&1
[ $? -eq 2 ] || fail '--board without a workload is not exit code 2'

# The console is a log.
"$carrierscope" load -o "$work/twin.db" "$work/console" >"$work/out" 2>&1 ||
	fail "the console cannot be loaded: $(cat "$work/out")"
"$carrierscope" report board "$work/twin.db" >"$work/report" 2>&1 || fail 'there is no report'
expect "$work/report" 'shortfall +486496 ' 'step of the heap sizes +21 ' 'first try +2097152 ' \
	'second try +2059384 ' 'largest free block +1572856 '

if [ ! -r "$seed" ]; then
	[ $failures -eq 0 ] || exit 1
	echo "SKIPPED: no log '$seed'"
	exit 77
fi
"$carrierscope" load -o "$work/seed.db" "$seed" >"$work/out" 2>&1 ||
	fail "the log cannot be loaded: $(cat "$work/out")"
"$carrierscope" report board "$work/seed.db" >"$work/report" 2>&1 || fail 'there is no report'
expect "$work/report" 'readings of the heap +11 ' 'free \+ used = size +11 ' \
	'1106 .* shortfall +486496 ' '189 .* 68,752 bytes each' '1242 .* shortfall +1759248 ' \
	'next one is 3,332,104 bytes' 'next one is 3,998,524 bytes' \
	'in use on the board +49098904 ' 'Erlang: blocks +22627896 ' 'largest block +8388616 '
"$carrierscope" report board_readings "$work/seed.db" >"$work/report" 2>&1 ||
	fail 'there are no readings'
[ "$(grep -c ' yes' "$work/report")" -eq 11 ] || fail 'not all readings add up'
ends
