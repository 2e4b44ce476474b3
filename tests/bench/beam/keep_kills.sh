#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# keep_kills.sh CARRIERSCOPE [COUNT]: a node under load is kept and killed (SIGKILL) at COUNT (30) random moments.
# After each the ring is judged, and what is said of its carriers is compared with what the node wrote down itself
# every 10 ms: it must lie between the least and the most of its readings around that moment, and 1 MiB beyond: what a
# snapshot needs itself is gone again soon.
#
#   columns: run, seconds until the kill, likely bytes, and at least and at most, least and most of the node's own,
#   age of the last whole reading at the kill in s
. "$(dirname "$0")/../../harness/main.sh"
own_daemon "$@"
program=$1
count=${2:-30}
tests_program "$1"
needs lttng lttng-sessiond sqlite3
names_nodes
starts_daemon

# Binaries that come and go in steps of half a second, and a diary: time in ns, bytes of all carriers.
load='
  Sum = fun Sum({carriers_size, B, _, _}) -> B; Sum({carriers_size, B}) -> B; Sum(T) when is_tuple(T) -> Sum(tuple_to_list(T));
            Sum([H | T]) -> Sum(H) + Sum(T); Sum(_) -> 0 end,
  Names = erlang:system_info(alloc_util_allocators),
  spawn(fun() -> {ok, Diary} = file:open("'$work'/diary", [write, raw]), (fun F() ->
    Before = os:system_time(nanosecond),
    Bytes = Sum(erlang:system_info({allocator_sizes, Names})),
    file:write(Diary, io_lib:format("~b ~b ~b~n", [Before, os:system_time(nanosecond), Bytes])),
    timer:sleep(10), F() end)() end),
  spawn(fun() -> register(keeper, self()), (fun F(L) ->
    timer:sleep(500),
    Grown = [binary:copy(<<1>>, rand:uniform(200000)) || _ <- lists:seq(1, 250)] ++ L,
    F(case rand:uniform(5) of 1 -> []; _ -> lists:sublist(Grown, 3000) end) end)([]) end).'

right=0
undecided=0
for ((run = 1; run <= count; run++)); do
  starts_node "$load"
  rm -rf "$work/out"
  "$program" keep --node "$node" -o "$work/out" --snapshots 2s --once --alarm rss=off --alarm growth=off --alarm large_heap=off \
    --alarm long_gc=off >"$work/log" 2>"$work/err" &
  keeper=$!
  waits grep -q 'is recorded' "$work/log" || fail "run $run: $(cat "$work/log")"
  ms=$((RANDOM % 12000))
  sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
  kill -9 "$node_pid"
  killed=$(date +%s%N)
  wait "$node_pid" 2>/dev/null
  wait $keeper
  database=$(ls "$work"/out/*-gone.db 2>/dev/null)
  # A reading is taken between its first event and its last.
  when=$(sqlite3 "$database" "SELECT b.ts_ns, e.ts_ns FROM snapshot_end AS e JOIN snapshot_begin AS b USING (snapshot_id)
    ORDER BY e.id DESC LIMIT 1" | tr "|" " ")
  read -r from to <<<"$when"
  said=$(sqlite3 "$database" "SELECT likely, ts_ns, low, high FROM figure WHERE allocator = 'all' AND moment = 'end'
    AND quantity = 'carriers_bytes'" | tr '|' ' ')
  read -r likely at low high <<<"$said"
  # Not bounded: it was killed while it read itself, and what is likely is of the reading before.
  high=${high:-9223372036854775807}
  truth=$(awk -v from="${from:-0}" -v to="${to:-0}" '{ if ($1 > from - 2e8 && $2 < to + 2e8) { if (!n || $3 < least) least = $3; if ($3 > most) most = $3; n++ } }
    END { print n ? least " " most : "none none" }' "$work/diary")
  read -r least most <<<"$truth"
  verdict=wrong
  if [[ ${likely:-} && $least != none && $low -le $((most + 1048576)) && $high -ge $((least - 1048576)) ]]; then
    verdict=right
    right=$((right + 1))
  elif [[ $(awk 'END { print $2 }' "$work/diary") -lt ${to:-0} ]]; then
    # The diary ends before the reading.
    verdict=undecided
    undecided=$((undecided + 1))
  fi
  echo "$run $((ms / 1000)).$((ms % 1000 / 100)) ${likely:-none} $low..$high $least $most $(awk -v a="${to:-0}" -v k="$killed" 'BEGIN { printf "%.1f", (k - a) / 1e9 }') $verdict $(grep -m 1 "^$node@" "$work/log")"
done
echo "$right of $count are right, $undecided undecided: its own diary ends before its last reading"
rm -f "$work/err"
[[ $((right + undecided)) -eq $count ]] || fail 'some are wrong'
ends
