#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# From a fresh machine to a first answer: installs what is missing, builds,
# records the twin (our allocator core) under a live LTTng session while it runs
# a workload that fragments its memory, loads the trace through babeltrace2, and
# prints who holds the memory, how well it is used, and in blocks of which size.
#
#	quickstart.sh [--build-dir DIR] [DATABASE]     default: quickstart.db
#
# With --build-dir nothing is installed or built: DIR has a build.
#
# examples/record-otp.sh records a real Erlang node instead.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=examples/parts.sh
. examples/parts.sh
prepares run quickstart.db "$@"
twin=$build/provider/carrierscope-twin

echo "== An LTTng session records the twin while it runs examples/workloads/fragmentation.workload"
{
  creates_session "$session" --output="$work/trace"
  # The twin may wait for the disk; a node in production should rather lose events (no --blocking-timeout).
  lttng enable-channel -u -s "$session" --buffers-uid --subbuf-size=8M --num-subbuf=8 \
    --blocking-timeout=inf memory
  lttng enable-event -u -s "$session" -c memory 'org_erlang_otp:carrier_*'
  lttng enable-event -u -s "$session" -c memory 'carrierscope:*'
  lttng add-context -u -s "$session" -c memory -t vpid -t vtid -t procname
  lttng start "$session"
} >/dev/null
LTTNG_UST_REGISTER_TIMEOUT=-1 LTTNG_UST_ALLOW_BLOCKING=1 "$twin" --events batches \
  --workload examples/workloads/fragmentation.workload \
  --stats "$work/truth" | tail -n 1
loads_recording

asks "How well is the memory used?" utilisation --limit 4
asks "What did OTP's own counters say last?" instances --limit 4
asks "In blocks of which size?" block_sizes
asks "When was the peak?" peaks --limit 4
asks "Can the recording be trusted?" summary

prints_verdict

echo
echo "More: $bin/carrierscope report --all $database lists the reports;"
echo "      sqlite3 $database < examples/queries.sql asks thirteen questions of an operator."
prints_next_node
