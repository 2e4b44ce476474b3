#!/bin/sh
# SPDX-License-Identifier: MIT
# beam_bench.sh ERL EBIN BEAM_DIR [ROUNDS [HOOK_COST]]: what hooks before the allocators of a stock node cost.
#
# Unhooked, hooked without a session, every block recorded (in batches, and by single events), and one sample in 64 KiB
# take turns in one node; events that LTTng lost are printed.  Then the same work in nodes of their own, bare and
# under heaptrack, if that is installed: with +Mea min, since it sees malloc only.
# Wants a session daemon that runs.  $CSC_KINDS: the kinds of work (mixed dense); $CSC_ITERATIONS: of each worker
# (300000); $CSC_WAYS: beside unhooked (hooked all single sampled; also stackless, samples without stacks, and kept, as by
# carrierscope keep with a snapshot each $CSC_EVERY ms (10000): rounds should last longer); CSC_PEERS=no: without heaptrack; CSC_RAW: a file to which
# each round is added, as kind,load,round,way,wall_ms,cpu_ms.
set -eu
erl=$1
ebin=$2
beams=$3
rounds=${4:-11}
cost=${5:-}
session=carrierscope-beam-$$
work=$(mktemp -d)
unset ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ERL_LIBS
trap 'lttng destroy $session >/dev/null 2>&1 || true; rm -rf "$work"' EXIT

{
	lttng create $session --output="$work/trace"
	lttng enable-channel -u -s $session --buffers-uid --subbuf-size=8M --num-subbuf=8 all
	lttng enable-event -u -s $session -c all 'carrierscope:*'
} >/dev/null
cat >"$work/session" <<-END
	#!/bin/sh
	lttng \$1 $session >"$work/log" 2>&1
END
chmod +x "$work/session"
# instructions: of all recorded blocks by callgrind, the slope between two counts.
instructions() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=run_pairs \
		"$cost" "$1" 2>&1 >/dev/null | sed -n 's/^.*Collected : //p'
}
per_event() {
	few=$(LTTNG_UST_REGISTER_TIMEOUT=-1 instructions 10000)
	many=$(LTTNG_UST_REGISTER_TIMEOUT=-1 instructions 20000)
	echo "$few $many" | awk -v what="$1" '{ printf "instructions an event, %s: %.0f\n", what, ($2 - $1) / 20000 }'
}
if [ -n "$cost" ] && command -v valgrind >/dev/null; then
	per_event 'no session'
	lttng start $session >/dev/null
	per_event 'recorded'
	lttng stop $session >/dev/null
fi
kinds=${CSC_KINDS:-mixed dense}
for kind in $kinds; do
	echo "$kind:"
	"$erl" -noinput -boot start_clean -pa "$ebin" "$beams" \
		-run beam_bench main $kind "$rounds" "$work/session"
done
lttng destroy $session >/dev/null
babeltrace2 "$work/trace" -c sink.utils.dummy 2>"$work/lost" || true
echo "lost events: $(grep -o 'discarded [0-9]*' "$work/lost" | awk '{ n += $2 } END { print n + 0 }')"

[ "${CSC_PEERS:-}" != no ] || exit 0
command -v heaptrack >/dev/null || { echo 'heaptrack is not installed: not compared'; exit 0; }
# heaptrack wants the program, not the script that starts it.
root=$("$erl" -noinput -eval 'io:put_chars(code:root_dir()), halt().')
bindir=$(dirname "$(ls "$root"/erts-*/bin/beam.smp | head -n 1)")
export ROOTDIR="$root" BINDIR="$bindir" EMU=beam PROGNAME=erl
set -- "$bindir/beam.smp" -Mea min -- -root "$root" -bindir "$bindir" -progname erl -- -home "$HOME" -- -noshell -noinput \
	-boot start_clean -pa "$beams" -run beam_bench alone
# Nodes in turns; each prints WALL CPU of its second run of the work.
for kind in $kinds; do
	round=0
	while [ $round -lt "$rounds" ]; do
		bare=$("$@" $kind | tail -n 1)
		tracked=$(heaptrack -r -o "$work/heap" "$@" $kind 2>/dev/null | grep -oE '^[0-9.]+ [0-9.]+$')
		rm -f "$work"/heap*
		echo "$bare $tracked"
		round=$((round + 1))
	done >"$work/pairs"
	for column in 1 2; do
		awk -v c=$column '{ print $(c + 2) / $c }' "$work/pairs" | sort -n |
			awk -v kind=$kind -v what=$column '{ r[NR] = $1 } END { printf "%s, heaptrack of a bare node " \
				"with +Mea min: %s ratio median %.2f (%.2f to %.2f)\n", kind,
				what == 1 ? "wall" : "CPU", r[int((NR + 1) / 2)], r[1], r[NR] }'
		awk -v c=$column 'NR == 1 || $c < a { a = $c } NR == 1 || $(c + 2) < b { b = $(c + 2) } END {
			printf "  of the least of each: %.2f\n", b / a }' "$work/pairs"
	done
done
