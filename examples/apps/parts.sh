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
#   judged DATABASE OPTIONS   hooks the node with OPTIONS (a map of Erlang) while $client sends 50 MB,
#                         records it into DATABASE, ends $client, and prints what is asked of the recording
#   client_says TEXT [COUNT]   waits until $work/client has so many lines with TEXT, and prints the last; process
#                         $client writes them
#   has_stopped           waits until the node has ended
#
# The script has asks EXPRESSIONS: prints the command that evaluates them on the node, and its answer.
server=
node=
epmd=
client=

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
    [[ $(cat "/proc/$process/comm") != beam.smp ]] || node=$process
  done
}

# shows COMMAND...: prints it, and runs it.
shows() {
  echo "  \$ ${1##*/} ${*:2}"
  "$@"
}

judged() {
  local run=$1 trace
  trace=$work/$(basename "$run").trace
  records "$trace" 'carrierscope:*' "$node"
  asks "code:add_patha(\"$build/provider/beam/ebin\"), carrierscope:start($2)" | tee "$work/answer"
  ! grep -q '{error,' "$work/answer" || { echo "the node cannot be hooked" >&2; exit 1; }
  asks 'carrierscope:snapshot(#{every => 250})'
  client_says 'MB sent' $(($(grep -c 'MB sent' "$work/client") + 5))
  asks 'carrierscope:stop()'
  ends_process "$client" 5
  client=
  rm "$work/client"
  shows lttng destroy "$session"
  shows "$bin/carrierscope" load -f -o "$run" "$trace"
  shows "$bin/carrierscope" report "$run"
  shows "$bin/carrierscope" report holders "$run" --limit 8
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
