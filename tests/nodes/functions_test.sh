#!/bin/sh
# SPDX-License-Identifier: MIT
# functions_test.sh ERL EBIN BEAMS PLUGIN_DIR: which functions made the live blocks of a node with tags.
. "$(dirname "$0")/../harness/main.sh"
. "$harness/../beam/common.sh"
"$erl" -noinput -boot start_clean -eval \
	'case code:ensure_loaded(instrument) of {module, _} -> halt(0); _ -> halt(1) end.' ||
	skip 'module instrument is not installed (Debian: erlang-runtime-tools)'

# reads NAME FLAGS OPTIONS: a node with these flags that keeps 100 binaries, 5000 objects of a table, and reads itself with each of OPTIONS.
reads() {
	records "$1"
	# shellcheck disable=SC2086
	"$erl" $2 -noinput -boot start_clean -pa "$ebin" -eval "
		Kept = [binary:copy(<<N>>, 100007) || N <- lists:seq(1, 100)],
		Table = ets:new(kept, []),
		[ets:insert(Table, {N, N}) || N <- lists:seq(1, 5000)],
		[{ok, _} = carrierscope:snapshot(Asked) || Asked <- [$3]],
		io:format(\"~w ~b~n\", [self(), length(Kept)]), halt()." >"$work/out" 2>&1 ||
		fail "the node ended with $?: $(tail -n 5 "$work/out")"
	read -r pid _ <"$work/out"
	loads "$1"
}

# An allocator with tags that has none by default: looked at without being asked, but not against a wish.
reads code '+MBatags code +MEatags code' '#{functions => false}, #{holders => 0}'
is code "SELECT kind, application, blocks >= 100, least_bytes <= 10000700, most_bytes >= 10000700 FROM holder_function
	WHERE allocator = 'binary_alloc' AND origin = 'binary:copy/2'" 'function|stdlib|1|1|1'
is code "SELECT sum(blocks) >= 5000, max(unscanned_bytes) FROM holder_function
	WHERE allocator = 'ets_alloc' AND origin = 'ets:insert/2'" '1|0'
is code "SELECT function FROM page_stack WHERE moment = 'by function' AND allocator = 'ets_alloc'
	ORDER BY bytes DESC LIMIT 1" 'ets:insert/2'
is code "SELECT count(*), min(instances = instances_seen AND instances > 0), (SELECT count(*) FROM snapshot_end)
	FROM snapshot_functions" '1|1|2'

# Tags of binaries, as by default, are of processes: only where they are asked for.
reads asked '' '#{holders => 0}, #{functions => true}'
is asked "SELECT blocks >= 100 FROM holder_function WHERE kind = 'process' AND origin = '$pid' AND type = 'binary'" 1
is asked "SELECT (SELECT count(*) FROM snapshot_functions), (SELECT count(*) FROM snapshot_end)" '1|2'
ends
