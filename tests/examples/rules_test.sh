#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# rules_test.sh MONITORING FOLDER: Prometheus' own tool takes the alerts, and each fires when it should; it also
# reads the expressions of the dashboard.  Debian has promtool only with all of Prometheus, which is
# unpacked in FOLDER, not installed.
. "$(dirname "$0")/../harness/main.sh"
monitoring=$1
folder=$2
needs sqlite3

promtool=$(command -v promtool || echo "$folder/usr/bin/promtool")
if [[ ! -x $promtool ]]; then
  mkdir -p "$folder" && cd "$folder" || exit 1
  timeout 400 apt-get download prometheus >"$work/log" 2>&1 && dpkg -x prometheus_*.deb "$work/unpacked" >>"$work/log" 2>&1 ||
    skip "promtool is not here, and its package cannot be had: $(tail -n 1 "$work/log")"
  mkdir -p usr/bin && mv "$work/unpacked/usr/bin/promtool" usr/bin/ && rm -f prometheus_*.deb
  cd - >/dev/null || exit 1
fi

"$promtool" check rules "$monitoring/carrierscope.rules.yml" >"$work/out" 2>"$work/err" || fail "the rules"
"$promtool" test rules "$monitoring/carrierscope.rules.test.yml" >"$work/out" 2>&1 || fail "the alerts: $(cat "$work/out")"
# A rule that fires later than it should is found.
mkdir "$work/late" && cp "$monitoring"/*.yml "$work/late/"
sed -i 's/quality) (carrierscope_findings_critical) > 0/quality) (carrierscope_findings_critical) > 2/' "$work/late/carrierscope.rules.yml"
! "$promtool" test rules "$work/late/carrierscope.rules.test.yml" >"$work/out" 2>&1 || fail "an alert that is late is not found"

sqlite3 :memory: "SELECT 'groups:' UNION ALL SELECT '  - name: dashboard' UNION ALL SELECT '    rules:' UNION ALL
  SELECT '      - record: dashboard:' || row_number() OVER () || char(10) || '        expr: ''' || replace(value, '''', '''''') || ''''
  FROM json_tree(readfile('$monitoring/dashboard.json')) WHERE key = 'expr'" >"$work/dashboard.yml"
"$promtool" check rules "$work/dashboard.yml" >"$work/out" 2>"$work/err" || fail "the dashboard: $(cat "$work/out")"
grep -qE '[1-9][0-9] rules found' "$work/out" || fail "few expressions in the dashboard"

ends
