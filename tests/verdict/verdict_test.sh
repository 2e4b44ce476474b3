#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# verdict_test.sh KIND BIN EXPECTED FOLDER [TWIN CLOCK]: verdicts are those written down before.
#
# KIND is the part of EXPECTED's inputs before the colon: case (archives with a folder
# trace in FOLDER), twin or planted (workloads in FOLDER, recorded while TWIN runs them,
# by the clock CLOCK, tick_clock.c: a verdict is on the load's pace, not on this machine's), dump or
# board (files in FOLDER).  An input of EXPECTED that is not there is a failure; a folder that is
# not there is skipped, aloud.
#
# Of kind case, recordings of OTP's carrier events alone, 'unknown' is right as well: these events do
# not say what is freed inside carriers.  It is not right where the verdict is forced: where no
# allocator can hold 8 MiB, or the expected verdict is 'unknown' itself; and no other verdict ever is.
# How many are unknown is printed.
. "$(dirname "$0")/../harness/main.sh"
kind=$1
bin=$2
expected=$3
folder=$4
twin=${5-}
clock=${6-}
if [[ $kind == twin || $kind == planted ]]; then
  own_daemon "$@"
  lossless
fi
. "$here/evidence.sh"
judged=0
open=0

[[ -d $folder ]] || skip "there is no '$folder'"
needs sqlite3

start_daemon() {
  needs lttng-sessiond
  export CSC_TICKS=$work/ticks LTTNG_UST_CLOCK_PLUGIN=$clock
  head -c 8 /dev/zero >"$CSC_TICKS"
  starts_daemon "$work/daemon.log" || skip "$(cat "$work/daemon.log")"
  [[ -n $daemon ]] || {
    echo "a session daemon runs already: its clock is taken, and how this machine stalls is in the verdicts"
    unset LTTNG_UST_CLOCK_PLUGIN
  }
}

# record NAME: the workload with all events, in $work/NAME.
record() {
  begins_session "$work/$1" 8M 'org_erlang_otp:carrier_*,carrierscope:*'
  "$twin" --workload "$folder/$1.workload" --quiet >/dev/null
  lttng destroy "$session" >/dev/null 2>&1
  session=
  [[ -z ${LTTNG_UST_CLOCK_PLUGIN-} ]] || grep -aqrs --include=metadata 'name = "ticks"' "$work/$1" ||
    fail "$1 is not recorded by the clock of ticks"
}

# load NAME: the database is $work/db.
load() {
  case $kind in
  case)
    [[ -f $folder/$1.tar.gz ]] || return 1
    mkdir "$work/$1" && tar xzf "$folder/$1.tar.gz" -C "$work/$1" --strip-components=1 || return 1
    input=$work/$1/trace
    ;;
  twin | planted)
    [[ -f $folder/$1.workload ]] || return 1
    record "$1"
    input=$work/$1
    ;;
  dump | board)
    input=$folder/$1
    [[ -f $input ]] || return 1
    ;;
  esac
  "$bin/carrierscope" load --quiet --salvage -f -o "$work/db" "$input" 2>"$work/log"
  local status=$?
  [[ $kind == dump || $kind == board ]] || rm -rf "${work:?}/$1"
  ((status == 0))
}

# is_forced: 1 when every allocator of every runtime is known to hold less than 8 MiB, at its peak too:
# nothing worth a word can be wrong.
is_forced() {
  sqlite3 -readonly "$work/db" "SELECT count(*) > 0 AND count(high) = count(*) AND max(high) < 8388608
    FROM figure WHERE quantity = 'carriers_bytes' AND allocator <> 'all'"
}

[[ $kind != twin && $kind != planted ]] || start_daemon
while IFS=$'\t' read -r input verdict allocator clear reason; do
  [[ $input == "$kind":* ]] || continue
  name=${input#*:}
  if ! load "$name"; then
    fail "$name cannot be loaded: $(tail -n 1 "$work/log" 2>/dev/null)"
    continue
  fi
  found=$(sqlite3 -readonly -separator ' ' "$work/db" \
    "SELECT DISTINCT verdict, iif('$allocator' = '-', '-', ifnull(allocator, '-'))
     FROM verdict WHERE level <> 'allocator'")
  # Whatever is found but 'unknown' and what is expected, of any runtime.
  other=$(grep -v '^unknown ' <<<"$found" | grep -vxF "$verdict $allocator")
  if [[ $kind == case && $verdict != unknown && $found == *'unknown '* && -z $other && $(is_forced) == 0 ]]; then
    echo "unknown: $name (expected $verdict)"
    open=$((open + 1))
  elif [[ $clear == no ]]; then
    echo "unclear: $name: $found (expected $verdict): $reason"
  elif [[ $found != "$verdict $allocator" ]]; then
    fail "$name: '$found' instead of '$verdict $allocator': $reason"
  fi
  judged=$((judged + 1))
  # What table growth calls a leak is the verdict; of counters alone it has nothing to say.
  [[ $(sqlite3 -readonly "$work/db" "SELECT count(*) FROM growth AS g WHERE g.is_leak AND g.runtime_id NOT IN
    (SELECT runtime_id FROM verdict WHERE level = 'runtime' AND verdict IN ('leak', 'outside'))") == 0 ]] ||
    fail "$name: a leak in table growth that is not the verdict"
  # A dump of a node that ran out of memory says so first.
  if [[ $name == *-oom-ulimit* && $(sqlite3 -readonly "$work/db" \
    "SELECT rule FROM report_findings LIMIT 1") != OOM-01 ]]; then
    fail "$name: what ended the node is not the first finding"
  fi
  # Nothing is said against what is normal, and what is said names its rule and its evidence.
  accused=$(sqlite3 -readonly "$work/db" "SELECT group_concat(rule) FROM finding WHERE rank <= 1 AND rule <> 'OOM-01'")
  [[ $verdict != normal || -z $accused ]] || fail "$name is accused: $accused"
  wrong=$(evidence_missing "$work/db")
  [[ -z $wrong ]] || fail "$name: evidence of $wrong"
done <"$expected"
echo "$judged inputs of kind $kind, $open of them unknown where a verdict was possible, $failures failures"
((judged > 0)) || fail "no input is of kind $kind"
ends
