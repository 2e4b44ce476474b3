#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# record.sh OUTDIR MODE COUNT: records COUNT generated events of MODE (carrier or
# block) into the new folder OUTDIR, losing none, and proves both with babeltrace2.
# CSC_BENCH_TOOLS is the folder of bench_generate; CSC_BENCH_SEED its seed (1).
set -euo pipefail
shopt -s inherit_errexit

fail() {
  printf 'record.sh: %s\n' "$*" >&2
  exit 1
}

if [ $# -ne 3 ]; then
  echo 'usage: record.sh OUTDIR carrier|block COUNT' >&2
  exit 2
fi
out=$1 mode=$2 count=$3
generate=${CSC_BENCH_TOOLS:?the folder of bench_generate}/bench_generate

case $mode in
carrier)
  events='org_erlang_otp:carrier_*'
  contexts=(--type=vpid --type=vtid --type=procname)
  ;;
block)
  events='carrierscope:block_*'
  contexts=(--type=vpid --type=vtid)
  ;;
*) fail "no such mode: '$mode'" ;;
esac
[[ $count =~ ^[1-9][0-9]*$ ]] || fail "not a count: '$count'"
[ ! -e "$out" ] || fail "'$out' exists"
[ -x "$generate" ] || fail "no program '$generate'"
mkdir -p "$(dirname "$out")"
out=$(cd "$(dirname "$out")" && pwd)/$(basename "$out")

session=carrierscope-bench-$$-$RANDOM
scratch=$(mktemp -d)
daemon=
is_created=

# Ends what was started here and nothing else: not even our daemon, while others use it.
finish() {
  local status=$?
  if [ -n "$is_created" ]; then
    lttng destroy "$session" >>"$scratch/log" 2>&1 || true
  fi
  if [ -n "$daemon" ]; then
    if lttng list 2>/dev/null | grep -q '^ *[0-9][0-9]*)'; then
      echo "record.sh: others record: the session daemon $daemon stays" >&2
    else
      kill "$daemon" 2>/dev/null || true
    fi
  fi
  if [ "$status" -ne 0 ]; then
    sed 's/^/record.sh: lttng: /' "$scratch/log" >&2 || true
    rm -rf "$out"
  fi
  rm -rf "$scratch"
}
trap finish EXIT
: >"$scratch/log"

if ! lttng --no-sessiond list >/dev/null 2>&1; then
  lttng-sessiond --daemonize --no-kernel --pidfile="$scratch/pid" >>"$scratch/log" 2>&1
  daemon=$(cat "$scratch/pid")
fi

{
  lttng create "$session" --output="$out"
  is_created=yes
  lttng enable-channel --userspace --session="$session" --buffers-uid \
    --subbuf-size=1M --num-subbuf=8 --blocking-timeout=inf bench
  lttng add-context --userspace --session="$session" --channel=bench "${contexts[@]}"
  lttng enable-event --userspace --session="$session" --channel=bench "$events"
  lttng start "$session"
} >>"$scratch/log" 2>&1

LTTNG_UST_ALLOW_BLOCKING=1 LTTNG_UST_REGISTER_TIMEOUT=-1 \
  "$generate" "$mode" "$count" "${CSC_BENCH_SEED:-1}"

# destroy waits until the consumer has written everything.
{
  lttng stop "$session"
  lttng destroy "$session"
} >>"$scratch/log" 2>&1
is_created=

# What babeltrace2 itself counts: the last table is the total.
babeltrace2 "$out" -c sink.utils.counter -p 'step=+0' >"$scratch/counter" ||
  fail "babeltrace2 cannot read '$out'"
number_of() {
  awk -v what="$1" '$0 ~ what { number = $1 } END { print number + 0 }' "$scratch/counter"
}
recorded=$(number_of ' Event messages?$')
lost=$(($(number_of ' Discarded event messages?$') + $(number_of ' Discarded packet messages?$')))
[ "$recorded" = "$count" ] || fail "recorded $recorded events of $count"
[ "$lost" -eq 0 ] || fail "babeltrace2 reports discarded events in $lost messages"
printf '%s\n' "$count" >"$out/count"
