#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Why a GRiSP board died with 12 MB free, and what would have kept it alive.
#
# Runs a workload like that of a node of seven on a model of the board (its heap at its own
# addresses, the 32-bit allocators, mmap failing), recorded by LTTng; loads the trace; prints
# the report that explains the end.  Then the same workload under other settings, and with one
# patch of the port, in a table.
#
#	run.sh [-b BUILD] [-s SEED] [-1] [DATABASE]
#
#	-b BUILD   where the programs are (build/release)
#	-s SEED    another course of events than that of the file
#	-1         explain only, no table
#	DATABASE   grisp-7-nodes.db
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build/release
seed=()
usage() {
  echo "usage: run.sh [-b BUILD] [-s SEED] [-1] [DATABASE]" >&2
  exit 2
}
has_table=1
while getopts b:s:1 option; do
  case $option in
  b) build=$(cd "$OPTARG" && pwd) ;;
  s) seed=(--seed "$OPTARG") ;;
  1) has_table= ;;
  *) usage ;;
  esac
done
shift $((OPTIND - 1))
[[ $# -le 1 ]] || usage
database=${1:-grisp-7-nodes.db}
twin=$build/provider/carrierscope-twin
command=$build/analyzer/carrierscope
board=$root/examples/boards/grisp1.board
workload=$here/achlys.workload
for program in "$twin" "$command"; do
  [[ -x $program ]] || {
    echo "there is no '$program': build first (README), or say where with -b" >&2
    exit 1
  }
done

work=$(mktemp -d)
session=carrierscope-board-$$
has_session=

# shellcheck source=examples/session-daemon.sh
. "$here/../session-daemon.sh"
finish() {
  [[ -z $has_session ]] || ends_session "$session"
  ends_daemon
  rm -rf "$work"
}
trap finish EXIT

starts_daemon

echo "== The board: what its console shows, recorded by LTTng"
{
  creates_session "$session" --output="$work/trace"
  has_session=1
  lttng enable-channel -u -s "$session" --buffers-uid --subbuf-size=4M --num-subbuf=8 memory
  lttng enable-event -u -s "$session" -c memory 'org_erlang_otp:carrier_*'
  # Carriers, requests and the heap; not the two million blocks in them.
  lttng enable-event -u -s "$session" -c memory 'carrierscope:*' \
    --exclude='carrierscope:block_*,carrierscope:state_block'
  lttng add-context -u -s "$session" -c memory -t vpid -t vtid -t procname
  lttng start "$session"
} >/dev/null
# The workload ends as the board did: with exit code 1 and the runtime's own sentence.
code=0
(
  # Of all programs on this machine only the one that this shell becomes.
  lttng track -u -s "$session" --vpid "$BASHPID" >/dev/null
  LTTNG_UST_REGISTER_TIMEOUT=-1 exec "$twin" --board "$board" --workload "$workload" "${seed[@]}"
) >"$work/console" 2>&1 || code=$?
lttng stop "$session" >/dev/null
grep -v '^%' "$work/console" || true
[[ $code -le 1 ]] || exit "$code"

echo
echo "== carrierscope load TRACE -o $database"
"$command" load -f -o "$database" "$work/trace"

echo
echo "== Why?     carrierscope report board $database"
"$command" report board "$database"

[[ -n $has_table ]] || exit 0

# run NAME BOARD FLAG...: one line of the table.
run() {
  local name=$1 on=$2 out end
  shift 2
  out=$("$twin" --no-trace --board "$on" --workload "$workload" "${seed[@]}" -- "$@" 2>&1) || true
  end=$(sed -n 's/.*: Cannot \(re\)\{0,1\}allocate \([0-9]*\) bytes.*/dies: \2/p' <<<"$out" | head -n 1)
  awk -v name="$name" -v end="${end:-survives}" '
    / operations, / {
      operations = $2
      for (i = 1; i < NF; i++) {
        if ($i == "footprint") { footprint = $(i + 1) }
        if ($i == "peak") { peak = $(i + 1) }
      }
    }
    /^% heap: / { holes = $3 }
    /^Largest free block:/ { largest = $NF }
    /^Total bytes free:/ { free = $NF }
    /^Total number of failed/ { failed = $NF }
    END {
      if (operations == "") { print name ": did not run" > "/dev/stderr"; exit 1 }
      printf "%-34s %-14s %10d %11d %11d %11d %10d %10d %6d\n", name, end, operations, footprint,
        peak, free, largest, holes, failed
    }' <<<"$out"
}

sed '$a trim 12' "$board" >"$work/trim.board"
echo
echo "== The same workload under other settings (bytes; operations until the end)"
printf '%-34s %-14s %10s %11s %11s %11s %10s %10s %6s\n' setting end operations carriers peak \
  free largest stranded failed
run 'defaults' "$board"
run '-Mea min' "$board" -Mea min
run '-Muycs 256' "$board" -Muycs 256
run '-Musmbcs 256' "$board" -Musmbcs 256
run '-Musmbcs 256 -Muycs 256' "$board" -Musmbcs 256 -Muycs 256
run '-Musmbcs 2048' "$board" -Musmbcs 2048
run '-Musmbcs 4096' "$board" -Musmbcs 4096
run '-Mut false' "$board" -Mut false
run '-Musbct 8192' "$board" -Musbct 8192
for strategy in bf aobf gf aoff aoffcaobf ageffcaoff ageffcbf ageffcaobf; do
  run "-Muas $strategy" "$board" -Muas $strategy
done
run 'patch: k * 256 KiB - 12' "$work/trim.board"
run 'patch, -Muycs 256' "$work/trim.board" -Muycs 256
run 'patch, -Mut false' "$work/trim.board" -Mut false
