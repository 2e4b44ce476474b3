#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# From a RabbitMQ that fragments to a line in its rabbitmq-env.conf and a saving that was verified: fetches the packages
# of Debian, starts a private node on loopback, records it while queues are filled and drained, searches for flags,
# writes them into its configuration, restarts it, records the same load again, and compares.  Before and after are
# recorded several times each: how far recordings with the same flags differ is the noise that a saving is held against.
#
#	rabbitmq-advised.sh [--build-dir DIR] [DATABASE]     default: rabbitmq-advised.db, and -before-2.db, -after-1.db,
#	                                                     -after-2.db beside it
#
# With --build-dir nothing is installed or built: DIR has a build.  REPEATS=N: so many recordings before and after (2: the
# fewest that differ).  BUDGET=SECONDS: how long flags are searched at most (300; a minute is enough on an idle machine).
# On a node of your own: the lines with $; where it cannot be asked by erl_call, --via "rabbitmqctl eval" instead of --node.
# Exit status: that of the comparison (1: it took more memory than predicted, or what it saved is within the noise);
# 77: no packages.
set -euo pipefail
cd "$(dirname "$0")/../.."

# shellcheck source=examples/parts.sh
. examples/parts.sh
# shellcheck source=examples/apps/parts.sh
. examples/apps/parts.sh
# shellcheck source=examples/apps/rabbitmq-node.sh
. examples/apps/rabbitmq-node.sh
prepares node rabbitmq-advised.db "$@"
trap finish_app EXIT
repeats=${REPEATS:-2}
budget=${BUDGET:-300}
begin=$SECONDS
base=${database%.db}
conf=$work/rabbitmq-env.conf
: >"$conf"

echo "== The packages, unpacked into a folder of their own"
has_rabbitmq "$conf"
ERL_LIBS=$plugins erlc -o "$work" examples/apps/rabbitmq_holes.erl

# passed NAME: adds to $times how long it took since the last call.
passed() {
  times+="${times:+, }$1 $((SECONDS - begin)) s"
  begin=$SECONDS
}

# recorded DATABASE: a node that is begun for it, with new data; Ctrl-C ends the recording when the load is over.
recorded() {
  local recorder times=
  begin=$SECONDS
  rm -rf "$RABBITMQ_MNESIA_BASE"
  starts_rabbitmq
  (
    trap - INT
    shows "$bin/carrierscope" record --node "$RABBITMQ_NODENAME" --every-block --seconds 600 --snapshots 1 \
      --memory 128MiB -f -o "$1" --ebin "$build/provider/beam/ebin"
  ) >"$work/recorded" &
  recorder=$!
  is_hooked "$recorder"
  passed "boot and hook"
  ERL_LIBS=$plugins erl -noshell -pa "$work" -run rabbitmq_holes main "$port"
  passed "load"
  rabbitmqctl -q force_gc
  sleep 2
  interrupts "$recorder"
  wait "$recorder" || { cat "$work/recorded" >&2; exit 1; }
  passed "collection and database"
  sed '/^$/,$d' "$work/recorded"
  stops_rabbitmq
  passed "stop"
  echo "  $times"
}

# is_hooked PID: waits until the node has the hook, while the recorder runs.
is_hooked() {
  until grep -q carrierscope_nif "/proc/$node/maps"; do
    kill -0 "$1" 2>/dev/null || { cat "$work/recorded" >&2; echo "the recorder ended early" >&2; exit 1; }
    sleep 0.2
  done
  sleep 1
}

# interrupts PID: carrierscope below a shell, as Ctrl-C does.
interrupts() {
  local process
  for process in $(descendants "$1"); do
    [[ $(cat "/proc/$process/comm" 2>/dev/null) != carrierscope ]] || kill -INT "$process"
  done
}

echo
echo "== RabbitMQ as it is shipped, while queues are filled and drained: $repeats times"
recorded "$database"
before=()
for ((i = 2; i <= repeats; i++)); do
  recorded "$base-before-$i.db"
  before+=("$base-before-$i.db")
done

echo
echo "== Which flags would have left less memory after that?"
shows "$bin/carrierscope" advise "$database" --objective end --budget "$budget" --for rabbitmq | tee "$work/advice"
sed -n '/^# in rabbitmq-env\.conf/,$p' "$work/advice" >"$conf"
[[ -s $conf ]] || { echo "no flags are advised: there is nothing to restart for"; exit 0; }

echo
echo "== RabbitMQ, restarted with this line in its rabbitmq-env.conf, and the same load: $repeats times"
after=()
for ((i = 1; i <= repeats; i++)); do
  recorded "$base-after-$i.db"
  after+=(--verify "$base-after-$i.db")
done

echo
echo "== Did it come true?"
verified=0
shows "$bin/carrierscope" advise "$database" "${before[@]}" "${after[@]}" || verified=$?
echo "  $((SECONDS / 60)) min $((SECONDS % 60)) s in all"
exit "$verified"
