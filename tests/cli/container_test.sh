#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# container_test.sh CARRIERSCOPE EBIN: a node in namespaces of its own, where it is process 1, is recorded from outside, and the
# function that makes what it keeps is named.
. "$(dirname "$0")/../harness/main.sh"
ebin=$(cd "$2" && pwd)
own_daemon "$@"
tests_program "$1"

needs lttng lttng-sessiond sqlite3 erl erlc erl_call epmd unshare
unshare --pid --fork --mount-proc true 2>/dev/null || skip "namespaces cannot be made here"
plain_erl
export LTTNG_HOME=$work LTTNG_UST_REGISTER_TIMEOUT=60000
names_nodes
outside=
epmd_pid=
cleanup() {
  # All of a pid namespace ends with its first process.
  [[ -z $outside ]] || pkill -9 -P "$outside" 2>/dev/null
  [[ -z $outside ]] || kill -9 "$outside" 2>/dev/null
  kill "$epmd_pid" 2>/dev/null
  ends_daemon
}
starts_daemon "$work/daemon.log" || skip "$(cat "$work/daemon.log")"
epmd -port "$ERL_EPMD_PORT" >/dev/null 2>&1 &
epmd_pid=$!

name=contained$$
cat >"$work/hoard.erl" <<'END'
-module(hoard).
-export([start/0]).
start() -> register(hoarder, spawn(fun() -> keeps([]) end)).
keeps(Kept) -> timer:sleep(5), keeps([makes() | Kept]).
makes() -> Made = binary:copy(<<1>>, 30000), 30000 = byte_size(Made), Made.
END
erlc -o "$work" "$work/hoard.erl"
unshare --pid --fork --mount-proc --uts --ipc erl -noinput -sname "$name" -setcookie contained -pa "$ebin" "$work" -run hoard start \
  >"$work/node.log" 2>&1 &
outside=$!
mkdir -p "$work/home"
(umask 077 && printf contained >"$work/home/.erlang.cookie")
export HOME=$work/home
answers() {
  [[ $(timeout 100 erl_call -sname "$name" -c contained -a 'os getpid' 2>/dev/null) == '"1"' ]]
}
waits answers || fail "the node in namespaces does not answer as process 1: $(cat "$work/node.log")"

for way in '--sample 64KiB' --every-block; do
  # Again where a busy machine hides the growth.
  for times in 6 12 24 48; do
    # shellcheck disable=SC2086
    timeout 400 "$program" record "$name" $way --seconds $times -f -o "$work/run.db" >"$work/out" 2>"$work/err" ||
      fail "record $way from outside: $(cat "$work/out" "$work/err")"
    ! tr '\n' ' ' <"$work/out" | grep -q 'hoarder gains' || break
  done
  ! grep -q 'no blocks are recorded' "$work/err" || fail "record $way has read the node only: $(cat "$work/err")"
  tr '\n' ' ' <"$work/out" | grep -q 'hoarder gains' || fail "record $way does not name who grows: $(head -5 "$work/out")"
  blocks=$(sqlite3 "$work/run.db" 'SELECT (SELECT count(*) FROM block_event) + (SELECT count(*) FROM sample_alloc_by_process)')
  [[ $blocks -gt 100 ]] || fail "record $way has recorded $blocks blocks"
  [[ $way != --sample* ]] || mv "$work/run.db" "$work/sampled.db"
  [[ $way != --sample* ]] || tr -s '\n ' ' ' <"$work/out" >"$work/answer"
done

# Where the node's stacks can be read.
found=$(sqlite3 "$work/sampled.db" "SELECT DISTINCT value FROM runtime_fact WHERE key = 'stack_found_by'")
if [[ $found == off* ]]; then
  echo "SKIPPED: the function that makes it: $found"
else
  grep -q 'Look at hoard:makes/0 (hoard.erl:[0-9]*), which made [0-9]* % of what grew in binary_alloc' "$work/answer" || fail "the function is not named: $(cat "$work/answer")"
  "$program" report code "$work/sampled.db" >"$work/code" || fail "report code"
  [[ $(sed -n 2p "$work/code") == hoard:makes/0\ * ]] || fail "hoard:makes/0 is not the first: $(head -5 "$work/code")"
  [[ $(grep -c '^this recorder ' "$work/code") -le 1 ]] && ! grep -q '^carrierscope_[a-z]*:' "$work/code" ||
    fail "functions of the recorder: $(grep -n 'carrierscope_\|^this' "$work/code")"
  "$program" report code --grown --format json "$work/sampled.db" >"$work/code.json" || fail "report code --format json"
  first=$(sqlite3 :memory: "SELECT json_extract(value, '\$.stack[0]') || ' ' || json_extract(value, '\$.stack[1]') || ' ' || json_extract(value, '\$.who') || ' ' ||
    (json_extract(value, '\$.bytes.low') < json_extract(value, '\$.bytes.likely') AND json_extract(value, '\$.bytes.likely') < json_extract(value, '\$.bytes.high'))
    FROM json_each(readfile('$work/code.json')) LIMIT 1")
  [[ $first =~ ^'hoard:makes/0 hoard:keeps/1 <0.'[0-9]*'.0> hoarder 1'$ ]] || fail "the first stack is '$first': $(head -c 500 "$work/code.json")"
  # All that samples stand for is in one row or another.
  sums=$(sqlite3 "$work/sampled.db" "SELECT round((SELECT sum(live_mib) FROM report_code) - (SELECT sum(live_mib) FROM report_samples)) = 0")
  [[ $sums == 1 ]] || fail "report code and report samples have different sums"
  # Where only a function of OTP is on the stack, what grew was made by what it calls.
  sqlite3 "$work/sampled.db" "UPDATE stack_frame SET module = 'gen_server', function = 'try_dispatch', arity = 4, application = 'stdlib' WHERE module = 'hoard'; DELETE FROM answer"
  "$program" "$work/sampled.db" | tr -s '\n ' ' ' >"$work/answer"
  grep -q 'Look at what gen_server:try_dispatch/4 (hoard.erl:[0-9]*) calls, which made [0-9]* % of what grew' "$work/answer" ||
    fail "of a function of OTP alone: $(cat "$work/answer")"
fi
ends
