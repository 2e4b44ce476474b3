# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by tests (bash) that ask an Erlang node by its name, after checks.sh: cookie and names are the test's own.
#
#   starts_node EXPRESSION   a node $node, pid $node_pid, evaluates it; has a process `keeper` when it is ready;
#                            skips the test if that is not possible
#   asked EXPRESSION         what the node answers
#   loads_twice              loads each module of ours that the node has two times, once nobody is in the older code
#   waits COMMAND...         until it succeeds, for 180 s at most; fails then
#   ends_node                for cleanup()
node=node$$
node_pid=
epmd_pid=
ERL_EPMD_PORT=$(free_ports 1)
export HOME=$work TMPDIR=$work ERL_EPMD_PORT

# By a name of its own each time: a busy node still takes that of the last call for connected, and refuses it.
asked() {
  echo "$1." | erl_call -sname "$node" -e 2>/dev/null
}

waits() {
  local i
  for ((i = 0; i < 1800; i++)); do
    "$@" && return 0
    sleep 0.1
  done
  return 1
}

loads_twice() {
  [[ $(asked 'Ours = [M || {M, _} <- code:all_loaded(), lists:prefix("carrierscope", atom_to_list(M))],
    Purged = fun F(M, N) -> code:soft_purge(M) orelse (N > 0 andalso begin timer:sleep(20), F(M, N - 1) end) end,
    length(Ours) > 5 andalso [] =:= [M || _ <- [1, 2], M <- Ours, not Purged(M, 1500) orelse code:load_file(M) =/= {module, M}]') == '{ok, true}' ]] ||
    fail 'somebody stays in the older code of a module'
}

node_is_ready() {
  [[ $(asked 'whereis(keeper) =/= undefined andalso element(2, process_info(whereis(keeper), status))') == '{ok, waiting}' ]]
}

starts_node() {
  if [[ -z $epmd_pid ]]; then
    epmd -port "$ERL_EPMD_PORT" >/dev/null 2>&1 &
    epmd_pid=$!
  fi
  erl -sname "$node" -noinput -eval "$1" >"$work/node.log" 2>&1 &
  node_pid=$!
  waits node_is_ready || skip "no node with a name can be started here: $(cat "$work/node.log")"
}

ends_node() {
  local pid
  for pid in $node_pid $epmd_pid; do
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
  done
}
