#!/bin/sh
# SPDX-License-Identifier: MIT
# advise_shards_test.sh TWIN CARRIERSCOPE EXAMPLES: shares of a search are one search, by GNU parallel and as tasks
# of a Slurm array; a part that is missing, unfinished or of something else is named; memory stays within its budget.
. "$(dirname "$0")/../harness/main.sh"
records_here "$@"
twin=$1
carrierscope=$2
examples=$3
needs babeltrace2 sqlite3

# record NAME WORKLOAD FLAG...: a run, loaded into $work/NAME.db.
record() {
	name=$1
	workload=$2
	shift 2
	begins_session "$work/trace" 4M 'org_erlang_otp:carrier_*,carrierscope:*'
	"$twin" --workload "$examples/workloads/$workload.workload" "$@" >"$work/out" 2>"$work/err" || fail "cannot run: $(cat "$work/err")"
	lttng destroy "$session" >/dev/null 2>&1
	session=
	"$carrierscope" load -f -o "$work/$name.db" "$work/trace" >"$work/log" 2>&1 || fail "cannot load: $(cat "$work/log")"
	rm -rf "$work/trace"
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
}

# advice FILE ARGUMENT...: what a search prints, without what its way there cost.
advice() {
	"$carrierscope" advise "$@" 2>"$work/err" | sed -e '/ settings were replayed on a quarter /d' -e "s|$work/[a-z]*\\.db|FILE|g"
}
count() { sqlite3 "$1" 'SELECT count(*) FROM sweep_replay'; }

record run mixed-service --scale 2 --schedulers 4
cp "$work/run.db" "$work/slurm.db"
cp "$work/run.db" "$work/tight.db"
cd "$work" || exit 1

# Parts, one of them interrupted by its budget of time.
"$carrierscope" advise run.db --shard 2/3 --budget 1 --jobs 1 -o part2.db >"$work/out" 2>"$work/err"
"$carrierscope" advise run.db --shard 1/3 -o part1.db >"$work/out" 2>"$work/err" || fail "part 1: $(cat "$work/err")"
"$carrierscope" advise run.db --shard 3/3 -o part3.db >"$work/out" 2>"$work/err" || fail "part 3: $(cat "$work/err")"
sqlite3 part2.db 'UPDATE sweep_part SET is_complete = 0; DELETE FROM sweep_replay WHERE id > 5'
answers 3 "part 2 of 3 ('part2.db') is not complete: run it again" advise --merge part1.db part2.db part3.db
answers 3 'part 2 of 3 is missing: carrierscope advise run.db --shard I/3 -o PART makes it' advise --merge part1.db part3.db
answers 1 'is part 1 of 3 of a search of' advise run.db --shard 2/3 -o part1.db
answers 2 'belong together' advise run.db --shard 2/3
answers 2 'such as 3/16' advise run.db --shard 4/3 -o x.db
answers 2 'one too many' advise run.db part1.db
answers 1 'needs parts' advise run.db --merge
answers 3 'is no part of a search' advise run.db --merge part1.db slurm.db
answers 3 'was made with other options' advise run.db --objective end --merge part1.db part3.db
"$carrierscope" advise run.db --shard 2/3 -o part2.db >"$work/out" 2>"$work/err" || fail "part 2 goes on: $(cat "$work/err")"
grep -q '^part 2 of 3: 29 settings' "$work/out" || fail "part 2: $(cat "$work/out")"
[ "$(($(count part1.db) + $(count part2.db) + $(count part3.db)))" -ge 80 ] || fail 'parts are not the whole'
cp part2.db foreign.db
sqlite3 foreign.db "UPDATE sweep_replay SET result = (SELECT result FROM sweep_replay WHERE flags <> '' LIMIT 1) WHERE flags = ''"
answers 3 "'foreign.db' is of another recording than 'run.db'" advise run.db --merge part1.db foreign.db part3.db

# The union is the same whatever the order, and the whole grid is in it.
advice --merge part1.db part2.db part3.db >one
sqlite3 run.db 'DELETE FROM sweep_replay; DELETE FROM sweep_result; DELETE FROM sweep_advice'
advice run.db --merge part3.db part1.db part2.db >other
cmp -s one other || fail "another order: $(diff one other)"
grep -q '^Best case from tuning' one || fail "merged: $(cat one "$work/err")"
[ "$(sqlite3 run.db 'SELECT count(*) FROM sweep_replay WHERE NOT is_part')" -ge 80 ] || fail 'not all was merged'
[ "$(sqlite3 run.db 'SELECT count(*) FROM sweep_replay WHERE is_part')" = 0 ] || fail 'the quarter was replayed'

# As tasks of a Slurm array: its variables are all that the script has of it.
for i in 1 2 3 4; do
	FILE=slurm.db SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_COUNT=4 SLURM_CPUS_PER_TASK=2 SLURM_MEM_PER_CPU=512 \
		CARRIERSCOPE=$carrierscope sh "$examples/advise/slurm.sh" >"$work/out" 2>"$work/err" || fail "task $i: $(cat "$work/err")"
done
advice slurm.db --merge slurm.db.parts/part*.db >other
sed -i "s|slurm\\.db|run.db|g" other
cmp -s one other || fail "by Slurm's variables: $(diff one other)"
if command -v sbatch >/dev/null; then
	sbatch --test-only --array=1-4 "$examples/advise/slurm.sh" >"$work/out" 2>&1 || echo "SKIPPED: no Slurm answers: $(cat "$work/out")"
fi

# By GNU parallel; a part that failed is all that runs again.
if command -v parallel >/dev/null; then
	sqlite3 slurm.db 'DELETE FROM sweep_replay; DELETE FROM sweep_result; DELETE FROM sweep_advice'
	mkdir bin
	printf '#!/bin/sh\ncase "$*" in *--shard?2/*) [ -e broken ] && exit 9 ;; esac\nexec "%s" "$@"\n' "$carrierscope" >bin/carrierscope
	chmod +x bin/carrierscope
	rm -rf slurm.db.parts
	touch broken
	CARRIERSCOPE=$work/bin/carrierscope "$examples/advise/parallel.sh" slurm.db 3 >"$work/out" 2>"$work/err" && fail 'a job that failed was not seen'
	rm broken
	before=$(stat -c %Y.%i slurm.db.parts/part1.db)
	CARRIERSCOPE=$work/bin/carrierscope "$examples/advise/parallel.sh" slurm.db 3 >"$work/raw" 2>"$work/err" || fail "parallel: $(cat "$work/err")"
	[ "$(stat -c %Y.%i slurm.db.parts/part1.db)" = "$before" ] || fail 'a part that was there was made again'
	grep -v -e ' settings were replayed on a quarter ' -e '^part ' "$work/raw" | sed 's|slurm\.db|FILE|g' >other
	sed 's|run\.db|FILE|g' one >wanted
	cmp -s wanted other || fail "by parallel: $(diff wanted other)"
else
	echo 'SKIPPED: GNU parallel is not installed'
fi

# Within a budget of memory: what one replay needs alone is enough for all of them, and less is not.
advice tight.db --jobs 6 --memory 64 >other
sed -e 's|run\.db|FILE|g' one | grep '^# in\|^erl ' >wanted
[ "$(grep -c '^erl ' other)" = 1 ] || fail "in 64 MiB: $(cat other "$work/err")"
record large fragmentation --scale 20
answers 1 'needs more than 1 MiB, the budget of memory: --memory allows more' replay large.db --memory 1
"$carrierscope" replay large.db --jobs 4 --memory 1000 >"$work/out" 2>"$work/err" || fail "in 1000 MiB: $(cat "$work/err")"
ends
