#!/bin/sh
# SPDX-License-Identifier: MIT
# musl_test.sh BEAM_DIR TP_DIR LTTNG_DIR ERL_NIF_DIR: the NIF compiled and linked for musl.  There is no package of an
# emulator of musl: player.c loads it as one would, and the search for the table runs on an image of musl that is like one.
. "$(dirname "$0")/../harness/main.sh"
beam=$1 tp=$2 lttng=$3 nif=$4
needs musl-gcc readelf
# Headers of the system that do not belong to its C library.
for folder in /usr/include /usr/include/"$(uname -m)"-linux-gnu; do
	for header in "$folder"/lttng "$folder"/urcu* "$folder"/linux "$folder"/asm "$folder"/asm-generic; do
		[ ! -e "$header" ] || ln -sf "$header" "$work/"
	done
done
mkdir "$work/include"
mv "$work"/lttng "$work"/urcu* "$work"/linux "$work"/asm* "$work/include" || skip 'headers of LTTng or Linux are missing'

# compiles WHAT ARGUMENT...
compiles() {
	what=$1
	shift
	musl-gcc -std=gnu11 -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -include "$beam/old_glibc.h" -idirafter "$work/include" -isystem "$nif" \
		-I "$beam" -I "$beam/stacks" -I "$beam/../diag" -I "$lttng" -I "$tp" "$@" >"$work/err" 2>&1 || {
		head -n 20 "$work/err"
		echo "FAILED: $what does not compile for musl"
		exit 1
	}
}
compiles 'the NIF' -fPIC -shared -Wl,-z,nodelete -DLTTNG_UST_TRACEPOINT_HIDDEN_DEFINITION -DCSC_PROVIDER=carrierscope \
	'-DCSC_PROVIDER_HEADER="carrierscope_tp.h"' "$beam/provider.c" "$beam/lttng_library.c" "$beam/emulator.c" \
	"$beam"/finder/*.c "$beam/facts.c" "$beam/block_header.c" "$beam/current_process.c" "$beam"/hook*.c "$beam/jit.c" \
	"$beam"/rings/*.c "$beam"/stacks/*.c "$tp/block_batch.c" \
	"$beam/mappings.c" "$beam/nif.c" "$beam/own_memory.c" "$beam/port_driver.c" "$beam/probed_memory.c" "$beam/snapshot.c" "$beam/announce.c" \
	"$beam/sampled_set.c" "$beam/self_test.c" "$beam/../diag/diag.c" "$lttng/sessions.c" -o "$work/carrierscope_nif.so"
compiles 'the tracer' -fPIC -shared -Wl,-z,nodelete -DLTTNG_UST_TRACEPOINT_HIDDEN_DEFINITION -DCSC_PROVIDER=org_erlang_dyntrace \
	'-DCSC_PROVIDER_HEADER="org_erlang_dyntrace.h"' "$beam/provider.c" "$beam/lttng_library.c" "$beam/tracer.c" \
	-o "$work/carrierscope_tracer.so"
compiles 'the player' "$here/player.c" -rdynamic -o "$work/player"
compiles 'the decoy' -fvisibility=hidden "$here/decoy.c" "$beam/emulator.c" "$beam"/finder/*.c "$beam/../diag/diag.c" \
	-rdynamic -o "$work/decoy"
for library in carrierscope_nif carrierscope_tracer; do
	readelf -dW "$work/$library.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' >"$work/needed"
	[ "$(cat "$work/needed")" = libc.so ] || fail "$library wants $(tr '\n' ' ' <"$work/needed")"
done

# It loads, and its code runs: no LTTng is there, and no emulator whose allocators could be hooked.
timeout 400 "$work/player" "$work/carrierscope_nif.so" >"$work/out" 2>"$work/err" || fail "the NIF is not loaded: $(cat "$work/err")"
grep -qx 'loaded carrierscope_nif' "$work/out" || fail "the player says: $(cat "$work/out")"
[ "$(sed -n '/^info:/,/^names:/p' "$work/out" | grep -c .)" -eq 23 ] || fail "info/0 has not 21 values: $(cat "$work/out")"
[ "$(sed -n '/^info:/{n;p;}' "$work/out")" = false ] || fail 'info/0 says that it is hooked'
grep -q "^\"LTTng's library is not loaded: .*liblttng-ust.so.1: No such file" "$work/out" ||
	fail "info/0 does not say that LTTng is missing: $(cat "$work/out")"
[ "$(tail -n 1 "$work/out")" = '"the emulator hides its symbols, and has 0 lists of block types, where one was expected"' ] ||
	fail "names/0 answers: $(tail -n 1 "$work/out")"
# LTTng's library is there, and cannot be loaded.
mkdir "$work/other"
echo none >"$work/other/liblttng-ust.so.1"
timeout 400 env LD_LIBRARY_PATH="$work/other" "$work/player" "$work/carrierscope_nif.so" >"$work/broken" 2>"$work/err" &&
	grep "^\"LTTng's library is not loaded: .*liblttng-ust.so.1" "$work/broken" | grep -vq 'No such file' ||
	fail "of a broken LTTng info/0 says: $(cat "$work/broken" "$work/err")"
got=$(timeout 400 "$work/decoy")
case $got in
'searched: '*' 9 sets of instances and the symbols of its file agree') ;;
*) fail "the search answers: $got" ;;
esac
ends
