#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# fleet_test.sh CARRIERSCOPE TRACE: `push` and `fleet` with a ClickHouse server: what arrives, pushes that are repeated,
# cut off at each request, or two at once, names that are hostile, tables of another version.
. "$(dirname "$0")/../../harness/main.sh"
fleet_apps=$here/../../../examples/apps
tests_program "$1"
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

. "$here/one_server.sh"

# does STATUS TEXT ARGUMENT...: the command ends so, and its messages have TEXT.
does() {
  local wanted=$1 text=$2
  shift 2
  # A busy machine's server may take longer than the usual minute.
  [[ " $* " != *' --to '* ]] || set -- "$@" --timeout 5m
  timeout 400 "$program" "$@" >"$work/out" 2>"$work/err"
  local status=$?
  [[ $status -eq $wanted ]] || fail "$* ends with $status, not $wanted"
  [[ -z $text ]] || cat "$work/out" "$work/err" | grep -qF -- "$text" || fail "$*: no '$text'"
}

# forgets CONDITION: rows of table recording; the server does so some time later.
forgets() {
  local tries=0
  ask "ALTER TABLE recording DELETE WHERE $1"
  until [[ $(ask "SELECT count() FROM recording WHERE $1") -eq 0 || $tries -ge 1200 ]]; do
    tries=$((tries + 1))
    sleep 0.1
  done
}

# same WHAT WANTED QUERY: the answer of a query.
same() {
  local answer
  answer=$(ask "$3")
  [[ $answer == "$2" ]] || fail "$1: '$answer', not '$2'"
}

# points_in FILE: minutes of allocators in the rows of a push in TSV.
points_in() {
  tr -d '\000' <"$1" | awk -F'\t' '$10 ~ /^\[[0-9]/ { n += split($10, _, ",") } END { print n }'
}

"$program" load -o "$work/run.db" "$trace" 2>"$work/err" || fail "the trace is not loaded"
does 1 "run 'carrierscope fleet init --to $to'" push "$work/run.db" --to "$to"
does 1 "run 'carrierscope fleet init --to $to'" fleet report --to "$to"
does 0 '' fleet init --to "$to"
does 0 'recordings 0, nodes known 0' fleet status --to "$to"

# Each column of an answer has its words, and each answer says how many nodes it saw, also where there are none.
same "columns without words" '' "SELECT table, name FROM system.columns WHERE database = 'fleet' AND table LIKE 'fleet\\\\_%'
  AND table NOT IN ('fleet_doc', 'fleet_version') AND (table, name) NOT IN (SELECT view, column FROM fleet_doc)"
same "words of no column" '' "SELECT view, column FROM fleet_doc WHERE column <> ''
  AND (view, column) NOT IN (SELECT table, name FROM system.columns WHERE database = 'fleet')"
for name in fragmenting leak use release saving holder silent; do
  does 0 'Of 0 known nodes' fleet report $name --to "$to"
done

# What is written to a file arrives, and the figures of the end are those of the database.
does 0 '' push "$work/run.db" -o "$work/run.push"
points=$(points_in "$work/run.push")
[[ $points -gt 5 ]] || fail "only $points points"
rows=$(awk '$1 == "alloc_minutes" { print $2 }' "$work/run.push")
does 0 "alloc_minutes $(printf %8d "$rows") rows" push --dry-run "$work/run.db"
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

# Another recording whose rows have the same hash is not this one: of millions of pushes some are so.
recording=$(ask 'SELECT recording FROM visible')
content=$("$program" push --dry-run "$work/run.db" --label app=hash | sed -n 's/.*: content //p')
ask "INSERT INTO recording (push, recording, node, app, begin_ts, end_ts)
  SELECT toUInt64($((1 << 60 | 16#$content << 24))), 77, 'another', 'hash', now(), now()"
does 0 sent push "$work/run.db" --to "$to" --label app=hash
same "a push beside one of its hash" 2 "SELECT count() FROM visible WHERE app = 'hash'"
forgets "recording = 77"
does 0 sent push "$work/run.db" --to "$to" --label app=shop --label release=2

# RowBinary, by way of a file, is the same as TSV.
columns='node, app, release, flags, run, allocator, ts, carriers, carriers_low, carriers_high, blocks, blocks_low, blocks_high, pool, pool_low, pool_high'
ask "SELECT $columns $seen ORDER BY allocator, ts" >"$work/tsv"
does 0 '' push "$work/run.db" -f -o "$work/run.push" --format rowbinary --label app=shop --label release=2
does 0 sent push "$work/run.push" --to "$to"
ask "SELECT $columns $seen ORDER BY allocator, ts" >"$work/binary"
cmp "$work/tsv" "$work/binary" || fail "RowBinary is not the same as TSV"
does 1 'for the push that wrote it' push "$work/run.push" --to "$to" --label app=other
head -c 2000 "$work/run.push" >"$work/half.push"
does 1 'breaks off' push "$work/half.push" --to "$to"

# Names may be anything.
hostile=$'a\tb\'";<script>\\\n\xc3\xa9`--'
labels=()
for name in app release flags node page; do
  labels+=(--label "$name=$hostile")
done
does 0 sent push "$work/run.db" --to "$to" "${labels[@]}"
hex=$(printf %s "$hostile" | od -An -tx1 | tr -d ' \n' | tr a-f A-F)
same "hostile names" "$hex	$hex	$hex	$hex	$hex" "SELECT hex(app), hex(release), hex(flags), hex(node), hex(page) FROM visible"
does 0 'The fleet' fleet report --to "$to" --format html
! grep -q '<script' "$work/out" || fail "a name is markup"
! grep -qE 'href="[^"#h]' "$work/out" || fail "what is no address is linked"

# The way down: a name of a node leads to its last recording that is no minutes, and to its last page; nothing that runs.
ask "INSERT INTO recording (push, recording, pushed_at, node, begin_ts, end_ts, page)
  SELECT 9, number, now() - 172800, concat('old', toString(number)), now(), now(), if(number = 1, 'javascript:alert(1)', 'https://pages.invalid/?b=\"c\"')
  FROM system.numbers LIMIT 2"
ask "INSERT INTO recording (push, recording, pushed_at, node, begin_ts, end_ts, verdict, file)
  SELECT 9, 10 + number, now() - 172800, concat('old', toString(intDiv(number, 2) * 2)), now() + 60 * number, now() + 60 * number,
    if(number = 1, 'fragmentation', 'unknown'), if(number = 1, 'alarm.db', '') FROM system.numbers LIMIT 4"
does 0 '<a href="#node-1">' fleet report silent --to "$to" --format html
tr -d '\n' <"$work/out" | sed 's/<article/\n<article/g' | grep '^<article id="node-' >"$work/nodes"
grep -q '>old0<.*>fragmentation<.*>alarm.db<.*href="https://pages.invalid' "$work/nodes" || fail "minutes hide an alarm and a page: $(cat "$work/nodes")"
grep '>old2<' "$work/nodes" | grep -q '>unknown<.*none of its recordings has one' || fail "a node without a page has no sentence: $(cat "$work/nodes")"
grep -q '<article id="node-1">' "$work/out" || fail "a name leads nowhere"
grep -q 'href="https://pages.invalid/?b=&quot;c&quot;"' "$work/out" || fail "a page is not linked"
! grep -q 'href="javascript' "$work/out" || fail "a page is a script"
forgets "push = 9"

# The dashboard: what Grafana's plugin needs of each panel, and each question is answered.
dashboard=$here/../../../examples/fleet/dashboard.json
[[ $(sqlite3 :memory: "WITH panel AS (SELECT value AS p FROM json_each(readfile('$dashboard'), '\$.panels'))
  SELECT count(*) || ' ' || count(DISTINCT p ->> 'id') || ' ' || sum((p ->> '\$.gridPos.x') + (p ->> '\$.gridPos.w') <= 24
    AND p ->> '\$.datasource.type' = 'grafana-clickhouse-datasource' AND p ->> '\$.targets[0].datasource.uid' = '\${source}'
    AND p ->> '\$.targets[0].editorType' = 'sql' AND p ->> '\$.targets[0].rawSql' <> ''
    AND (p ->> '\$.targets[0].queryType', p ->> '\$.targets[0].format') IN (VALUES ('table', 1), ('timeseries', 0))) FROM panel") == "13 13 13" ]] ||
  fail "a panel of the dashboard lacks something"
sqlite3 :memory: "SELECT replace(replace(value, '\$__timeFilter(hour)', 'hour >= now() - 604800'), '\$__conditionalAll(app IN (\${app:sqlstring}), \$app)', '1=1')
  FROM json_tree(readfile('$dashboard')) WHERE key = 'rawSql' OR (key = 'query' AND value LIKE 'SELECT%')" >"$work/asked"
[[ $(wc -l <"$work/asked") -eq 14 ]] || fail "$(wc -l <"$work/asked") questions in the dashboard"
while read -r question; do
  ask "$question" >"$work/answer" && ! grep -q '^Code:' "$work/answer" || fail "$question: $(cat "$work/answer")"
done <"$work/asked"

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
  for cut in "before 1" "before 2" "before 3" "before 4" "before 5" "before 6" "after 1" "after 2" "after 3" "after 4" "after 5" "after 6" "none 7"; do
    mode=${cut% *}
    n=${cut#* }
    rm -f "$work/port"
    mkfifo "$work/port"
    node "$here/stub.mjs" "${mode/none/before}" "$n" "$port" >"$work/port" 2>"$work/stub" &
    stub=$!
    read -r stub_port <"$work/port"
    wanted=0
    # The sixth asks whether the rows are there.
    [[ $cut != "after 5" && $n -lt 6 ]] || wanted=1
    # A push makes six requests: with a seventh this test would have to cut off that one too.
    does "$([[ $mode == none ]]; echo $?)" "$([[ $mode == none ]] && echo sent || echo 'cannot reach')" push "$work/run.db" \
      --to "http://127.0.0.1:$stub_port/fleet" --label "app=$mode$n"
    kill "$stub" && wait "$stub" 2>/dev/null
    stub=
    same "cut off $mode request $n" $wanted "SELECT count() FROM visible WHERE app = '$mode$n'"
    does 0 "$([[ $wanted -eq 1 ]] && echo 'is there already' || echo sent)" push "$work/run.db" --to "$to" --label "app=$mode$n"
    same "mended" "$points" "SELECT count() $seen AND app = '$mode$n'"
  done
else
  echo "not tested: there is no node here to cut requests off with"
fi

# Several at once: one insertion for each table; the same twice counts once; what comes before a file that is none is sent.
"$program" load -o "$work/dump.db" "$here/../../readers/data/references.dump" 2>"$work/err" || fail "the dump is not loaded"
if command -v node >/dev/null; then
  rm -f "$work/port"
  mkfifo "$work/port"
  node "$here/stub.mjs" before 8 "$port" >"$work/port" 2>"$work/stub" &
  stub=$!
  read -r stub_port <"$work/port"
  does 0 "run.db': sent" push "$work/run.db" "$work/dump.db" --to "http://127.0.0.1:$stub_port/fleet" --label app=several
  kill "$stub" && wait "$stub" 2>/dev/null
  stub=
fi
does 0 "dump.db': " push "$work/run.db" "$work/dump.db" "$work/run.db" --to "$to" --label app=several
[[ $(grep -c 'is there already' "$work/err") -ge 1 ]] || fail "the same twice is sent twice: $(cat "$work/err")"
same "recordings of several" "1	1" "SELECT countIf(points > 0), countIf(points = 0) FROM visible WHERE app = 'several'"
same "points of several" "$points" "SELECT count() $seen AND app = 'several'"
forgets "app = 'several' AND points = 0"
does 1 "run.db': sent" push "$work/run.db" "$work/none.db" --to "$to" --label app=half
same "what comes before a file that is none" 1 "SELECT count() FROM visible WHERE app = 'half'"

# A node that is renamed: its recording counts once, under the last name.
does 0 sent push "$work/run.db" --to "$to" --label node=before
does 0 sent push "$work/run.db" --to "$to" --label node=behind
same "a node that is renamed" "1	behind" "SELECT count(), max(node) FROM visible"
same "points of a node that is renamed" "behind	$points" "SELECT node, count() $seen GROUP BY node"
same "hours of a node that is renamed" behind "SELECT DISTINCT node FROM alloc_minutes WHERE (recording, push) IN (SELECT recording, push FROM visible)"

# Clocks that differ: of nodes, one ahead by a day and one that begins in 1970, neither of which is silent; of servers.
for clock in ahead:86400 1970:-1000000000; do
  ask "INSERT INTO recording (push, recording, node, begin_ts, end_ts) SELECT 7, cityHash64('$clock'), '${clock%:*}',
    toDateTime(if(${clock#*:} < -900000000, 100, toInt64(toUInt32(now())) + ${clock#*:} - 60)),
    toDateTime(if(${clock#*:} < -900000000, 160, toInt64(toUInt32(now())) + ${clock#*:}))"
done
does 0 'Of 3 known nodes' fleet report silent --to "$to"
! grep -q 'ahead\|1970' "$work/out" || fail "a node is silent by its own clock"
ask "INSERT INTO recording (push, recording, pushed_at, node, begin_ts, end_ts) SELECT 7, $recording, now() + 3600, 'late', now(), now()"
# It does not wait then until the last push is a second old.
sleep 1
does 0 'set the clocks of the servers' push "$work/run.db" --to "$to" --label app=clock
forgets "push = 7"
same "a push by a clock behind" clock "SELECT app FROM visible WHERE node = 'x' OR app = 'clock'"

# Tables of versions 1 and 2, whose minutes were rows: they are copied once, also where that broke off.
has() {
  ask 'SELECT * FROM alloc_point ORDER BY push, recording, allocator, ts'
  ask "SELECT push, recording, node, app, release, flags, run, allocator, hour, minutes, minutes_known, minutes_empty, carriers_minutes,
    carriers_sum, carriers_least, carriers_most, used_minutes, used_sum, used_carriers_sum, last_ts, last_carriers, last_unused_low,
    last_unused_high FROM alloc_minutes ORDER BY push, recording, allocator, hour"
}
has >"$work/had"
for version in 1 2; do
  ask "CREATE TABLE old (push UInt64, recording UInt64, node String, app String, release String, flags String, run UInt64, allocator String,
    ts DateTime, carriers Nullable(UInt64), carriers_low Nullable(UInt64), carriers_high Nullable(UInt64), blocks Nullable(UInt64),
    blocks_low Nullable(UInt64), blocks_high Nullable(UInt64), pool Nullable(UInt64), pool_low Nullable(UInt64), pool_high Nullable(UInt64)
    ) ENGINE = MergeTree() PARTITION BY toMonday(ts) ORDER BY (recording, push, allocator, ts)"
  ask 'INSERT INTO old SELECT * FROM alloc_point'
  ask 'DROP TABLE alloc_point' && ask 'RENAME TABLE old TO alloc_point'
  if [[ $version -eq 2 ]]; then
    ask 'CREATE TABLE alloc_hour (push UInt64, minutes UInt64) ENGINE = MergeTree() PARTITION BY tuple() ORDER BY push'
    ask 'CREATE MATERIALIZED VIEW alloc_hour_feed TO alloc_hour AS SELECT push, count() AS minutes FROM alloc_point GROUP BY push'
  fi
  ask 'DROP TABLE fleet_version' && ask "CREATE VIEW fleet_version AS SELECT toUInt32($version) AS version"
  does 1 "run 'carrierscope fleet upgrade --to $to'" push "$work/run.db" --to "$to"
  does 0 "run 'carrierscope fleet upgrade" fleet status --to "$to"
  does 1 'leave out --cluster' fleet upgrade --to "$to" --cluster fleet --unreplicated
  does 0 '' fleet upgrade --to "$to"
  has >"$work/has"
  cmp "$work/had" "$work/has" || fail "minutes after an upgrade from version $version"
  same "tables of version $version" 0 "SELECT count() FROM system.tables WHERE database = 'fleet' AND name LIKE 'alloc_hour%'"
done
does 0 '' fleet init --to "$to"
has >"$work/has"
cmp "$work/had" "$work/has" || fail "minutes after another init"

# Tables of another version.
ask 'DROP TABLE fleet_version' && ask 'CREATE VIEW fleet_version AS SELECT toUInt32(99) AS version'
does 1 'of a newer carrierscope: version 99' push "$work/run.db" --to "$to"
does 1 'of a newer carrierscope: version 99' fleet upgrade --to "$to"
ask 'DROP TABLE fleet_version' && ask 'CREATE VIEW fleet_version AS SELECT toUInt32(3) AS version'
does 1 "run 'carrierscope fleet upgrade --to $to'" fleet report use --to "$to"
does 0 '' fleet upgrade --to "$to"
same "recordings after an upgrade" 1 "SELECT count() FROM visible WHERE app = 'clock'"

# Nobody gets in: what we ship listens on loopback alone, and lets a user without a password come from nowhere else.
shipped=$here/../../..
for folder in examples provider analyzer; do
  ! grep -rhoE --include='*' '<listen_host>[^<]*' "$shipped/$folder" | grep -v '>127\.0\.0\.1$' || fail "$folder: a server listens to others"
  ! grep -rhE '<password> *</password>|<password */>|<no_password' "$shipped/$folder" | grep -vF '<networks><ip>127.0.0.1</ip></networks>' ||
    fail "$folder: a user without a password may come from anywhere"
done
grep -q '<listen_host>127.0.0.1</listen_host>' "$work/server/config.xml" || fail "the server's configuration is not what is looked at"
for address in $(hostname -I 2>/dev/null) ::1; do
  [[ $address != *:* ]] || address="[$address]"
  ! curl -s -o /dev/null --max-time 5 "http://$address:$port/ping" || fail "the server answers at $address"
done

# A password is asked for, and wrong.
printf 'default\nwrong\n' >"$work/credentials"
chmod 600 "$work/credentials"
does 1 refused push "$work/run.db" --to "$to" --credentials "$work/credentials"
ends
