#!/bin/sh
# SPDX-License-Identifier: MIT
# score_test.sh: what score.py counts, of answers that are right and of such that are wrong in one thing each.
. "$(dirname "$0")/../../harness/main.sh"
needs python3 sqlite3

# Prints what lies beside the database.
cat >"$work/answers" <<'END'
#!/bin/sh
cat "${4%.db}.json"
END
chmod +x "$work/answers"

# recording CELL GROWS BYTES_EACH_SECOND VERDICT WHO MECHANISM LOW HIGH POWER [TOTAL_EACH_SECOND]: 30 s of a table, what the
# runtime has in all, and the answer.
recording() {
	mkdir -p "$work/set"
	{
		printf '# grows_to_the_end=%s\n# who=sessions|presence\n# kind=table\n# mechanism=table\n# type=ets\n# period_s=5\n' "$2"
		awk -v rate="$3" -v total="${10:-$3}" 'BEGIN { for (n = 0; n < 300; n++) {
			bytes = rate * n / 10
			printf "%.0f,%.0f,%.0f,%.0f,%d,0,0,0,0,0,%.0f\n", 1000000000 + n * 100000000, bytes, bytes, 1.5 * bytes, n, total * n / 10 } }'
	} >"$work/set/$1.truth"
	sqlite3 "$work/set/$1.db" "CREATE TABLE source(first_ts_ns, last_ts_ns); INSERT INTO source VALUES(1000000000, 31000000000);
		CREATE TABLE verdict(level, confidence); INSERT INTO verdict VALUES('runtime', 'exact')" || fail "no '$1'"
	cat >"$work/set/$1.json" <<END
{"verdict": "$4", "sentence": "", "mechanism": "$6", "power_bytes_per_s": $9, "growth": [{"who": "$5", "kind": "table",
"to_the_end": 1, "bytes_per_s": {"low": $7, "high": $8}}]}
END
}

# scores STATUS TEXT...: each is in what it prints of the set, and 1 where goals are missed.
scores() {
	wanted=$1
	shift
	python3 "$here/score.py" --goals --program "$work/answers" "$work/set" >"$work/out" 2>&1
	got=$?
	[ $got -eq "$wanted" ] || fail "it ends with $got, not $wanted: $(cat "$work/out")"
	for text; do
		grep -Eq -- "$text" "$work/out" || fail "no '$text': $(cat "$work/out")"
	done
	rm -rf "$work/set"
}

# A name may stand in more words, and an interval need only have some of what the truth may be.
right() {
	recording a-1024-50-30-snapshots-steady-1 1 1048576 leak 'table \"sessions\" of <0.1.0>' table 1400000 2000000 1000
}
right
recording b-1024-50-30-snapshots-sawtooth-1 0 10 normal - table 0 0 1000
scores 0 '^all +2 +1 +0 +0 +0 +0 +0 +100.0 +100.0 +100.0 +100.0 +100.0 +0.0 +0$'

right
recording b-1024-50-30-snapshots-steady-1 1 1048576 leak bystander table 1000000 2000000 1000
scores 1 'MISSED: grower is 50.0' 'WRONG: b-.*: grower: leak'

right
recording b-1024-50-30-snapshots-steady-1 1 1048576 leak sessions state 1000000 2000000 1000
scores 1 'MISSED: mechanism is 50.0' 'WRONG: b-.*: mechanism: leak'

right
recording b-1024-50-30-snapshots-steady-1 1 1048576 leak sessions table 1600000 2000000 1000
recording c-1024-50-30-snapshots-steady-1 1 1048576 leak sessions table 900000 1000000 1000
scores 1 'MISSED: rate is 33.3' 'WRONG: b-.*: rate: leak' 'WRONG: c-.*: rate: leak'

right
recording b-1024-50-30-snapshots-cache-1 0 10 leak sessions table 0 10 1000
scores 1 'MISSED: precision is 50.0' 'MISSED: exact_wrong is 1' 'WRONG: b-.*: false: leak'

# Normal where it grows is a miss, unless the answer says that it could not see such a rate.
right
recording b-1024-50-30-snapshots-steady-1 1 1048576 normal sessions table 0 0 1000000
scores 1 'MISSED: recall is 50.0' 'WRONG: b-.*: missed: normal'
right
recording b-1024-50-30-snapshots-steady-1 1 1048576 normal sessions table 0 0 1100000
scores 0 '^all +2 +1 +0 +0 +1 '

right
recording b-1024-50-30-snapshots-steady-1 1 1048576 unknown sessions table 0 0 0
scores 1 'MISSED: unknown_fast is 50.0'

# What an allocator has is not outside.
right
recording b-1024-50-30-snapshots-steady-1 1 1048576 outside sessions table 1400000 2000000 0
scores 1 'MISSED: exact_wrong is 1' 'WRONG: b-.*: class: outside'

# Of ten seconds only what is wrong counts; a program that did not grow as it should is no truth.
right
recording b-1024-50-10-snapshots-steady-1 1 1048576 normal sessions table 0 0 0
scores 0 '^1 recordings of 10 s: 1 wrong, 0 unknown'
right
recording b-1024-50-30-snapshots-steady-1 1 0 leak sessions table 0 0 0
scores 1 'FAILED: b-.*: it should grow, and its program did not'
right
recording b-1024-50-30-snapshots-cache-1 0 10 normal - table 0 0 1000 5000000
scores 1 'FAILED: b-.*: its program counts 10 to 15 B/s, the runtime 5000000'
ends
