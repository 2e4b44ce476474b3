#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# keep_many_test.sh CARRIERSCOPE: `carrierscope keep` with its default memory on a node of 64 schedulers, whose snapshots are
# larger than the ring of a processor: they leave out what is 0, and their sums stay.
. "$(dirname "$0")/../harness/main.sh"
own_daemon "$@"
tests_program "$1"
needs lttng lttng-sessiond sqlite3
names_nodes
keeper=
cleanup() {
  [[ -z $keeper ]] || kill -9 "$keeper" 2>/dev/null
  ends_node
  # What the killed keeper left.
  "$program" record --clean >/dev/null 2>&1
}

ERL_AFLAGS='+S 64:64' starts_node '
  spawn(fun() -> register(keeper, self()),
    (fun F(L) -> receive more -> F(L) end end)([binary:copy(<<"a">>, 1048576) || _ <- lists:seq(1, 30)]) end).'
"$program" keep "$node" -o "$work/out" --snapshots 1s --once --alarm growth=off >"$work/log" 2>"$work/err" &
keeper=$!
waits grep -q 'is recorded' "$work/log" || fail "nothing is recorded: $(cat "$work/log" "$work/err")"
! grep -q 'a snapshot of this node takes' "$work/log" "$work/err" || fail "a snapshot is too large: $(cat "$work/log" "$work/err")"

# What is left out of so many figures: all, none, as many as there are without those of 0, and fewer.  Which facts, and
# whether all is within the bound, and sums are equal.
instances=$(asked 'length(erlang:system_info({allocator, binary_alloc}))' | tr -dc 0-9)
[[ $instances -ge 65 ]] || fail "binary_alloc has $instances instances"
got=$(asked '
  Numbers = carrierscope_native:allocators(),
  Rows = carrierscope_snapshot:rows(7, Numbers),
  Count = fun(Some) -> length(lists:usort([I || {instance, _, A, I, _, _, _, _, _} <- Some, A > 0])) end,
  {Needed, _} = carrierscope_snapshot:fit(Rows, length(Rows) - 1),
  {Summed, _} = carrierscope_snapshot:fit(Rows, length(Needed) - 1),
  [{length(Facts), length(Fit) =< Most, carrierscope_snapshot:sums(Fit, Numbers) =:= carrierscope_snapshot:sums(Rows, Numbers),
    Count(Fit)} || Most <- [length(Rows), length(Needed), length(Summed)],
                   {Fit, Facts} <- [carrierscope_snapshot:fit(Rows, Most)]] ++ [length(Summed) < 1000]' | tr -d ' \n')
[[ $got == "{ok,[{0,true,true,$instances},{1,true,true,$instances},{1,true,true,2},true]}" ]] || fail "what is left out: $got"

# Three and more are read later; a busy machine's node may stand still for long.
has_taken() {
  local taken
  taken=$(asked 'lists:nth(3, string:tokens(lists:nthtail(6, carrierscope_keeper:status()), " "))' | tr -dc 0-9)
  [[ ${taken:-0} -ge 4 ]]
}
waits has_taken || fail "the keeper takes no snapshots: $(asked 'carrierscope_keeper:status()')"
kill -9 "$node_pid"
wait "$node_pid" 2>/dev/null
wait $keeper || fail "the end of the node is a failure: $(cat "$work/log")"
keeper=
database=$(ls "$work"/out/*-gone.db)
# holds SQL VALUE
holds() {
  local got
  got=$(sqlite3 "$database" "$1" 2>&1)
  [[ $got == "$2" ]] || fail "$1: '$got', not '$2'"
}
holds 'SELECT count(*) > 2 FROM snapshot_end' 1
holds "SELECT count(DISTINCT value) FROM runtime_fact WHERE key = 'snapshot_figures'" 1
holds "SELECT count(*) > 0 FROM report_node WHERE fact = 'snapshot_figures' AND value LIKE 'figures that are 0 are left out%'" 1
holds "SELECT low >= 31457280 AND high < 60000000 FROM figure WHERE moment = 'end' AND allocator = 'binary_alloc' AND quantity = 'carriers_bytes'" 1
grep -q "^[A-Z][A-Z ,]*: " "$work/log" && grep -q "^$node@.*, .* UTC" "$work/log" || fail "no verdict: $(cat "$work/log")"
holds "SELECT count(*) > 0 FROM holder WHERE name LIKE '%keeper%'" 1
rm -f "$work/err"
ends
