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

# shellcheck source=examples/session-daemon.sh
. "$(dirname "$0")/session-daemon.sh"
finish() {
  ends_session "$session"
  ends_daemon
}
trap finish EXIT
starts_daemon

creates_session "$session" --output="$output"
# Large sub-buffers: a lost event makes figures uncertain, and they are cheap.
lttng enable-channel -u -s "$session" --buffers-uid --subbuf-size=8M --num-subbuf=4 carriers
lttng enable-event -u -s "$session" -c carriers 'org_erlang_otp:carrier_*'
# vpid identifies the node, vtid and procname the scheduler.
lttng add-context -u -s "$session" -c carriers -t vpid -t vtid -t procname
lttng start "$session"

# Without this the runtime does not wait for the daemon, and its first carriers are missed.
LTTNG_UST_REGISTER_TIMEOUT=-1 "$@" || echo "the command ended with status $?" >&2

lttng stop "$session"
