#!/bin/sh
# SPDX-License-Identifier: MIT
# probes.sh ERL EBIN BEAMS PLUGIN_DIR: samples fire the probes that profilers of the machine look for.
#
# The notes say where the probes are and what they tell; the kernel counts how often they fire and adds up what
# they say, where it lets a test do so.
. "$(dirname "$0")/../harness/main.sh"
. "$here/common.sh"
library=$ebin/carrierscope_nif.so
needs readelf
readelf -n "$library" >"$work/notes" 2>&1
grep -q 'Provider: otel_memory' "$work/notes" || skip 'the library was built without sys/sdt.h (Debian: systemtap-sdt-dev)'
[ "$(grep -c 'Provider: otel_memory' "$work/notes")" = 2 ] || fail "two probes are expected: $(cat "$work/notes")"

# arguments NAME: of a probe, as its note has them.
arguments() {
	grep -A 3 -x " *Name: $1" "$work/notes" | sed -n 's/^ *Arguments: //p'
}
[ "$(arguments alloc | wc -w)" = 3 ] || fail "otel_memory:alloc tells '$(arguments alloc)'"
[ "$(arguments free | wc -w)" = 1 ] || fail "otel_memory:free tells '$(arguments free)'"

# place NAME: bytes from the begin of the file on; code lies as far from the begin of memory as of the file, or by its segment.
place() {
	at=$(grep -A 3 -x " *Name: $1" "$work/notes" | sed -n 's/^ *Location: \(0x[0-9a-f]*\),.*/\1/p')
	readelf -lW "$library" | while read -r kind offset address _ _ _ rest; do
		case $kind$rest in LOAD*E*) printf '0x%x' $((at - address + offset)) ;; esac
	done
}
tracing=$work/tracing
mkdir "$tracing"
if mount -t tracefs none "$tracing" 2>/dev/null && [ -w "$tracing/uprobe_events" ] && [ "$(uname -m)" = x86_64 ]; then
	third=$(arguments alloc | sed 's/.*@//; s/^%r/%/')
	group=csc_$$
	cleanup() {
		echo 0 >"$tracing/instances/$group/events/$group/enable" 2>/dev/null
		rmdir "$tracing/instances/$group" 2>/dev/null
		echo "-:$group/alloc" >>"$tracing/uprobe_events" 2>/dev/null
		echo "-:$group/free" >>"$tracing/uprobe_events" 2>/dev/null
		umount "$tracing" 2>/dev/null
		finish
	}
	echo "p:$group/alloc $library:$(place alloc) weighted=$third:u64" >>"$tracing/uprobe_events" || fail "the kernel takes no probe"
	echo "p:$group/free $library:$(place free)" >>"$tracing/uprobe_events" || fail "the kernel takes no probe"
	mkdir "$tracing/instances/$group"
	echo 16384 >"$tracing/instances/$group/buffer_size_kb"
	echo 1 >"$tracing/instances/$group/events/$group/enable"
	runs probed
	echo 0 >"$tracing/instances/$group/events/$group/enable"
	cat "$tracing/instances/$group/trace" >"$work/trace"
	grep -q '^kept|1000$' "$work/out" || fail "the node did not work: $(cat "$work/out")"
	# 200 MB were made, 100 MB of it is kept until the hook goes: about three samples in four of 100,000 bytes, each for its share.
	made=$(grep -c ': alloc:' "$work/trace")
	freed=$(grep -c ': free:' "$work/trace")
	bytes=$(sed -n 's/.*weighted=//p' "$work/trace" | awk '{ sum += $1 } END { printf "%d", sum / 1000000 }')
	echo "probes fired: $made made, $freed freed, $bytes MB in all"
	[ "$made" -gt 1300 ] && [ "$made" -lt 1800 ] || fail "of 2,000 blocks $made were sampled"
	[ "$freed" -gt 400 ] && [ "$freed" -le "$made" ] || fail "of $made samples $freed were freed"
	[ "$bytes" -gt 185 ] && [ "$bytes" -lt 220 ] || fail "samples stand for $bytes MB of 200"
else
	echo "SKIPPED: how often the probes fire (the kernel lets nobody look here)"
	runs probed
fi
ends
