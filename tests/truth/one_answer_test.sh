#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# one_answer_test.sh BIN ROOT: a quantity has one answer, whichever report prints it.
#
# Recordings, dumps and readings of ROOT are loaded; for each place what table figure says of carriers,
# blocks, the pool and the peak, and what verdict, metrics, OpenMetrics, waterfall, utilisation, pool,
# peaks and the HTML page print of the same, must be the same.
. "$(dirname "$0")/../harness/main.sh"
bin=$1
root=$2
asked=0

# prints REPORT: rows of the report as JSON, which become table r_REPORT of the scratch database.
prints() {
  "$bin/carrierscope" report "$1" "$work/db" --format json >"$work/$1.json" 2>"$work/log" ||
    fail "$name: report $1: $(cat "$work/log")"
  echo "CREATE TABLE r_$1 AS SELECT j.value AS row FROM json_each(readfile('$work/$1.json')) AS j;" >>"$work/sql"
}

# compare TITLE SQL: no row, each is a difference.  Tables r_NAME have the rows of report NAME.
compare() {
  printf '.print "@@%s"\n%s;\n' "$1" "$2" >>"$work/sql"
  asked=$((asked + 1))
}

# compare_mib REPORT ALLOCATOR MOMENT QUANTITY COLUMN MAXIMUM: the report's columns (one has the name of the
# allocator, one a likely value and one a maximum in MiB), and the figures.  Bytes against MiB of two digits:
# half of the last digit, and what floating numbers add.
near='> 5243.0'
compare_mib() {
  compare "$1 and figure" "
    SELECT u.row, f.row FROM r_$1 AS u JOIN r_figures AS f
      ON f.row ->> 'source' = u.row ->> 'source' AND f.row ->> 'os_pid' IS u.row ->> 'vpid'
      AND f.row ->> 'reading' IS u.row ->> 'reading' AND f.row ->> 'moment' = '$3'
      AND f.row ->> 'allocator' = u.row ->> '$2' AND f.row ->> 'quantity' = '$4'
    WHERE abs((u.row ->> '$5') * 1048576 - (f.row ->> 'likely')) $near
      OR abs((u.row ->> '$6') * 1048576 - (f.row ->> 'high')) $near
      OR (u.row ->> '$6' IS NULL) <> (f.row ->> 'high' IS NULL) LIMIT 1"
}

# judge: runs what was to be compared, in one process.
judge() {
  local line title=tables
  sqlite3 "$work/answers" <"$work/sql" >"$work/compared" 2>&1
  while IFS= read -r line; do
    case $line in
    @@*) title=${line#@@} ;;
    *) fail "$name: $title: $line" ;;
    esac
  done <"$work/compared"
}

answers() {
  rm -f "$work/answers"
  echo 'PRAGMA synchronous = off;' >"$work/sql"
  for report in figures verdict metrics waterfall utilisation pool peaks; do
    prints $report
  done
  echo "CREATE INDEX figure_of ON r_figures(row ->> 'moment', row ->> 'quantity', row ->> 'allocator');" >>"$work/sql"
  compare "metric and figure" "
    SELECT m.row, f.row FROM r_metrics AS m JOIN r_figures AS f
      ON f.row ->> 'os_pid' IS m.row ->> 'vpid' AND f.row ->> 'source' = m.row ->> 'source'
      AND f.row ->> 'reading' IS NULL AND f.row ->> 'moment' = 'end'
      AND f.row ->> 'allocator' = ifnull(m.row ->> 'allocator', 'all')
      AND f.row ->> 'quantity' = CASE m.row ->> 'metric' WHEN 'pooled_bytes' THEN 'pool_bytes' ELSE m.row ->> 'metric' END
    WHERE m.row ->> 'metric' IN ('carriers_bytes', 'blocks_bytes', 'pooled_bytes', 'unused_bytes')
      AND (SELECT count(*) FROM r_verdict AS v WHERE v.row ->> 'of' = 'all') = 1
      AND (m.row ->> 'low' IS NOT f.row ->> 'low' OR m.row ->> 'high' IS NOT f.row ->> 'high'
        OR m.row ->> 'value' <> ifnull(f.row ->> 'likely', f.row ->> 'low')) LIMIT 1"
  compare "waterfall and figure" "
    SELECT w.row, f.row FROM r_waterfall AS w JOIN r_figures AS f
      ON f.row ->> 'source' = w.row ->> 'source' AND f.row ->> 'moment' = 'end' AND f.row ->> 'allocator' = 'all'
      AND f.row ->> 'quantity' = 'carriers_bytes'
    WHERE w.row ->> 'step' = 'carriers' AND w.row ->> 'mib' <> 'unknown'
      AND (SELECT count(*) FROM r_verdict AS v WHERE v.row ->> 'of' = 'all') = 1
      AND (abs(CAST(ltrim(w.row ->> 'mib', '>= ') AS REAL) * 1048576 - ifnull(f.row ->> 'likely', f.row ->> 'low')) $near
        OR (w.row ->> 'quality' = 'bound') <> (w.row ->> 'mib' LIKE '>=%')) LIMIT 1"
  compare_mib utilisation allocator end carriers_bytes carriers_mib carriers_mib_max
  compare_mib pool of end pool_bytes in_pool_mib in_pool_mib_max
  compare_mib peaks allocator peak carriers_bytes peak_carriers_mib peak_mib_max
  # An exact figure is one number; what is exact in a verdict is exact in its figures.
  compare "exact is low = high" "
    SELECT row FROM r_figures WHERE (row ->> 'quality' = 'exact')
      <> ifnull(row ->> 'low' = row ->> 'high' AND row ->> 'low' = row ->> 'likely', 0) LIMIT 1"
  compare "low, likely, high in this order" "
    SELECT row FROM r_figures WHERE row ->> 'low' > row ->> 'high' OR row ->> 'likely' < row ->> 'low'
      OR row ->> 'likely' > row ->> 'high' LIMIT 1"
  compare "an exact verdict of figures that are not" "
    SELECT v.row FROM r_verdict AS v WHERE v.row ->> 'confidence' = 'exact' AND v.row ->> 'of' = 'all'
      AND (SELECT count(*) FROM r_verdict AS w WHERE w.row ->> 'of' = 'all') = 1
      AND EXISTS (SELECT 1 FROM r_figures AS f WHERE f.row ->> 'allocator' = 'all' AND f.row ->> 'moment' = 'end'
        AND f.row ->> 'quantity' IN ('carriers_bytes', 'blocks_bytes') AND f.row ->> 'quality' <> 'exact') LIMIT 1"
  # The answer as data: the same figures, and a curve that ends at what is in use.
  "$bin/carrierscope" report "$work/db" --format json >"$work/answer.json" 2>"$work/log" || fail "$name: the answer: $(cat "$work/log")"
  echo "CREATE TABLE r_answer AS SELECT readfile('$work/answer.json') AS row;" >>"$work/sql"
  compare "answer and figure" "
    SELECT m.value, f.row FROM r_answer AS a, json_each(a.row, '\$.memory') AS m JOIN r_figures AS f
      ON f.row ->> 'allocator' = 'all' AND f.row ->> 'moment' = 'end' AND f.row ->> 'quantity' =
        CASE m.key WHEN 'used' THEN 'blocks_bytes' WHEN 'empty' THEN 'unused_bytes' WHEN 'recorder' THEN 'own_buffers_bytes' ELSE m.key || '_bytes' END
    WHERE (SELECT count(*) FROM r_verdict AS v WHERE v.row ->> 'of' = 'all') = 1
      AND (m.value ->> 'low' IS NOT f.row ->> 'low' OR m.value ->> 'likely' IS NOT f.row ->> 'likely' OR m.value ->> 'high' IS NOT f.row ->> 'high') LIMIT 1"
  compare "the end of the curve and in use" "
    SELECT row FROM r_answer WHERE row ->> '\$.memory.used.likely' IS NOT NULL AND json_type(row, '\$.curve.used_bytes') = 'array'
      AND row ->> '\$.curve.used_bytes[#-1]' <> row ->> '\$.memory.used.likely' LIMIT 1"
  # What holders have is what an export says is in use, of the allocators whose holders are listed.
  if "$bin/carrierscope" export --to folded "$work/db" >"$work/folded" 2>/dev/null && [[ -n $(sqlite3 "$work/db" "SELECT 1 FROM snapshot_holders LIMIT 1") ]]; then
    prints holder
    awk '{ split($0, part, ";"); sum[part[1]] += $NF } END { for (name in sum) printf "%s\t%d\n", name, sum[name] }' "$work/folded" >"$work/sums"
    printf '.mode tabs\nCREATE TABLE sums(allocator, bytes INTEGER);\n.import %s sums\n.mode list\n' "$work/sums" >>"$work/sql"
    compare "export and holders" "
      SELECT s.allocator, s.bytes, sum(h.bytes * h.share / h.share) FROM sums AS s JOIN (SELECT row ->> 'allocator' AS allocator, row ->> 'bytes' AS bytes, row ->> 'share' AS share FROM r_holder) AS h
        ON h.allocator = s.allocator WHERE s.allocator IN ('eheap_alloc', 'ets_alloc') AND h.bytes > 0 GROUP BY s.allocator
        HAVING abs(s.bytes - sum(h.bytes)) > 1000 LIMIT 1"
  fi
  judge
  # The sentence of the verdict, the page and the terminal are the same words.
  local sentence
  sentence=$(sqlite3 -readonly "$work/answers" "SELECT row ->> 'sentence' FROM r_verdict WHERE row ->> 'of' = 'all' LIMIT 1")
  if [[ -n $sentence ]]; then
    asked=$((asked + 1))
    "$bin/carrierscope" report "$work/db" 2>/dev/null | tr '\n' ' ' | tr -s ' ' | grep -qF "${sentence#Not known: }" ||
      fail "$name: the terminal does not say '$sentence'"
  fi
  if "$bin/carrierscope" report "$work/db" --format openmetrics >"$work/openmetrics" 2>/dev/null; then
    asked=$((asked + 1))
    while read -r value; do
      grep -q "^carrierscope_carriers_bytes{.*} $value\$" "$work/openmetrics" ||
        fail "$name: OpenMetrics has no carriers_bytes of $value"
    done < <(sqlite3 -readonly "$work/answers" "SELECT row ->> 'value' FROM r_metrics WHERE row ->> 'metric' = 'carriers_bytes'")
  fi
}

one() {
  name=${1#"$root"/}
  local input=$1
  case $input in
  *.tar.gz)
    rm -rf "$work/trace" && mkdir "$work/trace" && tar xzf "$input" -C "$work/trace" || {
      fail "$name cannot be unpacked"
      return
    }
    input=$work/trace
    ;;
  esac
  "$bin/carrierscope" load --quiet --salvage -f -o "$work/db" "$input" 2>"$work/log" || return
  answers
}

for input in "$root"/tests/data/cases/*.tar.gz "$root"/tests/data/hook/*.tar.gz "$root"/examples/traces/*.tar.gz \
  "$root"/tests/readers/data/*.dump "$root"/tests/readers/data/*.dump.gz "$root"/tests/readers/data/*.txt.gz; do
  one "$input"
done
((asked >= 200)) || fail "there are $asked comparisons only"
echo "$asked comparisons"
ends
