#!/bin/sh
# SPDX-License-Identifier: MIT
# errors.sh REPLAY_CHECK FOLDER [+M FLAGS]: for each recording FOLDER/NAME.db the peak, end and average of carriers of the node and
# of a replay, as a row of Markdown: MiB and per cent.  With flags the node is the one that ran without.
set -eu
check=$1
folder=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for database in "$folder"/*.db; do
	# 1: it differs.
	"$check" "$database" --compare --replays=1 --follow="$work/csv" -- "$@" >"$work/out" || [ $? -eq 1 ]
	wait=$(sed -n 's/.*waited for their owner for \([0-9.]*\) ms.*/\1/p' "$work/out")
	awk -F, -v name="$(basename "$database" .db)" -v wait="${wait:-unknown}" '
	NR > 1 {
		if (!($1 in node)) at[++count] = $1
		node[$1] += $6
		replay[$1] += $7
	}
	END {
		before = node[at[1]] - replay[at[1]]
		for (i = 1; i <= count; i++) {
			n = node[at[i]]
			r = replay[at[i]] + before
			if (n > most_n) most_n = n
			if (r > most_r) most_r = r
			if (i < count) {
				sum_n += n * (at[i + 1] - at[i])
				sum_r += r * (at[i + 1] - at[i])
			}
		}
		if (count < 2) exit
		mib = 1048576
		span = at[count] - at[1]
		printf "| `%s` | %.1f, %.1f, %.1f | %+.1f, %+.1f, %+.1f %% | %s |\n", name, most_n / mib, n / mib,
			sum_n / span / mib, 100 * (most_r / most_n - 1), 100 * (r / n - 1), 100 * (sum_r / sum_n - 1), wait
	}' "$work/csv"
done
