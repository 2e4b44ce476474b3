#!/bin/sh
# SPDX-License-Identifier: MIT
# advise_board_test.sh TWIN CARRIERSCOPE EXAMPLES: `carrierscope advise LOG --board NAME` finds what keeps a board alive
# whose log is that of the twin: the log's settings fail as there, and a line of the port is known to help.
. "$(dirname "$0")/../harness/main.sh"
twin=$1
carrierscope=$2
examples=$3
cd "$work" || exit 1

# answers EXIT PATTERN ARGUMENT...: exit status, and the one sentence.
answers() {
	expected=$1
	pattern=$2
	shift 2
	"$carrierscope" advise "$@" >out 2>err
	code=$?
	[ $code -eq "$expected" ] || fail "exit $code instead of $expected: $*: $(cat err)"
	grep -q -e "$pattern" err || fail "'$pattern' is not in the message of $*: $(cat err)"
	[ "$(wc -l <err)" -le 2 ] || fail "more than a sentence: $(cat err)"
	[ ! -s out ] || fail "beside a refusal is printed: $(cat out)"
}

# The console of a board that failed, and what erlang:memory() said of its 22 MB.
"$twin" --no-trace --board "$examples/boards/grisp1.board" --workload "$examples/grisp-7-nodes/achlys.workload" >console 2>&1
grep -q 'Cannot allocate 2059352 bytes' console || fail "the board lives: $(tail -n 3 console)"
cat >list <<'END'
[{total,22106542},
 {processes,6600000},
 {processes_used,6500000},
 {system,15506542},
 {atom,545000},
 {atom_used,500000},
 {binary,640000},
 {code,9400000},
 {ets,1150000}]
END
{ echo 'erl.rtems +MHas aobf -- -mode embedded' && cat list console; } >board.log
printf '# mine\n-Mut false -Muycs 256\n' >own

"$carrierscope" advise board.log --board grisp1 >advice 2>err || fail "exit $?: $(cat err)"
for line in "^'board.log', line [0-9]*: eheap_alloc could not allocate 2059352 bytes (heap); 45.8 of 57.7 MiB were in use" \
	'^Board grisp1, OTP 24rc0, flags: none\.$' 'fails with these in 5 of 5 runs' ' 0 of 5  100\.\.100 .*  as in the log$' \
	' [45] of 5 .*  port: carriers 12 bytes smaller$' ' 5 of 5  150\.\.150 .*  port: carriers 12 bytes smaller, and -Mut false$' '^[1-9][0-9]* of 20 settings survive in all runs. Advised: '; do
	grep -q -e "$line" advice || fail "no '$line': $(cat advice)"
done

# The same in another run, with the user's own, as JSON.
"$carrierscope" advise board.log --board "$examples/boards/grisp1.board" --flags own --format=json --jobs 1 >json 2>err || fail "JSON: exit $?: $(cat err)"
json() { sqlite3 :memory: "SELECT $1 FROM (SELECT readfile('json') AS j), json_each(j, '\$.settings') AS s"; }
[ "$(json "count(*) || ' ' || sum(s.value ->> 'is_advised') || ' ' || (j ->> '\$.failure.asked_bytes') || ' ' || (j ->> '\$.load.runs')")" = '21 1 2059352 5' ] ||
	fail "JSON: $(head -c 600 json)"
[ "$(json "group_concat(s.value ->> 'name') FILTER (WHERE s.key = 0 AND (s.value ->> 'survived') = 0 AND (s.value ->> 'percent_high') = 100)")" = 'as in the log' ] ||
	fail "JSON: what fails: $(head -c 900 json)"
[ "$(json "max(s.value ->> 'name') FILTER (WHERE (s.value ->> 'flags') = '-Mut false -Muycs 256')")" = yours ] || fail "JSON: own flags"
survivors=$(json "sum((s.value ->> 'survived') = 5) - max((s.value ->> 'survived') = 5 AND (s.value ->> 'name') IS 'yours')")
grep -q "^$survivors of 20 settings survive" advice || fail "text and JSON differ: $survivors: $(cat advice)"
[ "$(json "min(s.value ->> 'survived') FILTER (WHERE (s.value ->> 'is_advised'))")" = 5 ] || fail 'JSON: what is advised does not survive'

# What a log needs, and what does not go together.
answers 3 'no list of erlang:memory(), so what the blocks were is not known: enter erlang:memory()' console --board grisp1
grep -v 'Cannot allocate' board.log >bad.log
answers 3 'no failed allocation .* record the console until' bad.log --board grisp1
sed '/^Largest used block/d' board.log >bad.log
answers 3 'no whole report of malloc for the failure on line .*: enter malloc' bad.log --board grisp1
sed 's/{code,9400000}/{code,15400000}/' board.log >bad.log
answers 3 'do not add up' bad.log --board grisp1
sed 's/^erl.rtems +MHas/erl.rtems -MHxx/' board.log >bad.log
answers 3 'OTP 24rc0 refuses the flags that .bad.log. starts the runtime with' bad.log --board grisp1
sed 's/(of type "heap")/(of type "hoard")/' board.log >bad.log
answers 3 "no blocks of type 'hoard'" bad.log --board grisp1
answers 3 "the heap of 'board.log' has 60530680 bytes and that of board 'grisp2' 127639544" board.log --board grisp2
answers 2 "unknown board 'grisp7': grisp1, grisp2, grisp-nano" board.log --board grisp7
answers 2 "is the log of a board: use --board" board.log
echo 'a letter' >list.db
answers 1 'is not the log of a board' list.db --board grisp1
answers 2 'with --board go' board.log --board grisp1 --verify other.db
printf -- '-MBfoo 3\n' >own
answers 2 'MBfoo' board.log --board grisp1 --flags own
ends
