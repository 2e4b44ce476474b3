#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What lies beside a database may be anybody's: no command follows, plays back or removes it unasked, and
# `load --recover` only what is the caller's own.
#
#	recover_test.sh CARRIERSCOPE TRACE DAMAGED_TRACE
. "$(dirname "$0")/../harness/main.sh"
command=$(realpath "$1")
trace=$(realpath "$2")
damaged=$(realpath "$3")
needs sqlite3 python3
cd "$work" || exit 1


# refuses PATTERN ARGUMENTS...: exit status 1, one line with the pattern.
refuses() {
	local pattern=$1
	shift
	"$command" "$@" >out 2>err
	[ $? -eq 1 ] || fail "$*: exit status"
	[ "$(wc -l <err)" = 1 ] && grep -q "$pattern" err || fail "$*: not one line with '$pattern'"
}

(umask 022 && "$command" load -q -o good.db "$trace") 2>err || fail "the load"
echo mine >mine

# Rights: for the owner alone, whatever the umask says, unless --mode does.
[ "$(stat -c %a good.db)" = 600 ] || fail "a database is $(stat -c %a good.db), not 600"
(umask 077 && "$command" load -q --mode 640 -o mode.db "$trace") 2>err || fail "load --mode"
[ "$(stat -c %a mode.db)" = 640 ] || fail "with --mode 640 it is $(stat -c %a mode.db)"
for mode in 777 400 64 abc 06400; do
	"$command" load -q --mode $mode -o no.db "$trace" >out 2>err && fail "--mode $mode is taken"
done
[ ! -e no.db ] || fail "a load that is refused leaves a file"

# A journal that names another file, which SQLite would remove (S1).
cp good.db x.db
python3 - "$work/mine" <<'END' || fail "cannot make a journal"
import struct, sys
magic = bytes.fromhex("d9d505f920a163d7")
page_bytes = struct.unpack(">H", open("x.db", "rb").read(18)[16:])[0]
page = open("x.db", "rb").read(page_bytes)
count = len(open("x.db", "rb").read()) // page_bytes
total = 7 + sum(page[at] for at in range(page_bytes - 200, 0, -200))
name = sys.argv[1].encode()
open("super", "wb").write((magic + struct.pack(">IIIII", 1, 7, count, 512, page_bytes)).ljust(512, b"\0") +
    struct.pack(">I", 1) + page + struct.pack(">I", total) + struct.pack(">I", 0x40000000 // page_bytes + 1) + name +
    struct.pack(">II", len(name), sum(name)) + magic)
open("plain", "wb").write(open("super", "rb").read()[:512 + 8 + page_bytes])
END
cp super x.db-journal
before=$(cat x.db x.db-journal | md5sum)
for reading in report info "export --to folded" "top --once" replay "advise"; do
	# shellcheck disable=SC2086
	refuses "x.db': a load that was appending to it broke off; 'carrierscope load --recover x.db'" $reading x.db
done
"$command" check x.db --max 'peak_bytes > 0' >out 2>err
[ $? = 2 ] || fail "check: exit status"
"$command" diff good.db x.db >out 2>err
[ $? = 2 ] || fail "diff: exit status"
refuses "load --recover x.db" load -q --append -o x.db "$trace"
refuses "x.db-journal' names another file" load --recover x.db
[ "$(cat x.db x.db-journal | md5sum)" = "$before" ] && [ "$(cat mine)" = mine ] || fail "a file was changed or removed"

# The same without that name is undone.
cp plain x.db-journal
"$command" load --recover x.db 2>err || fail "load --recover"
[ ! -e x.db-journal ] && "$command" info x.db >out 2>err || fail "after load --recover"

# What is no plain file, or somebody else's.
for suffix in journal wal shm; do
	for kind in link dangling fifo hard other; do
		rm -f x.db-* missing
		cp good.db x.db
		cp mine kept
		case $kind in
		link) ln -s mine "x.db-$suffix" && why="is a link" ;;
		dangling) ln -s missing "x.db-$suffix" && why="is a link" ;;
		fifo) mkfifo "x.db-$suffix" && why="is not a regular file" ;;
		hard) ln mine "x.db-$suffix" && why="has a second name" ;;
		other)
			cp plain "x.db-$suffix"
			chown 65534 "x.db-$suffix" 2>/dev/null || continue
			why="belongs to another user"
			;;
		esac
		refuses "x.db-$suffix' beside it $why" info x.db
		# A journal that is a link, or no file, is met by its owner's command too.
		"$command" load --recover x.db >out 2>err && fail "load --recover with -$suffix that $why"
		cmp -s mine kept && [ ! -e missing ] || fail "-$suffix that $why: a file was changed"
	done
done
rm -f x.db*
cp good.db x.db
cp plain x.db-journal
if chown 65534 x.db x.db-journal 2>/dev/null; then
	refuses "x.db': it belongs to another user" load --recover x.db
fi
rm -f x.db*

# A live load that was killed: what it had committed is read, and is in the file after --recover.
cp good.db x.db
python3 - <<'END'
import os, sqlite3
db = sqlite3.connect("x.db", isolation_level=None)
db.execute("PRAGMA journal_mode = WAL")
db.execute("UPDATE source SET complete = 0")
os._exit(0)
END
before=$(cat x.db x.db-wal x.db-shm | md5sum)
"$command" info x.db >out 2>err || fail "info of what a killed live load left"
grep -q "load --recover x.db" err || fail "nothing says what to do with what a killed live load left"
[ "$(cat x.db x.db-wal x.db-shm | md5sum)" = "$before" ] || fail "info writes to what a killed live load left"
cp x.db copy.db && cp x.db-wal copy.db-wal
refuses "copy.db': part of it is in 'copy.db-wal'.*load --recover copy.db" info copy.db

# SQLite gives an empty log the rights of its database; a command that only reads does not.
cp good.db empty.db
sqlite3 empty.db 'PRAGMA journal_mode = WAL' >out
: >empty.db-wal
chmod 644 empty.db-wal
"$command" info empty.db >out 2>err || fail "info of a database with an empty log"
[ "$(stat -c %a empty.db-wal)" = 644 ] || fail "info changes the rights of an empty log to $(stat -c %a empty.db-wal)"
for name in x copy; do
	"$command" load --recover $name.db 2>err || fail "load --recover of $name.db"
	[ "$(ls $name.db*)" = $name.db ] || fail "load --recover leaves $(ls $name.db*)"
	[ "$(sqlite3 $name.db 'SELECT sum(complete) FROM source')" = 0 ] || fail "what was committed to $name.db is lost"
done

# While a program writes it is read, and neither recovered nor appended to.
cp good.db x.db
python3 - <<'END' &
import sqlite3, time, os
db = sqlite3.connect("x.db", isolation_level=None)
db.execute("PRAGMA journal_mode = WAL")
db.execute("UPDATE source SET complete = 0")
db.execute("BEGIN IMMEDIATE")
open("ready", "w").close()
while not os.path.exists("enough"):
    time.sleep(0.05)
END
writer=$!
while [ ! -e ready ] && kill -0 $writer; do sleep 0.05; done
"$command" info x.db >out 2>err || fail "info while a program writes"
grep -q "x.db' is incomplete" err || fail "info while a program writes: not what is committed"
refuses "another program uses it" load --recover x.db
refuses "locked" load -q --append -o x.db "$trace"
touch enough
wait $writer
rm -f x.db* copy.db*

# A recording may not keep a command for ever, also where rows are few and work is much.
cp good.db endless.db
sqlite3 endless.db "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE VIEW report_allocators AS
	WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS node FROM n WHERE i < 0'
	WHERE name = 'report_allocators'"
timeout 600 "$command" report allocators endless.db >out 2>err
[ $? = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q "take more work" err || fail "a view without end: exit status and sentence"

# SQLite does not let a plan be ended: each command that reads limits its own processor time, to twice the bound, and ends with a
# sentence there; here at a lower limit, which takes a second.
cp good.db slow.db
bombs="CREATE VIEW bomb0 AS SELECT 1 AS i;"
for n in $(seq 1 39); do
	bombs+="CREATE VIEW bomb$n AS SELECT a.i FROM (SELECT i FROM bomb$((n - 1)) LIMIT 9) AS a, (SELECT i FROM bomb$((n - 1)) LIMIT 9) AS b;"
done
sqlite3 slow.db "$bombs"
for table in source state_begin; do
	sqlite3 slow.db "PRAGMA writable_schema = ON;
		DELETE FROM sqlite_schema WHERE type = 'index' AND tbl_name = '$table';
		UPDATE sqlite_schema SET type = 'view', rootpage = 0, sql = 'CREATE VIEW $table AS SELECT ' ||
			(SELECT group_concat('i AS ' || name) FROM pragma_table_info('$table')) || ' FROM bomb39' WHERE name = '$table'"
done
for words in "report slow.db" "top --once slow.db" "replay slow.db" "advise slow.db" "push slow.db -o pushed" "export --to folded slow.db"; do
	# shellcheck disable=SC2086 # words
	(ulimit -S -t 1 && exec timeout 600 "$command" $words >out 2>err)
	[ $? = 1 ] && grep -q "take more work" err || fail "a plan without end: $words: exit status and sentence: $(cat err)"
done
(ulimit -S -t 1 && exec timeout 600 "$command" serve slow.db --port 0 >out 2>err) &
pid=$!
while kill -0 $pid 2>/dev/null && ! grep -q '; Ctrl-C stops' out; do sleep 0.05; done
port=$(sed -n 's,.* on http://[^ ]*:\([0-9]*\)/ .*,\1,p' out)
if [ -n "$port" ]; then
	exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'GET / HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n' "$port" >&3
	wait $pid
	[ $? = 1 ] && grep -q "take more work" err || fail "a plan without end: serve: exit status and sentence: $(cat err)"
	exec 3>&-
else
	wait $pid
	grep -q "built without\|no page" err || fail "serve does not begin: $(cat err)"
fi
"$command" top --once slow.db >out 2>err &
pid=$!
limit=unlimited
while kill -0 $pid 2>/dev/null && [ "$limit" = unlimited ]; do
	limit=$(awk '/Max cpu time/ { print $4 }' /proc/$pid/limits 2>/dev/null)
done
[ "${limit:-0}" -ge 10 ] 2>/dev/null || fail "top limits its processor time to '$limit' s"
kill -9 $pid
wait $pid 2>/dev/null

# A file has no name before it is whole, so a killed report leaves nothing; and what lies under the name that a file has for a
# moment is left alone.
"$command" report -o killed.txt allocators endless.db >out 2>err &
pid=$!
while kill -0 $pid 2>/dev/null && ! readlink /proc/$pid/fd/* | grep -q -e killed.txt -e '#[0-9]* (deleted)'; do sleep 0.02; done
kill -9 $pid
wait $pid 2>/dev/null
[ -z "$(ls -d killed.txt* 2>/dev/null)" ] || fail "a killed report leaves $(ls -d killed.txt*)"
echo old >same.txt
bash -c 'echo left >"same.txt.partial-$$"; exec "$0" report -f -o same.txt summary good.db' "$command" >out 2>err ||
	fail "a leftover of the same process id: $(cat err)"
grep -q source same.txt && [ "$(cat same.txt.partial-*)" = left ] && [ "$(ls -d same.txt*.partial-* | wc -l)" = 1 ] ||
	fail "a leftover of the same process id is changed, or the file is not written: $(ls -d same.txt*)"

# Copies of a killed --salvage are removed by the next load in the folder (S20), and nothing like them that is not ours.
dead=$(sh -c 'echo $$')
mkdir "other.db.salvage-$dead" "like.db.salvage-$dead" real
touch "other.db.salvage-$dead/.carrierscope-salvage" "like.db.salvage-$dead/kept" real/kept
mkdir "other.db.salvage-$dead/0" && ln -s "$work/real" "other.db.salvage-$dead/0/link"
ln -s real "link.db.salvage-$dead"
cp good.db "other.db.partial-$dead"
echo "somebody's own text, which is not a database of ours, of more than a hundred bytes, whatever its name looks like" \
	>"like.db.partial-$dead"
ln -s mine "link.db.partial-$dead"
cp good.db "live.db.partial-$$"
"$command" load -q --salvage -o next.db "$damaged" >out 2>err || fail "load --salvage"
[ ! -e "other.db.salvage-$dead" ] && [ ! -e "other.db.partial-$dead" ] || fail "what killed loads left is still there"
[ -e "like.db.salvage-$dead/kept" ] && [ -e real/kept ] && [ -L "link.db.salvage-$dead" ] &&
	[ -e "like.db.partial-$dead" ] && [ -L "link.db.partial-$dead" ] && [ -e "live.db.partial-$$" ] ||
	fail "what was not ours, or of a living process, is gone"

ends
