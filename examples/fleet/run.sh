#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [NODES [STEP]]: a fleet to try.  Starts three private ClickHouse servers on loopback, of Debian's packages,
# fills them with a week of NODES synthetic nodes (1000) with a point every STEP seconds (600), prints each answer of
# `carrierscope fleet report` beside what is true of these nodes, and stops what it started.
#
# Needs no root.  $CARRIERSCOPE: the program (carrierscope).  $CSC_FLEET_PORT: the first of six ports (18400).
# Exit status: 0 all answers are true, 1 one is not, 77 the servers cannot be had.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
nodes=${1:-1000}
step=${2:-600}
program=${CARRIERSCOPE:-carrierscope}
port=${CSC_FLEET_PORT:-18400}
fleet_apps=$here/../apps
# shellcheck source=server.sh
. "$here/server.sh"
work=$(mktemp -d) || exit 1
servers=

stops() {
  for pid in $servers; do
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
  done
  rm -rf "$work"
}
trap stops EXIT
trap 'exit 130' INT TERM

clickhouse=$(sh "$fleet_apps/unpack.sh" clickhouse-server usr/sbin/clickhouse-server) || { echo "$clickhouse"; exit 77; }
p1=$port
p2=$((port + 2))
p3=$((port + 4))
for own in "$p1 $p1 $p2 $p3" "$p2 $p1 $p2 $p3" "$p3 $p1 $p2 $p3"; do
  # shellcheck disable=SC2086
  set -- $own
  first=$1
  shift
  begins_server "$work/$first" "$first" "$@" || { echo "SKIPPED: no server on port $first: $(tail -n 1 "$work/$first/out")"; exit 77; }
  servers="$servers $server"
done
for first in $p1 $p2 $p3; do
  "$program" fleet init --to "http://127.0.0.1:$first/fleet" --cluster fleet --unreplicated || exit 1
done
to=http://127.0.0.1:$p1/fleet

# filled: the statements of nodes.sql, each with a NUL behind it.
end=$(date +%s)
begun=$end
rows=$((nodes * (590400 / step)))
sed -e '/^--/d' -e "s/\$NODES/$nodes/g; s/\$STEP/$step/g; s/\$END/$end/g; s/\$ROWS/$rows/g" "$here/nodes.sql" |
  awk -v RS=';\n' -v to="$work/statement" 'NF { print > (to NR) }'
for statement in "$work"/statement*; do
  curl -sS "http://127.0.0.1:$p1/?database=fleet&insert_distributed_sync=1" --data-binary "@$statement" >"$work/answer" || exit 1
  [ ! -s "$work/answer" ] || { cat "$work/answer"; exit 1; }
done
echo "$nodes nodes, $((3 * rows)) points on three servers in $(($(date +%s) - begun)) s"

awk -v nodes="$nodes" -v step="$step" -v end="$end" -f "$here/truth.awk" | sort >"$work/truth"

# asked NAME: the answer as CSV without its header, and how long it took.
asked() {
  begun=$(date +%s%N)
  "$program" fleet report "$1" --to "$to" --format csv >"$work/csv" || exit 1
  echo "$1: $((($(date +%s%N) - begun) / 1000000)) ms" >&2
  tail -n +2 "$work/csv" | tr -d '\r'
}
{
  asked fragmenting | awk -F, '{ print "fragmenting", $3 }' | sort -u
  asked leak | awk -F, '{ print "leak", $3 }' | sort -u
  asked silent | awk -F, '{ print "silent", $3 }'
  asked use | awk -F, '{ gsub(" ", "_", $3); printf "use %s %s %s %.0f %.0f\n", $1, $2, $3 == "" ? "-" : $3, $6, $7 }'
  asked saving | awk -F, '{ printf "saving %s %.0f %.0f\n", $1, $6, $8 }'
  asked holder | awk -F, '{ printf "holder %s %.0f\n", $1, $7 }'
} | sort >"$work/answers"

# Names must be the same; numbers may differ by 1 %.
wrong=$(awk '
  function same(a, b) { return a == b || (a ~ /^[0-9]+$/ && b ~ /^[0-9]+$/ && a - b <= 0.01 * b && b - a <= 0.01 * b) }
  NR == FNR { truth[FNR] = $0; lines = FNR; next }
  { split(truth[FNR], want, " "); bad = 0
    for (i = 1; i <= NF; i++) bad += !same($i, want[i])
    if (bad || !(FNR in truth)) print "  answer " $0 "\n  truth  " truth[FNR]; seen = FNR }
  END { if (seen != lines) print "  " seen " answers, " lines " truths" }' "$work/truth" "$work/answers")
echo
echo "answer                                          truth"
paste -d'|' "$work/answers" "$work/truth" | awk -F'|' '{ kind = $1; sub(/ .*/, "", kind)
  if (++shown[kind] <= 4) printf "%-47s %s\n", $1, $2; else more[kind]++ }
  END { for (kind in more) print "... and " more[kind] " more of " kind }'
"$program" fleet status --to "$to"
# A server that is lost is said, and the others answer.
kill "$server"
wait "$server" 2>/dev/null
"$program" fleet report silent --to "$to" >"$work/out" 2>&1
grep 'cannot be reached' "$work/out" || wrong="$wrong
  a server that is lost is not said: $(cat "$work/out")"
if [ -n "$wrong" ]; then
  echo "not true:"
  echo "$wrong"
  exit 1
fi
echo "All $(wc -l <"$work/truth") answers are true."
