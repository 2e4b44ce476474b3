#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The command from outside: exit statuses, messages, formats, and what is left in
# the folder.
#
#	cli_test.sh BUILD_DIR TRACE_DIR [DAMAGED_DIR] [LARGE_TRACE_DIR]
#
# BUILD_DIR holds carrierscope and the plugin, TRACE_DIR is one sound trace,
# DAMAGED_DIR holds cases named damaged-*, LARGE_TRACE_DIR is a trace that takes
# long enough to be interrupted; without the last two their tests are skipped.
. "$(dirname "$0")/../harness/main.sh"

if [ $# -lt 2 ]; then
	echo "usage: $0 BUILD_DIR TRACE_DIR [DAMAGED_DIR] [LARGE_TRACE_DIR]" >&2
	exit 2
fi

build=$(realpath "$1")
trace=$(realpath "$2")
damaged=${3:-}
large=${4:-}
command=$build/carrierscope
cd "$work" || exit 1
passed=0

pass() {
	passed=$((passed + 1))
}

# expect NAME STATUS MESSAGE ARGUMENT…: exit status and a part of what stderr says.
expect() {
	local name=$1 status=$2 message=$3 got
	shift 3
	"$command" "$@" >out 2>err
	got=$?
	if [ "$got" -ne "$status" ]; then
		fail "$name: exit status $got, not $status"
	elif [ -n "$message" ] && ! grep -qF -- "$message" err; then
		fail "$name: no '$message' on stderr"
	else
		pass
	fi
}

# same NAME EXPECTED GOT
same() {
	if [ "$2" = "$3" ]; then
		pass
	else
		fail "$1: expected '$2', got '$3'"
	fi
}

# absent NAME PATH…: nothing of that name is there.
absent() {
	local name=$1 path
	shift
	for path in "$@"; do
		if [ -e "$path" ]; then
			fail "$name: '$path' is there"
			return
		fi
	done
	pass
}

# holds NAME TEXT: stdout has it.
holds() {
	if grep -qF -- "$2" out; then
		pass
	else
		fail "$1: no '$2' on stdout"
	fi
}

query() {
	sqlite3 "$1" "$2"
}


# The program itself.
expect version 0 "" --version
same "version line" 1 "$(grep -cE '^carrierscope [0-9]+\.[0-9]+\.[0-9]+$' out)"
expect help 0 "" --help
holds help "load traces, crash dumps, snapshots, logs, and print the answer"
expect usage 0 "" load --usage
for sub in load report info; do
	expect "$sub --help" 0 "" "$sub" --help
	holds "$sub --help" "Usage: carrierscope $sub"
	expect "$sub -h" 0 "" "$sub" -h
	expect "$sub without arguments" 2 "'$sub' needs" "$sub"
	expect "$sub --nonsense" 2 "unrecognized option" "$sub" --nonsense
done
# Where a text fills its line, argp adds a line of blanks.
for sub in load record keep report advise top export serve fleet push info; do
	expect "$sub --help" 0 "" "$sub" --help
	same "lines of blanks in the help of $sub" 0 "$(grep -c '^ \{1,\}$' out)"
done
expect "no command" 2 "no command given"
expect "unknown command" 2 "'frob' is not a command" frob
expect "force and append" 2 "exclude each other" load --force --append "$trace"
expect "bad time" 2 "'noon' is not a time" load --begin noon "$trace"
expect "no threads" 2 "not a number of threads" load --jobs 0 "$trace"
expect "threads in words" 2 "not a number of threads" load --jobs two "$trace"
expect "metadata alone" 2 "--metadata goes with --salvage" load --metadata x "$trace"
expect "stdout as database" 2 "cannot be written to '-'" load -o - "$trace"
expect "bad format" 2 "unknown format 'xml'" report --format xml x.db
expect "bad limit" 2 "'-1' is not a number" report -n -1 x.db
expect "too many" 2 "too many arguments" report a b c

# Without memory and findings there is a verdict all the same.
echo 'erl.rtems -Muycs 256 -- -mode embedded' >boot.log
expect "log of a start" 0 "" load -o boot.db boot.log
expect "nothing found" 0 "" report boot.db
holds "nothing found" "UNKNOWN: "
same "no memory" 0 "$(grep -c "^Memory" out)"

# Loading.
expect load 0 " lost" load -o a.db "$trace"
same "last line" 1 "$(grep -cE '^[0-9]+ events in [0-9.]+ s \([0-9]+ events/s\), [0-9]+ lost' err)"
same complete 1 "$(query a.db 'SELECT min(complete) FROM source')"
same integrity ok "$(query a.db 'PRAGMA integrity_check')"
babeltrace2 --plugin-path="$build" "$trace" -c sink.carrierscope.sqlite -p 'path="b.db"' 2>err ||
	fail "babeltrace2 with the plugin"
if cmp -s <(query a.db .dump) <(query b.db .dump); then
	pass
else
	fail "the dumps of babeltrace2 and carrierscope differ"
fi
expect quiet 0 "" load -q -o quiet.db "$trace"
same "quiet says nothing" "" "$(cat err)"
expect verbose 0 "phases: rows" load -v -o verbose.db "$trace"
expect "default name" 0 "" load "$trace"
same "default name" yes "$([ -f "$(basename "$trace").db" ] && echo yes)"
expect "after --" 0 "" load -o dashes.db -- "$trace"
expect "existing file" 1 "cannot write 'a.db': it exists" load -o a.db "$trace"
expect force 0 "" load -f -o a.db "$trace"
events=$(query a.db 'SELECT sum(events) FROM source')
expect "append to new" 0 "" load --append -o twice.db "$trace"
expect append 0 "" load --append -o twice.db "$trace"
same "append doubles" "$((2 * events))|2" \
	"$(query twice.db 'SELECT sum(events), count(*) FROM source')"
cp -r "$trace" copy-of-trace
expect "same trace twice" 0 "" load -o again.db "$trace" copy-of-trace
rm -rf copy-of-trace
expect "strict and sound" 0 "" load --strict -o strict.db "$trace"
expect "verbose salvage of a sound trace" 0 "" load --salvage --strict -o salvaged.db "$trace"
same "salvage keeps the events" "$events" "$(query salvaged.db 'SELECT sum(events) FROM source')"
absent "copies are gone" salvaged.db.salvage-*

# A stretch of time: a quarter in, a quarter before the end.
read -r begin end <<<"$(query a.db "SELECT (first_ts_ns + (last_ts_ns - first_ts_ns) / 4) || ' ' ||
	(last_ts_ns - (last_ts_ns - first_ts_ns) / 4) FROM source")"
expect "begin and end" 0 "" load --begin "$begin" --end "$end" -o part.db "$trace"
same "begin and end" \
	"$(query a.db "SELECT count(*) FROM carrier_event WHERE ts_ns BETWEEN $begin AND $end")" \
	"$(query part.db 'SELECT count(*) FROM carrier_event')"
day=$(query a.db "SELECT strftime('%Y-%m-%d %H:%M:%S', $begin / 1000000000, 'unixepoch') ||
	format('.%09d', $begin % 1000000000)")
TZ=UTC expect "begin as a date" 0 "" load --begin "$day" -o day.db "$trace"
same "begin as a date" "$(query a.db "SELECT count(*) FROM carrier_event WHERE ts_ns >= $begin")" \
	"$(query day.db 'SELECT count(*) FROM carrier_event')"

# Times that are none.
for option in --begin --end; do
	for zone in "" UTC; do
		for text in 9223372036854775808 99999999999999999999 "2262-01-01 00:00:00" \
			"1969-12-31 00:00:00" "2026-13-01 00:00:00" "2026-00-01 00:00:00" \
			"2026-02-29 00:00:00" "2026-01-32 00:00:00" "2026-01-01 24:00:00" \
			"2026-01-01 00:60:00" "2026-01-01 00:00:60" "2026-01-01 00:00:00." \
			"2026-01-01 00:00:00.1234567890" "2026-01-01" "2026-01-01T00:00:00" \
			25:00:00 1:2:3 :: "" -1 1.5; do
			TZ=$zone expect "'$text' for $option in '$zone'" 2 "'$text' is not a time for $option" \
				load "$option=$text" -o no.db "$trace"
		done
	done
done
while read -r first last; do
	for zone in "" UTC; do
		TZ=$zone expect "begin after end" 2 "--begin '${first/_/ }' is after --end '${last/_/ }'" \
			load --begin "${first/_/ }" --end "${last/_/ }" -o no.db "$trace"
	done
done <<'END'
2 1
2026-01-02_00:00:00 2026-01-01_23:59:59
12:00:01 12:00:00.999999999
2026-01-02_00:00:00 1
9223372036854775807 2026-01-02_00:00
END
TZ=UTC expect "the whole day" 0 "" load --begin 00:00:00 --end 23:59:59.999999999 -o day.db -f "$trace"
expect "a leap day" 0 "" load --begin "2024-02-29 00:00" --end 9223372036854775807 -o day.db -f "$trace"
same "all of the time" "$events" "$(query day.db 'SELECT sum(events) FROM source')"
absent "no file of a bad time" no.db*
# What the judge stored is read like a view.
for name in finding figure holder metric waterfall verdict; do
	expect "report $name" 0 "" report $name a.db
done

# Options of earlier versions.
expect "load --gmt" 0 "" load --gmt --no-progress -q -o gmt.db "$trace"
TZ=Asia/Tokyo expect "load --gmt with a time" 0 "" load --gmt --begin "2024-02-29 00:00" -q -o gmt.db -f "$trace"
"$command" info --json a.db >old && "$command" info --format=json a.db >new && cmp -s old new || fail "info --json is not --format=json"
expect "top --once" 0 "" top --once a.db
rm -f gmt.db old new

# What is no trace.
mkdir empty
echo text >file
printf '=erl_crash_dump:0.5\n' >erl_crash.dump
mkdir not-ctf
echo 'hello' >not-ctf/metadata
mkfifo pipe.dump
expect "missing input" 1 "cannot load 'nowhere': No such file" load -o no.db nowhere
expect "empty directory" 1 "no trace in 'empty'" load -o no.db empty
expect "a file" 1 "cannot load 'file': not a trace" load -o no.db file
expect "a crash dump that breaks off" 0 "1 problem noted" load -o dump.db erl_crash.dump
same "a crash dump is a source" "crash_dump 0" "$(query dump.db "SELECT kind || ' ' || complete FROM source")"
expect "strict about what a dump lacks" 3 "" load --strict -f -o dump.db erl_crash.dump
expect "a trace and a dump" 0 " lost" load -f -o dump.db "$trace" erl_crash.dump
same "two sources" "crash_dump ctf" "$(query dump.db "SELECT group_concat(kind, ' ') FROM (SELECT kind FROM source ORDER BY id)")"
expect "a dump behind them" 0 "" load --append -o dump.db erl_crash.dump
same "three sources" 3 "$(query dump.db 'SELECT count(*) FROM source')"
expect "the answer of several places" 0 "" report dump.db
holds "the reading" "Reading 1"
holds "and the process" " (OS pid "
expect "a dump and a trace that is none" 1 "not-ctf/metadata'" load -o no.db erl_crash.dump not-ctf
expect "a dump and nothing" 1 "cannot load 'nowhere': No such file" load -o no.db erl_crash.dump nowhere
expect "a dump and a live session" 1 "load it alone" load -o no.db erl_crash.dump net://localhost/host/x/y
expect "not over a database" 1 "it exists" load -o dump.db erl_crash.dump
expect "a pipe is not waited for" 1 "not a trace" load -o no.db pipe.dump
expect "a database" 1 "not a trace but a database" load -o no.db a.db
expect "not CTF" 1 "not-ctf/metadata'" load -o no.db not-ctf
expect "no such folder" 1 "cannot write 'nowhere/x.db'" load -o nowhere/x.db "$trace"
expect "a device" 1 "cannot write '/dev/full'" load -f -o /dev/full "$trace"
expect "append to another file" 1 "file" load --append -o file "$trace"
same "the other file is as it was" text "$(cat file)"
(ulimit -f 64 && "$command" load -o limited.db "$trace" >out 2>err)
same "file size limit: status" 1 $?
same "file size limit: one line" 1 "$(grep -c "cannot write 'limited.db'" err)"
absent "no file is left" no.db* limited.db*
CARRIERSCOPE_PLUGIN_DIR=/nowhere "$command" load -o no.db "$trace" >out 2>err
same "plugin missing: status" 1 $?
same "plugin missing: line" 1 "$(grep -c "cannot find the plugin '/nowhere/" err)"

# Folders that lead nowhere, and back.
mkdir circle
ln -s . circle/a
ln -s . circle/b
expect "a circle of links" 1 "no trace in 'circle'" load -o no.db circle
cp -r "$trace" circle/trace
ln -s trace circle/again
expect "a circle with a trace" 0 "" load -o circle.db circle
same "a circle with a trace" "$events" "$(query circle.db 'SELECT sum(events) FROM source')"
mkfifo circle/metadata
timeout 400 "$command" load -f -o circle.db circle >out 2>err
same "a pipe named metadata" 0 $?
timeout 400 "$command" load --salvage --metadata circle/metadata -o no.db "$trace" >out 2>err
same "a pipe for --metadata: status" 1 $?
same "a pipe for --metadata: line" 1 "$(grep -c "cannot read 'circle/metadata': not a regular file" err)"
# As root, without the right to read everything.
weak="setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search"
[ "$(id -u)" -eq 0 ] || weak="env"
if $weak true 2>/dev/null; then
	mkdir circle/closed
	chmod 0 circle/closed
	$weak "$command" load -q -f -o circle.db circle >out 2>err
	same "a closed folder: status" 0 $?
	same "a closed folder: warning" 1 \
		"$(grep -c "^carrierscope: warning: cannot read 'circle/closed': Permission denied" err)"
	$weak "$command" load --salvage -f -o circle.db circle >out 2>err
	same "a closed folder salvaged: status" 0 $?
	same "a closed folder salvaged" trace_lost "$(query circle.db 'SELECT name FROM load_problem')"
	chmod 0 circle/trace
	$weak "$command" load -o no.db circle >out 2>err
	same "nothing but closed folders: status" 1 $?
	same "nothing but closed folders: lines" 3 "$(grep -c "Permission denied\|no trace in 'circle'" err)"
	$weak "$command" load --salvage -o no.db circle >out 2>err
	same "nothing but closed folders to salvage" 1 $?
	absent "nothing but closed folders" no.db*
	chmod -R u+rwX circle
	chmod 444 circle.db
	$weak "$command" load --append -o circle.db "$trace" >out 2>err
	same "append to a read-only file: status" 1 $?
	same "append to a read-only file: line" 1 "$(grep -c "cannot write 'circle.db': Permission denied" err)"
	chmod 644 circle.db

	mkdir 'wal %41?#'
	cp a.db 'wal %41?#/w.db'
	query 'wal %41?#/w.db' 'PRAGMA journal_mode = WAL' >/dev/null
	chmod 555 'wal %41?#'
	for sub in info "report utilisation"; do
		# shellcheck disable=SC2086 # words
		$weak "$command" $sub 'wal %41?#/w.db' >out 2>err
		same "$sub of a closed database in WAL mode" 0 $?
	done
	chmod 755 'wal %41?#'
	echo something >'wal %41?#/w.db-wal'
	chmod 555 'wal %41?#'
	$weak "$command" info 'wal %41?#/w.db' >out 2>err
	same "a closed database with a log: status" 1 $?
	same "a closed database with a log: line" 1 "$(grep -c "^carrierscope: cannot read .*w.db-wal" err)"
	chmod 755 'wal %41?#'
else
	echo "SKIPPED: closed folders (no setpriv)"
fi

# SQLite takes such names for URIs.
expect "a name like a URI" 0 "" load -o 'file:u.db?mode=ro' "$trace"
same "a name like a URI" yes "$([ -f 'file:u.db?mode=ro' ] && echo yes)"
expect "info of a name like a URI" 0 "" info 'file:u.db?mode=ro'
expect "append to a name like a URI" 0 "" load --append -o 'file:u.db?mode=ro' "$trace"
same "append to a name like a URI" 2 "$(query './file:u.db?mode=ro' 'SELECT count(*) FROM source')"
absent "names like URIs leave nothing" u.db* file:*.partial-* file:*-journal

# A relay daemon without sessions, as far as a viewer sees.
if python3 -c pass 2>/dev/null; then
	python3 - >port 2>/dev/null <<'END' &
import socket, struct
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
server.settimeout(400)
peer = server.accept()[0]
peer.settimeout(400)
while True:
    head = peer.recv(16, socket.MSG_WAITALL)
    if len(head) < 16:
        break
    size, command, _ = struct.unpack(">QII", head)
    if command == 1:
        # Connecting is answered in kind, with the version that the viewer has.
        peer.sendall(peer.recv(20, socket.MSG_WAITALL))
        continue
    if size:
        peer.recv(size, socket.MSG_WAITALL)
    # No sessions; made one (its number is OK).
    peer.sendall(struct.pack(">I", 0 if command == 2 else 1))
END
	relay=$!
	for _ in $(seq 4000); do
		[ -s port ] && break
		sleep 0.1
	done
	url=net://127.0.0.1:$(cat port)/host/nowhere/absent
	timeout 400 "$command" load -o no.db "$url" >out 2>err
	same "an absent session: status" 1 $?
	same "an absent session: line" "carrierscope: cannot listen to '$url': there is no such session" "$(cat err)"
	absent "an absent session" no.db*
	kill "$relay" 2>/dev/null
	wait "$relay" 2>/dev/null
else
	echo "SKIPPED: an absent session (no python3)"
fi

# Reports.
expect "list of reports" 0 "" report --all a.db
holds "list of reports" utilisation
# A view that a report is named after cannot be named: the report wins.
views=$(query a.db "SELECT name FROM sqlite_schema WHERE type = 'view'
	AND name NOT LIKE '\\_%' ESCAPE '\\'
	AND 'report_' || name NOT IN (SELECT name FROM sqlite_schema)")
for view in $views; do
	name=${view#report_}
	rows=$(query a.db "SELECT min(count(*), 5) FROM \"$view\"")
	expect "report $name" 0 "" report "$name" a.db -n 5
	expect "report $name --format=json" 0 "" report "$name" a.db --format=json -n 5
	same "report $name --format=json" "1|$rows" \
		"$(sqlite3 :memory: "SELECT json_valid(t), json_array_length(t) FROM (SELECT CAST(readfile('out') AS TEXT) AS t)")"
	expect "report $name --format csv" 0 "" report "$name" a.db --format=csv -n 5
	sqlite3 :memory: -cmd '.mode csv' '.import out t' 'SELECT count(*) FROM t' >rows 2>err ||
		fail "report $name: CSV does not parse"
	same "report $name --format csv" "$rows" "$(tr -d '\r' <rows)"
done
expect "moment" 0 "" report block_sizes_at a.db --at +1.5 --since +0
expect "moment in ns" 0 "" report instrument_memory_status a.db --at 1600000000000000000 --format=json
expect "no moment" 1 "--at does not apply to" report utilisation a.db --at +1
expect "bad moment" 2 "'1s' is not a time for --at" report block_sizes_at a.db --at 1s
expect "bad moment" 2 "'+' is not a time for --since" report block_sizes_at a.db --since +
expect "private view" 1 "has no report or view '_instance'" report _instance a.db
expect "unknown report" 1 "has no report or view 'frob'" report frob a.db
expect "show-sql" 0 "" report --show-sql utilisation a.db
holds "show-sql" 'SELECT * FROM "report_utilisation"'
holds "show-sql" "CREATE VIEW report_utilisation"
expect "sizes are scaled" 0 "" report utilisation_now_allocator a.db
holds "sizes are scaled" " KiB"
expect "sizes in bytes" 0 "" report --bytes utilisation_now_allocator a.db
same "sizes in bytes" 0 "$(grep -c ' [KM]iB' out)"
expect "color" 0 "" report --color=always utilisation a.db
holds "color" $'\033[1m'
expect "no color in a pipe" 0 "" report utilisation a.db
same "no color in a pipe" 0 "$(grep -c $'\033' out)"
if script -qec true /dev/null >/dev/null 2>&1; then
	# terminal VARIABLE=VALUE…: lines with color on a terminal.
	terminal() {
		env -u NO_COLOR TERM=xterm "$@" script -qec "'$command' report utilisation a.db" /dev/null \
			</dev/null | grep -c $'\033\[1m'
	}
	same "color on a terminal" 1 "$(terminal)"
	same "an empty NO_COLOR" 1 "$(terminal NO_COLOR=)"
	same "NO_COLOR" 0 "$(terminal NO_COLOR=1)"
	same "a dumb terminal" 0 "$(terminal TERM=dumb)"
else
	echo "SKIPPED: color on a terminal (no script)"
fi
expect "report into a file" 0 "" report utilisation a.db -o report.txt
expect "report onto a file" 1 "cannot write 'report.txt': it exists" report utilisation a.db -o report.txt
expect "report with force" 0 "" report utilisation a.db -o report.txt -f
before=$(md5sum <a.db)
ln a.db same.db
for target in a.db same.db; do
	expect "report onto its database, $target" 1 "cannot write '$target': it is the database" \
		report -f -o "$target" utilisation a.db
	expect "report onto its database, $target, without force" 1 "cannot write '$target'" \
		report -o "$target" utilisation a.db
done
rm same.db
same "report onto its database" "$before" "$(md5sum <a.db)"
(ulimit -f 0 && "$command" report -f -o report.txt utilisation a.db 2>err)
same "report that cannot be written: status" 1 $?
same "report that cannot be written: the old one stays" yes "$(grep -q carriers_mib report.txt && echo yes)"
ln -s report.txt link.txt
expect "report onto a link" 0 "" report -f -o link.txt utilisation a.db
same "report onto a link" "link yes" "$([ -L link.txt ] && echo link) $([ -s report.txt ] && echo yes)"
absent "reports leave nothing" ./*.txt.partial-* a.db.partial-*
expect "report to -" 0 "" report utilisation a.db -o -
holds "report to -" carriers_mib
expect "report to a full device" 1 "cannot write '/dev/full'" report utilisation a.db -o /dev/full
"$command" report utilisation a.db >/dev/full 2>err
same "full standard output: status" 1 $?
same "full standard output: one line" 1 "$(grep -c 'cannot write standard output' err)"
"$command" --help >/dev/full 2>err
same "full standard output of --help" 1 $?
"$command" report event_named a.db --format csv 2>err | head -1 >out
same "closed pipe is quiet" "" "$(cat err)"

# Databases that are none.
query other.db 'CREATE TABLE t (x)'
cp a.db newer.db
query newer.db 'PRAGMA user_version = 99'
cp a.db older.db
query older.db 'PRAGMA user_version = 1'
cp a.db partial.db
query partial.db 'UPDATE source SET complete = 0'
for sub in report info; do
	expect "$sub of nothing" 1 "cannot open 'nothing.db'" "$sub" nothing.db
	expect "$sub of a text" 1 "'file' is not a carrierscope database" "$sub" file
	expect "$sub of a folder" 1 "'empty' is not a carrierscope database" "$sub" empty
	expect "$sub of another database" 1 "is not a carrierscope database" "$sub" other.db
	expect "$sub of a newer one" 1 "newer carrierscope" "$sub" newer.db
	expect "$sub of an older one" 1 "older carrierscope" "$sub" older.db
	expect "$sub of an incomplete one" 0 "is incomplete" "$sub" partial.db
done
absent "reading makes no file" nothing.db

# What is in it.
expect info 0 "" info a.db
holds info capabilities
expect "info --format=json" 0 "" info --format=json a.db
same "info --format=json" "1|$events" "$(sqlite3 :memory: "SELECT json_valid(t), t ->> '\$.sources[0].events' FROM (SELECT CAST(readfile('out') AS TEXT) AS t)")"
expect "info --views" 0 "" info --views a.db
holds "info --views" utilisation_now_allocator
"$command" info a.db >/dev/full 2>err
same "info to a full device" 1 $?

# Damaged traces.
if [ -n "$damaged" ]; then
	damaged=$(realpath "$damaged")
	for case in "$damaged"/damaged-*; do
		name=$(basename "$case")
		rm -f d.db s.db
		before=$(find "$case" -type f -exec md5sum {} + | sort | md5sum)
		message=
		status=1
		case $name in
		damaged-flipped-header) message="carriers_0': packet header damaged at byte 32768" ;;
		damaged-flipped-event) message="carriers_0': packet damaged at byte" ;;
		damaged-truncated) message="carriers_0': packet cut off at byte" ;;
		damaged-metadata-truncated) message="64-bit/metadata': it is damaged" ;;
		damaged-no-metadata) message="64-bit/metadata': it is missing" ;;
		damaged-not-ctf) message="trace/metadata'" ;;
		damaged-empty-dir) message="no trace in" ;;
		*) status=0 ;;
		esac
		expect "$name" "$status" "$message" load -o d.db "$case/trace"
		if [ "$status" -ne 0 ]; then
			absent "$name leaves nothing" d.db*
			same "$name: one line" 1 "$(wc -l <err)"
		fi
		case $name in
		damaged-empty-dir | damaged-not-ctf)
			expect "$name --salvage" 1 "carrierscope: " load --salvage -o s.db "$case/trace"
			absent "$name --salvage leaves nothing" s.db*
			;;
		damaged-flipped-* | damaged-truncated | damaged-stream-empty)
			expect "$name --salvage" 0 "what was lost is in lost_interval" \
				load --salvage -o s.db "$case/trace"
			expect "$name --salvage --strict" 3 "damaged" \
				load -f --strict --salvage -o s.db "$case/trace"
			same "$name: streams are found by their own names" 0 \
				"$(query s.db "SELECT count(*) FROM stream WHERE name LIKE '%.salvage-%'")"
			same "$name: the loss is stored" 1 \
				"$(query s.db "SELECT count(*) > 0 FROM load_problem WHERE severity = 'data_loss'")"
			absent "$name: copies are gone" s.db.salvage-*
			expect "$name: the report says so" 0 "" report utilisation s.db
			holds "$name: the report says so" "of problems: see"
			;;
		*)
			expect "$name --salvage" 0 "" load --salvage --strict -o s.db "$case/trace"
			;;
		esac
		same "$name is untouched" "$before" "$(find "$case" -type f -exec md5sum {} + | sort | md5sum)"
	done
	expect "overlapping copies" 1 "are copies of one trace and overlap; load one of them" \
		load --salvage -o no.db "$damaged/damaged-base/trace" "$damaged/damaged-flipped-event/trace"
	same "overlapping copies: by their own names" "1 2" \
		"$(wc -l <err) $(grep -o "damaged-[a-z-]*/trace" err | sort -u | wc -l)"
	absent "overlapping copies" no.db*
else
	echo "SKIPPED: damaged traces (no DAMAGED_DIR)"
fi

# Interruption while it looks for traces: nothing is written.  Where a machine is so busy that the
# signal comes late, the search is over and the load is whole, or has begun.
mkdir wide
(cd wide && for i in $(seq 200); do echo "d$i"; done | xargs mkdir &&
	for d in d*; do (cd "$d" && seq 100 | xargs mkdir); done)
cp -r "$trace" wide/z
searches=0
for round in $(seq 60); do
	for delay in 0.02 0.04 0.06 0.1 0.2 0.4; do
		env --default-signal=INT "$command" load -f -o wide.db wide wide wide wide wide wide >out 2>err &
		pid=$!
		sleep "$delay"
		kill -s INT "$pid" 2>/dev/null
		wait "$pid"
		status=$?
		if [ "$status" -eq 130 ] && grep -q "nothing was written" err; then
			absent "interrupted search" wide.db*
			searches=$((searches + 1))
		elif [ "$status" -ne 0 ] && [ "$status" -ne 130 ] && [ "$status" -ne 143 ]; then
			fail "interrupted search: exit status $status"
		fi
		rm -f wide.db
	done
	[ "$searches" -eq 0 ] || break
done
same "a search was interrupted" yes "$([ "$searches" -gt 0 ] && echo yes)"

# Interruption at different moments: a sound file or none.
if [ -n "$large" ]; then
	# "seen": as soon as its working file is there.
	interrupted=0
	for delay in 0.01 0.03 0.06 0.1 0.15 0.2 0.3 seen seen seen; do
		for signal in INT TERM; do
			rm -f i.db
			# A background job of a script ignores SIGINT: env gives it back.
			env --default-signal=INT "$command" load -o i.db "$large" >out 2>err &
			pid=$!
			while [ "$delay" = seen ] && kill -0 "$pid" 2>/dev/null && ! ls | grep -q '^i.db.partial-'; do
				:
			done
			[ "$delay" = seen ] || sleep "$delay"
			# Whether it watches for signals already (SIGINT is bit 1).
			watches=$(sed -n 's/^SigCgt:[^0-9a-f]*/0x/p' "/proc/$pid/status" 2>/dev/null)
			watches=$((${watches:-0} >> 1 & 1))
			kill -s "$signal" "$pid" 2>/dev/null
			wait "$pid"
			status=$?
			if [ "$watches" -eq 0 ] && [ "$status" -gt 128 ] && ! [ -s err ]; then
				absent "killed before it watched for signals" i.db*
				continue
			fi
			case $status in
			0) same "not interrupted: complete" 1 "$(query i.db 'SELECT complete FROM source')" ;;
			130)
				interrupted=$((interrupted + 1))
				same "interrupted: one line" 1 "$(grep -c 'carrierscope: interrupted' err)"
				if [ -f i.db ]; then
					same "interrupted: incomplete and sound" "0|ok" \
						"$(query i.db 'SELECT complete, (SELECT * FROM pragma_integrity_check) FROM source')"
				fi
				;;
			*) fail "interrupted: exit status $status" ;;
			esac
			absent "interrupted: no working file" i.db.partial-* i.db-journal
		done
	done
	if [ "$interrupted" -gt 0 ]; then
		pass
	else
		fail "no load was interrupted"
	fi
else
	echo "SKIPPED: interruption (no LARGE_TRACE_DIR)"
fi

echo "$passed passed"
ends
