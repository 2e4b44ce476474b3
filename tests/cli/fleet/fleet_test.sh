#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# fleet_test.sh CARRIERSCOPE TRACE: `push` and `fleet` with a ClickHouse server: what arrives, pushes that are repeated,
# cut off at each request, or two at once, names that are hostile, tables of another version.
set -u
here=$(cd "$(dirname "$0")" && pwd)
harness=$here/../../harness
fleet_apps=$here/../../../examples/apps
# shellcheck source=../../harness/program.sh
. "$harness/program.sh"
# shellcheck source=../../../examples/fleet/server.sh
. "$here/../../../examples/fleet/server.sh"
trace=$2
server=
stub=

cleanup() {
  for pid in $stub $server; do
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
  done
}

needs curl sqlite3
clickhouse=$(sh "$fleet_apps/unpack.sh" clickhouse-server usr/sbin/clickhouse-server) || skip "${clickhouse#SKIPPED: }"
for try in 1 2 3; do
  port=$((20000 + ($$ * 2 + try * 5000) % 30000))
  begins_server "$work/server" "$port" && break
  [[ $try -lt 3 ]] || skip "ClickHouse does not start here: $(tail -n 1 "$work/server/out")"
done
to=http://127.0.0.1:$port/fleet

ask() {
  curl -sS "http://127.0.0.1:$port/?database=fleet" --data-binary "$1"
}

# does STATUS TEXT ARGUMENT...: the command ends so, and its messages have TEXT.
does() {
  local wanted=$1 text=$2
  shift 2
  timeout 120 "$program" "$@" >"$work/out" 2>"$work/err"
  local status=$?
  [[ $status -eq $wanted ]] || fail "$* ends with $status, not $wanted"
  [[ -z $text ]] || cat "$work/out" "$work/err" | grep -qF -- "$text" || fail "$*: no '$text'"
}

# same WHAT WANTED QUERY: the answer of a query.
same() {
  local answer
  answer=$(ask "$3")
  [[ $answer == "$2" ]] || fail "$1: '$answer', not '$2'"
}

"$program" load -o "$work/run.db" "$trace" 2>"$work/err" || fail "the trace is not loaded"
does 1 "run 'carrierscope fleet init --to $to'" push "$work/run.db" --to "$to"
does 1 "run 'carrierscope fleet init --to $to'" fleet report --to "$to"
does 0 '' fleet init --to "$to"
does 0 'recordings 0, nodes known 0' fleet status --to "$to"

# What --dry-run counts arrives, and the figures of the end are those of the database.
does 0 alloc_point push --dry-run "$work/run.db"
points=$(awk '$1 == "alloc_point" { print $2 }' "$work/out")
[[ $points -gt 5 ]] || fail "only $points points"
does 0 sent push "$work/run.db" --to "$to" --label app=shop --label release=1
seen="FROM alloc_point WHERE (recording, push) IN (SELECT recording, push FROM visible)"
same "points" "$points" "SELECT count() $seen"
same "the end" "$(sqlite3 -separator $'\t' -nullvalue '\N' "$work/run.db" "SELECT allocator,
    max(low) FILTER (WHERE quantity = 'carriers_bytes'), max(high) FILTER (WHERE quantity = 'carriers_bytes'),
    max(low) FILTER (WHERE quantity = 'blocks_bytes'), max(high) FILTER (WHERE quantity = 'blocks_bytes')
  FROM figure WHERE moment = 'end' GROUP BY allocator ORDER BY allocator")" \
  "SELECT allocator, carriers_low, carriers_high, blocks_low, blocks_high $seen
    AND ts = (SELECT max(ts) FROM alloc_point) ORDER BY allocator"

# Repeated, it changes nothing; with another label it counts instead.
does 0 'is there already' push "$work/run.db" --to "$to" --label app=shop --label release=1
same "points of a push repeated" "$points" "SELECT count() FROM alloc_point"
does 0 sent push "$work/run.db" --to "$to" --label app=shop --label release=2
same "releases" 2 "SELECT release FROM visible"
same "points of the last push" "$points" "SELECT count() $seen"

# RowBinary, by way of a file, is the same as TSV.
columns='node, app, release, flags, run, allocator, ts, carriers, carriers_low, carriers_high, blocks, blocks_low, blocks_high, pool, pool_low, pool_high'
ask "SELECT $columns $seen ORDER BY allocator, ts" >"$work/tsv"
does 0 '' push "$work/run.db" -o "$work/run.push" --format rowbinary --label app=shop --label release=2
does 0 sent push "$work/run.push" --to "$to"
ask "SELECT $columns $seen ORDER BY allocator, ts" >"$work/binary"
cmp "$work/tsv" "$work/binary" || fail "RowBinary is not the same as TSV"
head -c 2000 "$work/run.push" >"$work/half.push"
does 1 'breaks off' push "$work/half.push" --to "$to"

# Names may be anything.
hostile=$'a\tb\'";<script>\\\n\xc3\xa9`--'
does 0 sent push "$work/run.db" --to "$to" --label "app=$hostile" --label "node=$hostile"
same "a hostile name" "$(printf %s "$hostile" | od -An -tx1 | tr -d ' \n' | tr a-f A-F)" "SELECT hex(app) FROM visible"
does 0 'The fleet' fleet report --to "$to" --format html
! grep -q '<script' "$work/out" || fail "a name is markup"

# Two at once: one counts.
for i in 1 2; do
  "$program" push "$work/run.db" --to "$to" --label app=two >"$work/two.$i" 2>&1 &
  eval "two$i=$!"
done
# shellcheck disable=SC2154
wait "$two1" && wait "$two2" || fail "one of two pushes at once fails: $(cat "$work"/two.*)"
same "recordings of two at once" "1	two" "SELECT count(), max(app) FROM visible"
same "points of two at once" "$points" "SELECT count() $seen"

# Cut off at each request: invisible until the recording is there, and the next push mends it.
if command -v node >/dev/null; then
  for cut in "before 1" "before 2" "before 3" "before 4" "before 5" "after 4" "after 5"; do
    mode=${cut% *}
    n=${cut#* }
    rm -f "$work/port"
    mkfifo "$work/port"
    node "$here/stub.mjs" "$mode" "$n" "$port" >"$work/port" 2>"$work/stub" &
    stub=$!
    read -r stub_port <"$work/port"
    does 1 'cannot reach' push "$work/run.db" --to "http://127.0.0.1:$stub_port/fleet" --label "app=$mode$n"
    kill "$stub" && wait "$stub" 2>/dev/null
    stub=
    wanted=0
    [[ $cut != "after 5" ]] || wanted=1
    same "cut off $mode request $n" $wanted "SELECT count() FROM visible WHERE app = '$mode$n'"
    does 0 "$([[ $wanted -eq 1 ]] && echo 'is there already' || echo sent)" push "$work/run.db" --to "$to" --label "app=$mode$n"
    same "mended" "$points" "SELECT count() $seen AND app = '$mode$n'"
  done
else
  echo "not tested: there is no node here to cut requests off with"
fi

# Tables of another version.
ask 'DROP TABLE fleet_version' && ask 'CREATE VIEW fleet_version AS SELECT toUInt32(99) AS version'
does 1 'of a newer carrierscope: version 99' push "$work/run.db" --to "$to"
does 1 'of a newer carrierscope: version 99' fleet upgrade --to "$to"
ask 'DROP TABLE fleet_version' && ask 'CREATE VIEW fleet_version AS SELECT toUInt32(1) AS version'
does 0 '' fleet upgrade --to "$to"
same "recordings after an upgrade" 1 "SELECT count() FROM visible"

# A password is asked for, and wrong.
printf 'default\nwrong\n' >"$work/credentials"
chmod 600 "$work/credentials"
does 1 refused push "$work/run.db" --to "$to" --credentials "$work/credentials"
ends
