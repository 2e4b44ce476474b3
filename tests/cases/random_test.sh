#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# random_test.sh BIN TWIN WORKLOADS COUNT SCALE [SEED]: COUNT random traces load the same with 1, 2, 3 and 8 threads.
#
# Each is of one to four twins at once, with workloads of the folder WORKLOADS at SCALE percent, seeds, buffers of a user or of
# each process, large or so small that events are lost.  The databases are equal byte by byte.  SEED
# repeats the choices of a run, not its times.
. "$(dirname "$0")/../harness/main.sh"
own_daemon "$@"
lossless
bin=$1
twin=$2
mapfile -t workloads < <(find "$3" -name '*.workload' | LC_ALL=C sort)
count=$4
scale=$5
seed=${6:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$seed
((${#workloads[@]} > 0)) || fail "no workloads in '$3'"

export LTTNG_HOME=$work/home
mkdir "$LTTNG_HOME"
starts_daemon "$work/daemon.log" || skip "no session daemon can be started"

# one_of WORD...: into $word.
one_of() {
  shift $((RANDOM % $#))
  word=$1
}

# records FOLDER: a trace of some twins.
records() {
  local buffers wait size number pids=()

  one_of uid pid
  buffers=$word
  # Those that lose events are of one in four.
  one_of inf inf inf 0
  wait=$word
  one_of 1M 256K 64K
  size=$word
  serial=$((serial + 1))
  session=carrierscope-test-$$-$serial
  {
    lttng create $session --output="$1" &&
      lttng enable-channel --userspace --session=$session "--buffers-$buffers" --subbuf-size="$size" --num-subbuf=4 \
        --blocking-timeout="$wait" all &&
      lttng add-context --userspace --session=$session --channel=all --type=vpid --type=vtid --type=procname &&
      lttng enable-event --userspace --session=$session --channel=all 'org_erlang_otp:*,carrierscope:*' &&
      lttng start $session
  } >"$work/log" 2>&1 || skip "no session can be recorded: $(cat "$work/log")"

  what="buffers of each $buffers of $size"
  [[ $wait == inf ]] || what+=", with losses"
  for ((number = 1 + RANDOM % 4; number > 0; number--)); do
    one_of "${workloads[@]}"
    what+=", $(basename "$word" .workload)"
    "$twin" --workload "$word" --seed $((RANDOM + 1)) --scale "$scale" --quiet --stats /dev/null </dev/null \
      >"$work/twin.log" 2>&1 &
    pids+=($!)
  done
  for number in "${pids[@]}"; do
    wait "$number" || fail "$what: a twin failed: $(tail -n 1 "$work/twin.log")"
  done
  ends_session "$session"
  session=
}

events=0
for ((i = 1; i <= count; i++)); do
  records "$work/trace"
  for jobs in 1 2 3 8; do
    "$bin/carrierscope" load --verbose -f --jobs $jobs -o "$work/$jobs.db" "$work/trace" 2>"$work/log" ||
      fail "$what: not loaded by $jobs threads: $(tail -n 1 "$work/log")"
    ((jobs > 1)) || loaded=$(sed -n 's/ events in .*//p' "$work/log")
    cmp "$work/1.db" "$work/$jobs.db" || {
      fail "$what: $jobs threads make another database (seed $seed)"
      diff <(sqlite3 -readonly "$work/1.db" .dump) <(sqlite3 -readonly "$work/$jobs.db" .dump) | head -n 20
    }
  done
  streams=$(find "$work/trace" -type f -size +0 -path '*all_*' ! -path '*/index/*' | wc -l)
  echo "$i: ${loaded:-0} events, $streams streams, $what"
  events=$((events + ${loaded:-0}))
  rm -rf "$work/trace"
done
((events > 0)) || fail "nothing was recorded"
((failures > 0)) || echo "$count traces of $events events: the same with 1, 2, 3 and 8 threads (seed $seed)"
ends
