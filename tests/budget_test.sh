#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# budget_test.sh CARRIERSCOPE DATA ARCHIVE: check and diff say what they should, with the exit
# statuses of diff(1).
set -u
program=$1
data=$2
archive=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
export CARRIERSCOPE_PLUGIN_DIR=${CARRIERSCOPE_PLUGIN_DIR-$(dirname "$program")}

# expect STATUS TEXT ARGUMENT...: output and errors contain TEXT.
expect() {
  local status=$1 text=$2
  shift 2
  "$program" "$@" >"$work/out" 2>&1
  local found=$?
  if [[ $found -ne $status ]] || ! grep -qF -- "$text" "$work/out"; then
    echo "FAILED: '$*' exits with $found (not $status) or does not say '$text':"
    head -5 "$work/out"
    failures=$((failures + 1))
  fi
}

mkdir "$work/pool" && tar xzf "$archive" -C "$work/pool"
"$program" load -q -o "$work/pool.db" "$work/pool" || exit 1
"$program" load -q -o "$work/idle.db" "$data/boot-idle/trace" || exit 1
peak=$(sqlite3 "$work/pool.db" "SELECT value FROM metric WHERE metric = 'peak_bytes' AND allocator IS NULL")
[[ -n $peak ]] || { echo "FAILED: no metric"; exit 1; }

expect 0 'kept' check "$work/pool.db" --max "peak_bytes <= $peak"
expect 1 'OVER' check "$work/pool.db" --max "peak_bytes < $peak"
expect 0 'kept' check "$work/pool.db" --max "peak_bytes = $peak"
expect 1 'OVER' check "$work/pool.db" --max "peak_bytes > $peak"
expect 0 'kept' check "$work/pool.db" --max " peak_bytes( binary_alloc )>= 1 MiB " --max 'lost_events = 0'
expect 1 'OVER' check "$work/pool.db" --max 'lost_events = 0' --max 'utilisation >= 100%'
expect 2 'NOT TOLD' check "$work/pool.db" --max 'peak_bytes(no_alloc) < 1G'
for budget in '' peak_bytes 'peak_bytes <' 'peak_bytes < x' 'peak_bytes < 1 XiB' 'peak_bytes(< 1' \
  'peak_bytes < 1 2' 'peak_bytes < -1' 'peak bytes < 1' "$(printf 'a%.0s' {1..100}) < 1" 'peak_bytes < 1e999'; do
  expect 2 'is no budget' check "$work/pool.db" --max "$budget"
done
expect 2 'needs a budget' check "$work/pool.db"
expect 2 'cannot open' check "$work/none.db" --max 'peak_bytes < 1'
expect 2 'not a carrierscope database' check "$0" --max 'peak_bytes < 1'
expect 1 '<failure message=' check "$work/pool.db" --max 'peak_bytes < 1K' --format junit
expect 0 'failures="0" errors="0"' check "$work/pool.db" --max 'peak_bytes > 1K' --format junit
expect 1 'name="peak_bytes &lt; 1K"' check "$work/pool.db" --max 'peak_bytes < 1K' --format junit
"$program" check "$work/pool.db" --max 'peak_bytes < 1K' --max 'utilisation < 2' --json >"$work/out"
[[ $(sqlite3 :memory: "SELECT count(*) FROM json_each(readfile('$work/out'))
  WHERE value ->> 'outcome' IN ('over', 'kept') AND value ->> 'value' IS NOT NULL") == 2 ]] ||
  { echo "FAILED: JSON of check"; failures=$((failures + 1)); }

"$program" diff "$work/pool.db" "$work/pool.db" >"$work/out"
[[ $? -eq 0 && ! -s $work/out ]] || { echo 'FAILED: a database differs from itself'; failures=$((failures + 1)); }
expect 1 'peak_bytes(binary_alloc)' diff "$work/idle.db" "$work/pool.db"
expect 1 'worse' diff "$work/idle.db" "$work/pool.db"
expect 1 'better' diff "$work/pool.db" "$work/idle.db"
expect 2 'cannot open' diff "$work/pool.db" "$work/none.db"
expect 2 'takes two' diff "$work/pool.db"
expect 2 'per cent' diff --tolerance x "$work/pool.db" "$work/pool.db"
"$program" diff --json "$work/idle.db" "$work/pool.db" >"$work/out"
[[ $(sqlite3 :memory: "SELECT count(*) > 3 FROM json_each(readfile('$work/out'))
  WHERE value ->> 'change' IN ('better', 'worse', 'new', 'gone')") == 1 ]] ||
  { echo "FAILED: JSON of diff"; failures=$((failures + 1)); }

# What other programs read.
"$program" report --format openmetrics "$work/pool.db" >"$work/out"
told=$(sqlite3 "$work/pool.db" "SELECT count(*) FROM metric")
[[ $(grep -c '^carrierscope_' "$work/out") == "$told" && $(tail -n 1 "$work/out") == '# EOF' ]] ||
  { echo "FAILED: OpenMetrics"; failures=$((failures + 1)); }
! grep -vqE '^(# (TYPE|UNIT|HELP) carrierscope_[a-z_]+ .+|carrierscope_[a-z_]+\{[^}]*\} [-+.0-9e]+|# EOF)$' "$work/out" ||
  { echo "FAILED: a line that is not OpenMetrics"; failures=$((failures + 1)); }
"$program" report --format datasette "$work/pool.db" >"$work/out"
told=$(sqlite3 "$work/pool.db" "SELECT count(DISTINCT view) FROM view_doc WHERE view NOT LIKE '\_%' ESCAPE '\'")
[[ $(grep -c '^        "description": "' "$work/out") == "$told" ]] ||
  { echo "FAILED: metadata for datasette"; failures=$((failures + 1)); }
"$program" report "$work/pool.db" >"$work/out"
grep -q '^Process .*: POOLED$' "$work/out" && ! grep -qE '^.{81}' "$work/out" ||
  { echo "FAILED: the overview"; awk 'length > 80' "$work/out"; failures=$((failures + 1)); }
echo "$failures failures"
exit $((failures > 0))
