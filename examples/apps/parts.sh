# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Sourced by the scripts of this folder after examples/parts.sh, in the root of the sources: what they do alike.
#
#   unpacks PACKAGE       $root has the unpacked packages then, $PATH their programs first; ends with status 77
#                         if they cannot be fetched
#   has_own_home          $HOME is a folder of its own, which the node's cookie goes into; LTTng's stays
#   free_port             prints a port of loopback on which nothing listens
#   starts SCRIPT...      a node by a script that stays; what it prints is kept in $work/node.log
#   has_started           after the node answered: $node is its process
#   judged DATABASE OPTION   records the node for 10 s into DATABASE, with OPTION of `carrierscope record`, while $client
#                         sends; then ends $client.  $asks_by is the command that evaluates on the node
#   client_says TEXT [COUNT]   waits until $work/client has so many lines with TEXT, and prints the last; process
#                         $client writes them
#   has_stopped           waits until the node has ended
#
# The script sets $asks_by: a command that evaluates on the node what is appended to it.
server=
node=
epmd=
client=
asks_by=
export LTTNG_UST_REGISTER_TIMEOUT=60000

unpacks() {
  local status=0
  root=$(sh examples/apps/unpack.sh "$1") || status=$?
  [[ $status -eq 0 ]] || { echo "$root" >&2; exit $status; }
  PATH=$root/usr/bin:$PATH
  echo "  $root"
}

has_own_home() {
  export LTTNG_HOME=${LTTNG_HOME:-$HOME} HOME=$work/home
  mkdir "$HOME"
}

# Below the ports that the system gives to clients.
free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo $port
}

starts() {
  # So long, in ms, a node waits for the session daemon: a busy machine takes more than the usual 3 s.
  LTTNG_UST_REGISTER_TIMEOUT=60000 "$@" >"$work/node.log" 2>&1 </dev/null &
  server=$!
}

# descendants PID: of a process, by their pids; the children first.
descendants() {
  local child
  for child in $(children "$1"); do
    echo "$child"
    descendants "$child"
  done
}

has_started() {
  local process
  for process in $(descendants "$server"); do
    [[ $(cat "/proc/$process/comm" 2>/dev/null) != beam.smp ]] || node=$process
  done
}

# shows COMMAND...: prints it as it would be typed, and runs it.
shows() {
  local word line="  \$ ${1##*/}"
  for word in "${@:2}"; do
    [[ $word != *' '* ]] || word="\"$word\""
    line+=" $word"
  done
  echo "$line"
  "$@"
}

judged() {
  shows "$bin/carrierscope" record --via "$asks_by" "$2" --seconds 10 --memory 128MiB -f -o "$1" --ebin "$build/provider/beam/ebin"
  ends_process "$client" 5
  client=
  rm "$work/client"
}

client_says() {
  local begin=$SECONDS
  until [[ $(grep -cs -- "$1" "$work/client") -ge ${2:-1} ]]; do
    [[ $((SECONDS - begin)) -lt 120 ]] || { echo "the client has not printed '$1' ${2:-1} times within 120 s" >&2; exit 1; }
    kill -0 "$client" 2>/dev/null || { cat "$work/client" >&2; echo "the client ended early" >&2; exit 1; }
    sleep 0.1
  done
  grep -- "$1" "$work/client" | tail -n 1
}

has_stopped() {
  wait "$server" || echo "the node ended with status $?" >&2
  server=
}

finish_app() {
  local process
  if [[ -n $server ]]; then
    for process in ${node:-$(descendants "$server")} "$server"; do ends_process "$process" 20; done
  fi
  [[ -z $client ]] || ends_process "$client" 5
  [[ -z $epmd ]] || ends_process "$epmd" 5
  node=
  finish
}
