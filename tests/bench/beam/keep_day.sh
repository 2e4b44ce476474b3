#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# keep_day.sh CARRIERSCOPE [SECONDS]: a day of alarms in SECONDS (1800): a node is kept, and each 8 to 16 s a process of it
# has a large heap, which is an alarm; each alarm hooks the node for 2 s of samples (a day has 144 alarms of a rule at most, as it
# is silent for 10 minutes after each).
#
#   a line each minute: seconds; heaps made; alarms of the node, its toggles; databases; Pss in KiB of the node, of the keeper,
#   of LTTng's daemons (buffers are shared: each has its part); file descriptors of the keeper and the node
#
# At the end each heap must be an alarm of a kept database.  Exit status 1: one is lost, or something is left behind.
. "$(dirname "$0")/../../harness/main.sh"
own_daemon "$@"
program=$1
seconds=${2:-1800}
tests_program "$1"
needs lttng lttng-sessiond sqlite3
names_nodes
starts_daemon

# Some traffic all the time, and a heap of 64 MiB now and then; `heaps` counts them.
load='
  spawn(fun F() -> [binary:copy(<<1>>, rand:uniform(5000)) || _ <- lists:seq(1, 200)], timer:sleep(20), F() end),
  spawn(fun() -> register(keeper, self()), receive never -> ok end end),
  register(heaps, spawn(fun() -> ets:new(heaps, [named_table, public]), ets:insert(heaps, {made, 0}), receive
    begin_now -> (fun G() -> timer:sleep(8000 + rand:uniform(8000)), ets:update_counter(heaps, made, 1),
      spawn(fun() -> L = lists:seq(1, 4000000), erlang:garbage_collect(), timer:sleep(100), length(L) end), G() end)() end end)).'
starts_node "$load"
"$program" keep --node "$node" -o "$work/out" --keep 100000 --alarm rss=off --alarm cgroup=off --alarm growth=off \
  --alarm long_gc=off --alarm 'large_heap>24MiB' --quiet 5s --sample-at-alarm 2s >"$work/log" 2>"$work/err" &
keeper=$!
waits grep -q 'is recorded' "$work/log" || fail "nothing is recorded: $(cat "$work/log" "$work/err")"
asked 'heaps ! begin_now' >/dev/null

# Pss in KiB of processes with these pids.
pss() {
  local pid
  for pid; do
    cat "/proc/$pid/smaps_rollup"
  done 2>/dev/null | awk '/^Pss:/ { sum += $2 } END { print sum + 0 }'
}
# Those of this namespace of mounts: other session daemons may run.
daemons() {
  local pid
  for pid in $(pgrep -f '^lttng-(sessiond|consumerd)'); do
    [ "/proc/$pid/ns/mnt" -ef /proc/self/ns/mnt ] && echo "$pid"
  done
}
# How much there is of everything.
line() {
  local answer
  answer=$(asked 'string:tokens(carrierscope_keeper:status(), " ")' | tr -dc '0-9," ')
  echo "$SECONDS $(asked 'ets:lookup_element(heaps, made, 2)' | tr -dc 0-9) $(echo "$answer" | cut -d, -f3,4 | tr -dc '0-9,') \
$(find "$work/out" -name '*.db' | wc -l) $(pss "$node_pid") $(pss "$keeper") $(pss $(daemons)) \
$(ls /proc/$keeper/fd | wc -l) $(ls "/proc/$node_pid/fd" | wc -l)"
}
SECONDS=0
while ((SECONDS < seconds)); do
  sleep 60
  line
done
# The last alarm and its samples are judged.
made=$(asked 'begin M = ets:lookup_element(heaps, made, 2), exit(whereis(heaps), kill), M end' | tr -dc 0-9)
alarms=$(asked 'begin timer:sleep(3000), string:tokens(carrierscope_keeper:status(), " ") end' | tr -dc '0-9,' | cut -d, -f3)
kept_alarms() {
  local database
  for database in "$work"/out/*.db; do
    sqlite3 "$database" 'SELECT ts_ns FROM alarm' 2>/dev/null
  done | sort -u | wc -l
}
all_are_kept() {
  kept=$(kept_alarms)
  [[ $kept -ge $made && $kept -ge $alarms ]]
}
waits all_are_kept
toggles=$(find "$work/out" -name '*-samples*.db' | wc -l)
echo "heaps $made, alarms of the node $alarms, in databases $kept, databases of samples $toggles"
[[ $kept -ge $made && $kept -ge $alarms ]] || fail "$made heaps and $alarms alarms, but $kept alarms are kept"
kill -TERM $keeper
wait $keeper || fail 'the keeper failed'
[[ $(asked 'maps:get(hooked, carrierscope:info())') == '{ok, false}' ]] || fail 'the node stays hooked'
! lttng --no-sessiond list 2>/dev/null | grep -q carrierscope-keep || fail 'a session is left'
[[ -s $work/err ]] && cat "$work/err"
rm -f "$work/err"
ends
