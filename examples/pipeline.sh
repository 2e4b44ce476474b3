#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# pipeline.sh TRACE [DATABASE]: the raw pipeline, without the carrierscope
# command.  PLUGIN_DIR is where babeltrace-plugin-carrierscope.so is, if it is
# not installed where babeltrace2 looks.
set -euo pipefail

trace=${1:?usage: pipeline.sh TRACE [DATABASE]}
database=${2:-run.db}

babeltrace2 ${PLUGIN_DIR:+--plugin-path="$PLUGIN_DIR"} "$trace" \
  -c sink.carrierscope.sqlite -p "path=\"$database\""

# Any SQLite client will do.
sqlite3 -box "$database" 'SELECT * FROM report_utilisation'

# Part of a trace: only what lies between two moments.
#   babeltrace2 --begin=14:00:00 --end=14:05:00 TRACE -c sink.carrierscope.sqlite …
# Several nodes, one database each:
#   for t in traces/*; do pipeline.sh "$t" "$(basename "$t").db"; done
# One more trace into the same database:
#   … -p 'path="run.db",append=yes'
