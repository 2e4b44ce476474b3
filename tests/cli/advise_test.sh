#!/bin/sh
# SPDX-License-Identifier: MIT
# advise_test.sh TWIN CARRIERSCOPE WORKLOAD: `carrierscope replay` has the figures of the run that was
# recorded and of runs with other flags; `carrierscope advise` finds flags whose prediction comes true.
set -u
# shellcheck source=../harness/recording.sh
. "$(dirname "$0")/../harness/recording.sh"
twin=$1
carrierscope=$2
workload=$3
needs lttng lttng-sessiond babeltrace2 sqlite3
starts_daemon "$work/daemon.log" || skip "$(cat "$work/daemon.log")"

# record NAME FLAG...: a run, loaded into $work/NAME; its footprint and peak in $work/NAME.want.
record() {
	name=$1
	shift
	begins_session "$work/trace" 4M 'org_erlang_otp:carrier_*,carrierscope:*'
	"$twin" --workload "$workload" --scale 2 --schedulers 4 -- "$@" >"$work/out" 2>"$work/err" ||
		fail "cannot run: $(cat "$work/err")"
	lttng destroy "$session" >/dev/null 2>&1
	session=
	"$carrierscope" load -f -o "$work/$name" "$work/trace" >"$work/log" 2>&1 || fail "cannot load: $(cat "$work/log")"
	rm -rf "$work/trace"
	sed -n 's/.*footprint \([0-9]*\) bytes, peak \([0-9]*\) .*/\2 \1/p' "$work/out" >"$work/$name.want"
	[ -s "$work/$name.want" ] || fail "no figures: $(cat "$work/out")"
}

# answers EXIT PATTERN ARGUMENT...: exit status, and a line of the one sentence.
answers() {
	expected=$1
	pattern=$2
	shift 2
	"$carrierscope" "$@" >"$work/out" 2>"$work/err"
	code=$?
	[ $code -eq "$expected" ] || fail "exit $code instead of $expected: $*: $(cat "$work/err")"
	grep -q -e "$pattern" "$work/err" || fail "'$pattern' is not in the message of $*: $(cat "$work/err")"
	[ "$(wc -l <"$work/err")" -le 2 ] || fail "more than a sentence: $(cat "$work/err")"
}

# Peak and end of all, as a replay has them.
replayed() {
	"$carrierscope" replay "$work/run.db" --format csv -- "$@" | awk -F , '$1 == "all" { print $2, $5 }'
}

record run.db
[ "$(replayed)" = "$(cat "$work/run.db.want")" ] || fail "replayed $(replayed), recorded $(cat "$work/run.db.want")"
flags='+MBas aobf +MHacul 0'
# shellcheck disable=SC2086
"$twin" --workload "$workload" --scale 2 --schedulers 4 --no-trace -- $flags >"$work/out" 2>"$work/err" || fail "$(cat "$work/err")"
# shellcheck disable=SC2086
have=$(replayed $flags)
want=$(sed -n 's/.*footprint \([0-9]*\) bytes, peak \([0-9]*\) .*/\2 \1/p' "$work/out")
[ "$have" = "$want" ] || fail "with $flags: replayed '$have', run '$want'"

# The formats have the same figures; the curve has the peak.
# shellcheck disable=SC2086
"$carrierscope" replay "$work/run.db" --json --curve "$work/curve" -- $flags >"$work/json" || fail "--json"
# shellcheck disable=SC2086
"$carrierscope" replay "$work/run.db" -- $flags >"$work/table" || fail "a table"
grep -q '^binary_alloc ' "$work/table" || fail "table: $(cat "$work/table")"
ask() {
	sqlite3 :memory: "SELECT $1 FROM json_each(readfile('$work/json'), '\$.rows') AS r
		WHERE r.value ->> 'allocator' = '$2'"
}
[ "$(ask "r.value ->> 'peak_bytes' || ' ' || (r.value ->> 'end_bytes')" all)" = "$want" ] || fail "JSON: $(cat "$work/json")"
for figure in peak end average; do
	[ "$(ask "(r.value ->> '${figure}_bytes') BETWEEN (r.value ->> '${figure}_bytes_low') AND (r.value ->> '${figure}_bytes_high')" binary_alloc)" = 1 ] ||
		fail "JSON: no range of $figure"
done
[ "$(ask "(r.value ->> 'calls') > 0 AND (r.value ->> 'copied_bytes') > 0 AND (r.value ->> 'mappings') > 0
	AND (r.value ->> 'coverage_percent') = 100" all)" = 1 ] || fail "JSON: calls, copies, mappings, coverage"
[ "$(awk -F , 'NR > 1 && $2 > most { most = $2 } END { print NR, most }' "$work/curve")" = "257 ${want% *}" ] ||
	fail "the curve: $(head -3 "$work/curve")"

# What a recording does not allow is one sentence, and an exit status of its own.
answers 2 'MBfoo' replay "$work/run.db" -- +MBfoo 3
answers 2 'no FILE' replay
answers 2 'unknown format' replay --format xml "$work/run.db"
answers 2 "unknown release '99'" replay --otp 99 "$work/run.db"
answers 1 'not a database' replay "$work/json"
answers 2 "is no allocator" advise --letters BQ "$work/run.db"
answers 2 'invalid value' advise --for apache "$work/run.db"
answers 1 'has no advised flags' advise "$work/run.db" --verify "$work/run.db"
printf '# mine\n+MBfoo 3\n' >"$work/own"
answers 2 'MBfoo' advise --flags "$work/own" "$work/run.db"
cp "$work/run.db" "$work/bad.db"
sqlite3 "$work/bad.db" 'UPDATE source SET lost_events = 5'
answers 3 'lost 5 events' replay "$work/bad.db"
answers 3 'lost 5 events' advise "$work/bad.db"
sqlite3 "$work/bad.db" 'UPDATE source SET lost_events = 0; UPDATE carrier_alloc SET size_bytes = 3 * size_bytes'
answers 3 'record from boot' replay "$work/bad.db"
rm "$work/bad.db"

# The search: the best case first, then everything in full, then the lines.
printf '# mine\n+MBlmbcs 2048\n' >"$work/own"
"$carrierscope" advise "$work/run.db" --flags "$work/own" --for vm.args >"$work/advice" 2>"$work/err" ||
	fail "advise: exit $?: $(cat "$work/err")"
head -n 1 "$work/advice" | grep -q '^Best case from tuning: about ' || fail "no best case: $(cat "$work/advice")"
for line in 'as recorded' "RabbitMQ's default: +MBas" 'yours: +MBlmbcs 2048' 'the best of each allocator' '^Advised' \
	'^# undo: ' '^Chosen on the first half' '^+MBlmbcs '; do
	grep -q -e "$line" "$work/advice" || fail "no '$line': $(cat "$work/advice")"
done
[ "$(sqlite3 "$work/run.db" 'SELECT count(DISTINCT flags) FROM sweep_result WHERE is_part')" -gt 30 ] || fail "the grid was not kept"

# The same again, wherever the time goes.
"$carrierscope" advise "$work/run.db" --jobs 1 --flags "$work/own" --for vm.args >"$work/again" 2>"$work/err"
for file in advice again; do sed 's/ ([0-9]* s of CPU)//' "$work/$file" >"$work/$file.plain"; done
cmp -s "$work/advice.plain" "$work/again.plain" || fail "not the same: $(diff "$work/advice.plain" "$work/again.plain")"

# Prediction and outcome.
advised=$(sqlite3 "$work/run.db" "SELECT flags FROM sweep_result WHERE is_advised AND allocator = 'all'")
[ -n "$advised" ] || fail "nothing was advised"
"$carrierscope" report sweep "$work/run.db" --format csv | grep -q -e "$advised,yes" || fail "report sweep"
answers 3 'without the advised flags' advise "$work/run.db" --verify "$work/run.db"
# shellcheck disable=SC2086
record new.db $advised
promised=$(sqlite3 "$work/run.db" "SELECT peak_bytes || ' ' || end_bytes FROM sweep_result WHERE is_advised AND allocator = 'all'")
[ "$promised" = "$(cat "$work/new.db.want")" ] || fail "predicted $promised, run $(cat "$work/new.db.want")"
"$carrierscope" advise "$work/run.db" --verify "$work/new.db" >"$work/out" 2>"$work/err" || fail "--verify: $(cat "$work/err" "$work/out")"
[ "$(grep -c -E '^(peak|end) .*as predicted$' "$work/out")" = 2 ] || fail "--verify: $(cat "$work/out")"
sqlite3 "$work/run.db" "UPDATE sweep_result SET peak_bytes = 1, peak_low_bytes = 1, peak_high_bytes = 2 WHERE is_advised"
"$carrierscope" advise "$work/run.db" --verify "$work/new.db" >"$work/out" 2>"$work/err"
[ $? = 1 ] || fail "a prediction that did not come true: $(cat "$work/out")"
ends
