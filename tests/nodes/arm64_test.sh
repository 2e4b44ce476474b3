#!/bin/sh
# SPDX-License-Identifier: MIT
# arm64_test.sh BEAM_DIR TP_DIR LTTNG_DIR ERL_NIF_DIR EBIN BEAMS PLUGIN_DIR SUITE...: the NIF compiled for arm64, on arm64
# nodes of other Debian suites under qemu: started, stopped, read, with an answer that the decoder of arm64 has
# a part in.  On the first suite a session of this machine records, and blocks and calls equal the node's counters;
# nobody records on the others (a minute of qemu each).
. "$(dirname "$0")/../harness/main.sh"
beam=$1 tp=$2 lttng=$3 nif=$4 ebin=$5 beams=$6 plugins=$7
shift 7
needs clang ld.lld
cp "$ebin"/*.beam "$work/"
system=$(sh "$here/fetch.sh" trixie arm64 libc6-dev linux-libc-dev liblttng-ust-dev liblttng-ust1t64 \
	liblttng-ust-common1t64 liburcu-dev liburcu8t64 libnuma1) || skip "${system#SKIPPED: }"
root=$system/root
libraries=$root/usr/lib/aarch64-linux-gnu
clang --target=aarch64-linux-gnu -mno-outline-atomics -O2 -fPIC -Wall -Wextra -Wconversion -Werror -D_GNU_SOURCE \
	-DLTTNG_UST_TRACEPOINT_HIDDEN_DEFINITION -DCSC_PROVIDER=carrierscope \
	'-DCSC_PROVIDER_HEADER="carrierscope_tp.h"' -nostdlibinc -isystem "$root/usr/include/aarch64-linux-gnu" \
	-isystem "$root/usr/include" -isystem "$nif" -I "$beam" -I "$beam/stacks" -I "$beam/../diag" -I "$lttng" -I "$tp" -fuse-ld=lld -nostdlib -shared \
	-Wl,-z,nodelete "$beam/provider.c" "$beam/lttng_library.c" "$beam/emulator.c" "$beam"/finder/*.c "$beam/facts.c" "$beam/block_header.c" "$beam/current_process.c" \
	"$beam/hook.c" "$beam/hook_full.c" "$beam/hook_some.c" "$beam/hook_state.c" "$beam"/rings/*.c "$beam"/stacks/*.c "$tp/block_batch.c" "$beam/jit.c" "$beam/mappings.c" "$beam/nif.c" "$beam/own_memory.c" "$beam/port_driver.c" "$beam/probed_memory.c" "$beam/snapshot.c" "$beam/announce.c" \
	"$beam/sampled_set.c" "$beam/self_test.c" "$beam/../diag/diag.c" "$lttng/sessions.c" "$libraries/libc.so.6" "$libraries/libc_nonshared.a" \
	"$libraries/libm.so.6" -o "$work/carrierscope_nif.so" >"$work/log" 2>&1 || {
	head -n 20 "$work/log"
	exit 1
}

# runs_on ERL
is_first=1
runs_on() {
	if [ -n "$is_first" ]; then
		CSC_EVENTS=single CSC_MS=200 sh "$here/../beam/beam_test.sh" "$1" "$work" "$beams" "$plugins" exact
	else
		LTTNG_UST_REGISTER_TIMEOUT=0 timeout 400 "$1" -noinput -boot start_clean -pa "$work" "$beams" \
			-run beam_case main unheard
	fi
}

for suite in "$@"; do
	node=$system
	[ "$suite" = trixie ] || node=$(sh "$here/fetch.sh" "$suite" arm64) || skip "${node#SKIPPED: }"
	for library in "$libraries"/liblttng-ust.so.1 "$libraries"/liblttng-ust-common.so.1 \
		"$libraries"/liblttng-ust-tracepoint.so.1 "$libraries"/libnuma.so.1 "$libraries"/liburcu*.so.8; do
		ln -sf "$library" "$node/more/"
	done
	runs_on "$node/erl" >"$work/out" 2>&1 || {
		[ $? -ne 77 ] || skip "$suite: $(tail -n 1 "$work/out")"
		echo "FAILED: $suite: $(tail -n 5 "$work/out")"
		failures=$((failures + 1))
	}
	is_first=
	echo "$suite: $(cat "$work/out")"
	grep -q 'two processes and a dirty scheduler agree' "$work/out" || fail "$suite: the process that allocates is not found"
	grep -q 'two ports agree' "$work/out" || fail "$suite: the port that allocates is not found"
	[ "$suite" = trixie ] || grep -q '3 processes agree: words' "$work/out" || fail "$suite: the stack of a process is not found"
	[ "$suite" = trixie ] || grep -q 'searched: 12 functions, [0-9]* sets of instances agree' "$work/out" || fail "$suite: that is not how the table is to be found"
done
ends
