#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# push_doors_test.sh CARRIERSCOPE: what is said of doors that are closed to readings, what many readings leave in a node, and what
# one takes of a control group that is nearly full.
. "$(dirname "$0")/../harness/main.sh"
tests_program "$1"
needs sqlite3
names_nodes
group=
cleanup() {
  ends_node
  [[ -z $group ]] || rmdir "$group" 2>/dev/null || { sleep 1; rmdir "$group"; }
}
cd "$work" || exit 1
starts_node 'register(keeper, self()), receive stop -> ok end.'

# refused TEXT ARGUMENT...: in one line, and nothing is left.
refused() {
  local text=$1
  shift
  timeout 400 "$program" record -o "$work/refused.db" --readings --seconds 1 "$@" >out 2>err </dev/null && fail "record $* does not fail"
  [[ $(wc -l <err) -eq 1 ]] || fail "record $*: not one line: $(cat err)"
  grep -qF -- "$text" err || fail "record $*: no '$text': $(cat err)"
  ! ls -d refused.db* erl_crash.dump >/dev/null 2>&1 || fail "record $* leaves $(ls)"
}
says() {
  printf '#!/bin/sh\n%s\n' "$2" >"$1"
  chmod +x "$1"
}
refused 'epmd of its host knows no such node, but ' "nobody$$"
refused "$node; a node without distribution is asked by a command of its own (--via)" "nobody$$"
refused 'its host is not known here' "nobody$$@host.invalid"
# With a name that has a domain, from a host that has none.
refused 'epmd of its host knows no such node' "nobody$$@127.0.0.1"
mkdir none
echo WRONG >none/cookie
chmod 400 none/cookie
refused 'it is there, but its cookie is not that of --cookie-file, or it wants TLS' "$node" --cookie-file none/cookie
ERL_EPMD_PORT=1 refused 'no epmd answers on this host, so no node here has distribution' "$node"
says old 'echo "csp-release 21"'
refused 'the node has OTP 21; readings are of OTP 22 and later' --via ./old
says splits 'exec sh -c "echo $1"'
refused 'a shell in it reads the expression: it has to pass its last argument as it is' --via ./splits
refused 'it prints the expression, and does not evaluate it' --via echo
says rights 'echo "Error: unable to perform an operation"; echo; echo "Only root or rabbitmq can run rabbitmqctl"; exit 1'
refused 'Only root or rabbitmq can run rabbitmqctl' --via ./rights

# Many: each after the first leaves nothing, but what OTP 25 keeps of code that it has translated.
left_of='{erlang:system_info(atom_count), erlang:memory(code), erlang:system_info(process_count), erlang:module_loaded(carrierscope_pushed), erlang:check_old_code(carrierscope_pushed)}'
for turn in 1 2 3 4 5 6 7 8 9 10 11 12; do
  timeout 400 "$program" record -f -o "$work/many.db" "$node" --readings --seconds 1 --force >out 2>err </dev/null || fail "reading $turn: $(cat err)"
  # It was collected; asking makes atoms of its own the first time.
  asked 'begin [erlang:garbage_collect(P) || P <- processes()], timer:sleep(200), ok end' >/dev/null
  [[ $turn -ne 2 ]] || first=$(asked "$left_of" | tr -dc '0-9,')
done
[[ $first == *[0-9]* ]] || fail 'the node does not answer'
last=$(asked "$left_of")
[[ $last == *'false,false}}' || $last == *'false, false}}' ]] || fail "a module is left: $last"
IFS=, read -r atoms code processes _ <<<"$first"
IFS=, read -r atoms_then code_then processes_then _ <<<"$(tr -dc '0-9,' <<<"$last")"
# Each reader's erl has one of eight names, and so has each that asks here.
[[ $((atoms_then - atoms)) -le 16 ]] || fail "10 readings leave $((atoms_then - atoms)) atoms"
has_no_more() { [[ $(asked 'erlang:system_info(process_count)' | tr -dc 0-9) -le $processes ]]; }
waits has_no_more || fail "10 readings leave $((processes_then - processes)) processes: $(asked '[{P, I} || P <- processes(), {_, I} <- [process_info(P, initial_call)]]')"
most=0
[[ $(asked 'erlang:system_info(otp_release)') != *'"25"'* ]] || most=$((10 * 16384))
[[ $((code_then - code)) -le $most ]] || fail "10 readings leave $((code_then - code)) bytes of code"

# A control group that is 95 % full.
limit=$((1400 * 1048576))
makes_group() {
  local memory=/sys/fs/cgroup/memory
  if [[ -e $memory/memory.limit_in_bytes ]]; then
    group=$memory/csc-$$ limits=memory.limit_in_bytes usage=memory.usage_in_bytes peak=memory.max_usage_in_bytes
  else
    group=/sys/fs/cgroup/csc-$$ limits=memory.max usage=memory.current peak=memory.peak
  fi
  mkdir "$group" 2>/dev/null || { group='' && return 1; }
  [[ -e $group/$peak ]] && echo $limit >"$group/$limits"
}
if [[ $(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo) -lt 4000000 ]]; then
  echo 'PARTLY SKIPPED: a control group (less than 4 GB are free)'
elif ! makes_group 2>/dev/null; then
  echo 'PARTLY SKIPPED: a control group (cannot be made here)'
else
  asked 'begin [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 10000)], ok end' >/dev/null
  echo "$(asked 'list_to_integer(os:getpid())' | tr -dc 0-9)" >"$group/cgroup.procs"
  # fills PERCENT
  fills() {
    asked "begin application:set_env(kernel, csc_held, [binary:copy(<<\"a\">>, $((limit / 100 * $1 - $(cat "$group/$usage")))) | application:get_env(kernel, csc_held, [])]), ok end" >/dev/null
  }
  fills 95
  full=$(cat "$group/$usage")
  [[ $full -gt $((limit / 100 * 94)) ]] || fail "the group is not full: $full"
  echo 0 >"$group/$peak" 2>/dev/null
  # Again where a busy machine reads it too seldom.
  for times in 3 9 27; do
    timeout 400 "$program" record -f -o "$work/full.db" "$node" --readings --seconds $times >out 2>err </dev/null || fail "a full group: $(cat err)"
    [[ $(sqlite3 full.db 'SELECT count(*) > 2 FROM snapshot_end') != 1 ]] || break
  done
  [[ $(sqlite3 full.db 'SELECT count(*) > 2 FROM snapshot_end') == 1 ]] || fail 'a full group: no readings'
  [[ $(($(cat "$group/$peak") - full)) -le 16777216 ]] || fail "a reading takes $((($(cat "$group/$peak") - full) / 1024)) KiB of a group that is full"
  # Less than a reading may need: it is not begun.
  fills 98
  refused "MiB of memory are free ($group/$limits)" "$node"
  kill -0 "$node_pid" || fail 'the node is gone'
fi
ends
