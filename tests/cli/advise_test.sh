#!/bin/sh
# SPDX-License-Identifier: MIT
# advise_test.sh TWIN CARRIERSCOPE WORKLOAD: `carrierscope replay` has the figures of the run that was
# recorded and of runs with other flags; `carrierscope advise` finds flags whose prediction comes true.
. "$(dirname "$0")/../harness/main.sh"
records_here "$@"
twin=$1
carrierscope=$2
workload=$3
needs babeltrace2 sqlite3

scale=2

# record NAME FLAG...: a run of this scale, loaded into $work/NAME; its footprint and peak in $work/NAME.want.
record() {
	name=$1
	shift
	begins_session "$work/trace" 4M 'org_erlang_otp:carrier_*,carrierscope:*'
	"$twin" --workload "$workload" --scale "$scale" --schedulers 4 -- "$@" >"$work/out" 2>"$work/err" ||
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
"$carrierscope" replay "$work/run.db" --format=json --curve "$work/curve" -- $flags >"$work/json" || fail "--format=json"
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
answers 1 'has no advised flags' advise "$work/run.db" --verify "$work/run.db"
cp "$work/run.db" "$work/none.db"
sqlite3 "$work/none.db" "INSERT INTO sweep_advice SELECT id, 'peak', NULL, 'nothing is saved', 'B', 1, 0, 1, 1, 0, 0, 1, 0 FROM runtime"
answers 1 'no flag was advised' advise "$work/none.db" --verify "$work/run.db"
printf '# mine\n+MBfoo 3\n' >"$work/own"
answers 2 "'$work/own': .*MBfoo" advise --flags "$work/own" "$work/run.db"
answers 1 "cannot read '$work': Is a directory" advise --flags "$work" "$work/run.db"
answers 2 "'apache' is no value for --for: use erl, vm.args, rabbitmq, ejabberd or mix-release" advise --for apache "$work/run.db"
answers 1 "'$work' is not a carrierscope database" advise "$work"
answers 1 'No such file or directory' advise "$work/nope.db"
cp "$work/run.db" "$work/bad.db"
sqlite3 "$work/bad.db" 'UPDATE source SET lost_events = 5'
answers 3 'lost 5 events' replay "$work/bad.db"
answers 3 'lost 5 events' advise "$work/bad.db"
sqlite3 "$work/bad.db" 'UPDATE source SET lost_events = 0; UPDATE carrier_alloc SET size_bytes = 3 * size_bytes'
answers 3 'record from boot' replay "$work/bad.db"
cp "$work/run.db" "$work/bad.db"
sqlite3 "$work/bad.db" "INSERT INTO runtime SELECT 7, source_id, hostname, 7, procname FROM runtime LIMIT 1"
runtimes=$(sqlite3 "$work/bad.db" 'SELECT id FROM runtime WHERE id <> 7')
sqlite3 "$work/bad.db" "CREATE TEMP TABLE a AS SELECT * FROM block_account WHERE runtime_id = $runtimes;
	UPDATE a SET id = NULL, runtime_id = 7; INSERT INTO block_account SELECT * FROM a"
answers 3 "blocks of the runtimes $runtimes (OTP 25), 7 (OTP unknown): use --runtime=ID" advise "$work/bad.db"
sqlite3 "$work/bad.db" "INSERT INTO state_begin SELECT * FROM state_begin LIMIT 0; CREATE TEMP TABLE b AS SELECT * FROM state_begin LIMIT 1;
	UPDATE b SET id = NULL, runtime_id = 7, release = '27'; INSERT INTO state_begin SELECT * FROM b"
answers 3 "blocks of the runtimes $runtimes (OTP 25), 7 (OTP 27): use --runtime=ID" advise "$work/bad.db"
sqlite3 "$work/bad.db" 'DELETE FROM block_account WHERE runtime_id = 7'
answers 3 "is of OTP 25: --otp=27 is for a recording that does not have its release" advise --otp 27 "$work/bad.db"
sqlite3 "$work/bad.db" "UPDATE state_begin SET runtime_id = $runtimes"
answers 3 "has runtime $runtimes with 2 different releases, '25' first: record one node at a time" advise "$work/bad.db"
sqlite3 "$work/bad.db" "UPDATE state_begin SET release = '99'"
answers 3 "release '99', which the core does not know: use --otp" advise "$work/bad.db"
sqlite3 "$work/bad.db" 'DELETE FROM block_account'
answers 3 'no block event .* record with carrierscope record --every-block' advise "$work/bad.db"
sqlite3 "$work/bad.db" 'INSERT INTO sample_alloc DEFAULT VALUES'
answers 3 'samples of blocks, and a replay needs every block: record with carrierscope record --every-block -o NEW.db' advise "$work/bad.db"
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
# What flags do not reach of the best case is said if it is most of it, and smaller carriers alone are not advised without a word.
best=$(sed -n '1s/.* about \([0-9]*\).*/\1/p' "$work/advice")
saved=$(sed -n 's/^Advised .* saves \([0-9.]* to \)*\([0-9]*\).*/\2/p' "$work/advice")
# A setting that cost rules exclude is named, with its figures in the table, and what it reaches is in reach of flags.
least=$(sed -n 's/^Less memory at more calls, so not advised: .*, \([0-9]*\)\.[0-9]* MiB, [0-9]* calls where [0-9]* are allowed\.$/\1/p' "$work/advice")
[ -n "$least" ] || fail "no setting that cost rules exclude: $(cat "$work/advice")"
all=$(sed -n '1s/.* MiB of \([0-9]*\).*/\1/p' "$work/advice")
[ $((all - least)) -le "$saved" ] || saved=$((all - least))
grep -q "^. *[0-9.]* .*: .* (too many calls)$" "$work/advice" || fail 'the table does not have what is excluded'
if [ $((best - saved)) -gt $((saved + 9)) ]; then
	grep -q 'blocks that stay and pin their carriers; what helps is code' "$work/advice" || fail "not all is in reach: $(cat "$work/advice")"
else
	grep -q 'pin their carriers' "$work/advice" && [ $((best - saved)) -lt $((saved - 1)) ] && fail "most is in reach: $(cat "$work/advice")"
fi
for letter in B E H; do
	lmbcs=$(sed -n "s/.*+M${letter}lmbcs \([0-9]*\).*/\1/p" "$work/advice" | tail -n 1)
	grep -q "^+M${letter}lmbcs" "$work/advice" || continue
	grep -q "^+M${letter}sbct" "$work/advice" || [ "$lmbcs" -ge 4096 ] ||
		grep -q "^# +M${letter}lmbcs is small beside sbct" "$work/advice" || fail "+M${letter}lmbcs without a word: $(cat "$work/advice")"
done

# The same again, wherever the time goes: replayed, and taken from what was kept.
plain() { sed 's/ ([0-9]* s, [0-9]* s of CPU)\(; [0-9]* of them had been before\)*//' "$1"; }
cp "$work/run.db" "$work/kept.db"
"$carrierscope" advise "$work/run.db" --flags "$work/own" --for vm.args >"$work/kept" 2>"$work/err" || fail "again: $(cat "$work/err")"
grep -q '; 1[0-9][0-9] of them had been before' "$work/kept" || fail "what was kept is replayed: $(cat "$work/kept")"
sqlite3 "$work/run.db" 'DELETE FROM sweep_replay'
"$carrierscope" advise "$work/run.db" --jobs 1 --flags "$work/own" --for vm.args >"$work/again" 2>"$work/err"
for file in kept again; do
	plain "$work/advice" >"$work/advice.plain"
	plain "$work/$file" >"$work/$file.plain"
	cmp -s "$work/advice.plain" "$work/$file.plain" || fail "$file: not the same: $(diff "$work/advice.plain" "$work/$file.plain")"
done

# What another version has kept is not taken.
sqlite3 "$work/kept.db" "UPDATE sweep_replay SET result = (SELECT result FROM sweep_replay WHERE flags <> '' LIMIT 1) WHERE flags = ''"
"$carrierscope" advise "$work/kept.db" --budget 1 >"$work/out" 2>"$work/err" || fail "another version: $(cat "$work/err")"
grep -q '; [1-9][0-9][0-9]* of them had been before' "$work/out" && fail "another version's replays are taken"

# Interrupted, it keeps what it has, and the next search goes on from there.
# Again where this script stood still on a busy machine, and the search was over meanwhile, or nearly.
kept_settings() { sqlite3 "$work/half.db" "SELECT count(DISTINCT flags) FROM sweep_result WHERE is_part"; }
for try in 1 2 3 4 5; do
	cp "$work/run.db" "$work/half.db"
	sqlite3 "$work/half.db" 'DELETE FROM sweep_replay; DELETE FROM sweep_result; DELETE FROM sweep_advice'
	"$carrierscope" advise "$work/half.db" --jobs 1 --flags "$work/own" --for vm.args >"$work/out" 2>"$work/err" &
	runner=$!
	turns=0
	while [ "$(sqlite3 "$work/half.db" 'SELECT count(*) FROM sweep_replay' 2>/dev/null || echo 0)" -lt 17 ]; do
		turns=$((turns + 1))
		[ $turns -lt 4000 ] || { fail 'nothing is kept'; break; }
		sleep 0.1
	done
	kill -INT "$runner" 2>/dev/null
	wait "$runner"
	code=$?
	runner=
	[ $code != 130 ] || [ "$(kept_settings)" -ge 75 ] || break
done
[ $code = 130 ] || fail "interrupted: exit $code"
grep -q '^No flag is advised: the search was cut short before it found\|^Advised' "$work/out" || fail "interrupted: $(cat "$work/out")"
grep -q 'The search was cut short' "$work/out" || fail "interrupted: $(cat "$work/out")"
[ "$(sqlite3 "$work/half.db" 'SELECT count(*) FROM sweep_advice')" = 0 ] || fail 'half a search is kept as advice'
grep -q '^\* no other line so far is better' "$work/out" || fail "half a search has looked at all: $(cat "$work/out")"
have=$(kept_settings)
[ "$have" -ge 16 ] && [ "$have" -lt 75 ] || fail "interrupted: $have settings were kept"
"$carrierscope" advise "$work/half.db" --flags "$work/own" --for vm.args >"$work/out" 2>"$work/err" || fail "after it: $(cat "$work/err")"
grep -q 'of them had been before' "$work/out" || fail 'what was kept is not taken'
plain "$work/out" | sed 's/half\.db/run.db/g' >"$work/out.plain"
cmp -s "$work/advice.plain" "$work/out.plain" || fail "after an interruption: $(diff "$work/advice.plain" "$work/out.plain")"

# As JSON: all of it.
"$carrierscope" advise "$work/run.db" --flags "$work/own" --for rabbitmq --format json >"$work/json" || fail 'advise --format json'
json() { sqlite3 :memory: "SELECT $1 FROM (SELECT readfile('$work/json') AS j)"; }
[ "$(json "CAST(j ->> '\$.coverage_percent' AS INTEGER) || ' ' || (j ->> '\$.objective') || ' ' || ((j ->> '\$.bound_bytes') > 0)
	|| ' ' || ((j ->> '\$.carriers_bytes') - (j ->> '\$.bound_bytes') = (j ->> '\$.best_case_bytes'))")" = '100 peak 1 1' ] ||
	fail "JSON: $(head -c 600 "$work/json")"
[ "$(json "j ->> '\$.advised.flags'")" = "$(sqlite3 "$work/run.db" 'SELECT flags FROM sweep_advice')" ] || fail 'JSON: the advised flags'
[ "$(json "j ->> '\$.advised.verify'")" = "carrierscope advise $work/run.db --verify NEW.db" ] || fail 'JSON: how to verify'
json "j ->> '\$.advised.lines'" | grep -q '^SERVER_ADDITIONAL_ERL_ARGS="+M' || fail 'JSON: the lines'
[ "$(json "(j ->> '\$.held_out.chosen_half_saving_percent') > 0 AND (j ->> '\$.held_out.other_half_saving_percent') > 0
	AND (j ->> '\$.composition.replayed_bytes') > 0 AND (j ->> '\$.advised.saving_bytes_low') > 0")" = 1 ] || fail 'JSON: halves, composition, saving'
[ "$(json "(SELECT group_concat(value ->> 'name') FROM json_each(j, '\$.candidates') WHERE (value ->> 'flags') LIKE '+MB% 2048')")" = yours ] ||
	fail 'JSON: the table'
[ "$(json "(SELECT (value ->> 'peak_bytes_low') <= (value ->> 'peak_bytes') AND (value ->> 'peak_bytes') <= (value ->> 'peak_bytes_high')
	AND (value ->> '\$.advised.peak_bytes') < (value ->> 'peak_bytes') FROM json_each(j, '\$.allocators') WHERE (value ->> 'allocator') = 'all')")" = 1 ] ||
	fail 'JSON: the ranges'
# What stays with the process is never less than its carriers; a larger segment cache keeps more, and the table says how much.
[ "$(json "(SELECT count(*) FROM json_each(j, '\$.candidates') WHERE (value ->> 'held_end_bytes') < (value ->> 'end_bytes')
	OR (value ->> 'held_peak_bytes') < (value ->> 'peak_bytes'))")" = 0 ] || fail 'JSON: less stays than there is in carriers'
held() { json "(SELECT min(value ->> 'held_end_bytes') FROM json_each(j, '\$.candidates') WHERE (value ->> 'name') LIKE 'with a $1 segment cache')"; }
[ "$(held large)" -gt "$(held small)" ] || fail "JSON: a large segment cache keeps $(held large), a small one $(held small)"
more=$(json "(SELECT count(*) FROM json_each(j, '\$.candidates') WHERE (value ->> 'held_peak_bytes') >= 1048576 +
	(SELECT (value ->> 'held_peak_bytes') FROM json_each(j, '\$.candidates') LIMIT 1))")
"$carrierscope" advise "$work/run.db" --flags "$work/own" --for rabbitmq >"$work/out" || fail 'advise'
[ "$(grep -c ' MiB more stays with the process, in segment caches or a super carrier)$' "$work/out")" = "$more" ] ||
	fail "not $more lines with what stays: $(cat "$work/out")"
"$carrierscope" report sweep "$work/run.db" --format json >"$work/json" || fail 'report sweep --format json'
grep -q '"advised": *"yes"' "$work/json" || fail "report sweep --format json: $(head -c 400 "$work/json")"

# The findings, the page and a fleet have it.
"$carrierscope" report findings "$work/run.db" >"$work/out" || fail 'report'
tr -s ' \n' '  ' <"$work/out" | grep -q -F "$(sqlite3 "$work/run.db" 'SELECT flags FROM sweep_advice'); replays predict at most" ||
	fail "findings: $(cat "$work/out")"
grep -q -e '--verify NEW.db' "$work/out" || fail 'no next step that verifies'
"$carrierscope" report "$work/run.db" --format html >"$work/page" 2>"$work/err"
if [ -s "$work/page" ]; then
	grep -q '<h2>Flags that were tried</h2>' "$work/page" || fail 'the page has no section'
	[ "$(sqlite3 "$work/run.db" 'SELECT count(*) FROM sweep_curve')" = 512 ] || fail 'no two curves'
	grep -q '"sweep_curve":' "$work/page" || fail 'the page has no curve'
fi
"$carrierscope" push "$work/run.db" -o "$work/push" >"$work/out" 2>"$work/err" || fail "push: $(cat "$work/err")"
want=$(sqlite3 -separator "$(printf '\t')" "$work/run.db" "SELECT a.flags, 'all', w.schedules, 1, p.peak_low_bytes, p.peak_high_bytes, w.peak_low_bytes, w.peak_high_bytes
	FROM sweep_advice AS a JOIN sweep_result AS w ON w.flags = a.flags JOIN sweep_result AS p ON p.flags = ''
	WHERE w.is_part + p.is_part = 0 AND w.allocator = 'all' AND p.allocator = 'all'")
grep -a -q -F "$want" "$work/push" || fail "push has no line with '$want'"

# Of some allocators only: the public flags of others are shown, and not advised.
"$carrierscope" advise "$work/run.db" --letters R --budget 60 >"$work/out" 2>"$work/err" || fail "--letters: $(cat "$work/err")"
grep -q "RabbitMQ's default: .* (it changes other allocators than --letters)" "$work/out" || fail "--letters: $(cat "$work/out")"
case $(sqlite3 "$work/run.db" "SELECT ifnull(replace(flags, '+MR', ''), '') FROM sweep_advice") in
*+M[!M]*) fail "--letters R changes others: $(sqlite3 "$work/run.db" 'SELECT flags FROM sweep_advice')" ;;
esac
"$carrierscope" advise "$work/run.db" --flags "$work/own" --for vm.args >"$work/out" 2>"$work/err" || fail "after --letters: $(cat "$work/err")"

# Resident memory: of a recording that has it, with a range as wide as predictions were off by.  Of 30 MB of carriers no
# page was touched, so that what flags save is more than that.
answers 3 "does not have the node's resident memory, which a snapshot reads: record with" advise --objective rss "$work/run.db"
cp "$work/run.db" "$work/rss.db"
"$carrierscope" advise "$work/rss.db" --format json >"$work/json" || fail 'advise'
end=$(json "(SELECT value ->> 'held_end_bytes' FROM json_each(j, '\$.candidates') LIMIT 1)")
sqlite3 "$work/rss.db" "INSERT INTO snapshot_memory SELECT 1, 1, id, NULL, 1, 'os_resident', $end - 29000000 FROM runtime;
	INSERT INTO snapshot_memory SELECT 2, 1, id, NULL, 1, 'own_buffers', 1000000 FROM runtime"
"$carrierscope" advise "$work/rss.db" --objective rss --format json >"$work/json" || fail 'advise --objective rss'
[ "$(json "(j ->> '\$.objective') || ' ' || ((j ->> '\$.resident_bytes') + 30000000 - (SELECT value ->> 'held_peak_bytes' FROM json_each(j, '\$.candidates') LIMIT 1))
	|| ' ' || (j ->> '\$.resident_bytes_low' = j ->> '\$.resident_bytes_high')
	|| ' ' || round(((j ->> '\$.advised.resident_bytes_high') - (j ->> '\$.advised.resident_bytes_low')) * 1.0 / (j ->> '\$.resident_bytes'), 3)
	|| ' ' || ((j ->> '\$.advised.resident_bytes_high') < (j ->> '\$.resident_bytes')) || ' ' || ((j ->> '\$.advised.saving_bytes_low') > 0)")" = 'rss 0 1 0.5 1 1' ] ||
	fail "--objective rss: $(head -c 1500 "$work/json")"
"$carrierscope" advise "$work/rss.db" --objective rss >"$work/out" || fail 'advise --objective rss'
for line in ' of resident memory at its peak; the rest is in blocks, or' ' mappings  resident$' '^# carrierscope advise, .*: resident memory at its peak '; do
	grep -q -e "$line" "$work/out" || fail "--objective rss: no '$line': $(cat "$work/out")"
done
[ "$(sqlite3 "$work/rss.db" 'SELECT objective FROM sweep_advice')" = rss ] || fail '--objective rss is not kept'
"$carrierscope" report findings "$work/rss.db" --format csv | grep -q 'predict less resident memory with all of it' || fail 'findings: resident memory'
sqlite3 "$work/rss.db" "UPDATE snapshot_memory SET bytes = bytes + 900000000 WHERE key = 'os_resident'"
"$carrierscope" advise "$work/rss.db" --objective rss >"$work/out" || fail 'advise --objective rss'
grep -q '^No flag is advised: the best setting may save nothing: predicted changes of resident memory at its peak were off by up to [0-9]* %' "$work/out" ||
	fail "a saving within the error: $(cat "$work/out")"
grep -q '^The best (.*): [0-9.]* MiB of resident memory at its peak, range [0-9.]* to [0-9.]*, instead of [0-9.]*; whether' "$work/out" ||
	fail "a saving within the error has no range: $(cat "$work/out")"
# The flags that were advised for carriers are there for who asks for these.
grep -Eq '^A setting that was replayed leaves [0-9.]+ MiB of carriers .* instead of [0-9.]+: carrierscope advise .*rss.db --objective (peak|end|average)$' "$work/out" ||
	fail "another objective is not named: $(cat "$work/out")"
rm "$work/rss.db"

# A budget of time holds for all, the ranges of the best included.
cp "$work/run.db" "$work/short.db"
sqlite3 "$work/short.db" 'DELETE FROM sweep_replay; DELETE FROM sweep_result; DELETE FROM sweep_advice'
"$carrierscope" advise "$work/short.db" --jobs 1 --budget 1 >"$work/out" 2>"$work/err" || fail "--budget: $(cat "$work/err")"
grep -q 'The search was cut short' "$work/out" || fail "--budget 1 is enough for all: $(cat "$work/out")"
rm "$work/short.db"

# Blocks that need nearly all end a search before it begins, unless flags of the user's own are to be tried; snapshots that came late
# are said.  A node, other than the twin, has no record of the work of its threads.
cp "$work/run.db" "$work/full.db"
sqlite3 "$work/full.db" "DELETE FROM sweep_replay; DELETE FROM sweep_result; DELETE FROM sweep_advice; DELETE FROM runtime_work;
	INSERT INTO runtime_fact(ts_ns, runtime_id, key, value) SELECT 1, id, 'snapshot_every_ms', '50' FROM runtime;
	WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
	INSERT INTO snapshot_begin(ts_ns, runtime_id, snapshot_id) SELECT 1000000000 + 90000000 * i, r.id, i FROM n JOIN runtime AS r"
"$carrierscope" advise "$work/full.db" --objective average >"$work/out" 2>"$work/err" || fail "a slowed node: $(cat "$work/err")"
grep -q '^The recording slowed its node: snapshots of every 50 ms came every 90 ms\.' "$work/out" || fail "a slowed node: $(cat "$work/out")"
grep -q 'settings were replayed on a quarter' "$work/out" || fail "what might save is not searched: $(cat "$work/out")"
rm "$work/full.db"
cat >"$work/kept.workload" <<'END'
seed 1
schedulers 1
size row list 1000000:1
life table forever
source rows db_term size row life table
phase load operations 3000
  make rows 1
END
"$twin" --workload "$work/kept.workload" --schedulers 1 --no-trace >"$work/out" 2>"$work/err" || fail "$(cat "$work/err")"
given=$workload
workload=$work/kept.workload
record kept-all.db
workload=$given
sqlite3 "$work/kept-all.db" 'DELETE FROM runtime_work'
"$carrierscope" advise "$work/kept-all.db" >"$work/out" 2>"$work/err" || fail "blocks that need nearly all: $(cat "$work/err")"
grep -q '^No flag is advised: blocks need [0-9.]* of the [0-9.]* MiB of carriers at the peak, so flags save [0-9.]* MiB at most, less than' "$work/out" ||
	fail "blocks that need nearly all: $(cat "$work/out")"
grep -q '^0 settings were replayed on a quarter of the recording, 1 in full' "$work/out" || fail "a search without hope: $(cat "$work/out")"
"$carrierscope" advise "$work/kept-all.db" --format json >"$work/json" 2>"$work/err" || fail 'without hope as JSON'
[ "$(json "(j ->> '\$.advised') IS NULL AND (j ->> '\$.refusal') LIKE 'blocks need %'")" = 1 ] || fail 'without hope as JSON'
"$carrierscope" advise "$work/kept-all.db" --flags "$work/own" >"$work/out" 2>"$work/err" || fail "own flags: $(cat "$work/err")"
grep -q 'yours: +MBlmbcs 2048' "$work/out" || fail "the user's own flags are not tried: $(cat "$work/out")"

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
grep -q 'noise is unknown, so a saving of .* at the peak may be chance' "$work/out" || fail "--verify: noise of one recording: $(cat "$work/out")"

# Repeats with the same flags: how far they differ is the noise, and a saving within it is none.
cp "$work/new.db" "$work/new2.db"
"$carrierscope" advise "$work/run.db" --verify "$work/new.db" --verify "$work/new2.db" >"$work/out" 2>"$work/err" || fail "equal repeats: $(cat "$work/err" "$work/out")"
grep -q 'at the peak is outside the node.s own noise of 0\.0 MiB: .* (1 before, 2 after)' "$work/out" || fail "equal repeats: $(cat "$work/out")"
scale=1
record less.db

# Public flags that the release refuses are named.
cp "$work/less.db" "$work/old.db"
sqlite3 "$work/old.db" "UPDATE state_begin SET release = '24rc0'"
"$carrierscope" advise "$work/old.db" --format json >"$work/json" 2>"$work/err" || fail 'advise of 24rc0'
[ "$(json "(j ->> '\$.left_out[0].flags') || ' ' || (j ->> '\$.left_out[0].reason')")" = '+Mucp @ bad "+Mucp" parameter' ] ||
	fail "what was left out: $(tail -c 300 "$work/json")"
"$carrierscope" advise "$work/old.db" >"$work/out" 2>"$work/err" || fail 'advise of 24rc0'
grep -q '^Not tried, since OTP 24rc0 refuses it: with one pool of all, +Mucp @ (bad "+Mucp" parameter)\.$' "$work/out" ||
	fail "what was left out: $(cat "$work/out")"
rm "$work/old.db"
"$carrierscope" advise "$work/run.db" "$work/less.db" --verify "$work/new.db" >"$work/out" 2>"$work/err"
[ $? = 1 ] || fail "a saving within the noise: $(cat "$work/out")"
grep -q 'at the peak is inside the node.s own noise of [1-9].* (2 before, 1 after)' "$work/out" || fail "a repeat that differs: $(cat "$work/out")"
"$carrierscope" advise "$work/run.db" "$work/less.db" --verify "$work/new.db" --format=json >"$work/json" 2>"$work/err"
[ "$(json "(j ->> '\$.peak.saving') || ' ' || (j ->> '\$.recordings_before') || ' ' || (j ->> '\$.recordings_after')
	|| ' ' || ((j ->> '\$.peak.noise_bytes') > (j ->> '\$.peak.saving_bytes')) || ' ' || (j ->> '\$.end.verdict')")" = 'inside the noise 2 1 1 as predicted' ] ||
	fail "--verify --format=json: $(cat "$work/json")"
answers 3 'new.db. was recorded with other flags than the recording that the advice is of' advise "$work/run.db" "$work/new.db" --verify "$work/new.db"
answers 3 'less.db. was recorded without the advised flags' advise "$work/run.db" --verify "$work/new.db" --verify "$work/less.db"

# A pool of all is none where nothing is abandoned: the node has the flags, and prints no pool of that allocator.
promise() { sqlite3 "$work/pooled.db" "UPDATE sweep_result SET flags = '$1' WHERE is_advised; UPDATE sweep_advice SET flags = '$1'"; }
record pool.db +MBacul 0 +Mucp @
sqlite3 "$work/pool.db" "UPDATE option SET value = 'undefined' WHERE name = 'cp' AND allocator_id IN
	(SELECT allocator_id FROM name_allocator WHERE name = 'binary_alloc')"
[ "$(sqlite3 "$work/pool.db" "SELECT value FROM setting WHERE allocator = 'binary_alloc' AND name = 'cp'")" = undefined ] || fail 'cp'
cp "$work/run.db" "$work/pooled.db"
promise '+MBacul 0 +Mucp @'
"$carrierscope" advise "$work/pooled.db" --verify "$work/pool.db" >"$work/out" 2>"$work/err"
grep -q '^with +MBacul 0 +Mucp @$' "$work/out" || fail "a pool of all where nothing is abandoned: $(cat "$work/err")"
promise '+MBacul 0 +Mucp H'
answers 3 'pool.db. was recorded without the advised flags' advise "$work/pooled.db" --verify "$work/pool.db"
sqlite3 "$work/run.db" "UPDATE sweep_result SET peak_bytes = 1, peak_low_bytes = 1, peak_high_bytes = 2 WHERE is_advised"
"$carrierscope" advise "$work/run.db" --verify "$work/new.db" >"$work/out" 2>"$work/err"
[ $? = 1 ] || fail "a prediction that did not come true: $(cat "$work/out")"
sqlite3 "$work/new.db" "UPDATE state_begin SET release = '27'"
answers 3 'of OTP 27 and the prediction is for OTP 25' advise "$work/run.db" --verify "$work/new.db"
ends
