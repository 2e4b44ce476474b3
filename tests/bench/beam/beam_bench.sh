#!/bin/sh
# SPDX-License-Identifier: MIT
# beam_bench.sh ERL EBIN BEAM_DIR [ROUNDS]: what hooks before the allocators of a stock node cost.
#
# Unhooked, hooked without a session, every block recorded, and one sample in 64 KiB take turns in
# one node; events that LTTng lost are printed.  Then the same work in nodes of their own, bare and
# under heaptrack, if that is installed: with +Mea min, since it sees malloc only.
# Wants a session daemon that runs.
set -eu
erl=$1
ebin=$2
beams=$3
rounds=${4:-11}
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
"$erl" -noinput -boot start_clean -pa "$ebin" "$beams" \
	-run beam_bench main "$rounds" "$work/session"
lttng destroy $session >/dev/null
babeltrace2 "$work/trace" -c sink.utils.dummy 2>"$work/lost" || true
echo "lost events: $(grep -o 'discarded [0-9]*' "$work/lost" | awk '{ n += $2 } END { print n + 0 }')"

command -v heaptrack >/dev/null || { echo 'heaptrack is not installed: not compared'; exit 0; }
# CPU seconds, children included, the least of three.
cpu() {
	for _ in 1 2 3; do
		bash -c 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1' cpu "$@" 2>&1 | awk '{ print $1 + $2 }'
	done | sort -n | head -n 1
}
# heaptrack wants the program, not the script that starts it.
root=$("$erl" -noinput -eval 'io:put_chars(code:root_dir()), halt().')
bindir=$(dirname "$(ls "$root"/erts-*/bin/beam.smp | head -n 1)")
export ROOTDIR="$root" BINDIR="$bindir" EMU=beam PROGNAME=erl
set -- "$bindir/beam.smp" -Mea min -- -root "$root" -bindir "$bindir" -progname erl -- -home "$HOME" -- -noinput \
	-boot start_clean -pa "$beams" \
	-eval 'ok = lists:foreach(fun(_) -> beam_bench:work() end, [1, 2, 3]), halt(0).'
"$@" >"$work/log" 2>&1 || { echo "the node for heaptrack does not run: $(cat "$work/log")"; exit 1; }
none=$(cpu "$@")
all=$(cpu heaptrack -r -o "$work/heap" "$@")
echo "heaptrack: $none s of CPU bare, $all s under it: $(echo "$all $none" | awk '{ printf "%.2f", $1 / $2 }')"
