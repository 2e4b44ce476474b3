#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# monitoring_test.sh CARRIERSCOPE TRACE MONITORING: dashboard and alerts of the folder MONITORING ask for metrics that
# the OpenMetrics output has, and for labels of it.
. "$(dirname "$0")/../harness/main.sh"
trace=$2
folder=$3
tests_program "$1"
needs sqlite3

"$program" load -q -o "$work/a.db" "$trace" && "$program" report --format openmetrics -o "$work/a.prom" "$work/a.db" ||
  fail "no metrics"
sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' "$work/a.prom" | sort -u >"$work/metrics"
grep -o '[a-z]*="' "$work/a.prom" | tr -d '="' | sort -u >"$work/labels"
[[ $(wc -l <"$work/metrics") -gt 10 && $(wc -l <"$work/labels") -eq 5 ]] || fail "few metrics or labels"

# asked FILE: lines that are neither a metric nor a label of the output; instance is the scraper's.
unknown() {
  grep -o 'carrierscope_[a-z_]*' "$1" | sort -u | comm -23 - "$work/metrics"
  grep -oE '[{,][a-z]+(=|!=)\\?"' "$1" | grep -oE '[a-z]+' | sort -u | grep -vx instance | comm -23 - "$work/labels"
}

sqlite3 :memory: "SELECT value FROM json_tree(readfile('$folder/dashboard.json'))
  WHERE key IN ('expr', 'query') AND type = 'text' AND value LIKE '%(%'" >"$work/asked"
[[ $(wc -l <"$work/asked") -ge 15 ]] || fail "few expressions in the dashboard"
! grep -v carrierscope_ "$work/asked" || fail "an expression about something else"
cp "$folder/carrierscope.rules.yml" "$work/rules"
[[ $(grep -c 'alert:' "$work/rules") -ge 5 ]] || fail "few alerts"
for file in asked rules; do
  [[ -z $(unknown "$work/$file") ]] || fail "$file: not in the metrics: $(unknown "$work/$file")"
  sed 's/carrierscope_lost_events/carrierscope_lost_event/; s/allocator!=/alocator!=/' "$work/$file" >"$work/planted"
  [[ $(unknown "$work/planted" | wc -l) -eq 2 ]] || fail "$file: an unknown metric or label is not found"
done

ends
