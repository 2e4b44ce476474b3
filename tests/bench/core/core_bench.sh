#!/bin/sh
# SPDX-License-Identifier: MIT
# core_bench.sh [-n OPS] [-l LIVE] [-r ROUNDS] ERL NIF BEAM_DIR [STRATEGY...]
#
# Nanoseconds per operation of the core, of the live runtime and of others, as a markdown table.
# One emulator for each strategy; inside, everybody takes turns.  Columns: the core with 8-byte
# words, the runtime's own functions on an allocator without lock, the core with 4-byte words,
# enif_alloc() (driver_alloc with that strategy), and general allocators.  The time of the loop is
# taken off.  Ratios are medians of those of the rounds.
#
# `af` looks at one free block only and takes ever more carriers: it gets 100 times fewer live
# blocks and 10 times fewer operations.
set -eu
ops=10000000
live=100000
rounds=32
while getopts n:l:r: option; do
	case $option in
	n) ops=$OPTARG ;;
	l) live=$OPTARG ;;
	r) rounds=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
erl=$1
nif=${2%.so}
beams=$3
shift 3
if [ $# -eq 0 ]; then
	set -- bf aobf gf af aoff aoffcbf aoffcaobf ageffcaoff ageffcbf ageffcaobf
fi

unset ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ERL_LIBS
export ERL_CRASH_DUMP_SECONDS=0
# Room for the thread-local data of jemalloc, which comes late.
export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=65536
echo "| strategy | live blocks | core | live ERTS | core, 32 bit | enif_alloc | glibc | jemalloc | mimalloc | core / ERTS | 32 bit / 64 bit |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
for strategy; do
	n=$ops
	l=$live
	# driver_alloc may not be `af` and would be `gf`.
	driver=$strategy
	if [ "$strategy" = af ]; then
		n=$((ops / 10))
		l=$((live / 100))
		driver=gf
	fi
	"$erl" +S 1:1 +SDio 1 +MRas $driver -noinput -boot start_clean -pa "$beams" \
		-run core_bench main "$nif" "$strategy" "$n" "$l" "$rounds"
done
