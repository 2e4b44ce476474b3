#!/bin/sh
# SPDX-License-Identifier: MIT
# resident.sh CARRIERSCOPE RECORDINGS RUNS REPEATS [NAME...]: what `advise --objective rss` finds in each RECORDINGS/NAME.db,
# and REPEATS nodes without hooks with and without these flags, whose readings go to RUNS.  Rows of Markdown: the
# change of the peak of resident memory (VmRSS) in per cent, as predicted (lowest, highest) and as measured; noise: how
# far nodes with the same flags differ at most; then the same of carriers, and the flags.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$1
folder=$2
runs=$3
repeats=$4
shift 4
[ $# -gt 0 ] || set -- "$folder"/*.db
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# found PATH: a value of what advise has printed.
found() {
	sqlite3 :memory: "SELECT json_extract(readfile('$work/json'), '$1')"
}

for name; do
	name=$(basename "$name" .db)
	"$program" advise "$folder/$name.db" --objective rss --format json >"$work/json"
	flags=$(found '$.advised.flags')
	if [ -z "$flags" ]; then
		echo "| \`$name\` | nothing is advised: $(found '$.refusal') |"
		continue
	fi
	printf 'default\nrss %s\n' "$flags" >"$work/settings"
	SETTINGS=$work/settings "$here/measure.sh" "$runs" 1 "$repeats" "$name"
	"$here/figures.sh" "$runs" | awk -F, -v name="$name" -v flags="$flags" -v before="$(found '$.resident_bytes')" \
		-v low="$(found '$.advised.resident_bytes_low')" -v high="$(found '$.advised.resident_bytes_high')" \
		-v likely="$(found '$.advised.resident_bytes')" '
	function share(i) { return 100 * (sum["rss", i] / runs["rss"]) / (sum["default", i] / runs["default"]) - 100 }
	function noise(i) {
		a = 100 * (most["default", i] - least["default", i]) * runs["default"] / sum["default", i]
		b = 100 * (most["rss", i] - least["rss", i]) * runs["rss"] / sum["rss", i]
		return a > b ? a : b
	}
	$1 == name && ($2 == "default" || $2 == "rss") {
		runs[$2]++
		for (i = 4; i <= 9; i++) {
			sum[$2, i] += $i
			if (!(($2, i) in most) || $i > most[$2, i]) most[$2, i] = $i
			if (!(($2, i) in least) || $i < least[$2, i]) least[$2, i] = $i
		}
	}
	END {
		printf "| `%s` | %+.1f (%+.1f, %+.1f) | %+.1f | %.1f | %+.1f, %.1f | %.1f | %s |\n", name, 100 * likely / before - 100,
			100 * low / before - 100, 100 * high / before - 100, share(7), noise(7), share(4), noise(4),
			sum["default", 7] / runs["default"] / 1048576, flags
	}'
done
