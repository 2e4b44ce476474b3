#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# app_test.sh BUILD EXAMPLES NAME: EXAMPLES/apps/NAME.sh starts a real application, records it twice with the
# programs of BUILD, gives the answers, and leaves nothing behind.  NAME is rabbitmq or ejabberd.
. "$(dirname "$0")/../harness/main.sh"
own_daemon "$@"
build=$1 examples=$2 name=$3
plain_erl

# shown COUNT PATTERN: so many lines that the script prints match.
shown() {
  local got
  got=$(grep -cE -- "$2" "$work/out")
  [[ $got -eq $1 ]] || fail "$name prints $got lines like '$2', not $1:
$(grep -A 8 'OS pid' "$work/out")"
}

# is DATABASE QUERY EXPECTED
is() {
  local got
  got=$(sqlite3 "$1" "$2")
  [[ $got == "$3" ]] || fail "$(basename "$1"): $2: '$got', not '$3'"
}

# nobody_holds DATABASE TIME: prints the allocators of which more than a little has no holder at the reading of TIME.
nobody_holds() {
  "$build/analyzer/carrierscope" report holders --bytes --format csv --at "$2" "$1" >"$work/holders.csv"
  sqlite3 :memory: '.mode csv' ".import $work/holders.csv holder" '.mode list' "
    SELECT iif(count(*) < 3, 'of three allocators ' || count(*) || ' are there', ifnull(group_concat(bad), ''))
    FROM (SELECT iif(nobody > 0.05 * bytes + iif(allocator = 'binary_alloc', 8e6, 4e6),
        allocator || ': of ' || bytes || ' bytes nobody holds ' || nobody, NULL) AS bad
      FROM (SELECT allocator, total(bytes) AS bytes, total(iif(kind = 'nobody', bytes, 0)) AS nobody FROM holder
        WHERE basis = 'snapshot' AND allocator IN ('binary_alloc', 'eheap_alloc', 'ets_alloc') GROUP BY allocator))" ||
    echo 'no holders'
}

needs lttng lttng-sessiond sqlite3
[[ -f $build/provider/beam/ebin/carrierscope.beam ]] || skip "this build has no module carrierscope"
# By this folder all that the script starts is found.
mkdir "$work/tmp"
TMPDIR=$work/tmp "$BASH" "$examples/apps/$name.sh" --build-dir "$build" "$work/$name.db" >"$work/out" 2>"$work/err"
status=$?
[[ $status -ne 77 ]] || skip "$(sed -n 's/^SKIPPED: //p' "$work/err")"
[[ $status -eq 0 ]] || fail "$name ends with $status: $(tail -n 5 "$work/out")"
# What a node had started ends a little after it.
has_no_process() { left=$(grep -lzx "TMPDIR=$work/tmp" /proc/[0-9]*/environ 2>/dev/null); [[ -z $left ]]; }
waits has_no_process || fail "$name leaves processes: $left"
[[ -z $(ls -A "$work/tmp") ]] || fail "$name leaves files: $(ls -A "$work/tmp")"

# What a busy machine interrupts is not known to go on; it is never taken for the end of the growth.
shown 2 '^(LEAK|UNKNOWN): '
# The node answers once its hook is gone.
case $name in
rabbitmq) shown 2 '^second.[1-9][0-9]*' ;;
ejabberd) shown 2 'is started with status: started$' ;;
esac
exact=$work/$name.db
sampled=$work/$name-sampled.db
for database in "$exact" "$sampled"; do
  is "$database" "SELECT complete AND lost_events = 0 FROM source" 1
  is "$database" "SELECT count(*) > 5 FROM snapshot_begin" 1
  is "$database" "SELECT max(bytes) - min(bytes) > 20000000 FROM snapshot_memory WHERE key = 'binary'" 1
  # Nearly all that blocks hold has a holder with a name.  2.3 to 4.3 MiB of binary_alloc are held by no process
  # while either application is idle (drivers, tables), which is more than a twentieth where a busy machine let little come in.
  # A heap that is collected while the node is read is there twice (13 of 32 MB once): one of the last readings is without.
  seen=
  nobody='no reading'
  for at in $(sqlite3 "$database" 'SELECT ts_ns FROM snapshot_holders ORDER BY ts_ns DESC LIMIT 6'); do
    nobody=$(nobody_holds "$database" "$at")
    [[ -n $nobody ]] || break
    seen+=" $nobody;"
  done
  [[ -z $nobody ]] || fail "$(basename "$database"): at the last readings:$seen"
  # No process but the node.
  is "$database" "SELECT count(*) FROM runtime" 1
done
if [[ $name == rabbitmq ]]; then
  # The queue holds its messages, not the connection that received them.
  first="SELECT name = 'queue \"QUEUE\" (vhost /)' FROM holder WHERE allocator = 'binary_alloc' ORDER BY bytes DESC LIMIT 1"
  is "$exact" "${first/QUEUE/first}" 1
  is "$sampled" "${first/QUEUE/second}" 1
  # Its heap is too large to be listed: whence most binaries came is said all the same, unless a busy machine hooked the
  # node so late that most of them had come before.
  said=$("$build/tests/harness/judge_file" "$exact" "SELECT ifnull((SELECT iif(text LIKE 'received through #Port<%> tcp_inet \"127.0.0.1:%', '', text) FROM _made_most WHERE allocator = 'binary_alloc'),
    (SELECT iif(total(b.size) < 0.6 * m.bytes, '', total(b.size) || ' of ' || m.bytes || ' bytes were made while it was recorded')
      FROM block_live AS b, (SELECT bytes, ts_ns FROM snapshot_memory WHERE key = 'binary' ORDER BY id DESC LIMIT 1) AS m
      WHERE b.type = 'binary' AND b.since_ns <= m.ts_ns))")
  [[ -z $said ]] || fail "whence most binaries came: $said"
fi
is "$exact" "SELECT count(*) > 1000 FROM block_event" 1
is "$exact" "SELECT DISTINCT quality FROM figure WHERE moment = 'end' AND quantity = 'blocks_bytes'" exact
is "$sampled" "SELECT count(*) > 100 FROM sample_block" 1
is "$sampled" "SELECT count(*) FROM block_event" 0
ends
