#!/bin/sh
# SPDX-License-Identifier: MIT
# board_many_test.sh CARRIERSCOPE: the logs of two boards, the longer with 5,000 readings and a list of
# erlang:memory() behind each.  The reports end (a pass for each reading over all others would take
# an hour), and their rows are in order.
. "$(dirname "$0")/../harness/main.sh"
carrierscope=$1

# log READINGS: a run of 500 readings ends by a failure.
log() {
	awk -v readings="$1" '
		function figure(name, value) { printf "%s:%*d\n", name, 53 - length(name), value }
		BEGIN {
			for (i = 0; i < readings; i++) {
				n = i % 500
				used = 40000000 + n * 1000
				if (n == 0 && i > 0)
					print "eheap_alloc: Cannot allocate 2059352 bytes of memory (of type \"heap\")."
				print "SHLL [/] # malloc\nC Program Heap and RTEMS Workspace are the same."
				figure("Number of free blocks", 150 + n % 20)
				figure("Largest free block", 1572856)
				figure("Total bytes free", 60530680 - used)
				figure("Number of used blocks", 2000 + n)
				figure("Largest used block", 8388616)
				figure("Total bytes used", used)
				figure("Size of the allocatable area in bytes", 60530680)
				figure("Minimum free size ever in bytes", 60530680 - used - 1000)
				figure("Maximum number of free blocks ever", 200 + n)
				figure("Maximum number of blocks searched ever", 125 + n)
				figure("Lifetime number of bytes allocated", 172748904 + n * 5000)
				figure("Lifetime number of bytes freed", 172748904 + n * 5000 - used)
				figure("Total number of searches", 45213 + n)
				figure("Total number of successful allocations", 3000 + n * 11)
				figure("Total number of failed allocations", 1 + int(n / 100))
				figure("Total number of successful frees", 1000 + n * 10)
				figure("Total number of successful resizes", 73 + n)
				print "(board@b)8> erlang:memory()."
				print "[{total,11141760},\n {processes,2994236},\n {processes_used,2993488},"
				print " {system,8147524},\n {atom,292645},\n {atom_used,267856},"
				print " {binary,18992},\n {code,4404734},\n {ets,194488}]"
			}
		}'
}

# ask SQL: of the database, all by the views themselves.
ask() {
	sqlite3 "$work/many.db" "$1"
}

log 5000 >"$work/a.log"
log 700 >"$work/b.log"
"$carrierscope" load -q -o "$work/many.db" "$work/a.log" "$work/b.log" || fail "load: exit $?"
[ "$(ask 'SELECT group_concat(n) FROM (SELECT count(*) AS n FROM heap_sample JOIN snapshot
	ON id = snapshot_id GROUP BY source_id)')" = 5000,700 ] || fail 'not all readings were found'

for report in board board_readings; do
	"$carrierscope" report "$report" "$work/many.db" --format csv >"$work/$report" || fail "$report: exit $?"
done
[ "$(wc -l <"$work/board_readings")" -eq 5701 ] || fail 'board_readings has not a row for each reading'
awk -F, 'NR > 2 && ($1 < source || $1 == source && $3 <= line) { print "line " NR ": " $0; bad = 1 }
	{ source = $1 + 0; line = $3 + 0 } END { exit bad }' "$work/board_readings" || fail 'board_readings is out of order'

# Each part stands together: its rows follow each other, and it comes once for each source and place.
cut -d, -f 1-4 "$work/board" | sed -n 's/^\([0-9]*\),.*\(run [0-9]*, [aO][^"]*\)".*/\1 \2/p' | uniq >"$work/parts"
[ "$(wc -l <"$work/parts")" -eq "$(sort -u "$work/parts" | wc -l)" ] || fail 'parts of board are interleaved'
[ "$(grep -c 'at its end' "$work/parts")" -eq 12 ] || fail "there are not 10 and 2 runs: $(cat "$work/parts")"
[ "$(grep -c 'OS to Erlang' "$work/parts")" -eq 12 ] || fail 'not each run has its sum'

# By the rule in its simplest words: the next reading, if it comes before the next failure.
[ "$(ask "SELECT group_concat(n) FROM (SELECT count(*) AS n FROM board_failure AS f WHERE reading_line =
	(SELECT min(line) FROM snapshot AS s WHERE s.source_id = f.source_id AND s.kind = 'malloc'
		AND s.line > f.line) AND is_read_after GROUP BY source_id)")" = 9,1 ] ||
	fail 'failures do not find the reading behind them'

ends
