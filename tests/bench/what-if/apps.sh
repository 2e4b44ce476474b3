#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# apps.sh BUILD FOLDER FIRST LAST [NAME...]: nodes that people run, NAME `rabbitmq` (examples/apps/rabbitmq_holes.erl) and
# `ejabberd` (examples/apps/ejabberd_client.erl for 10 s, 2 MB/s to sessions that broke off, of which the last stay), from Debian's
# packages in a folder of their own.  Without hooks, with each line of settings.txt, for the repeats FIRST to LAST: readings go to
# FOLDER/NAME.SETTING.REPEAT.csv as with measure.sh.  What is there is not run again.  With LAST 0 each is recorded once,
# every block, without flags, into FOLDER/NAME.db.  $SETTINGS: instead of settings.txt.
set -euo pipefail
cd "$(dirname "$0")/../../.."
here=$PWD/tests/bench/what-if
SETTINGS=${SETTINGS:-$here/settings.txt}
build=$(cd "$1" && pwd)
folder=$(mkdir -p "$2" && cd "$2" && pwd)
first=$3
last=$4
shift 4
names=("$@")
[[ $# -gt 0 ]] || names=(rabbitmq ejabberd)
if [[ ${#names[@]} -gt 1 ]]; then
  for name in "${names[@]}"; do "$here/apps.sh" "$build" "$folder" "$first" "$last" "$name"; done
  exit
fi

. examples/parts.sh
. examples/apps/parts.sh
. examples/apps/rabbitmq-node.sh
. examples/apps/ejabberd-node.sh
prepares node none --build-dir "$build" none
trap finish_app EXIT
erlc -o "$work" "$here/what_if_load.erl"

# Each NAME has: NAME_has (once), NAME_starts FLAGS, NAME_evals TEXT, NAME_loads, NAME_stops.
rabbitmq_has() {
  has_rabbitmq
  ERL_LIBS=$plugins erlc -o "$work" examples/apps/rabbitmq_holes.erl
  options=(--node "$RABBITMQ_NODENAME")
}
rabbitmq_starts() {
  export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=$1
  rm -rf "$RABBITMQ_MNESIA_BASE"
  starts_rabbitmq
}
rabbitmq_evals() { rabbitmqctl -q eval "$1" >/dev/null; }
rabbitmq_loads() {
  ERL_LIBS=$plugins erl -noshell -pa "$work" -run rabbitmq_holes main "$port" >/dev/null
  rabbitmqctl -q force_gc
  sleep 2
}
rabbitmq_stops() { stops_rabbitmq; }

ejabberd_has() {
  has_ejabberd
  erlc -o "$work" examples/apps/ejabberd_client.erl
}
ejabberd_starts() {
  rm -rf "$work/data"
  starts_ejabberd "$1"
  options=(--via "$asks_by")
}
ejabberd_evals() { "$asks_by" "$1" >/dev/null; }
ejabberd_loads() {
  erl -noshell -pa "$work" -run ejabberd_client main "$port" 100 2000000 >"$work/client" &
  client=$!
  client_says 'broke off' >/dev/null
  sleep 10
  ends_process "$client" 5
  client=
  rm "$work/client"
  sleep 2
}
ejabberd_stops() { stops_ejabberd; }

# measured NAME FILE FLAGS
measured() {
  "$1_starts" "$3"
  "$1_evals" "{module, _} = code:load_abs(\"$work/what_if_load\"), what_if_load:watch(\"$work/csv\", 50)."
  "$1_loads"
  "$1_evals" "what_if_load:watched()."
  "$1_stops"
  mv "$work/csv" "$2"
}

# recorded NAME FILE
recorded() {
  local recorder process
  "$1_starts" ''
  (
    trap - INT
    "$bin/carrierscope" record "${options[@]}" --every-block --seconds 600 --snapshots 1 --memory 128MiB -f -o "$2" \
      --ebin "$build/provider/beam/ebin"
  ) >"$work/recorded" &
  recorder=$!
  until grep -q carrierscope_nif "/proc/$node/maps"; do
    kill -0 "$recorder" || { cat "$work/recorded" >&2; return 1; }
    sleep 0.2
  done
  sleep 1
  "$1_loads"
  for process in "$recorder" $(descendants "$recorder"); do
    [[ $(cat "/proc/$process/comm" 2>/dev/null) != carrierscope ]] || kill -INT "$process"
  done
  wait "$recorder" || cat "$work/recorded" >&2
  "$1_stops"
}

name=${names[0]}
"${name}_has"
if [[ $last -eq 0 ]]; then
  recorded "$name" "$folder/$name.db"
fi
for ((repeat = first; repeat <= last; repeat++)); do
  while read -r -u 3 setting flags; do
    file=$folder/$name.$setting.$repeat.csv
    [[ -e $file ]] || measured "$name" "$file" "$flags" || echo "$file: the node failed" >&2
  done 3<"$SETTINGS"
done
