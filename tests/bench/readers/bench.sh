#!/bin/bash
# SPDX-License-Identifier: MIT
#
# How fast and how thrifty the readers are, beside `wc -l` on the same file.
#
#	bench.sh BUILD_DIR [MEGABYTES [ROUNDS]]
#
# BUILD_DIR: of preset `release`.  Each file is read once before, so that all of them
# find it in memory.  Prints for each the median of the rounds: seconds, MB/s (10^6 bytes),
# and the peak of resident memory.
set -eu

build=$(realpath "$1")
megabytes=${2:-1000}
rounds=${3:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# run NAME FILE COMMAND…
run() {
	local name=$1 file=$2 bytes
	shift 2
	bytes=$(stat -c %s "$file")
	rm -f times
	for _ in $(seq "$rounds"); do
		rm -f out.db
		"$build/tests/bench/bench_measure" times "$@" >/dev/null
	done
	sort -n times | awk -v name="$name" -v bytes="$bytes" '
		{ wall[NR] = $1; cpu[NR] = $2; if ($3 > rss) rss = $3 }
		END { m = int((NR + 1) / 2)
			printf "%-34s %8.2f s wall %8.2f s cpu %8.1f MB/s %8.1f MiB\n", name, wall[m],
				cpu[m], bytes / wall[m] / 1e6, rss / 1024 }'
}

for what in heaps processes terms line; do
	"$build/tests/bench/bench_generate_dump" "${megabytes}000000" $what >input
	cat input >/dev/null
	run "$what: wc -l" input wc -l input
	run "$what: carrierscope load" input "$build/analyzer/carrierscope" load -q -o out.db input
	echo "  rows: $(sqlite3 out.db 'SELECT (SELECT count(*) FROM process_sample), (SELECT count(*) FROM carrier_scan)')"
	if [ $what = heaps ]; then
		gzip -1 <input >input.gz
		run "$what, gz: zcat | wc -l" input sh -c 'zcat input.gz | wc -l'
		run "$what, gz: carrierscope load" input "$build/analyzer/carrierscope" load -q -o out.db input.gz
		rm -f input.gz
	fi
done
