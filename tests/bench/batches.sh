#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# batches.sh BUILD_DIR [SCALE [ROUNDS]]: what a load of block events costs in batches, beside the same blocks as single
# events.  The twin is recorded both ways while it runs mixed-service (SCALE percent of it, 300); both are loaded in
# turn, ROUNDS (9) times.  Prints bytes of the trace a record, and medians of wall and CPU seconds, of all and of the rows
# alone (what comes after them is the judge's); the ratios are the median of those within each round.  With valgrind:
# instructions a record of decoding, which repeat.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: batches.sh BUILD_DIR [SCALE [ROUNDS]]}" && pwd)
scale=${2:-300} rounds=${3:-9}
program=$build/analyzer/carrierscope
export CARRIERSCOPE_PLUGIN_DIR=$build/analyzer LTTNG_UST_ALLOW_BLOCKING=1 LTTNG_UST_REGISTER_TIMEOUT=-1 LC_ALL=C
work=$(mktemp -d)
. "$here/../../examples/session-daemon.sh"
trap 'ends_daemon; rm -rf "$work"' EXIT
starts_daemon

# record KIND SCALE: into $work/KIND-SCALE; its records are printed.
record() {
  local session=carrierscope-batches-$$
  {
    lttng create $session --output="$work/$1-$2"
    lttng enable-channel -u -s $session --buffers-uid --subbuf-size=8M --num-subbuf=8 --blocking-timeout=inf memory
    lttng enable-event -u -s $session -c memory 'org_erlang_otp:carrier_*,carrierscope:*'
    lttng add-context -u -s $session -c memory -t vpid -t vtid -t procname
    lttng start $session
  } >/dev/null
  "$build/provider/carrierscope-twin" --quiet --workload "$here/../../examples/workloads/mixed-service.workload" \
    --scale "$2" --events "$1"
  lttng destroy $session >/dev/null
}

# load KIND: appends to $work/KIND wall and CPU seconds of the whole, of the rows alone, and CPU seconds of the writer.
load() {
  rm -f "$work/$1.db"
  "$program" load --verbose -o "$work/$1.db" "$work/$1-$scale" 2>&1 >/dev/null | awk '
    /^phases:/ { rows_wall = $3; rows_cpu = $6; wall = $3 + $10; cpu = $6 + $13 }
    /^threads:/ { for (i = 1; i < NF; i++) if ($i == "writer") writer = $(i + 1) }
    END { print wall, cpu, rows_wall, rows_cpu, writer }' >>"$work/$1"
}

median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

for kind in single batches; do record $kind "$scale"; done
for ((i = 0; i < rounds; i++)); do load single; load batches; done
records=$(sqlite3 "$work/batches.db" "SELECT sum(events) FROM event_count WHERE event GLOB 'block_*' AND event <> 'block_batch'")
echo "records: $records; rounds: $rounds; load of the machine: $(cut -d ' ' -f 1 /proc/loadavg)"
for kind in single batches; do
  bytes=$(find "$work/$kind-$scale" -name 'memory_*' -type f ! -path '*/index/*' -printf '%s\n' | awk '{ s += $1 } END { print s }')
  echo "$kind: bytes a record $(awk -v b="$bytes" -v r="$records" 'BEGIN { printf "%.1f", b / r }')"
done
column=0
for name in 'wall s' 'CPU s' 'wall s of rows' 'CPU s of rows' 'CPU s of the writer'; do
  column=$((column + 1))
  for kind in single batches; do cut -d ' ' -f $column "$work/$kind" >"$work/$kind.column"; done
  echo "$name: single $(median <"$work/single.column"), batches $(median <"$work/batches.column"), ratio $(
    paste -d ' ' "$work/batches.column" "$work/single.column" | awk '$2 > 0 { print $1 / $2 }' | median)"
done

command -v valgrind >/dev/null || exit 0
# instructions KIND SCALE SINK...: of all threads.
instructions() {
  local trace=$work/$1-$2
  shift 2
  LIBBABELTRACE2_NO_DLCLOSE=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    babeltrace2 --plugin-path="$CARRIERSCOPE_PLUGIN_DIR" "$trace" "$@" 2>&1 >/dev/null | awk '/Collected :/ { print $4 }'
}
for kind in single batches; do
  for small in 4 8; do
    record $kind $small
    eval "dummy_$small=$(instructions $kind $small -c sink.utils.dummy)"
    eval "count_$small=$("$build/provider/carrierscope-twin" --no-trace --scale $small \
      --workload "$here/../../examples/workloads/mixed-service.workload" | awk '/^% [0-9]* operations/ { print $2 }')"
  done
  # shellcheck disable=SC2154
  echo "$kind: decoding alone, instructions a record: $(((dummy_8 - dummy_4) / (count_8 - count_4)))"
done
