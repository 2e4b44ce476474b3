#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# From a node that fragments to a line in its vm.args and a saving that was verified: records a node of its own,
# searches for flags, writes them into vm.args, restarts the node with it, records again and compares.
#
#	advised.sh [--build-dir DIR] [DATABASE]     default: advised.db, and advised-after.db beside it
#
# With --build-dir nothing is installed or built: DIR has a build.  On a node of your own: the lines with $; of
# RabbitMQ `--node rabbit@HOST` instead of the command behind --, and `--for rabbitmq`.
# Exit status: that of the comparison (1: it took more memory than predicted).
set -euo pipefail
cd "$(dirname "$0")/../.."

# shellcheck source=examples/parts.sh
. examples/parts.sh
prepares node advised.db "$@"
after=${database%.db}-after.db
export CARRIERSCOPE_PLUGIN_DIR=$bin LTTNG_UST_REGISTER_TIMEOUT=60000 ERL_CRASH_DUMP_SECONDS=0
erlc -o "$work" examples/apps/fragmenting.erl

# shows COMMAND...: prints it, and runs it.
shows() {
  echo "  \$ ${1##*/} ${*:2}"
  "$@"
}

# recorded DATABASE FLAG...: every block of the node, from its boot to its end.
recorded() {
  shows "$bin/carrierscope" record --every-block --snapshots 1 --memory 128MiB -f -o "$1" --ebin "$build/provider/beam/ebin" \
    -- erl +S 2:2 -noinput -boot start_clean "${@:2}" -pa "$work" -run fragmenting main >"$work/recorded"
  sed '/^$/,$d' "$work/recorded"
}

echo "== The node, as it is"
: >"$work/vm.args"
recorded "$database" -args_file "$work/vm.args"

echo
echo "== Which flags would have left less memory after the peaks?"
shows "$bin/carrierscope" advise "$database" --objective end --for vm.args | tee "$work/advice"
sed -n '/^# in vm\.args/,$p' "$work/advice" >"$work/vm.args"
[[ -s $work/vm.args ]] || { echo "no flags are advised: there is nothing to restart for"; exit 0; }

echo
echo "== The node, restarted with these lines in its vm.args"
recorded "$after" -args_file "$work/vm.args"

echo
echo "== Did it come true?"
shows "$bin/carrierscope" advise "$database" --verify "$after"
