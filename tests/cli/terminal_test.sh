#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Nothing of a hostile database, trace or file name acts on a terminal, whatever is printed.
#
#	terminal_test.sh CARRIERSCOPE TRACE_DIR
. "$(dirname "$0")/../harness/main.sh"

set -- "$(realpath "$1")" "$(realpath "$2")"
trace=$2
tests_program "$1"
cd "$work" || exit 1

# acts FILE: it holds what acts on a terminal, or is no UTF-8.
acts() {
	LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]' "$1" ||
		! iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1
}

# clean NAME STATUS WORD…: what both streams say is harmless; with the option for it WORD is shown.
clean() {
	local name=$1 status=$2 word=$3 got
	shift 3
	"$program" "$@" >out 2>err
	got=$?
	[ "$got" -eq "$status" ] || fail "$name: exit status $got, not $status: $(head -c 300 err)"
	acts out && fail "$name: standard output acts on a terminal: $(grep -a . out | head -3 | od -c | head -5)"
	acts err && fail "$name: standard error acts on a terminal: $(od -c err | head -5)"
	[ -z "$word" ] || cat out err | grep -qF -- "$word" || fail "$name: no '$word'"
}

# Controls of 7 and 8 bits, as a character and as a byte, an override of direction, an isolate.
esc=$'\033[31m'
c1=$'\302\2332J'
byte=$'\2330m'
override=$'\342\200\256'
isolate=$'\342\201\247'
evil="$esc$c1$byte$override$isolate"
shown='\x1b[31m\u{9b}2J\x9b0m\u{202e}\u{2067}'

"$program" load -q -o plain.db "$trace" || exit 1
cp plain.db evil.db
sqlite3 evil.db <<END || exit 1
UPDATE runtime SET procname = CAST('procname$evil' AS TEXT), hostname = CAST('host$evil' AS TEXT);
UPDATE allocator SET name = CAST('alloc$evil' AS TEXT) WHERE name = 'binary_alloc';
UPDATE figure SET allocator = CAST('alloc$evil' AS TEXT) WHERE allocator = 'binary_alloc';
UPDATE finding_rule SET title = CAST('title$evil' AS TEXT);
UPDATE glossary SET meaning = CAST('meaning$evil' AS TEXT) WHERE term = 'block';
INSERT INTO load_problem (source_id, name, severity, count, sentence)
VALUES (1, 'name$evil', 'info', 1, 'problem$evil');
DROP VIEW report_summary;
CREATE VIEW report_summary AS SELECT 'value$evil' AS "column$evil", '=1+1' AS formula /* comment$evil */;
CREATE TABLE "table$evil" (x);
END
"$(dirname "$program")/../tests/harness/judge_file" evil.db || exit 1

clean "a table" 0 "value$shown" report summary evil.db
clean "the name of a column" 0 "column$shown" report summary evil.db
clean "more tables" 0 "meaning$shown" report glossary evil.db
clean "problems" 0 "problem$shown" report problems evil.db
clean "--show-sql" 0 "comment$shown" report --show-sql summary evil.db
clean "the overview" 0 "" report evil.db
clean "info" 0 "host$shown" info evil.db
clean "names of tables" 0 "table$shown" info evil.db
clean "info --format=json" 0 "host\\u001b[31m\\u009b2J\\ufffd0m\\u202e\\u2067" info --format=json evil.db
clean "--format=json" 0 'value\u001b[31m\u009b2J\ufffd0m\u202e\u2067' report --format=json summary evil.db
sqlite3 :memory: "SELECT json_valid(CAST(readfile('out') AS TEXT))" | grep -qx 1 || fail "--format=json: it is none"
clean "openmetrics" 0 "" report --format openmetrics evil.db
clean "datasette" 0 "" report --format datasette evil.db
clean "check" 2 "" check evil.db --max 'nothing < 1'
clean "check --format=json" 2 "" check evil.db --format=json --max 'nothing < 1'
clean "diff" 1 "$shown" diff plain.db evil.db
clean "diff --format=json" 1 "" diff --format=json plain.db evil.db
if ! "$program" report --format html evil.db 2>&1 | grep -q 'no HTML reports'; then
	clean "a page" 0 "meaning$shown" report --format html evil.db
fi

# CSV is data: bytes as they are where that is asked for, else harmless; formulas stay.
"$program" report --format csv summary evil.db 2>err | tr -d '\r' >out
grep -qF "value$shown,=1+1" out || fail "CSV: not written out"
acts out && fail "CSV acts on a terminal"
"$program" report --format csv --raw summary evil.db >out 2>err || fail "CSV"
printf 'column%s,formula\r\nvalue%s,=1+1\r\n' "$evil" "$evil" | cmp -s - out || fail "CSV is not the data"
if script -qec true /dev/null >/dev/null 2>&1; then
	script -qec "'$program' report --format csv summary evil.db" /dev/null </dev/null | tr -d '\r' >out
	grep -qF "value$shown,=1+1" out || fail "CSV on a terminal: not written out"
	acts out && fail "CSV on a terminal acts on it"
else
	echo "SKIPPED: CSV on a terminal (no script)"
fi

# Names of files.
name="f$evil"
cp evil.db "$name.db"
cp -r "$trace" "$name.trace"
printf '=erl_crash_dump:0.5\n' >"$name.dump"
clean "the name of a database" 0 "f$shown.db" report "$name.db"
clean "the name of a database, info" 0 "f$shown.db" info "$name.db"
clean "the name of a database, JSON" 0 "" info --format=json "$name.db"
clean "the name in a footer" 0 "f$shown.db'" report utilisation "$name.db"
clean "a missing file" 1 "nowhere$shown" report "nowhere$evil"
clean "a view that is none" 1 "none$shown" report "none$evil" evil.db
clean "a format that is none" 2 "x$shown" report --format "x$evil" evil.db
clean "a command that is none" 2 "x$shown" "x$evil"
clean "a missing trace" 1 "nowhere$shown" load "nowhere$evil"
clean "a trace" 0 "" load -o "$name.new.db" "$name.trace"
clean "a database that exists" 1 "f$shown.new.db" load -o "$name.new.db" "$name.trace"
clean "a dump" 0 "f$shown.dump" load -o "$name.dump.db" "$name.dump"
clean "problems of a dump" 0 "f$shown.dump.db'" load -f -o "$name.dump.db" "$name.dump"
find "$name.trace" -name metadata -exec sh -c 'printf broken >"$1"' sh {} \;
clean "a damaged trace" 1 "$shown" load -o broken.db "$name.trace"

ends
