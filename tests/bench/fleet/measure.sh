#!/bin/bash
# SPDX-License-Identifier: MIT
#
# measure.sh CARRIERSCOPE [MILLIONS...]: one private ClickHouse server with so many million points (5 15 50): bytes a row
# on disk, CPU seconds and clock of each answer; then the insertion of a million rows as `push` sends them.  README.md
# beside this file has results.
set -u
program=$1
shift
fleet_apps=$(cd "$(dirname "$0")/../../../examples/apps" && pwd)
examples=$fleet_apps/../fleet
# shellcheck source=../../../examples/fleet/server.sh
. "$examples/server.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/fleet.XXXXXX") || exit 1
server=
trap '[ -z "$server" ] || kill "$server"; wait; rm -rf "$work"' EXIT
port=${CSC_FLEET_PORT:-18500}
begins_server "$work/server" "$port" || { cat "$work/server/out"; exit 77; }
to=http://127.0.0.1:$port/fleet

# cpu: CPU seconds of the server so far.
cpu() { awk -v hz="$(getconf CLK_TCK)" '{ printf "%.2f", ($14 + $15) / hz }' "/proc/$server/stat"; }
ask() { curl -sS "http://127.0.0.1:$port/?database=fleet" --data-binary "$1"; }
# counted WHAT COMMAND...: its clock and the server's CPU.
counted() {
  local what=$1 cpu0 begun
  shift
  cpu0=$(cpu)
  begun=$(date +%s%N)
  "$@" >"$work/out"
  echo "$what $(($(date +%s%N) - begun)) $(cpu) $cpu0" | awk '{ printf "  %-14s %7.2f s clock %7.2f s CPU\n", $1, $2 / 1e9, $3 - $4 }'
}

end=$(date +%s)
step=60
for millions in "${@:-5 15 50}"; do
  for million in $millions; do
    ask 'DROP DATABASE IF EXISTS fleet' >"$work/out"
    "$program" fleet init --to "$to" || exit 1
    nodes=$((million * 1000000 / (3 * 590400 / step)))
    sed -e '/^--/d' -e "s/\$NODES/$nodes/g; s/\$STEP/$step/g; s/\$END/$end/g; s/\$ROWS/$((nodes * (590400 / step)))/g" \
      "$examples/nodes.sql" | awk -v RS=';\n' -v to="$work/statement" 'NF { print > (to NR) }'
    for statement in "$work"/statement*; do
      curl -sS "http://127.0.0.1:$port/?database=fleet" --data-binary "@$statement" || exit 1
    done
    ask "SELECT concat(toString(sum(rows)), ' rows of $nodes nodes, ', toString(round(sum(bytes_on_disk) / sum(rows), 2)), ' bytes a row')
      FROM system.parts WHERE active AND database = 'fleet' AND table = 'alloc_point'"
    for name in fragmenting leak use release saving holder silent; do
      counted $name "$program" fleet report $name --to "$to" --timeout 600 --format csv
    done
  done
done

ask 'SELECT * FROM alloc_point LIMIT 1000000 FORMAT TabSeparated' >"$work/rows.tsv"
ask 'SELECT * FROM alloc_point LIMIT 1000000 FORMAT RowBinary' >"$work/rows.bin"
ask 'CREATE TABLE copy AS alloc_point' >"$work/out"
for format in TabSeparated:tsv RowBinary:bin; do
  counted "$format" curl -sS "http://127.0.0.1:$port/?database=fleet&query=INSERT%20INTO%20copy%20FORMAT%20${format%:*}" \
    --data-binary "@$work/rows.${format#*:}"
  stat -c '  %s bytes for a million rows' "$work/rows.${format#*:}"
done
awk '/VmRSS/ { print "server: " $2 / 1024 " MiB resident" }' "/proc/$server/status"
