#!/usr/bin/env bash
. "$(dirname "$0")/../harness/main.sh"
tests_program "$1"
node_erl=$2 count=$3
names_nodes
mkdir -p "$work/bin"; printf '#!/bin/sh\nexec %s "$@"\n' "$node_erl" >"$work/nodeerl"; chmod +x "$work/nodeerl"
erl() { "$work/nodeerl" "$@"; }
starts_node 'spawn(fun() -> register(keeper, self()), receive never -> ok end end).'
unset -f erl
figures='{erlang:system_info(otp_release), {processes, length(processes())}, {modules, length(code:all_loaded())}, {atoms, erlang:system_info(atom_count)}, {code, erlang:memory(code)}, {ports, length(erlang:ports())}, {ets, length(ets:all())}}'
asked "$figures"
for ((i = 1; i <= count; i++)); do
  "$program" record -f -o "$work/run.db" "$node" --readings --ebin /nowhere --seconds 1 >"$work/out" 2>"$work/err" || fail "push $i: $(cat "$work/err")"
  case $i in 1 | 2 | 10 | 50 | $count) sleep 2; echo "after $i: $(asked "$figures")" ;; esac
done
ends
