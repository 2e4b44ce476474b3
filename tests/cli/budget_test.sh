#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# budget_test.sh CARRIERSCOPE DATA ARCHIVE: check and diff say what they should, with the exit
# statuses of diff(1).
. "$(dirname "$0")/../harness/main.sh"
data=$2
archive=$3
tests_program "$1"

# expect STATUS TEXT ARGUMENT...: output and errors contain TEXT.
expect() {
  local status=$1 text=$2
  shift 2
  "$program" "$@" >"$work/out" 2>&1
  local found=$?
  if [[ $found -ne $status ]] || ! grep -qF -- "$text" "$work/out"; then
    fail "'$*' exits with $found (not $status) or does not say '$text': $(head -5 "$work/out")"
  fi
}

mkdir "$work/pool" && tar xzf "$archive" -C "$work/pool"
"$program" load -q -o "$work/pool.db" "$work/pool" || exit 1
"$program" load -q -o "$work/idle.db" "$data/boot-idle/trace" || exit 1
# One whose metrics can be changed, and hold all the same.
cp "$work/pool.db" "$work/known.db"
sqlite3 "$work/known.db" "DROP TRIGGER judgement_metric_INSERT; DROP TRIGGER judgement_metric_UPDATE" || exit 1
# Carrier events alone: at its peak it had at least what is known of its end, and nothing bounds it above.
read -r peak low end high < <(sqlite3 -separator ' ' "$work/known.db" "SELECT p.value, p.low, e.low, ifnull(p.high, '-')
  FROM metric AS p JOIN metric AS e ON e.metric = 'carriers_bytes' AND e.allocator IS NULL
  WHERE p.metric = 'peak_bytes' AND p.allocator IS NULL")
((${peak:-0} > ${low:-0} && low >= end && end > 1048576)) && [[ $high == - ]] ||
  { echo "FAILED: the metrics: peak $peak, from $low to $high; at the end from $end"; exit 1; }

expect 0 'kept' check "$work/pool.db" --max "peak_bytes >= $low"
expect 1 'OVER' check "$work/pool.db" --max "peak_bytes < $low"
expect 1 'OVER' check "$work/pool.db" --max "peak_bytes = $((low - 1))"
expect 2 'UNKNOWN ' check "$work/pool.db" --max "peak_bytes <= $peak"
expect 2 'UNKNOWN ' check "$work/pool.db" --max "peak_bytes > $low"
expect 0 'kept' check "$work/pool.db" --max " peak_bytes( binary_alloc )>= 1 MiB " --max 'lost_events = 0'
expect 1 'OVER' check "$work/pool.db" --max 'lost_events = 0' --max 'utilisation > 100%'
expect 2 'UNKNOWN ' check "$work/pool.db" --max 'lost_events = 0' --max 'utilisation >= 50%'
expect 2 'UNKNOWN ' check "$work/pool.db" --max 'peak_bytes(no_alloc) < 1G'
expect 2 'unknown metric for this recording' check "$work/pool.db" --max 'peak_bytes(no_alloc) < 1G'

# A figure that is an interval: low <= limit < high cannot be decided.
interval() {
  cp "$work/known.db" "$work/interval.db"
  sqlite3 "$work/interval.db" "UPDATE metric SET value = $1, low = $2, high = $3
    WHERE metric = 'peak_bytes' AND allocator IS NULL"
}
# One that is exact.
interval 20971520 20971520 20971520
for budget in 'peak_bytes <= 20MiB' 'peak_bytes = 20MiB' 'peak_bytes >= 20MiB'; do
  expect 0 'kept' check "$work/interval.db" --max "$budget"
done
for budget in 'peak_bytes < 20MiB' 'peak_bytes > 20MiB'; do
  expect 1 'OVER' check "$work/interval.db" --max "$budget"
done
interval 20971520 10485760 31457280
for budget in 'peak_bytes <= 10MiB' 'peak_bytes <= 20MiB' 'peak_bytes < 30MiB' 'peak_bytes > 10MiB' \
  'peak_bytes >= 30MiB' 'peak_bytes = 20MiB' 'peak_bytes = 10MiB'; do
  expect 2 'cannot be decided: the figure is 10.00 MiB to 30.00 MiB' \
    check "$work/interval.db" --max "$budget"
done
for budget in 'peak_bytes <= 30MiB' 'peak_bytes < 31MiB' 'peak_bytes >= 10MiB' 'peak_bytes > 9MiB'; do
  expect 0 'kept' check "$work/interval.db" --max "$budget"
done
for budget in 'peak_bytes <= 9MiB' 'peak_bytes < 10MiB' 'peak_bytes > 30MiB' 'peak_bytes >= 31MiB' \
  'peak_bytes = 9MiB'; do
  expect 1 'OVER' check "$work/interval.db" --max "$budget"
done
interval NULL 10485760 NULL
expect 1 'is at least 10.00 MiB' check "$work/interval.db" --max 'peak_bytes <= 9MiB'
expect 2 'at least 10.00 MiB' check "$work/interval.db" --max 'peak_bytes <= 1TiB'
expect 0 'is at least 10.00 MiB' check "$work/interval.db" --max 'peak_bytes >= 10MiB'
interval NULL NULL NULL
for budget in 'peak_bytes <= 1TiB' 'peak_bytes >= 0' 'peak_bytes = 0'; do
  expect 2 'the figure is unknown for runtime 1' check "$work/interval.db" --max "$budget"
done
expect 2 '<error message="cannot be decided' check "$work/interval.db" --max 'peak_bytes <= 1TiB' --format junit
expect 2 '"outcome":"unknown"' check "$work/interval.db" --max 'peak_bytes <= 1TiB' --format=json
# Of two runtimes one is unknown: what the other one keeps to says nothing.
interval 1 1 1
sqlite3 "$work/interval.db" "INSERT INTO metric SELECT source_id, 2, snapshot_id, vpid, 2, allocator, metric, value,
  unit, better, quality, meaning, source_lost_events, low, high FROM metric WHERE metric <> 'peak_bytes'"
expect 2 'the figure is unknown for runtime 2' check "$work/interval.db" --max 'peak_bytes <= 1GiB'
expect 1 'OVER' check "$work/interval.db" --max 'peak_bytes > 1GiB'
expect 0 'kept' check "$work/interval.db" --max 'lost_events = 0'
for budget in '' peak_bytes 'peak_bytes <' 'peak_bytes < x' 'peak_bytes < 1 XiB' 'peak_bytes(< 1' \
  'peak_bytes < 1 2' 'peak_bytes < -1' 'peak bytes < 1' "$(printf 'a%.0s' {1..100}) < 1" 'peak_bytes < 1e999'; do
  expect 2 'is not a budget' check "$work/pool.db" --max "$budget"
done
expect 2 'needs a budget' check "$work/pool.db"
expect 2 'cannot open' check "$work/none.db" --max 'peak_bytes < 1'
expect 2 'not a carrierscope database' check "$0" --max 'peak_bytes < 1'
expect 1 '<failure message=' check "$work/pool.db" --max 'peak_bytes < 1K' --format junit
expect 0 'failures="0" errors="0"' check "$work/pool.db" --max 'peak_bytes > 1K' --format junit
expect 1 'name="peak_bytes &lt; 1K"' check "$work/pool.db" --max 'peak_bytes < 1K' --format junit
"$program" check "$work/pool.db" --max 'peak_bytes < 1K' --max 'utilisation < 2' --format=json >"$work/out"
[[ $(sqlite3 :memory: "SELECT count(*) FROM json_each(readfile('$work/out'))
  WHERE value ->> 'outcome' IN ('over', 'kept') AND value ->> 'value' IS NOT NULL") == 2 ]] ||
  fail "JSON of check"

"$program" diff "$work/pool.db" "$work/pool.db" >"$work/out"
[[ $? -eq 0 && ! -s $work/out ]] || fail "a database differs from itself"
expect 1 'peak_bytes(binary_alloc)' diff "$work/idle.db" "$work/pool.db"
expect 1 'worse' diff "$work/idle.db" "$work/pool.db"
# The first line says what has become of it.
"$program" diff "$work/idle.db" "$work/pool.db" >"$work/out"
head -n 1 "$work/out" | grep -Eq '^[A-Z ,]+ before, [A-Z ,]+ now: .*carriers [0-9.]+ to [0-9.]+ MiB' || fail "the first line of diff: $(head -n 1 "$work/out")"
expect 1 'better' diff "$work/pool.db" "$work/idle.db"
# Findings that an unknown verdict leaves open are no change for the better.
cp "$work/known.db" "$work/open.db"
sqlite3 "$work/open.db" "UPDATE metric SET value = 0, low = NULL, high = NULL WHERE metric = 'findings_warning'"
sqlite3 "$work/known.db" "UPDATE metric SET value = 2, low = 2, high = 2 WHERE metric = 'findings_warning'"
"$program" diff "$work/known.db" "$work/open.db" >"$work/out"
grep -Eq '^findings_warning  .* unknown$' "$work/out" || fail "findings of an unknown verdict: $(grep findings "$work/out")"
# One that lasted twice as long made as many carriers: half as many in a second, which is said.
cp "$work/idle.db" "$work/long.db"
sqlite3 "$work/long.db" "UPDATE source SET last_ts_ns = 2 * last_ts_ns - first_ts_ns"
"$program" diff "$work/idle.db" "$work/long.db" >"$work/out"
head -n 1 "$work/out" | grep -Eq 'The old recording lasted [0-9.]+ s, the new one [0-9.]+ s: what adds up is compared by the second' || fail "lengths: $(head -n 1 "$work/out")"
grep -Eq '^carrier_creates /s .* -50\.0%  better$' "$work/out" || fail "rates: $(cat "$work/out")"
"$program" diff --format=json "$work/idle.db" "$work/long.db" >"$work/out"
[[ $(sqlite3 :memory: "SELECT count(*) > 0 AND min(2 * (value ->> 'new') = value ->> 'old') FROM json_each(readfile('$work/out'))
  WHERE value ->> 'per' = 'second'") == 1 ]] || fail "rates as JSON"
expect 2 'cannot open' diff "$work/pool.db" "$work/none.db"
expect 2 'needs two' diff "$work/pool.db"
expect 2 'per cent' diff --tolerance x "$work/pool.db" "$work/pool.db"
"$program" diff --format=json "$work/idle.db" "$work/pool.db" >"$work/out"
[[ $(sqlite3 :memory: "SELECT count(*) > 3 FROM json_each(readfile('$work/out'))
  WHERE value ->> 'change' IN ('better', 'worse', 'new', 'gone')") == 1 ]] ||
  fail "JSON of diff"

# What other programs read.
"$program" report --format openmetrics "$work/pool.db" >"$work/out"
listed=$(sqlite3 "$work/known.db" "SELECT count(*) FROM metric")
[[ $(grep -c '^carrierscope_' "$work/out") == "$listed" && $(tail -n 1 "$work/out") == '# EOF' ]] ||
  fail "OpenMetrics"
! grep -vqE '^(# (TYPE|UNIT|HELP) carrierscope_[a-z_]+ .+|carrierscope_[a-z_]+\{[^}]*\} [-+.0-9e]+|# EOF)$' "$work/out" ||
  fail "a line that is not OpenMetrics"
"$program" report --format datasette "$work/pool.db" >"$work/out"
listed=$(sqlite3 "$work/pool.db" "SELECT count(DISTINCT view) FROM view_doc WHERE view NOT LIKE '\_%' ESCAPE '\'")
[[ $(grep -c '^        "description": "' "$work/out") == "$listed" ]] ||
  fail "metadata for datasette"
"$program" report "$work/pool.db" >"$work/out"
head -n 1 "$work/out" | grep -q '^UNKNOWN: ' && [[ $(LC_ALL=C.UTF-8 wc -L <"$work/out") -le 80 && $(wc -l <"$work/out") -le 20 ]] ||
  fail "the answer: $(cat "$work/out")"

ends
