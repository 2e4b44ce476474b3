#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# answers_test.sh CARRIERSCOPE TRACE: answers of a fleet that could be wrong without a sign: clocks that are ahead, nodes of one
# name, pids that are used again, releases whose names do not sort, flags that some nodes have already, holders that are gone.
# Then each panel of the dashboard over a week of nodes.
. "$(dirname "$0")/../../harness/main.sh"
fleet_apps=$here/../../../examples/apps
tests_program "$1"
. "$here/../../../examples/fleet/server.sh"
trace=$2
server=

cleanup() {
  [[ -z $server ]] || { kill "$server" && wait "$server"; } 2>/dev/null
}

# A server whose hours do not begin when those of UTC do.
server_zone=Asia/Kolkata
. "$here/one_server.sh"

# does TEXT ARGUMENT...: the command ends well, and its messages have TEXT.
does() {
  local text=$1
  shift
  # A busy machine's server may take longer than the usual minute.
  [[ " $* " != *' --to '* ]] || set -- "$@" --timeout 5m
  timeout 400 "$program" "$@" >"$work/out" 2>"$work/err" || fail "$* ends with $?: $(cat "$work/err")"
  [[ -z $text ]] || cat "$work/out" "$work/err" | grep -qF -- "$text" || fail "$*: no '$text': $(cat "$work/out" "$work/err")"
}

# same WHAT WANTED QUERY: the answer of a query.
same() {
  local answer
  answer=$(ask "$3")
  [[ $answer == "$2" ]] || fail "$1: '$answer', not '$2'"
}
does '' fleet init --to "$to"

# What a node is called: a name that says no host gets one, and a label is taken as it is.
"$program" load -o "$work/run.db" "$trace" 2>"$work/err" || fail "the trace is not loaded"
host=$(sqlite3 "$work/run.db" "SELECT coalesce(r.hostname, t.hostname) FROM runtime AS r, trace AS t LIMIT 1")
process=$(sqlite3 "$work/run.db" "SELECT ifnull(procname, 'unnamed') FROM runtime LIMIT 1")
[[ -n $host ]] || fail "the trace names no host"

# pushed [LABEL...]: node and run of the recording of run.db.
pushed() {
  # What it is asked about was changed meanwhile.
  sqlite3 "$work/run.db" 'DELETE FROM judgement'
  "$program" push "$work/run.db" -f -o "$work/run.push" "$@" 2>"$work/err" || fail "push $*: $(cat "$work/err")"
  tr -d '\000' <"$work/run.push" | awk -F'\t' 'NF == 32 { print $3 "|" $9 }'
}
# names NAME: the node says that this is its name.
names() {
  sqlite3 "$work/run.db" "DELETE FROM runtime_fact; INSERT INTO runtime_fact (ts_ns, runtime_id, key, value)
    SELECT s.first_ts_ns, r.id, 'node_name', '$1' FROM source AS s, runtime AS r"
}
for case in "nonode@nohost=$process@$host" "shop@127.0.0.1=shop@127.0.0.1 of $host" "shop@localhost=shop@localhost of $host" \
  "shop@a.example=shop@a.example"; do
  names "${case%%=*}"
  found=$(pushed)
  [[ ${found%|*} == "${case#*=}" ]] || fail "node '${case%%=*}' is '${found%|*}', not '${case#*=}'"
done
found=$(pushed --label node=nonode@nohost)
[[ ${found%|*} == nonode@nohost ]] || fail "a label is not taken as it is: '$found'"

# A life of a node: the same pid at another age is another one, the same age at another time is not.
# ages MS SECONDS: its age, so many seconds after the first event.
ages() {
  sqlite3 "$work/run.db" "DELETE FROM snapshot_begin; DELETE FROM hook_begin; INSERT INTO snapshot_begin (ts_ns, runtime_id, snapshot_id, uptime_ms)
    SELECT (s.first_ts_ns / 60000000000 * 60 + 30 + $2) * 1000000000, r.id, 1, $1 FROM source AS s, runtime AS r"
  pushed
}
young=$(ages 600000 0)
later=$(ages 660000 60)
other=$(ages 60000 0)
[[ $young == "$later" ]] || fail "one life is two: '$young', '$later'"
[[ ${young#*|} != "${other#*|}" ]] || fail "a pid that is used again is the same life"

# Flags of a recorded node are those of the settings it announced, the last time; those of another release are not known.
sqlite3 "$work/run.db" "DELETE FROM \"option\"; DELETE FROM name_allocator;
  INSERT INTO name_allocator (ts_ns, runtime_id, allocator_id, name) SELECT s.first_ts_ns, r.id, 10, 'binary_alloc' FROM source AS s, runtime AS r;
  INSERT INTO runtime_fact (ts_ns, runtime_id, key, value) SELECT s.first_ts_ns, r.id, f.column1, f.column2 FROM source AS s, runtime AS r,
    (VALUES ('otp_release', '25'), ('word_bits', '64'), ('system_version', 'Erlang/OTP 25 [smp:4:4]')) AS f;
  INSERT INTO \"option\" (ts_ns, runtime_id, allocator_id, name, value) SELECT s.first_ts_ns, r.id, o.column1, o.column2, o.column3
    FROM source AS s, runtime AS r, (VALUES (10, 'lmbcs', '5242880'), (10, 't', 'true'), (10, 'as', 'aobf'), (10, 'acul', '0'), (10, 'sbct', '524288'),
      (10, 'lmbcs', '524288'), (0, 'mcs', '30'), (0, 'mmc', '18446744073709551615')) AS o"
# flags: of the recording of run.db.
flags() {
  pushed "$@" >"$work/pushed"
  tr -d '\000' <"$work/run.push" | awk -F'\t' 'NF == 32 { print $8 }'
}
[[ $(flags) == '+MBas aobf +MBlmbcs 512 +MMmcs 30' ]] || fail "flags of a recorded node: '$(flags)'"
[[ $(flags --label 'flags=as told') == 'as told' ]] || fail "label flags is not taken as it is"
sqlite3 "$work/run.db" "DELETE FROM runtime_fact WHERE key = 'otp_release'"
[[ -z $(flags) ]] || fail "flags of a node whose release is not known: '$(flags)'"

# What was replayed once is as uncertain, in bytes, as the best; where that has no range, it is not sent.
# swept: flags and range of the end of the whole, of each replay that is sent.
swept() {
  "$program" push "$work/run.db" -f -o "$work/run.push" 2>"$work/err" || fail "push with replays: $(cat "$work/err")"
  tr -d '\000' <"$work/run.push" | awk -F'\t' 'NF == 18 && $8 == "all" { print $7, $17, $18 }' | paste -sd,
}
sqlite3 "$work/run.db" "INSERT INTO sweep_advice (runtime_id, objective, flags, letters, coverage, bound_bytes, half_chosen, half_other, composed_bytes, replayed_bytes, settings, is_cut_short)
    SELECT id, 'end', '+MBas aobf', 'B', 1, 1, 1, 1, 1, 1, 2, 0 FROM runtime;
  INSERT INTO sweep_result (runtime_id, flags, is_part, is_advised, allocator, peak_bytes, end_bytes, average_bytes, peak_low_bytes, peak_high_bytes,
    end_low_bytes, end_high_bytes, calls, copied_bytes, mappings)
  SELECT r.id, w.column1, 0, w.column2, 'all', 1000, w.column3, 1000, w.column4, w.column5, w.column4, w.column5, 0, 0, 0 FROM runtime AS r,
    (VALUES ('', 0, 1000, 990, 1010), ('+MBas aobf', 1, 800, 700, 920), ('+MBacul 0', 0, 900, NULL, NULL)) AS w"
found=$(swept)
[[ $found == '+MBacul 0 800 1020,+MBas aobf 700 920' ]] || fail "what replays send: '$found'"
sqlite3 "$work/run.db" "DELETE FROM sweep_result WHERE flags = '+MBas aobf'"
found=$(swept)
[[ -z $found ]] || fail "a replay without a range is sent: '$found'"

# records NODE APP RELEASE FLAGS RUN HOURS_AGO HOURS PUSHED_HOURS_AGO CARRIERS: a recording of so many hours, with its minutes: binary_alloc
# and all of CARRIERS MiB, which grow by 8 MiB an hour; a third of it is in blocks.
number=0
records() {
  number=$((number + 1))
  ask "INSERT INTO recording (push, recording, pushed_at, node, app, release, flags, run, begin_ts, end_ts, verdict, carriers, blocks, points)
    SELECT 1, $number, now() - 3600 * $8, '$1', '$2', '$3', '$4', $5, now() - 3600 * ($6), now() - 3600 * ($6 - $7), 'normal', $9 * 1048576,
    $9 * 349525, 2"
  ask "INSERT INTO alloc_minutes (push, recording, node, app, release, flags, run, allocator, hour, minute, figures)
    SELECT 1, $number, '$1', '$2', '$3', '$4', $5, arrayJoin(['binary_alloc', 'all']),
      toDateTime(intDiv(toUInt32(now()) - 3600 * ($6), 3600) * 3600 + 3600 * toUInt32(number)), [toUInt8(0)],
      [toInt64(($9 + 8 * number) * 1048576), toInt64(($9 + 8 * number) * 349525), toInt64(0)]
    FROM (SELECT number FROM system.numbers LIMIT $7)"
}

# A clock that is a year ahead, of a node that sent its last push ten days ago: not of this week, and silent.
records ahead@h a r1 '' 1 -8700 8 240 512
does 'Of 1 known nodes 0 reported in the last 7 days' fleet report --to "$to"
[[ $(head -n 1 "$work/out") == '1 node is silent.' ]] || fail "the first line: $(head -n 1 "$work/out")"
does '<h1>1 node is silent.</h1>' fleet report --to "$to" --format html
for name in fragmenting leak use; do
  does '' fleet report $name --to "$to" --format csv
  [[ $(wc -l <"$work/out") -eq 1 ]] || fail "$name: a clock that is ahead is of this week: $(cat "$work/out")"
done
does ahead@h fleet report silent --to "$to"
came=$(ask "SELECT toUInt32(max(pushed_at)) FROM recording WHERE node = 'ahead@h'")
does "$(date -u -d "@$came" '+%Y-%m-%d %H:%M:%S')" fleet report silent --to "$to"
does "$(date -u -d "@$(ask "SELECT toUInt32(max(end_ts)) FROM recording WHERE node = 'ahead@h'")" '+%Y-%m-%d %H:%M:%S')" fleet report silent --to "$to" --format html

# Two lives of five hours each, with a rise in both: none of thirty hours, which is said, and no leak; one of forty is one.
records short@h a r1 '' 2 12 5 0 64
records short@h a r1 '' 3 6 5 0 104
does '30 hours of one life, in which a leak shows, of 0.' fleet report leak --to "$to" --format csv
[[ $(wc -l <"$work/out") -eq 1 ]] || fail "two short lives are a leak: $(cat "$work/out")"
records long@h a r1 '' 4 42 40 0 64
does '30 hours of one life, in which a leak shows, of 1.' fleet report leak --to "$to" --format csv
[[ $(grep -c 'long@h' "$work/out") -eq 1 && $(wc -l <"$work/out") -eq 2 ]] || fail "a leak of forty hours: $(cat "$work/out")"
does 'LEAK: application a r1 (' fleet report leak --to "$to"

# Empty for 9 hours of each night, which are a quarter of the minutes and more; for 5 they are less.
for hours in 9 5; do
  ask "INSERT INTO recording (push, recording, node, app, begin_ts, end_ts, points) SELECT 1, 800 + $hours, 'night$hours@h', 'n', now() - 259200, now(), 2"
  ask "INSERT INTO alloc_minutes (push, recording, node, app, allocator, hour, minute, figures) SELECT 1, 800 + $hours, 'night$hours@h', 'n', 'binary_alloc',
    toDateTime(intDiv(toUInt32(now()), 3600) * 3600 - 3600 * toUInt32(number)), [toUInt8(0)],
    [toInt64(512 * 1048576), toInt64(if(number % 24 < $hours, 128, 480) * 1048576), toInt64(0)] FROM (SELECT number FROM system.numbers LIMIT 72)"
done
same "what is empty by night" 'night9@h' "SELECT node FROM fleet_fragmenting WHERE app = 'n'"

# Releases in the order in which they came, not of their names; of two that came at once, the lower number is the old one.
records n1@h b 1.9 '' 5 200 2 200 100
records n1@h b 1.9 '' 5 100 99 0 100
records n2@h b 1.10 '' 6 100 99 0 200
same "releases in order" "1.9	1.10" "SELECT old_release, new_release FROM fleet_release WHERE app = 'b'"
records n3@h c 2.9 '' 7 50 49 0 100
records n4@h c 2.10 '' 8 50 49 0 200
same "releases that came at once" "2.9	2.10" "SELECT old_release, new_release FROM fleet_release WHERE app = 'c'"
# A node of the new release whose clock is in 1970 does not make it the old one.
ask "INSERT INTO recording (push, recording, pushed_at, node, app, release, begin_ts, end_ts) SELECT 1, 900, now(), 'n5@h', 'b', '1.10', toDateTime(90), toDateTime(99)"
same "releases with a clock of 1970" "1.9	1.10" "SELECT old_release, new_release FROM fleet_release WHERE app = 'b'"

# From nothing there is no change in percent.
for release in 1 2; do
  ask "INSERT INTO recording (push, recording, pushed_at, node, app, release, begin_ts, end_ts) SELECT 1, 910 + $release, now(), 'z@h', 'z', '$release', now() - 99 + $release, now()"
  ask "INSERT INTO alloc_minutes (push, recording, node, app, release, allocator, hour, minute, figures) SELECT 1, 910 + $release, 'z@h', 'z', '$release', 'all',
    toStartOfHour(now()), [toUInt8(0)], [toInt64(1000 * ($release - 1)), toInt64(0), toInt64(0)]"
done
same "a change from nothing" '\N	1000' "SELECT change, new_bytes FROM fleet_release WHERE app = 'z'"

# Savings: of nodes with the flags of the recording that was replayed; those with others, which may have them already, are counted.
for node in s1 s2; do
  records $node@h d r1 '' 9 10 2 0 1000
done
for node in s3 s4 s5; do
  records $node@h d r1 '+MBlmbcs 1024' 10 10 2 0 500
done
ask "INSERT INTO sweep_result SELECT 1, recording, node, app, release, end_ts, '+MBlmbcs 1024', 'all', 1, 1, 100, 100, 90, 90, 100, 100, 80, 90
  FROM recording WHERE node = 's1@h'"
same "a saving" "2	3	2097152000	209715200	419430400" "SELECT nodes, nodes_other, carriers_bytes, toUInt64(round(saving_low_bytes)), toUInt64(round(saving_high_bytes))
  FROM fleet_saving WHERE app = 'd'"

# Holders: of the last reading of each node; processes of one name add up.
records h1@h e r1 '' 11 20 2 0 100
records h1@h e r1 '' 11 10 2 0 100
records h2@h e r1 '' 12 10 2 0 100
ask "INSERT INTO holder_point SELECT 1, recording, node, app, release, end_ts, 1 + number, 'binary_alloc', 'binary', 'process',
    if(recording = (SELECT min(recording) FROM recording WHERE app = 'e'), '<0.7.0> gone', concat('<0.', toString(number), '.0> worker')),
    10 * (1 + number), 'exact'
  FROM (SELECT toUInt32(number) AS number, 1 AS one FROM system.numbers LIMIT 2)
  ALL INNER JOIN (SELECT toUInt8(1) AS one, recording, node, app, release, end_ts FROM recording WHERE app = 'e') USING one"
same "holders" "worker	2	60	30	exact" "SELECT holder, nodes, sum_bytes, most_bytes, quality FROM fleet_holder WHERE app = 'e'"

# The dashboard over a week of 40 nodes: each panel has rows, with what Grafana's plugin puts in for its macros, where all apps are
# chosen, which includes nodes without that label, and where one is.
ask 'DROP DATABASE fleet'
does '' fleet init --to "$to"
end=$(date +%s)
sed -e '/^--/d' -e "s/\$NODES/40/g; s/\$STEP/3600/g; s/\$END/$end/g; s/\$HOURS/$((40 * 165))/g" "$here/../../bench/fleet/nodes.sql" |
  awk -v RS=';\n' -v to="$work/statement" 'NF { print > (to NR) }'
for statement in "$work"/statement*; do
  ask "$(cat "$statement")" >"$work/answer"
  [[ ! -s $work/answer ]] || fail "a week of nodes: $(cat "$work/answer")"
done
# Strips of the page: one that jumped in its last hours is first, then those that gain; the others follow, and each has its own page.
records jump@h app1 r1 '' 1 139 140 0 200
ask "INSERT INTO alloc_minutes (push, recording, node, app, release, run, allocator, hour, minute, figures) SELECT 1, $number, 'jump@h', 'app1', 'r1', 1, 'all',
  toDateTime(intDiv(toUInt32(now()), 3600) * 3600 - 3600 * toUInt32(number)), [toUInt8(1)], [toInt64(9000000000), toInt64(9000000000), toInt64(0)]
  FROM (SELECT number FROM system.numbers LIMIT 3)"
does "<title>The fleet, $(date -u +%Y-)" fleet report --to "$to" --format html
grep -qF "$to</title>" "$work/out" || fail "the page does not name its server"
grep -o '^<tr><td><a href="#node-[0-9]*">[^<]*</a></td><td><svg' "$work/out" | sed 's/.*node-[0-9]*">//; s/<.*//' >"$work/strips"
[[ $(wc -l <"$work/strips") -eq 41 && $(sort -u "$work/strips" | wc -l) -eq 41 ]] || fail "$(wc -l <"$work/strips") strips of 41 nodes"
[[ $(head -n 4 "$work/strips" | grep -cxE 'node12@host12|node27@host27') -eq 2 && $(head -n 1 "$work/strips") == jump@h ]] ||
  fail "the most surprising nodes are: $(head -n 4 "$work/strips" | paste -sd,)"
[[ $(grep -c '<svg class="week"' "$work/out") -eq 41 ]] || fail "not every node has a page"

dashboard=$here/../../../examples/fleet/dashboard.json
apps=$(ask "$(sqlite3 :memory: "SELECT value ->> 'query' FROM json_each(readfile('$dashboard'), '\$.templating.list') WHERE value ->> 'name' = 'app'")" |
  sed "s/.*/'&'/" | paste -sd,)
[[ $apps == "'app0','app1','app2','app3','app4'" ]] || fail "the dashboard's choice of apps is $apps"
sqlite3 :memory: "SELECT replace(replace(p.value ->> '\$.targets[0].rawSql', '\$__timeFilter(hour)', 'hour >= toDateTime($((end - 604800))) AND hour <= toDateTime($end)'),
  '\$__conditionalAll(app IN (\${app:sqlstring}), \$app)', c.column1) FROM (VALUES ('1=1'), ('app IN (${apps//\'/\'\'})')) AS c, json_each(readfile('$dashboard'), '\$.panels') AS p" >"$work/asked"
[[ $(wc -l <"$work/asked") -eq 26 ]] || fail "$(wc -l <"$work/asked") panels in the dashboard"
! grep -F '$' "$work/asked" || fail "a macro of the dashboard is not known here"
while read -r question; do
  ask "$question" >"$work/answer"
  [[ -s $work/answer ]] && ! grep -q '^Code:' "$work/answer" && [[ $(head -c 2 "$work/answer") != $'0\n' ]] ||
    fail "a panel has no rows: $question: $(cat "$work/answer")"
done <"$work/asked"
ends
