#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# names_test.sh BUILD ROOT: a real RabbitMQ, recorded, whose queues and connection are called as RabbitMQ calls them.
. "$(dirname "$0")/../harness/main.sh"
own_daemon "$@"
build=$1 root=$2
plain_erl
needs lttng lttng-sessiond sqlite3
[[ -f $build/provider/beam/ebin/carrierscope.beam ]] || skip "this build has no module carrierscope"
mkdir "$work/tmp"
TMPDIR=$work/tmp "$BASH" "$here/rabbitmq_names.sh" "$root" --build-dir "$build" "$work/names.db" >"$work/out" 2>"$work/err"
status=$?
[[ $status -ne 77 ]] || skip "$(sed -n 's/^SKIPPED: //p' "$work/err")"
[[ $status -eq 0 ]] || fail "it ends with $status: $(tail -n 5 "$work/out")"

# is QUERY EXPECTED
is() {
  local got
  got=$(sqlite3 "$work/names.db" "$1")
  [[ $got == "$2" ]] || fail "$1: '$got', not '$2'"
}

# The classic queue's heap is too large for its notes to be read, before OTP 26.2; the others make none.
is "SELECT group_concat(text, '; ') FROM (SELECT DISTINCT text FROM process_label WHERE kind = 'queue' ORDER BY 1)" \
  'queue "events" (vhost /); queue "or_ders" (vhost /); queue "slow" (vhost /)'
is "SELECT name, who_kind FROM holder WHERE allocator = 'binary_alloc' AND kind = 'process' ORDER BY bytes DESC LIMIT 1" 'queue "slow" (vhost /)|queue'
is "SELECT count(*) > 0 FROM holder WHERE kind = 'process' AND holder <> '' AND who_kind = 'queue' AND name = 'queue \"or_ders\" (vhost /)'" 1
is "SELECT count(DISTINCT text) FROM process_label WHERE text LIKE 'connection \"127.0.0.1:% -> 127.0.0.1:% - billing\"'" 1
# The messages of a quorum queue that are in no file yet.
is "SELECT count(DISTINCT name) FROM snapshot_table WHERE name = 'queue or_ders (vhost /)'" 1
# What records is one row of each type, and its processes are no others.
is "SELECT count(*), min(members) >= 1 FROM holder WHERE kind = 'recorder' AND type = 'heap'" '1|1'
is "SELECT count(*) FROM holder WHERE kind <> 'recorder' AND name LIKE '%> carrierscope%'" 0
# Its high watermark is a limit.
is "SELECT DISTINCT value FROM runtime_fact WHERE key = 'rabbitmq_memory_limit'" "$(cat "$work/names.db.limit")"
[[ -z ${CSC_KEEP:-} ]] || cp "$work/names.db" "$CSC_KEEP"
ends
