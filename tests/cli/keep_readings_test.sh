#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# keep_readings_test.sh CARRIERSCOPE: `carrierscope keep` of a node that has nothing of ours: an alarm, the node's end and the
# keeper's by kill -9, the end of both by a signal, and what stays behind.
. "$(dirname "$0")/../harness/main.sh"
tests_program "$1"
needs sqlite3
names_nodes
keeper=
cleanup() {
  [[ -z $keeper ]] || kill -9 "$keeper" 2>/dev/null
  ends_node
  sleep 0.5
}

holding='
  spawn(fun() -> register(keeper, self()), (fun F(L) -> receive
    {more, N} -> F([[binary:copy(<<"a">>, 1048576) || _ <- lists:seq(1, N)] | L]) end end)([]) end).'
starts_node "$holding"

# keeps ARGUMENT...: a keeper in the background, until the node is read.
keeps() {
  : >"$work/log"
  "$program" keep --ebin /nowhere -o "$work/out" --snapshots 1s "$@" >"$work/log" 2>"$work/err" </dev/null &
  keeper=$!
  waits grep -q 'is recorded by readings' "$work/log" || fail "keep $*: nothing is read: $(cat "$work/log" "$work/err")"
}
# Kept for REASON: its file, once the keeper has said so.
has_database() {
  waits grep -q "^kept in $work/out/[0-9-]*-$1.db" "$work/log" || fail "no database of '$1': $(cat "$work/log")"
  database=$(sed -n "s/^kept in \(.*-$1.db\)/\1/p" "$work/log" | tail -n 1)
}
# holds SQL VALUE: of the last database.
holds() {
  local got
  got=$(sqlite3 "$database" "$1" 2>&1)
  [[ $got == "$2" ]] || fail "$database: $1: '$got', not '$2'"
}
names_keeper() {
  holds "SELECT count(*) FROM load_problem" 0
  grep -q '^[0-9. MiB]*.*<[0-9.]*> keeper' "${database%.db}.txt" || fail "the text of $1 does not name the holder: $(cat "${database%.db}.txt")"
}
has_none() {
  [[ $(asked '{erlang:module_loaded(carrierscope_pushed), [N || N <- registered(), lists:prefix("carrierscope", atom_to_list(N))], erlang:system_monitor()}') == \
    '{ok, {false, [], undefined}}' ]]
}

# An alarm of a process that holds binaries.
keeps --node "$node" --alarm 'growth>60MiB'
[[ $(wc -l <"$work/err") -eq 1 ]] || fail "not one line: $(cat "$work/err")"
grep -q '^carrierscope: only readings are kept, no samples at an alarm, .*finds no module carrierscope' "$work/err" || fail 'nobody says what is missing'
# Several readings before it, three times as much as the first, however long a busy machine's node stands still.
snapshots() { cat "$work"/out/.left-*/*/readings_0 2>/dev/null | wc -c; }
has_written() { [[ $(snapshots) -gt $1 ]]; }
waits has_written 0 || fail 'no reading'
waits has_written $((3 * $(snapshots))) || fail 'no more readings'
asked 'timer:sleep(2000), keeper ! {more, 100}' >/dev/null
has_database growth
grep -q "alarm of $node: growth is " "$work/log" || fail "no alarm: $(cat "$work/log")"
holds 'SELECT reason, threshold, value > threshold FROM alarm' 'growth|62914560|1'
holds 'SELECT count(*) > 2 FROM snapshot_end' 1
names_keeper alarm

# The keeper is killed: what it read is judged by the next one, and the node is free until then.
kill -9 $keeper
wait $keeper 2>/dev/null
waits has_none || fail 'a killed keeper leaves something in the node'
ls -d "$work"/out/.left-* >/dev/null || fail 'what a killed keeper read is gone'
keeps --node "$node" --alarm growth=off --once
has_database left
names_keeper left
[[ $(find "$work/out" -name '.left-*' | wc -l) -eq 1 ]] || fail "what was judged is left: $(ls -a "$work/out")"

# The node is killed: what came out before is judged.
asked 'keeper ! {more, 60}' >/dev/null
waits has_written $(($(snapshots) + 60000)) || fail 'no readings'
kill -9 "$node_pid"
wait "$node_pid" 2>/dev/null
node_pid=
has_database gone
names_keeper gone
# Of the last whole reading: the node may have been killed in the midst of one.
holds "SELECT sum(binaries) > 0 FROM snapshot_process WHERE snapshot_id = (SELECT max(snapshot_id) FROM snapshot_process
  WHERE snapshot_id IN (SELECT snapshot_id FROM snapshot_end))" 1
wait $keeper || fail "the keeper fails: $(cat "$work/err")"
keeper=
[[ -z $(find "$work/out" -name '.left-*' -o -name '.ring-*') ]] || fail "a trace is left: $(ls -a "$work/out")"

# By a command; an interrupt ends it, and nothing is left.
starts_node "$holding"
cat >"$work/erlang" <<END
#!/bin/sh
exec erl -noinput -hidden -sname "via\$\$" -eval '
  [Text] = init:get_plain_arguments(), {ok, Tokens, _} = erl_scan:string(Text), {ok, Forms} = erl_parse:parse_exprs(Tokens),
  io:format("~0P~n", [rpc:call(list_to_atom("$node" ++ string:find(atom_to_list(node()), "@")), erl_eval, exprs, [Forms, []]), 40]), halt().' -extra "\$1"
END
chmod +x "$work/erlang"
keeps --via "$work/erlang" --alarm 'large_heap>30MiB'
asked 'spawn(fun() -> register(heap, self()), L = lists:seq(1, 4000000), receive stop -> length(L) end end)' >/dev/null
has_database large_heap
grep -q 'large_heap is .*, in <[0-9.]*> heap$' "$work/log" || fail "no alarm of the heap: $(cat "$work/log")"
kill -TERM $keeper
wait $keeper || fail "an interrupted keeper: $(cat "$work/err")"
keeper=
waits has_none || fail 'an interrupted keeper leaves something in the node'
[[ -z $(find "$work/out" -name '.left-*') ]] || fail "a trace is left: $(ls -a "$work/out")"

# Growth from part to part: each gets less than the alarm is of.
# part: the last that is being written.
part() { ls -d "$work"/out/.left-*/[0-9]* 2>/dev/null | sed 's/.*[/]//' | sort -n | tail -n 1; }
has_part_after() { local now; now=$(part); [[ -n $now && $now -gt $1 ]]; }
waits_part() {
  local last
  last=$(part)
  waits has_part_after "${last:--1}" || fail "no part after $last"
}
rm -rf "$work/out"
keeps --node "$node" --alarm 'growth>60MiB' --alarm large_heap=off --history 16s
for more in {1..40}; do
  waits_part
  asked 'keeper ! {more, 25}' >/dev/null
  ! grep -q "^kept in $work/out/[0-9-]*-growth.db" "$work/log" || break
done
has_database growth
[[ $more -gt 2 ]] || fail "an alarm after $more parts, of 25 MiB each"
names_keeper 'growth from part to part'
kill -TERM $keeper
wait $keeper || fail "an interrupted keeper: $(cat "$work/err")"
keeper=

# The node is started again between two parts, and has at once more than the alarm is of.
cat >"$work/gated" <<END
#!/bin/sh
while [ -e "$work/closed" ]; do : >"$work/waits"; sleep 0.1; done
exec "$work/erlang" "\$1"
END
chmod +x "$work/gated"
rm -rf "$work/out"
asked 'keeper ! {more, 1}' >/dev/null
keeps --via "$work/gated" --alarm 'growth>60MiB' --alarm large_heap=off --history 16s
first_pid=$(asked 'list_to_integer(os:getpid())' | tr -dc '0-9 ' | tr -d ' ')
waits_part
: >"$work/closed"
rm -f "$work/waits"
waits test -e "$work/waits" || fail 'no part ends'
kill -9 "$node_pid"
wait "$node_pid" 2>/dev/null
starts_node "$holding"
asked 'keeper ! {more, 200}' >/dev/null
has_all() { [[ $(asked 'erlang:memory(binary) > 209715200') == '{ok, true}' ]]; }
waits has_all || fail 'the node does not get what it was asked for'
rm "$work/closed"
has_database gone
grep -q 'was started again: a new life begins$' "$work/log" || fail "nobody says that the node was started again: $(cat "$work/log")"
holds 'SELECT count(*), min(vpid) FROM runtime' "1|$first_pid"
waits_part
waits_part
! grep -q '^alarm of .*growth' "$work/log" || fail "growth from life to life: $(cat "$work/log")"
kill -TERM $keeper
wait $keeper || fail "an interrupted keeper: $(cat "$work/err")"
keeper=
[[ -z $(find "$work/out" -name '.left-*') ]] || fail "a trace is left: $(ls -a "$work/out")"

# What needs the module is refused without it.
for way in '--sample 512KiB' '--rotate 10m'; do
  # shellcheck disable=SC2086
  timeout 400 "$program" keep --node "$node" --ebin /nowhere -o "$work/refused" $way >"$work/refused.log" 2>"$work/err" && fail "keep $way without the module"
  grep -q 'finds no module carrierscope' "$work/err" && [[ $(wc -l <"$work/err") -eq 1 ]] || fail "keep $way: $(cat "$work/err")"
done
ends
