#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# same_events_test.sh BIN TWIN ROOT: OTP's carrier events alone cannot decide every verdict.
#
# Two workloads fill the same carriers; then one keeps its blocks, the other frees three of five, and no
# carrier becomes empty.  Both emit the same carrier events.  With all events recorded one is normal and
# the other fragmented; with OTP's carrier events alone both must be unknown.
set -u
bin=$1
twin=$2
root=$3
# shellcheck source=../own_daemon.sh
. "$root/tests/own_daemon.sh"
# shellcheck source=../../examples/session-daemon.sh
. "$root/examples/session-daemon.sh"
work=$(mktemp -d) || exit 1
export LTTNG_HOME=$work/home
mkdir "$LTTNG_HOME"
session=
trap '[[ -z $session ]] || ends_session "$session"; ends_daemon; rm -rf "$work"' EXIT
starts_daemon "$work/daemon.log" || { echo "SKIPPED: no session daemon"; exit 77; }
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

cat >"$work/kept" <<'END'
seed 11
schedulers 1
flags +MBas bf
size message lognormal 1200 0.8 64 65536
life load forever
source messages binary size message life load
phase peak operations 40000
  make messages 1
END
{
  cat "$work/kept"
  printf 'phase after operations 0\n  drop messages 60\n'
} >"$work/freed"

# records WORKLOAD EVENTS: into $work/WORKLOAD.db.
records() {
  session=carrierscope-same-$$-$1
  {
    lttng create "$session" --output="$work/trace-$1" &&
      lttng enable-channel -u -s "$session" --subbuf-size=8M --num-subbuf=8 --blocking-timeout=inf all &&
      lttng add-context -u -s "$session" -c all -t vpid -t vtid -t procname &&
      lttng enable-event -u -s "$session" -c all "$2" &&
      lttng start "$session"
  } >"$work/log" 2>&1 || { fail "no session: $(tail -n 1 "$work/log")"; exit 1; }
  LTTNG_UST_REGISTER_TIMEOUT=-1 LTTNG_UST_ALLOW_BLOCKING=1 "$twin" --workload "$work/$1" --quiet --stats /dev/null \
    </dev/null >"$work/log" 2>&1 || fail "$1: the twin failed: $(tail -n 1 "$work/log")"
  ends_session "$session"
  session=
  "$bin/carrierscope" load --quiet -f -o "$work/$1.db" "$work/trace-$1" 2>"$work/log" ||
    fail "$1: not loaded: $(tail -n 1 "$work/log")"
  rm -rf "$work/trace-$1"
}

# verdict WORKLOAD EXPECTED
verdict() {
  local found
  found=$(sqlite3 -readonly "$work/$1.db" "SELECT verdict FROM verdict WHERE level = 'runtime'")
  [[ $found == "$2" ]] || fail "$1: verdict '$found' instead of '$2'"
}

# What the events say, but for times and addresses of threads.
events() {
  sqlite3 -readonly "$work/$1.db" "SELECT kind, instance_id, size, mbc_carriers, mbc_carriers_size, mbc_blocks,
    mbc_blocks_size, sbc_carriers, sbc_carriers_size, sbc_blocks, sbc_blocks_size FROM carrier_event ORDER BY id"
}

for workload in kept freed; do
  records $workload 'org_erlang_otp:carrier_*,carrierscope:*'
  events $workload >"$work/$workload.events"
done
verdict kept normal
verdict freed fragmentation
[[ $(wc -l <"$work/kept.events") -ge 20 ]] || fail "only $(wc -l <"$work/kept.events") carrier events"
cmp "$work/kept.events" "$work/freed.events" || fail "the carrier events differ"

for workload in kept freed; do
  records $workload 'org_erlang_otp:carrier_*'
  verdict $workload unknown
done
((failures == 0)) && echo "the same $(wc -l <"$work/kept.events") carrier events, normal and fragmentation: unknown from them alone"
exit $((failures > 0))
