#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# push.sh CARRIERSCOPE [PROCESSES...]: what readings by a pushed module cost a node that does nothing else: CPU of the node and
# of 20 s (loading included), snapshots, and memory at the peak beside before, with 100 MB that are free and with all of the machine's.
. "$(dirname "$0")/../../harness/main.sh"
tests_program "$1"
shift
needs sqlite3
names_nodes
cleanup() { ends_node; }
echo 'processes,free_kib,cpu_ms,snapshots,peak_kib'
for count in "${@:-10000}"; do
  for free in 100000 "$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)"; do
    node=push$$x$count kernel=$work/kernel
    mkdir -p "$kernel/proc/self"
    echo "MemAvailable: $free kB" >"$kernel/proc/meminfo"
    ERL_FLAGS='+P 2000000' CARRIERSCOPE_KERNEL_FILES=$kernel starts_node "[spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, $count)],
      register(keeper, self()), receive stop -> ok end."
    pid=$(asked 'list_to_integer(os:getpid())' | tr -dc '0-9')
    cpu() { awk -v ticks="$(getconf CLK_TCK)" '{ sub(/^.*\) /, ""); print ($12 + $13) * 1000 / ticks }' "/proc/$pid/stat"; }
    figure() { awk -v "key=$1:" '$1 == key { print $2 }' "/proc/$pid/status"; }
    sleep 1
    echo 5 >"/proc/$pid/clear_refs"
    resident=$(figure VmRSS) before=$(cpu)
    "$program" record -f -o "$work/push.db" "$node" --readings --seconds 20 >"$work/out" 2>"$work/err" || fail "record: $(cat "$work/err")"
    echo "$count,$free,$(($(cpu) - before)),$(sqlite3 "$work/push.db" 'SELECT count(*) FROM snapshot_end'),$(($(figure VmHWM) - resident))"
    kill -9 "$node_pid"
    wait "$node_pid" 2>/dev/null
    node_pid=
  done
done
ends
