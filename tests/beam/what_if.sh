#!/bin/sh
# SPDX-License-Identifier: MIT
# what_if.sh ERL EBIN BEAMS PLUGIN_DIR REPLAY_CHECK: a node's recording replayed with other flags: it ends, it
# stops before it takes the machine's memory, and it does not judge a node that ran without them.
. "$(dirname "$0")/../harness/main.sh"
. "$here/common.sh"
check=$5

# 40 MB of binaries from before the hook, each larger than sbct of the flags below.
records old
"$erl" +S 1:1 +SDcpu 1:1 -noinput -boot start_clean -pa "$ebin" -eval '
	L = [binary:copy(<<I>>, 200000 + I) || I <- lists:seq(1, 200)],
	{ok, _} = carrierscope:start(),
	_ = [binary:copy(<<1>>, 1000 + I) || I <- lists:seq(1, 1000)],
	{ok, _} = carrierscope:stop(),
	length(L), halt().' >"$work/out" 2>&1 || fail "the node ended with $?: $(cat "$work/out")"
loads old

# replays CODES ARGUMENT...: within a minute, with one of these exit codes.
replays() {
	codes=$1
	shift
	timeout 400 "$check" "$work/old.db" "$@" >"$work/out" 2>"$work/err"
	code=$?
	case " $codes " in
	*" $code "*) ;;
	*) fail "exit $code instead of $codes: $*: $(cat "$work/err")" ;;
	esac
}

smaller='+Musbct 128 +Mulmbcs 1024 +Mummsbc 4096'
# A guard in bytes of addresses, where the sanitizers do not need all of them.
if [ -z "${CSC_PRELOAD:-}" ]; then
	ulimit -v 33554432 2>/dev/null
fi
# shellcheck disable=SC2086
replays 0 --compare --replays=1 -- $smaller
# shellcheck disable=SC2086
replays 0 -- $smaller
# Most of the carriers are from before the hook: nothing that was seen is in them.
grep -q '^% the replay has [1-5]*[0-9] % of the carriers that were recorded' "$work/out" || fail "of how much: $(grep '^%' "$work/out")"
# shellcheck disable=SC2086
replays 0 --compare --replays=1 -- $smaller +Mumbcgs 0 +Musmbcs 64
# What the flags do is not the error of the replay.
! grep -q -e " agrees" -e " differs" "$work/out" || fail "judged: $(cat "$work/out")"
grep -q "nothing is judged" "$work/out" || fail "not said: $(cat "$work/out")"
replays "0 1" --compare
! grep -q "outside of -\|within -\|to -" "$work/out" || fail "a negative bound: $(cat "$work/out")"
grep -q "carriers agree within what 5 schedules came to" "$work/out" || fail "no tolerance: $(cat "$work/out")"
# Carriers from before the first call are as large as the flags make them: main carriers of 4 MiB instead of less.
ends_with() {
	timeout 400 "$plugins/carrierscope" replay "$work/old.db" --format csv -- "$@" 2>"$work/err" | sed -n 's/^all,[^,]*,[^,]*,[^,]*,\([0-9]*\),.*/\1/p'
}
plain=$(ends_with)
large=$(ends_with +Mummbcs 4096)
[ $((${large:-0} - ${plain:-0})) -gt 8388608 ] || fail "main carriers of 4 MiB: '$plain', then '$large': $(cat "$work/err")"
# Without flags, too, the range is of a node that is not recorded: 12, 10 and 14 % to both sides at least.
timeout 400 "$plugins/carrierscope" replay "$work/old.db" --format csv 2>"$work/err" | awk -F, '
	function holds(i, share) { return $(i + 1) <= (1 - share) * $i && $(i + 2) >= (1 + share) * $i }
	$1 == "all" { rows++; good = holds(2, 0.119) && holds(5, 0.099) && holds(8, 0.139); print }
	END { exit !(rows == 1 && good) }' >"$work/out" || fail "too narrow without flags: $(cat "$work/out" "$work/err")"
# ll_alloc with other flags, beside a node that boots with them: with +MLacul 0 it has one instance, with the blocks of
# all; and the table of processes, 3 MiB or more of it, is one block.  MiB of carriers; the hook's own code is less than 1.
# long_lived FLAG...: of the replay.  booted FLAG...: of a node.
long_lived() {
	timeout 400 "$plugins/carrierscope" replay "$work/old.db" --format csv -- "$@" 2>"$work/err" |
		sed -n 's/^ll_alloc,[^,]*,[^,]*,[^,]*,\([0-9]*\),.*/\1/p'
}
booted() {
	"$erl" "$@" +S 1:1 +SDcpu 1:1 -noinput -boot start_clean -eval '
		io:format("~b~n", [lists:sum([element(2, lists:keyfind(carriers_size, 1, Figures))
			|| {instance, _, Sections} <- erlang:system_info({allocator, ll_alloc}),
			   {Section, Figures} <- Sections, Section =:= mbcs orelse Section =:= sbcs])]), halt().'
}
is old "SELECT count(DISTINCT value), min(value + 0) > 1000 FROM runtime_fact WHERE key = 'process_limit'" '1|1'
is old "SELECT count(DISTINCT value), min(value + 0) > 1000 FROM runtime_fact WHERE key = 'port_limit'" '1|1'
blocks=$(sqlite3 "$work/old.db" "SELECT sum(current) FROM snapshot_figure WHERE key = 'blocks_size' AND allocator_id =
	(SELECT max(allocator_id) FROM name_allocator WHERE name = 'll_alloc')
	AND snapshot_id = (SELECT max(snapshot_id) FROM snapshot_begin)")
for flags in '+MLacul 0' '+MLsbct 2048 +MLlmbcs 16384 +MLsmbcs 4096'; do
	# shellcheck disable=SC2086
	replayed=$(long_lived $flags)
	# shellcheck disable=SC2086
	node=$(booted $flags)
	[ "${replayed:-0}" -ge "${blocks:-1}" ] || fail "$flags: $replayed bytes of carriers for $blocks of blocks: $(cat "$work/err")"
	echo "ll_alloc with $flags: $replayed replayed, $node of a node, $blocks in blocks"
	off=$((replayed > node ? replayed - node : node - replayed))
	[ $off -le 1048576 ] || fail "$flags: $replayed bytes of carriers of ll_alloc, a node has $node"
done
# With less memory than it takes.
replays 2 --compare --memory-limit=20
grep -q "no memory for what the node had" "$work/err" || fail "not said: $(cat "$work/err")"
# A reading of more than can be: refused before it is made.
cp "$work/old.db" "$work/whole.db"
sqlite3 "$work/old.db" "UPDATE snapshot_figure SET current = current + (1 << 45) WHERE instance = 1
	AND key IN ('carriers_size', 'blocks_size') AND section = 'mbcs'"
replays 2 --compare
grep -q "needs more than [0-9]* MiB of carriers" "$work/err" || fail "not said: $(cat "$work/err")"
cp "$work/whole.db" "$work/old.db"

# A node that lets go of 60 MB: what stays is no surer than the peak.
records drained
"$erl" +S 1:1 +SDcpu 1:1 -noinput -boot start_clean -pa "$ebin" -eval '
	{ok, _} = carrierscope:start(),
	{ok, _} = carrierscope:snapshot(#{holders => 0}),
	{_, Monitor} = spawn_monitor(fun() -> L = [binary:copy(<<1>>, 60000 + I) || I <- lists:seq(1, 1000)],
		exit(length(L)) end),
	receive {_, Monitor, process, _, 1000} -> ok end,
	{ok, _} = carrierscope:snapshot(#{holders => 0}),
	{ok, _} = carrierscope:stop(), halt().' >"$work/out" 2>&1 || fail "the node ended with $?: $(cat "$work/out")"
loads drained
for flags in '' '+MBas aobf'; do
	# shellcheck disable=SC2086
	timeout 400 "$plugins/carrierscope" replay "$work/drained.db" --format csv -- $flags 2>"$work/err" | awk -F, '
		$1 == "all" { rows++; good = $5 < $2 / 2 && $6 <= $5 - 0.058 * $2 && $7 >= $5 + 0.058 * $2; print }
		END { exit !(rows == 1 && good) }' >"$work/out" || fail "the end of a drained node, '$flags': $(cat "$work/out" "$work/err")"
done

# Two schedulers, of which the second frees what the first has made; ten readings meanwhile.
records turns
"$erl" +S 2:2 +SDcpu 1:1 -noinput -boot start_clean -pa "$ebin" -eval '
	{ok, _} = carrierscope:start(),
	Freer = spawn_opt(fun L() -> receive {_, _} -> receive {go, From} -> ok end end,
		garbage_collect(), From ! ok, L() end, [{scheduler, 2}]),
	Make = fun(Me) -> fun() -> [begin Freer ! {binary:copy(<<1>>, 20000), N}, garbage_collect(),
		Freer ! {go, self()}, receive ok -> ok end end || N <- lists:seq(1, 20)], Me ! made end end,
	[begin spawn_opt(Make(self()), [{scheduler, 1}]), receive made -> ok end,
		{ok, _} = carrierscope:snapshot(#{holders => 0}) end || _ <- lists:seq(1, 10)],
	{ok, _} = carrierscope:stop(), halt().' >"$work/out" 2>&1 || fail "the node ended with $?: $(cat "$work/out")"
loads turns
# compares NAME: a replay of turns.db beside all readings, in $work/NAME.csv.
compares() {
	timeout 400 "$check" "$work/turns.db" --compare --replays=2 --follow="$work/$1.csv" >"$work/out" 2>"$work/err"
	[ $? -le 1 ] || fail "$1: $(cat "$work/err")"
}
# adds MORE INSTANCES: bytes in blocks of these instances, in all readings but the first and the last.
adds() {
	sqlite3 "$work/turns.db" "UPDATE snapshot_figure SET current = current + $1 WHERE $2
		AND section = 'mbcs' AND key IN ('blocks_size', 'carriers_size')
		AND snapshot_id > (SELECT min(snapshot_id) FROM snapshot_begin)
		AND snapshot_id < (SELECT max(snapshot_id) FROM snapshot_begin)"
}
binaries="instance = 1 AND allocator_id = (SELECT max(allocator_id) FROM name_allocator WHERE name = 'binary_alloc')"
compares counted
# A line for each reading.
lines=$(grep -c ',binary_alloc,1,' "$work/counted.csv")
[ "$lines" -ge 11 ] || fail "$lines lines: $(cat "$work/counted.csv")"
# Blocks that the node still had, of those that another scheduler freed, have waited.
adds 10000000 "$binaries"
compares more
grep -q '^% blocks that another thread freed waited for their owner for [1-9][0-9]*\.[0-9] ms' "$work/out" ||
	fail "nothing waited: $(grep '^%' "$work/out")"
# Instances that have fewer than the replay wait for nothing: all of them, as any may have waited a little.
adds -10000000 "$binaries"
adds "-(current / 2)" "instance >= 0"
compares fewer
! grep -q 'waited' "$work/out" || fail "waited: $(grep '^%' "$work/out")"

ends
