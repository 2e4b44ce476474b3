#!/bin/sh
# SPDX-License-Identifier: MIT
# start_bench.sh ERL EBIN BEAMS PLUGIN_DIR: how long the first start on a node takes, over $CSC_ROUNDS (21) nodes.
#
# Times in ms, the median and in parentheses the least and the most: on the wall and of CPU, of loading the
# library (with LTTng, and the registration with its daemon), of the first start, and of a second one, which
# has the emulator searched already.  With a session that records all of it.  For nodes of other Debian suites
# see toggle.sh; the case is `start`.
. "$(dirname "$0")/../../harness/main.sh"
. "$harness/../beam/common.sh"
rounds=${CSC_ROUNDS:-21}

records all
round=0
while [ $round -lt "$rounds" ]; do
	# shellcheck disable=SC2086
	"$erl" -noinput -boot start_clean -pa "$ebin" $beams -run beam_bench starts ||
		fail 'the node cannot be hooked'
	round=$((round + 1))
done >"$work/times"
column=1
for what in wall-load wall-start wall-again cpu-load cpu-start cpu-again; do
	cut -d ' ' -f $column "$work/times" | sort -n | awk -v what=$what '{ t[NR] = $1 }
		END { printf "%-10s %6.1f ms (%.1f to %.1f, %d nodes)\n", what, t[int((NR + 1) / 2)], t[1], t[NR], NR }'
	column=$((column + 1))
done
ends
