# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by the scripts of this folder after examples/parts.sh, in the root of the sources: what they do alike.
#
#   unpacks PACKAGE       $root has the unpacked packages then, $PATH their programs first; ends with status 77
#                         if they cannot be fetched
#   free_port             prints a port of loopback on which nothing listens
#   starts SCRIPT...      a node by a script that stays; what it prints is kept in $work/node.log
#   has_started           after the node answered: $node is its process
#   judged DATABASE OPTIONS LOAD...   hooks the node with OPTIONS (a map of Erlang) while LOAD runs, records it into
#                         DATABASE, and prints what is asked of that
#   until_shown TEXT FILE PID   waits until FILE has it; PID writes it
#   has_stopped           waits until the node has ended
#
# The script has asks EXPRESSIONS: prints the command that evaluates them on the node, and its answer.
server=
epmd=
client=

unpacks() {
  local status=0
  root=$(sh examples/apps/unpack.sh "$1") || status=$?
  [[ $status -eq 0 ]] || { echo "$root" >&2; exit $status; }
  PATH=$root/usr/bin:$PATH
  echo "  $root"
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

has_started() {
  node=$(children "$server")
  node=${node%% *}
}

# shows COMMAND...: prints it, and runs it.
shows() {
  echo "  \$ ${1##*/} ${*:2}"
  "$@"
}

judged() {
  local run=$1 options=$2 trace
  shift 2
  trace=$work/$(basename "$run").trace
  records "$trace" 'carrierscope:*' "$node"
  asks "code:add_patha(\"$build/provider/beam/ebin\")"
  asks "carrierscope:start($options)" | tee "$work/answer"
  grep -q '{ok,' "$work/answer" || { echo "the node cannot be hooked" >&2; exit 1; }
  asks 'carrierscope:snapshot(#{every => 100})'
  "$@"
  asks 'carrierscope:stop()'
  shows lttng destroy "$session"
  shows "$bin/carrierscope" load -f -o "$run" "$trace"
  shows "$bin/carrierscope" report "$run"
}

until_shown() {
  until grep -q -- "$1" "$2"; do
    kill -0 "$3" 2>/dev/null || { cat "$2" >&2; echo "the client ended early" >&2; exit 1; }
    sleep 0.1
  done
}

has_stopped() {
  wait "$server" || echo "the node ended with status $?" >&2
  server=
}

finish_app() {
  local process
  if [[ -n $server ]]; then
    for process in $(children "$server") "$server"; do ends_process "$process" 20; done
  fi
  [[ -z $client ]] || ends_process "$client" 5
  [[ -z $epmd ]] || ends_process "$epmd" 5
  node=
  finish
}
