#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# keep_test.sh CARRIERSCOPE EBIN: `carrierscope keep` on a live node: an alarm, the node's end and the keeper's by
# kill -9, parts on disk, what stays behind and what is refused.
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
  sleep 0.5
}

# Gets 40 MiB more when it is asked to: at once, as an alarm may come between two binaries, or in many.
holding='
  Megabytes = fun(N) -> [binary:copy(<<"a">>, 1048576) || _ <- lists:seq(1, N)] end,
  spawn(fun() -> register(keeper, self()), (fun F(L) -> receive
    more -> F([binary:copy(<<"a">>, 41943040) | L]);
    many -> F([Megabytes(40) | L]) end end)(Megabytes(30)) end).'
starts_node "$holding"

# keeps ARGUMENT...: a keeper in the background, until the node is recorded.
keeps() {
  : >"$work/log"
  "$program" keep --node "$node" -o "$work/out" --snapshots 1s "$@" >"$work/log" 2>"$work/err" &
  keeper=$!
  waits grep -q 'is recorded' "$work/log" || fail "keep $*: nothing is recorded: $(cat "$work/log")"
}
# has_database REASON: its file, once it is written and the keeper has said so.
has_database() {
  waits grep -q "^kept in $work/out/[0-9-]*-$1.db" "$work/log" || {
    fail "no database of '$1': $(cat "$work/log")"
    return
  }
  database=$(sed -n "s/^kept in \(.*-$1.db\)/\1/p" "$work/log" | tail -n 1)
}
# holds SQL VALUE: of the last database.
holds() {
  local got
  got=$(sqlite3 "$database" "$1" 2>&1)
  [[ $got == "$2" ]] || fail "$database: $1: '$got', not '$2'"
}
# Nothing is left in the node, no session, and nothing but what was kept on disk.
left_nothing() {
  [[ $(asked '{whereis(carrierscope_keeper), erlang:system_monitor(), whereis(carrierscope_recorder)}') == \
    '{ok, {undefined, undefined, undefined}}' ]] || fail "$1: something is left in the node"
  ! lttng --no-sessiond list 2>/dev/null | grep -q carrierscope-keep || fail "$1: a session is left"
  ! ls -d "$work"/out/.ring-* >/dev/null 2>&1 || fail "$1: a trace is left"
}

# An alarm: what was there before it is in the database, all up to its last event, and a command runs.  LTTng itself took the ring.
keeps --alarm 'growth>35MiB' --sample-at-alarm 5s --on-alarm 'echo "$CARRIERSCOPE_REASON of $CARRIERSCOPE_NODE: $(head -n 1 "$CARRIERSCOPE_TEXT")"'
[[ $(ls "$work/out") == '' ]] || fail "files before an alarm: $(ls "$work/out")"
has_trigger() { lttng --no-sessiond list-triggers 2>/dev/null | grep -q "name: carrierscope-keep-"; }
waits has_trigger || fail 'LTTng has no trigger'
asked 'timer:sleep(5000)' >/dev/null
takes 4
asked 'keeper ! more' >/dev/null
has_database growth
holds 'SELECT max(ts_ns) = (SELECT last_ts_ns FROM source) FROM snapshot_end' 1
holds 'SELECT reason, threshold, value > 36700160 FROM alarm' 'growth|36700160|1'
"$program" report alarms "$database" | grep -q '  growth  .* 35.0 MiB .*s before, .* snapshots' || fail 'no report of the alarm'
holds "SELECT count(*) > 2 FROM snapshot_end" 1
holds "SELECT count(*) > 0 FROM option WHERE name = 'as'" 1
holds "SELECT low >= 73400320 FROM figure WHERE moment = 'end' AND allocator = 'binary_alloc' AND quantity = 'carriers_bytes'" 1
waits grep -q "^growth of $node: alarm of $node: growth is [34][0-9]" "$work/log" || fail "no command: $(cat "$work/log")"
grep -q 'keeper *binary_alloc\|keeper' "${database%.db}.txt" || fail 'no holder in the text'

# Then the node is hooked for a while: what was made then is kept, too.
has_samples() {
  asked '[binary:copy(<<1>>, 1000000) || _ <- lists:seq(1, 8)], ok' >/dev/null
  grep -q "^kept in .*-samples.db" "$work/log"
}
waits has_samples
has_database samples
holds 'SELECT count(*) > 0 FROM (SELECT id FROM sample_alloc UNION ALL SELECT id FROM sample_alloc_by_process)' 1
holds 'SELECT count(*) FROM alarm' 1
[[ $(asked 'maps:get(hooked, carrierscope:info())') == '{ok, false}' ]] || fail 'the node stays hooked after the samples'

# One keeper for a folder, and for a node.
refused() {
  local wanted=$1 text=$2
  shift 2
  : >"$work/refused"
  local before
  before=$(left)
  PATH=${path:-$PATH} "$program" keep "$@" >"$work/refused" 2>"$work/err"
  local status=$?
  [[ $status -eq $wanted && $(wc -l <"$work/err") -eq 1 ]] || fail "keep $* ends with $status: $(cat "$work/refused")"
  grep -q -- "$text" "$work/err" || fail "keep $*: no '$text'"
  [[ $(left) == "$before" ]] || fail "keep $*: left behind: $(left)"
}
refused 1 'another keeper uses the folder' --node "$node" -o "$work/out"
refused 1 'kept by another keeper already, carrierscope keep .*(OS pid [0-9]* of .* on .*), since 20[0-9-]*T' --node "$node" -o "$work/other"

# The keeper is killed: the next one judges the ring, and takes the node over.
kill -9 $keeper
wait $keeper 2>/dev/null
asked 'timer:sleep(4000), keeper ! more' >/dev/null
keeps --once --keep 2
has_database left
holds "SELECT count(*) > 2 FROM snapshot_end" 1
grep -q 'keeper' "${database%.db}.txt" || fail 'no holder in the ring that was left'
has_one_session() { [[ $(lttng --no-sessiond list | grep -c carrierscope-keep) -eq 1 ]]; }
waits has_one_session || fail 'the session of the killed keeper is left'

# The node is killed: who, when, how much.  What is older than the last two goes.
takes 2
kill -9 "$node_pid"
wait "$node_pid" 2>/dev/null
has_database gone
wait $keeper || fail 'the end of the node is a failure'
holds "SELECT low >= 115343360 FROM figure WHERE moment = 'end' AND allocator = 'binary_alloc' AND quantity = 'carriers_bytes'" 1
grep -q "^[A-Z][A-Z ,]*: " "$work/log" && grep -q "^$node@.*, .* UTC" "$work/log" || fail "no verdict: $(cat "$work/log")"
[[ $(find "$work/out" -name '*.db' | wc -l) -eq 2 && $(find "$work/out" -name '*.txt' | wc -l) -eq 2 ]] ||
  fail "more than two are kept: $(ls "$work/out")"
! lttng --no-sessiond list >/dev/null 2>&1 || fail 'the daemon that the killed keeper started is left'

# A full disk at the node's end: one sentence, the ring waits, also for the next keeper, until there is room.  The ring of hours
# holds as long as it is to (the time compressed: 15 snapshots instead of 1,440), where that of the last minutes has less.
if [[ -n ${CSC_OWN_MOUNTS:-} ]]; then
  mkdir "$work/full"
  mount -t tmpfs -o size=256k none "$work/full"
  starts_node "$holding"
  full=("$program" keep --node "$node" -o "$work/full" --snapshots 1s --memory 4MiB --history 15s --sample-at-alarm off --once)
  "${full[@]}" >"$work/log" 2>"$work/err" &
  keeper=$!
  waits grep -q 'is recorded' "$work/log" || fail 'nothing is recorded on a full disk'
  asked 'timer:sleep(16500)' >/dev/null
  takes 16
  kill -9 "$node_pid"
  wait "$node_pid" 2>/dev/null
  waits grep -q 'stays in memory' "$work/err" || fail 'a full disk is not named'
  kill -TERM $keeper
  wait $keeper && fail 'a full disk is no failure'
  [[ $(wc -l <"$work/err") -eq 2 && $(ls -A "$work/full") == .keeper ]] || fail "a full disk: $(cat "$work/err"; ls -A "$work/full")"
  starts_node "$holding"
  "${full[@]}" >"$work/log" 2>"$work/err" &
  keeper=$!
  waits grep -q 'stays in memory' "$work/err" || fail 'the next keeper does not name a full disk'
  mount -o remount,size=200m "$work/full"
  waits grep -q "^kept in $work/full/.*-left.db" "$work/log" || fail "nothing is kept when there is room: $(cat "$work/log" "$work/err")"
  database=$(sed -n 's/^kept in //p' "$work/log")
  # A sub-buffer of it may be overwritten before the 15 s are over.  How far back the
  # other ring goes depends on the processors that the node's scheduler ran on.
  holds 'SELECT min(ts_ns) < (SELECT max(ts_ns) FROM snapshot_end) - 8000000000 FROM snapshot_end WHERE snapshot_id & 1' 1
  holds 'SELECT count(*) BETWEEN 2 AND 10 FROM snapshot_end WHERE snapshot_id & 1' 1
  holds 'SELECT count(*) > 1 FROM snapshot_end WHERE NOT snapshot_id & 1' 1
  waits grep -q 'is recorded' "$work/log" || fail 'the node is not recorded once there is room'
  kill -TERM $keeper
  wait $keeper || fail 'a signal is a failure where the disk was full'
  kill -9 "$node_pid"
  wait "$node_pid" 2>/dev/null
  umount "$work/full"
fi

# Another user's node: nothing stays of what the session had on disk already, and what was there before stays.
if [[ $(id -u) -eq 0 ]] && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$program" 2>/dev/null; then
  starts_node "$holding"
  mkdir -p "$work/user/there"
  chmod 711 "$work"
  install -m 400 "$work/.erlang.cookie" "$work/user/"
  chown -R 65534:65534 "$work/user"
  for folder in there new; do
    HOME=$work/user LTTNG_HOME=$work/user TMPDIR=$work/user setpriv --reuid=65534 --regid=65534 --clear-groups \
      "$program" keep -o "$work/user/$folder" --node "$node" --rotate 1h --to http://127.0.0.1:1/fleet >"$work/log" 2>"$work/err" &&
      fail "another user's node is kept"
    [[ $(wc -l <"$work/err") -eq 1 ]] && grep -q "is of user 'root'" "$work/err" || fail "another user's node: $(cat "$work/err")"
  done
  [[ $(cd "$work/user" && find . -path ./.lttng -prune -o -print | sort | tr '\n' ' ') == '. ./.erlang.cookie ./there ' ]] ||
    fail "left behind of another user's node: $(find "$work/user")"
  kill -9 "$node_pid"
  wait "$node_pid" 2>/dev/null
fi

# In parts on disk, with samples; a signal ends it, and the node is as before.
# Its control group, of which the kernel's files are a test's own, has used half of its limit, and later nearly all.
kernel=$work/kernel
mkdir -p "$kernel/proc/self" "$kernel/cg/a"
echo '35 24 0:30 / /cg rw - cgroup2 cgroup2 rw' >"$kernel/proc/self/mountinfo"
echo '0::/a' >"$kernel/proc/self/cgroup"
echo 107374182400 >"$kernel/cg/a/memory.max"
echo 'inactive_file 1073741824' >"$kernel/cg/a/memory.stat"
echo 54760833024 >"$kernel/cg/a/memory.current"
CARRIERSCOPE_KERNEL_FILES=$kernel starts_node "$holding"
# An alarm of its first look is seen by LTTng as well: the ring ends with that snapshot, before samples begin.
keeps --alarm 'rss>1MiB' --sample-at-alarm 30s
has_database rss
holds 'SELECT count(*) FROM hook_begin' 0
holds 'SELECT max(ts_ns) = (SELECT last_ts_ns FROM source) FROM snapshot_end' 1
kill -TERM $keeper
wait $keeper || fail 'a signal after an alarm is a failure'
left_nothing 'an alarm of the first look'
# A part may be ending by its timer when the alarm comes.
keeps --rotate 1s --keep 1d --sample 64KiB --alarm 'growth>35MiB'
takes 2
asked 'keeper ! many' >/dev/null
has_database growth
holds "SELECT count(*) > 10 FROM sample_block" 1
holds "SELECT count(*) > 0 FROM alarm" 1
! grep -q cgroup "$work/log" || fail "an alarm of half of a control group: $(cat "$work/log")"
# One file is not there: what that means is said once.
[[ $(grep -c 'is recorded; /proc/meminfo cannot be read (enoent): no alarm is raised of rss_share$' "$work/log") -eq 1 ]] ||
  fail "not said what cannot be read: $(cat "$work/log")"
# The limit is doubled, and the group uses 96 % of what it was: no alarm.  Then 98 %, of which 0.5 % are pages of files that nobody uses.
loads_twice
echo 214748364800 >"$kernel/cg/a/memory.max"
echo 103079215104 >"$kernel/cg/a/memory.current"
asked 'timer:sleep(2500)' >/dev/null
echo 210453397504 >"$kernel/cg/a/memory.current"
has_database cgroup_share
grep -q 'cgroup_share is 97 %, more than 90 %' "$work/log" || fail "not the share of the control group: $(cat "$work/log")"
holds "SELECT count(*) FROM alarm WHERE reason = 'cgroup_share' AND value = 97 AND threshold = 90" 1
kill -TERM $keeper
wait $keeper || fail 'a signal is a failure'
left_nothing 'a signal'
[[ $(asked 'maps:get(hooked, carrierscope:info())') == '{ok, false}' ]] || fail 'the node is hooked'

refused 1 'cannot be reached\|failed to connect' --node "nobody$$" -o "$work/other"
: >"$work/file"
refused 1 'cannot write in the folder\|cannot make the folder' --node "$node" -o "$work/file"
refused 1 'too little memory for buffers' --node "$node" -o "$work/other" --memory 64KiB
mkdir "$work/bin"
ln -s "$(command -v erl_call)" "$work/bin/"
path=$work/bin
refused 1 "is lttng-tools installed" --node "$node" --sample 512KiB -o "$work/other"
path=
left_nothing refusals
refused 2 'which node' -o "$work/other"
refused 2 'a folder is needed' --node "$node"
refused 2 "growth>lots" --node "$node" -o "$work/other" --alarm 'growth>lots'
refused 2 "is for '--rotate'" --node "$node" -o "$work/other" --keep 1d
refused 2 'a time such as' --node "$node" -o "$work/other" --quiet 5y
refused 2 'from 1 to 100000 alarms' --node "$node" -o "$work/other" --keep 0
refused 2 'from 1 to 100000 alarms' --node "$node" -o "$work/other" --rotate 1h --keep 100001
for length in 4295s 2h 365d; do
  refused 2 'from 1s to 71m' --node "$node" -o "$work/other" --rotate "$length"
done
refused 2 'at most 30d' --node "$node" -o "$work/other" --snapshots 50d
refused 2 'at most 30d' --node "$node" -o "$work/other" --quiet 50d
refused 2 'a number of bytes' --node "$node" -o "$work/other" --memory '1 '
rm -f "$work/err"

# The last words of a node that samples were kept of: they name the function, where the node's stacks can be read.
kill -9 "$node_pid"
wait "$node_pid" 2>/dev/null
cat >"$work/hoard.erl" <<'END'
-module(hoard).
-export([keeps/1]).
keeps(Kept) -> timer:sleep(5), keeps([makes() | Kept]).
makes() -> Made = binary:copy(<<1>>, 30000), 30000 = byte_size(Made), Made.
END
erlc -o "$work" "$work/hoard.erl" || fail 'the module that hoards'
starts_node "{module, hoard} = code:load_abs(\"$work/hoard\"), spawn(fun() -> register(keeper, self()), receive begins -> hoard:keeps([]) end end)."
keeps --sample 64KiB --once --alarm growth=off
asked 'keeper ! begins, timer:sleep(8000)' >/dev/null
takes 8
has_hoarded() { [[ $(asked 'erlang:memory(binary) > 30000000') == '{ok, true}' ]]; }
waits has_hoarded || fail 'the node does not hoard'
takes 12
kill -9 "$node_pid"
wait "$node_pid" 2>/dev/null
has_database gone
wait $keeper || fail 'the end of a sampled node is a failure'
keeper=
tr -s '\n ' ' ' <"${database%.db}.txt" >"$work/words"
if [[ $(sqlite3 "$database" "SELECT DISTINCT value FROM runtime_fact WHERE key = 'stack_found_by'") == off* ]]; then
  echo "SKIPPED: the function in the last words: stacks cannot be read here"
else
  grep -q 'Look at hoard:makes/0 (hoard.erl:[0-9]*), which made [0-9]* % of what grew in binary_alloc' "$work/words" || fail "the last words name no function: $(cat "$work/words")"
fi
ends
