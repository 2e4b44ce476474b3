#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# same_events_test.sh BIN TWIN CLOCK: OTP's carrier events alone cannot decide every verdict.
#
# Two workloads fill the same carriers; then one keeps its blocks, the other frees three of five, and no
# carrier becomes empty.  Both emit the same carrier events.  With all events recorded one is normal and
# the other fragmented; with OTP's carrier events alone both must be unknown.  Recorded by the clock
# CLOCK (tests/verdict/tick_clock.c): growth is judged by the load's pace, not by this machine's.
. "$(dirname "$0")/../harness/main.sh"
own_daemon "$@"
lossless
bin=$1
twin=$2
clock=$3

export LTTNG_HOME=$work/home CSC_TICKS=$work/ticks LTTNG_UST_CLOCK_PLUGIN=$clock
mkdir "$LTTNG_HOME"
head -c 8 /dev/zero >"$CSC_TICKS"
starts_daemon "$work/daemon.log" || skip "no session daemon can be started"
[[ -n $daemon ]] || skip "a session daemon runs already, with a clock of its own"

cat >"$work/begin" <<'END'
seed 11
schedulers 1
flags +MBas bf
size message lognormal 1200 0.8 64 65536
size small lognormal 500 0.6 64 8192
life load forever
life session exponential 20
source messages binary size message life load
source replies binary size small life session
phase peak operations 40000
  make messages 1
END
cat >"$work/end" <<'END'
phase quiet operations 60000
  make replies 1
END
cat "$work/begin" "$work/end" >"$work/kept"
{
  cat "$work/begin"
  printf 'phase after operations 0\n  drop messages 60\n'
  cat "$work/end"
} >"$work/freed"

# records WORKLOAD EVENTS: into $work/WORKLOAD.db.
records() {
  begins_session "$work/trace-$1" 8M "$2"
  "$twin" --workload "$work/$1" --quiet --stats /dev/null </dev/null >"$work/log" 2>&1 ||
    fail "$1: the twin failed: $(tail -n 1 "$work/log")"
  ends_session "$session"
  session=
  grep -aqrs --include=metadata 'name = "ticks"' "$work/trace-$1" || fail "$1 is not recorded by the clock of ticks"
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

# events WORKLOAD: what its carrier events say, but for times.
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
((failures > 0)) || echo "the same $(wc -l <"$work/kept.events") carrier events, normal and fragmentation: unknown from them alone"
ends
