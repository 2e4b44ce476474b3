#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# loaders_test.sh CARRIERSCOPE TWIN TRACE: two loads of one file at once, and a load of a live session, which another one appends
# to and which is killed: what was complete stays, and each load is whole or says why not.
. "$(dirname "$0")/../harness/main.sh"
records_here "$@"
tests_program "$1"
twin=$2
trace=$3
needs sqlite3 lttng-relayd
relay=
loader=
cleanup() {
  [[ -z $runner ]] || kill "$runner" 2>/dev/null
  [[ -z $loader ]] || kill -9 "$loader" 2>/dev/null
  [[ -z $session ]] || lttng destroy --no-wait "$session" >/dev/null 2>&1
  [[ -z $relay ]] || kill "$relay" 2>/dev/null
  ends_daemon
}
cd "$work" || exit 1

count() { sqlite3 "$1" 'SELECT count(*) FROM source WHERE complete'; }
is_sound() { [[ $(sqlite3 "$1" 'PRAGMA quick_check') == ok && ! -e $1-journal ]]; }

# Both append, one after the other; one that waits for more than 5 s says so and has changed nothing.
"$program" load -q -o two.db "$trace" || fail 'the first load'
whole=1
for turn in 1 2; do
  "$program" load -q --append -o two.db "$trace" 2>err1 &
  one=$!
  "$program" load -q --append -o two.db "$trace" 2>err2 &
  other=$!
  wait "$one"; status1=$?
  wait "$other"; status2=$?
  for loaded in "$status1 err1" "$status2 err2"; do
    case ${loaded% *} in
      0) whole=$((whole + 1)) ;;
      1) grep -q 'locked\|another' "${loaded#* }" || fail "turn $turn: an append ends without a reason: $(cat "${loaded#* }")" ;;
      *) fail "turn $turn: an append ends with ${loaded% *}" ;;
    esac
  done
  [[ $status1 == 0 || $status2 == 0 ]] || fail "turn $turn: neither of two appends was done: $(cat err1 err2)"
done
[[ $(count two.db) == "$whole" ]] && is_sound two.db || fail "$(count two.db) sources of $whole loads that were done"

# Both make it: one does, the other is told that it is there; with --force the last one stays.
"$program" load -q -o new.db "$trace" 2>err1 &
one=$!
"$program" load -q -o new.db "$trace" 2>err2 &
other=$!
wait "$one"; status1=$?
wait "$other"; status2=$?
[[ $((status1 + status2)) == 1 && $(count new.db) == 1 ]] && is_sound new.db || fail "two loads make a file: $status1 and $status2"
grep -q 'exist' err1 err2 || fail "which of two loads was late: $(cat err1 err2)"
[[ $(ls -d new.db*) == new.db ]] || fail "left: $(ls -d new.db*)"

# A live session.
control=$(free_ports 3)
live=$((control + 2))
lttng-relayd -C "tcp://127.0.0.1:$control" -D "tcp://127.0.0.1:$((control + 1))" -L "tcp://127.0.0.1:$live" -o "$work/relay" \
  >"$work/relay.log" 2>&1 &
relay=$!
session=carrierscope-test-$$-live
creates() {
  lttng create "$session" --live=200000 --set-url="net://127.0.0.1:$control:$((control + 1))"
}
waits creates >"$work/log" 2>&1 || skip "no live session can be made: $(cat "$work/log" "$work/relay.log")"
{
  lttng enable-channel --userspace --session="$session" --buffers-uid --blocking-timeout=inf all &&
    lttng enable-event --userspace --session="$session" --channel=all 'org_erlang_otp:*' && lttng start "$session"
} >"$work/log" 2>&1 || skip "no live session can be recorded: $(cat "$work/log")"
(while :; do "$twin" --quiet --scale=5 --workload="$here/../../examples/workloads/ets-churn.workload" >/dev/null 2>&1; sleep 0.5; done) &
runner=$!
"$program" load -q -o live.db "net://127.0.0.1:$live/host/$(hostname)/$session" 2>err1 &
loader=$!
grows() { [[ -s live.db-wal && $(sqlite3 live.db 'SELECT count(*) FROM carrier_event' 2>/dev/null) -gt 0 ]] || ! kill -0 "$loader"; }
waits grows
kill -0 "$loader" 2>/dev/null || fail "a live load ends: $(cat err1)"
"$program" info live.db >out 2>err || fail 'info beside a live load'
grep -q 'incomplete' err || fail "a live load is not said to go on: $(cat err)"
"$program" load -q --append -o live.db "$trace" 2>err2 && fail 'an append to what a live load writes to is done'
grep -q 'locked\|another' err2 || fail "an append beside a live load ends without a reason: $(cat err2)"
"$program" load --recover live.db 2>err2 && fail 'what a live load writes to is recovered'
kill -0 "$loader" 2>/dev/null || fail "a live load ends because of another: $(cat err1)"
kill -9 "$loader"
wait "$loader" 2>/dev/null
loader=
kill "$runner"
runner=
rm -f "$work/err"
# What it had committed is read, and that it is not all is said.
"$program" info live.db >out 2>err2 || fail "what a killed live load left is not read: $(cat err2)"
grep -q "load --recover live.db" err2 || fail "what a killed live load left is not named: $(cat err2)"
"$program" load --recover live.db >out 2>err2 || fail "a killed live load is not recovered: $(cat err2)"
[[ $(ls -d live.db*) == live.db ]] && is_sound live.db || fail "left of a killed live load: $(ls -d live.db*)"
[[ $(sqlite3 live.db 'SELECT count(*) > 0 FROM carrier_event') == 1 ]] || fail 'what a killed live load had written is gone'
"$program" report live.db >out 2>err2 || fail "a recovered live load is not read: $(cat err2)"
"$program" load -q --append -o live.db "$trace" 2>err2 || fail "nothing can be appended to a recovered live load: $(cat err2)"
[[ $(count live.db) == 1 ]] || fail "sources that are complete: $(count live.db)"
ends
