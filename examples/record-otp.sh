#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# record-otp.sh OUTPUT-DIR COMMAND…: records the carrier events of a real OTP.
#
# Needs an OTP configured with --with-dynamic-trace=lttng; no released package
# is.  Example:
#
#   examples/record-otp.sh /tmp/run erl -noshell -s my_app
#   carrierscope load -o run.db /tmp/run
set -euo pipefail

if [[ $# -lt 2 ]]; then
  echo "usage: record-otp.sh OUTPUT-DIR COMMAND…" >&2
  exit 2
fi
output=$1
shift
session=carrierscope-$$

# A session daemon of our own, ended by its pid, only if none answers.
daemon=
if ! lttng --no-sessiond list >/dev/null 2>&1; then
  lttng-sessiond --no-kernel >/dev/null 2>&1 &
  daemon=$!
  for _ in $(seq 50); do
    lttng --no-sessiond list >/dev/null 2>&1 && break
    sleep 0.1
  done
fi
finish() {
  lttng destroy "$session" >/dev/null 2>&1 || true
  [[ -z $daemon ]] || kill "$daemon" 2>/dev/null || true
}
trap finish EXIT

lttng create "$session" --output="$output"
# Large sub-buffers: a lost event makes figures uncertain, and they are cheap.
lttng enable-channel -u -s "$session" --buffers-uid --subbuf-size=8M --num-subbuf=4 carriers
lttng enable-event -u -s "$session" -c carriers 'org_erlang_otp:carrier_*'
# vpid tells nodes apart; vtid and procname tell schedulers.
lttng add-context -u -s "$session" -c carriers -t vpid -t vtid -t procname
lttng start "$session"

# Without this the runtime does not wait for the daemon, and its first carriers are missed.
LTTNG_UST_REGISTER_TIMEOUT=-1 "$@" || echo "the command ended with status $?" >&2

lttng stop "$session"
