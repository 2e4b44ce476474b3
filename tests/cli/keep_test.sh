#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# keep_test.sh CARRIERSCOPE EBIN: `carrierscope keep` on a live node: an alarm, the node's end and the keeper's by
# kill -9, parts on disk, what stays behind and what is refused.
set -u
harness=$(dirname "$0")/../harness
# shellcheck source=../harness/own_daemon.sh
. "$harness/own_daemon.sh"
# shellcheck source=../harness/program.sh
. "$harness/program.sh"
needs lttng lttng-sessiond sqlite3 erl erl_call epmd
plain_erl
export LTTNG_HOME=$work LTTNG_UST_REGISTER_TIMEOUT=60000
# shellcheck source=../harness/named_node.sh
. "$harness/named_node.sh"
keeper=
cleanup() {
  [[ -z $keeper ]] || kill -9 "$keeper" 2>/dev/null
  ends_node
  # That of a keeper that was killed.
  left=$(cat "$work/out/.keeper" 2>/dev/null)
  [[ -z $left ]] || kill "$left" 2>/dev/null
  sleep 0.5
}

holding='
  Megabytes = fun(N) -> [binary:copy(<<"a">>, 1048576) || _ <- lists:seq(1, N)] end,
  spawn(fun() -> register(keeper, self()), (fun F(L) -> receive more -> F([Megabytes(40) | L]) end end)(Megabytes(30)) end).'
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
  [[ $(asked '{whereis(carrierscope_keeper), erlang:system_monitor(), persistent_term:get(carrierscope_keeper, none)}') == \
    '{ok, {undefined, undefined, none}}' ]] || fail "$1: something is left in the node"
  ! lttng --no-sessiond list 2>/dev/null | grep -q carrierscope-keep || fail "$1: a session is left"
  ! ls -d "$work"/out/.ring-* >/dev/null 2>&1 || fail "$1: a trace is left"
}

# An alarm: what was there before it is in the database, and a command runs.
keeps --alarm 'growth>35MiB' --on-alarm 'echo "$CARRIERSCOPE_REASON of $CARRIERSCOPE_NODE: $(head -n 1 "$CARRIERSCOPE_TEXT")"'
[[ $(ls "$work/out") == '' ]] || fail "files before an alarm: $(ls "$work/out")"
asked 'timer:sleep(2500), keeper ! more' >/dev/null
has_database growth
holds 'SELECT reason, threshold, value > 36700160 FROM alarm' 'growth|36700160|1'
holds "SELECT count(*) > 2 FROM snapshot_end" 1
holds "SELECT count(*) > 0 FROM option WHERE name = 'as'" 1
holds "SELECT low >= 73400320 FROM figure WHERE moment = 'end' AND allocator = 'binary_alloc' AND quantity = 'carriers_bytes'" 1
waits grep -q "^growth of $node: alarm of $node: growth is [34][0-9]" "$work/log" || fail "no command: $(cat "$work/log")"
grep -q 'keeper *binary_alloc\|keeper' "${database%.db}.txt" || fail 'no holder in the text'

# One keeper for a folder, and for a node.
refused() {
  local wanted=$1 text=$2
  shift 2
  PATH=${path:-$PATH} "$program" keep "$@" >"$work/refused" 2>"$work/err"
  local status=$?
  [[ $status -eq $wanted && $(wc -l <"$work/err") -eq 1 ]] || fail "keep $* ends with $status: $(cat "$work/refused")"
  grep -q -- "$text" "$work/err" || fail "keep $*: no '$text'"
  [[ ! -e $work/other/.ring-$! ]] || fail "keep $*: a trace"
}
refused 1 'another keeper uses the folder' --node "$node" -o "$work/out"
refused 1 'kept by another keeper' --node "$node" -o "$work/other"

# The keeper is killed: the next one judges the ring, and takes the node over.
kill -9 $keeper
wait $keeper 2>/dev/null
asked 'timer:sleep(1500), keeper ! more' >/dev/null
keeps --once --keep 2
has_database left
holds "SELECT count(*) > 2 FROM snapshot_end" 1
grep -q 'keeper' "${database%.db}.txt" || fail 'no holder in the ring that was left'
waits test "$(lttng --no-sessiond list | grep -c carrierscope-keep)" -eq 1 || fail 'the session of the killed keeper is left'

# The node is killed: who, when, how much.  What is older than the last two goes.
asked 'timer:sleep(1500)' >/dev/null
kill -9 "$node_pid"
wait "$node_pid" 2>/dev/null
has_database gone
wait $keeper || fail 'the end of the node is a failure'
holds "SELECT low >= 115343360 FROM figure WHERE moment = 'end' AND allocator = 'binary_alloc' AND quantity = 'carriers_bytes'" 1
grep -q "^$node@.*: " "$work/log" || fail "no verdict: $(cat "$work/log")"
[[ $(find "$work/out" -name '*.db' | wc -l) -eq 2 && $(find "$work/out" -name '*.txt' | wc -l) -eq 2 ]] ||
  fail "more than two are kept: $(ls "$work/out")"
! lttng --no-sessiond list >/dev/null 2>&1 || fail 'the daemon that the killed keeper started is left'

# A full disk: one sentence, and nothing is left.
if [[ -n ${CSC_OWN_MOUNTS:-} ]]; then
  mkdir "$work/full"
  mount -t tmpfs -o size=256k none "$work/full"
  starts_node "$holding"
  "$program" keep --node "$node" -o "$work/full" --snapshots 1s --once >"$work/log" 2>"$work/err" &
  keeper=$!
  waits grep -q 'is recorded' "$work/log" || fail 'nothing is recorded on a full disk'
  asked 'timer:sleep(3500)' >/dev/null
  kill -9 "$node_pid"
  wait "$node_pid" 2>/dev/null
  wait $keeper
  [[ $? -eq 1 && $(wc -l <"$work/err") -eq 1 ]] || fail 'a full disk is no failure'
  grep -q 'is gone: nothing is kept: ' "$work/err" || fail 'a full disk is not named'
  [[ $(ls -A "$work/full") == .keeper ]] || fail "a full disk: $(ls -A "$work/full")"
  umount "$work/full"
fi

# In parts on disk, with samples; a signal ends it, and the node is as before.
starts_node "$holding"
keeps --rotate 1h --sample 64KiB --alarm 'growth>35MiB'
asked 'timer:sleep(1500), keeper ! more' >/dev/null
has_database growth
holds "SELECT count(*) > 10 FROM sample_block" 1
holds "SELECT count(*) > 0 FROM alarm" 1
kill -TERM $keeper
wait $keeper || fail 'a signal is a failure'
left_nothing 'a signal'
[[ $(asked 'maps:get(hooked, carrierscope:info())') == '{ok, false}' ]] || fail 'the node is hooked'

refused 1 'cannot be reached\|failed to connect' --node "nobody$$" -o "$work/other"
: >"$work/file"
refused 1 'cannot write in the folder\|cannot make the folder' --node "$node" -o "$work/file"
refused 1 'too little for buffers' --node "$node" -o "$work/other" --memory 64KiB
mkdir "$work/bin"
ln -s "$(command -v erl_call)" "$work/bin/"
path=$work/bin
refused 1 "is lttng-tools installed" --node "$node" -o "$work/other"
path=
left_nothing refusals
refused 2 'which node' -o "$work/other"
refused 2 'a folder is needed' --node "$node"
refused 2 "growth>lots" --node "$node" -o "$work/other" --alarm 'growth>lots'
refused 2 "is for '--rotate'" --node "$node" -o "$work/other" --keep 1d
refused 2 'a time such as' --node "$node" -o "$work/other" --quiet 5y
rm -f "$work/err"
ends
