#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# keep_test.sh CARRIERSCOPE EBIN: `carrierscope keep --to` of a live node: the server is away, the keeper is killed, the server
# comes back; what arrives, in which order, and that nothing arrives twice.
. "$(dirname "$0")/../../harness/main.sh"
own_daemon "$@"
# Before the test has a home of its own.
clickhouse=$(sh "$here/../../../examples/apps/unpack.sh" clickhouse-server usr/sbin/clickhouse-server 2>/dev/null) || clickhouse=
tests_program "$1"
. "$here/../../../examples/fleet/server.sh"
needs lttng lttng-sessiond sqlite3 node curl
names_nodes
keeper=
stub=
server=
cleanup() {
  [[ -z $keeper ]] || kill -9 "$keeper" 2>/dev/null
  for pid in $stub $server; do
    kill "$pid" 2>/dev/null
  done
  ends_node
  # What the killed keeper left.
  "$program" record --clean >/dev/null 2>&1
  sleep 0.5
}

holding='
  Megabytes = fun(N) -> [binary:copy(<<"a">>, 1048576) || _ <- lists:seq(1, N)] end,
  spawn(fun() -> register(keeper, self()), (fun F(L) -> receive more -> F([Megabytes(40) | L]) end end)(Megabytes(30)) end).'
starts_node "$holding"

# takes_pushes PORT: a server there; its rows are in $work/rows.
takes_pushes() {
  rm -f "$work/port"
  mkfifo "$work/port"
  ROWS=$work/rows node "$here/stub.mjs" takes 0 "$1" >"$work/port" 2>"$work/stub" &
  stub=$!
  read -r _ <"$work/port" || skip "no server can be started here: $(cat "$work/stub")"
}
takes_ports || skip "no ports are free here"
to=http://127.0.0.1:$port/fleet

# keeps DIR ARGUMENT...: a keeper in the background, until the node is recorded.
keeps() {
  out=$work/$1
  shift
  : >"$work/log"
  "$program" keep --node "$node" -o "$out" --snapshots 1s --sample-at-alarm off --alarm 'growth>35MiB' --to "$to" --push-every 1s \
    --label app=shop --label release=1 "$@" >"$work/log" 2>"$work/err" &
  keeper=$!
  waits grep -q 'is recorded' "$work/log" || fail "keep $*: nothing is recorded: $(cat "$work/log")"
}
ends_keeper() {
  kill -TERM $keeper
  wait $keeper || fail 'a signal is a failure'
}
spooled() {
  [[ $(find "$out/spool" -name '*.push' | wc -l) -ge $1 ]]
}
is_empty() {
  [[ -z $(find "$out/spool" -name '*.push') ]]
}

# The server is away: what is for it waits, one sentence, and the keeper goes on.
keeps out
waits test -s "$work/out/spool/.identity" || fail 'the node has no names for its minutes'
takes 2
asked 'keeper ! more' >/dev/null
waits grep -q "^kept in .*-growth.db" "$work/log" || fail 'no alarm'
waits spooled 1 || fail 'an alarm is not in the spool'
waits grep -q 'waits in' "$work/err" || fail 'nothing is said of a server that is away'
[[ $(wc -l <"$work/err") -eq 1 ]] && grep -q "cannot reach '$to'" "$work/err" || fail 'not one sentence of a server that is away'
kill -9 $keeper
wait $keeper 2>/dev/null

# The next one, whose server is still away, leaves it to the third, with its last minute.
rm "$work/out/spool/.identity"
keeps out
waits grep -q "^kept in .*-left.db" "$work/log" || fail 'the ring of a killed keeper is not judged'
waits spooled 2 || fail 'what a killed keeper spooled is lost'
waits test -s "$work/out/spool/.identity" || fail 'the node has no names for the minutes of the next keeper'
takes 3
ends_keeper
spooled 3 || fail "no minute: $(ls "$out/spool")"
mkdir "$work/copies"
cp "$out"/spool/*.push "$work/copies"

# The third sends it all, once there is a server.
keeps out
waits grep -q 'waits in' "$work/err" || fail 'the third keeper does not name a server that is away'
takes_pushes "$port"
waits is_empty || fail "the spool is not sent: $(ls "$out/spool")"
waits grep -q 'takes pushes again' "$work/err" || fail 'nothing is said of a server that is back'
ends_keeper

# Columns of the rows: alloc_minutes has the recording in 3, node 4, app 5, release 6, run 8, allocator 9, hour 10, its minutes 11,
# figures 12, bounds 13; recording has the recording in 3, node 4, app 6, file 32.
rows() {
  awk -F '\t' -v table="$1" '$1 == table' "$work/rows"
}
# points: node, app, release, run, allocator, time, carriers, blocks and pool of each minute; bounds are these figures.
points() {
  rows alloc_minutes | awk -F '\t' -v OFS='\t' '{
    n = split(substr($11, 2), minute, ",")
    if (split(substr($12, 2), figures, ",") != 3 * n || $13 != "[]") print "wrong"
    for (i = 1; i <= n; i++) print $4, $5, $6, $8, $9, $10 + 60 * minute[i], figures[i] + 0, figures[n + i] + 0, figures[2 * n + i] + 0 }'
}
[[ $(rows recording | awk -F '\t' '$32 != "" { sub(/.*-/, "", $32); print $32 }' | tr '\n' ' ') == 'growth.db left.db ' ]] ||
  fail "not the alarms in their order: $(rows recording | cut -f 32)"
rows recording >"$work/recordings"
[[ $(cut -f 3 "$work/recordings" | sort | uniq -d | wc -l) -eq 0 ]] || fail 'a recording was sent twice'
[[ $(points | cut -f 1,4,5,6 | sort | uniq -d | wc -l) -eq 0 ]] || fail 'a minute was sent twice'
[[ $(rows recording | cut -f 4,6 | sort -u) == "$node@"*$'\tshop' ]] || fail 'names and labels differ'
[[ $(points | cut -f 1,2,3 | sort -u) == "$node@"*$'\tshop\t1' ]] || fail 'names and labels of minutes differ'
[[ $(rows recording | cut -f 9 | sort -u | wc -l) -eq 1 ]] || fail 'minutes and alarms are of two lives'
[[ $(points | cut -f 5 | sort -u | tr '\n' ' ') == 'all binary_alloc '*' eheap_alloc ets_alloc '* ]] || fail 'not all allocators'
[[ $(rows finding | wc -l) -gt 0 && $(rows holder_point | wc -l) -gt 0 ]] || fail 'an alarm has neither findings nor holders'
# Carriers, blocks and pool, each exact; 30 MiB are held at least.
points | awk -F '\t' 'NF != 9 || ($5 == "binary_alloc" && ($8 < 31457280 || $7 < $8)) { exit 1 }' ||
  fail 'figures of a minute'
points | awk -F '\t' '$5 == "all" { all[$6] = $7 } $5 != "all" { sum[$6] += $7 } END { for (t in all) if (all[t] != sum[t]) exit 1 }' ||
  fail 'the sum of a minute'

# Sent again, nothing is sent; a real server takes them.
sent=$(wc -l <"$work/rows")
"$program" push "$work"/copies/*.push --to "$to" >"$work/out.push" 2>&1 && [[ $(grep -c 'is there already' "$work/out.push") -ge 3 ]] ||
  fail "a push repeated: $(cat "$work/out.push")"
[[ $(wc -l <"$work/rows") -eq $sent ]] || fail 'a push repeated is sent twice'
if [[ -n $clickhouse ]] && begins_server "$work/server" $((port + 3)); then
  real=http://127.0.0.1:$((port + 3))/fleet
  "$program" fleet init --to "$real" >"$work/out.push" 2>"$work/err" || fail 'no tables'
  "$program" push "$work"/copies/*.push --to "$real" >"$work/out.push" 2>&1 || fail "a real server: $(cat "$work/out.push")"
  [[ $(curl -sS "${real%/fleet}/?database=fleet" --data-binary "SELECT count() > 0, uniqExact(allocator) > 5,
    countIf(allocator = 'binary_alloc' AND (carriers < 31457280 OR carriers_low != carriers OR blocks > carriers)), count() = uniqExact(allocator, ts),
    any(app), (SELECT count() FROM visible) = (SELECT count() FROM recording), (SELECT count() > 0 FROM node_day)
    FROM alloc_point WHERE (recording, push) IN (SELECT recording, push FROM visible)") == $'1\t1\t0\t1\tshop\t1\t1' ]] ||
    fail 'not the minutes on a real server'
else
  echo 'not tested: there is no ClickHouse here'
fi

# A node without the module, by readings: minutes of each part, an alarm, and no minute twice, also of a keeper that follows at once.
ends_node
epmd_pid='' node=read$$
starts_node "$holding"
: >"$work/rows"
for again in 1 2; do
  keeps read --ebin /nowhere --history 30m
  waits grep -q 'is recorded by readings' "$work/log" || fail 'it is not by readings'
  asked 'timer:sleep(3000), keeper ! more' >/dev/null
  waits grep -q '^kept in .*-growth.db' "$work/log" || fail "no alarm by readings: $(cat "$work/log")"
  has_minutes() { [[ $(points | cut -f 6 | sort -u | wc -l) -ge $again ]]; }
  waits has_minutes || fail "no minutes of what was read: $(cat "$work/err"; ls -a "$out/spool")"
  ends_keeper
done
waits is_empty || fail "the spool of readings is not sent: $(ls "$out/spool")"
[[ $(rows recording | cut -f 32 | grep -c -- '-growth.db$') -eq 2 ]] || fail "not both alarms: $(rows recording | cut -f 32)"
[[ $(points | cut -f 1,4,5,6 | sort | uniq -d | wc -l) -eq 0 ]] || fail 'a minute of readings was sent twice'
[[ $(rows recording | cut -f 9 | sort -u | wc -l) -eq 1 ]] || fail 'minutes and alarms of readings are of two lives'
[[ $(points | cut -f 1,2,3 | sort -u) == "$node@"*$'\tshop\t1' ]] || fail 'names and labels of minutes of readings differ'
points | awk -F '\t' 'NF != 9 || ($5 == "binary_alloc" && ($8 < 31457280 || $7 < $8)) { exit 1 }' || fail 'figures of a minute of readings'
points | awk -F '\t' '$5 == "all" { all[$6] = $7 } $5 != "all" { sum[$6] += $7 } END { for (t in all) if (all[t] != sum[t]) exit 1 }' ||
  fail 'the sum of a minute of readings'
[[ $(points | cut -f 5 | sort -u | tr '\n' ' ') == 'all binary_alloc '*' eheap_alloc ets_alloc '* ]] || fail 'not all allocators of readings'

refused() {
  local wanted=$1 text=$2
  shift 2
  : >"$work/refused"
  local before
  before=$(left)
  "$program" keep --node "$node" -o "$work/other" "$@" >"$work/refused" 2>"$work/err"
  local status=$?
  [[ $status -eq $wanted && $(wc -l <"$work/err") -eq 1 ]] || fail "keep $* ends with $status"
  grep -q -- "$text" "$work/err" || fail "keep $*: no '$text'"
  [[ $(left) == "$before" ]] || fail "keep $*: left behind: $(left)"
}
refused 1 "'ftp://127.0.0.1/fleet'" --to ftp://127.0.0.1/fleet
refused 1 'cannot be reached\|failed to connect' --node "nobody$$" --to "$to"
refused 1 'cannot read' --to "$to" --credentials "$work/none"
refused 2 'is not a label' --to "$to" --label colour=red
refused 2 'is for a fleet' --label app=shop
! lttng --no-sessiond list 2>/dev/null | grep -q carrierscope-keep || fail 'a session is left'
rm -f "$work/err"
ends
