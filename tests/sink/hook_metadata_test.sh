#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Recordings of a hooked node whose metadata is empty, as a full disk leaves it: --salvage loads
# what it can prove, says that it guessed, and refuses the rest.
#
#	hook_metadata_test.sh CARRIERSCOPE DATA_DIR
#
# DATA_DIR holds recordings of LTTng 2.13 of OTP 25: all and all-again (carrierscope:*; vpid, vtid,
# procname), sampled (the same with samples; vpid, vtid), blocks (carrierscope:block_*) and without
# (carrierscope:* but block_alloc, so that every event has the number of the one before it).
. "$(dirname "$0")/../harness/main.sh"

set -- "$(realpath "$1")" "$(realpath "$2")"
data=$2
tests_program "$1"
cd "$work" || exit 1

for name in all all-again sampled blocks without; do
	tar xzf "$data/$name.tar.gz" || exit 1
	"$program" load -q -o "$name.db" "$name" 2>err || fail "$name as it is"
	cp "$(find "$name" -name metadata)" "$name.metadata"
	find "$name" -name metadata -exec sh -c ': >"$1"' sh {} \;
done

for name in all all-again sampled; do
	"$program" load --salvage -o "$name.guess.db" "$name" >out 2>err || fail "$name: not guessed"
	[ "$(sqlite3 "$name.guess.db" "SELECT count(*) FROM load_problem WHERE name = 'metadata_remade'
		AND sentence LIKE 'the metadata was guessed: %'")" = 1 ] || fail "$name: nothing says that it is a guess"
	for database in "$name" "$name.guess"; do
		sqlite3 "$database.db" "SELECT * FROM event_count WHERE events > 0 ORDER BY 2, 3; SELECT vpid FROM runtime;
			SELECT count(*) FROM thread; SELECT lost_events, events FROM source;
			SELECT op, address, size, type_id, instance FROM block_event ORDER BY id;
			SELECT allocator_id, section, current FROM snapshot_figure ORDER BY id" >"$database.facts" 2>err ||
			fail "$name: questions"
	done
	[ -s "$name.facts" ] && cmp -s "$name.facts" "$name.guess.facts" ||
		fail "$name: the guess gives something else"
done

# What is not all events is refused, with what to do; never loaded under other names.
for name in blocks without; do
	"$program" load --salvage -o "$name.guess.db" "$name" >out 2>err
	[ $? = 1 ] || fail "$name: exit status"
	[ "$(wc -l <err)" = 1 ] && grep -q "cannot make metadata for '.*--metadata FILE" err || fail "$name: line"
	[ ! -e "$name.guess.db" ] || fail "$name: a database is left"
done

# The metadata of another recording of the same session does it for all.
"$program" load --salvage --metadata all-again.metadata -o sibling.db all >out 2>err || fail "a sibling's metadata"
[ "$(sqlite3 sibling.db 'SELECT events FROM source')" = "$(sqlite3 all.db 'SELECT events FROM source')" ] ||
	fail "a sibling's metadata: events"
"$program" load --salvage --metadata without.metadata -o wrong.db all >out 2>err && fail "metadata of another session"
grep -q "does not explain the packets" err || fail "metadata of another session: line"

ends
