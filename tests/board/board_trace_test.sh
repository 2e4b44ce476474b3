#!/bin/sh
# SPDX-License-Identifier: MIT
# board_trace_test.sh BUILD EXAMPLES: the case study records, loads and explains.
. "$(dirname "$0")/../harness/main.sh"
records_here "$@"
build=$1
examples=$2
needs bash
session=carrierscope-board-test-$$
lttng create $session --output="$work/trace" >"$work/log" 2>&1 ||
	skip "no session can be made: $(cat "$work/log")"
lttng destroy $session >/dev/null 2>&1
session=

bash "$examples/grisp-7-nodes/run.sh" -b "$build" -1 "$work/board.db" >"$work/out" 2>&1 || {
	cat "$work/out"
	echo 'FAILED: the case study did not run'
	exit 1
}

# What only the events of the heap have: exact figures, and both sizes of carriers.
for text in 'not all of them' 'Error'; do
	! grep -q "$text" "$work/out" || failures=$((failures + 1))
done
for text in 'eheap_alloc could not allocate +2059352 +exact' 'first try +2097152 +exact' \
	'second try +2059384 +exact' 'shortfall +486496 +exact' \
	'largest carrier, at least +1310716 +exact' 'largest carrier, at most +1310716 +exact' \
	'in alignment holes, at least +[0-9]{7} +exact' 'failed allocations +4 +exact' \
	'headers of carriers in the heap +320 +exact'; do
	grep -qE "$text" "$work/out" || {
		echo "FAILED: the report has no line '$text'"
		failures=$((failures + 1))
	}
done
[ $failures -eq 0 ] || cat "$work/out"
ends
