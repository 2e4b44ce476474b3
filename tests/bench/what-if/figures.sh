#!/bin/sh
# SPDX-License-Identifier: MIT
# figures.sh FOLDER: of each run that measure.sh left there "NAME,SETTING,REPEAT,peak,end,average", in bytes of all
# allocators, then what the process has resident beyond them at the same readings (peak of resident, end, average).
set -eu
for file in "$1"/*.csv; do
	base=$(basename "$file" .csv)
	awk -F, -v run="$(echo "$base" | tr . ,)" '
	$2 == "all" || $2 == "resident" {
		kind = $2
		if ((kind, "n") in state) sum[kind] += last[kind] * ($1 - at[kind])
		else begin[kind] = $1
		state[kind, "n"] = 1
		at[kind] = $1
		last[kind] = $3
		if ($3 > most[kind]) most[kind] = $3
	}
	END {
		if (at["all"] > begin["all"])
			printf "%s,%d,%d,%d,%d,%d,%d\n", run, most["all"], last["all"],
				sum["all"] / (at["all"] - begin["all"]), most["resident"], last["resident"],
				sum["resident"] / (at["resident"] - begin["resident"])
	}' "$file"
done
