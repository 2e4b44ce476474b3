#!/bin/bash
# SPDX-License-Identifier: MIT
#
# measure.sh CARRIERSCOPE [MILLIONS...]: three private ClickHouse servers on loopback, a shard each, with so many million
# points (5 15 50): CPU seconds of the servers and clock of their making and of each answer, bytes a row on disk; then the
# insertion of a million rows as `push` sends them.  README.md beside this file has results.
set -u
program=$1
shift
fleet_apps=$(cd "$(dirname "$0")/../../../examples/apps" && pwd)
examples=$fleet_apps/../fleet
. "$examples/server.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/fleet.XXXXXX") || exit 1
servers=
# shellcheck disable=SC2086
trap '[ -z "$servers" ] || kill $servers; wait; rm -rf "$work"' EXIT
takes_ports || exit 77
ports="$port $((port + 2)) $((port + 4))"
for first in $ports; do
  # shellcheck disable=SC2086
  begins_server "$work/$first" "$first" $ports || { cat "$work/$first/out"; exit 77; }
  servers="$servers $server"
done
to=http://127.0.0.1:$port/fleet

# cpu: CPU seconds of the servers so far.
cpu() {
  local pid
  for pid in $servers; do
    cat "/proc/$pid/stat"
  done | awk -v hz="$(getconf CLK_TCK)" '{ sum += $14 + $15 } END { printf "%.2f", sum / hz }'
}
ask() { curl -sS "http://127.0.0.1:$port/?database=fleet" --data-binary "$1"; }
# everywhere STATEMENT: on each server.
everywhere() {
  local first
  for first in $ports; do
    curl -sS "http://127.0.0.1:$first/" --data-binary "$1"
  done
}
# counted WHAT COMMAND...: its clock and the servers' CPU.
counted() {
  local what=$1 cpu0 begun
  shift
  cpu0=$(cpu)
  begun=$(date +%s%N)
  "$@" >"$work/out" || head -c 300 "$work/out"
  echo "$what $(($(date +%s%N) - begun)) $(cpu) $cpu0" | awk '{ printf "  %-16s %7.2f s clock %7.2f s CPU\n", $1, $2 / 1e9, $3 - $4 }'
}
# disk: points, rows and bytes of alloc_minutes on all servers.
disk() {
  everywhere "SELECT sum(rows), sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'fleet' AND table = 'alloc_minutes_local'" |
    awk -v points="$(ask 'SELECT sum(minutes) FROM alloc_minutes')" '{ rows += $1; bytes += $2 }
      END { printf "  %d points in %d rows, %.2f bytes a point\n", points, rows, bytes / points }'
}
fills() {
  local statement answer
  for statement in "$work"/statement*; do
    answer=$(curl -sS "http://127.0.0.1:$port/?database=fleet&insert_distributed_sync=1&max_block_size=4096&min_insert_block_size_rows=16384" --data-binary "@$statement" 2>&1)
    [[ -z $answer ]] || { echo "$answer" >&2; exit 1; }
  done
}

end=$(date +%s)
step=60
[ $# -gt 0 ] || set -- 5 15 50
for million; do
  everywhere 'DROP DATABASE IF EXISTS fleet' >"$work/out"
  for first in $ports; do
    "$program" fleet init --to "http://127.0.0.1:$first/fleet" --cluster fleet --unreplicated || exit 1
  done
  nodes=$((million * 1000000 / (3 * 590400 / step)))
  echo "$million million points of $nodes nodes, load $(cut -d' ' -f1 /proc/loadavg)"
  sed -e '/^--/d' -e "s/\$NODES/$nodes/g; s/\$STEP/$step/g; s/\$END/$end/g; s/\$HOURS/$((nodes * 165))/g" \
    "$(dirname "$0")/nodes.sql" | awk -v RS=';\n' -v to="$work/statement" 'NF { print > (to NR) }'
  counted making fills
  disk
  for name in fragmenting leak use release saving holder silent; do
    counted $name "$program" fleet report $name --to "$to" --timeout 600 --format csv
  done
done

# As `push` sends them: a request for the week of a node, 29,520 points, or for as many as a batch of `push` has, five; until
# all parts are merged as far as they will be.
settles() {
  local tries=0
  until [[ $(everywhere "SELECT count() FROM system.merges" | tr -d "0\n") == "" || $tries -ge 300 ]]; do
    tries=$((tries + 1))
    sleep 0.2
  done
}
# sends SUFFIX FORMAT NODES: so many nodes a request.
sends() {
  local i k
  for ((i = 0; i < 34; i += $3)); do
    for ((k = i; k < i + $3 && k < 34; k++)); do
      cat "$work/$k.$1"
    done >"$work/request"
    curl -sS --data-binary "@$work/request" "http://127.0.0.1:$port/?database=fleet&insert_distributed_sync=1&query=INSERT%20INTO%20alloc_minutes%20(${columns// /%20})%20FORMAT%20$2"
  done
  settles
}
columns='push, recording, node, app, release, flags, run, allocator, hour, minute, figures, bounds'
for ((i = 0; i < 34; i++)); do
  for format in TabSeparated:tsv RowBinary:bin; do
    ask "SELECT $columns FROM alloc_minutes WHERE node = 'node$i@host$i' ORDER BY allocator, hour FORMAT ${format%:*}" >"$work/$i.${format#*:}"
  done
done
settles
for format in TabSeparated:tsv RowBinary:bin; do
  for nodes in 1 5; do
    counted "${format%:*}/$nodes" sends "${format#*:}" "${format%:*}" $nodes
  done
  cat "$work"/*."${format#*:}" | wc -c | sed "s/$/ bytes for a million points/"
done
for pid in $servers; do
  awk '/VmRSS/ { print "  a server: " $2 / 1024 " MiB resident" }' "/proc/$pid/status"
done
