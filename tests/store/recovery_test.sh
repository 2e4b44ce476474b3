#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A load that appends and breaks off (killed, disk full) costs nothing: every command says what
# undoes it and changes nothing; after `load --recover` the file is as it was.
#
#	recovery_test.sh BUILD_DIR LARGE_TRACE_DIR KILLER
#
# BUILD_DIR holds carrierscope and the plugin, LARGE_TRACE_DIR is a trace of more pages than
# SQLite keeps in memory, KILLER is the library made of kill_at.c.
. "$(dirname "$0")/../harness/main.sh"

build=$(realpath "$1")
large=$(realpath "$2")
killer=$(realpath "$3")
command=$build/carrierscope
cleanup() {
	umount "$work/small" 2>/dev/null
}
cd "$work" || exit 1
mkdir kept

"$command" load -q -o right.db "$large" 2>err || fail "the undisturbed load"
cp right.db x.db
"$command" report x.db >right.txt 2>err || fail "the report of the undisturbed load"
md5sum <right.db >right.md5
sources=$(sqlite3 right.db 'SELECT count(*) FROM source')

# hot: the journal is one that must be rolled back, by its first byte.
hot() {
	[ -s x.db-journal ] && [ "$(head -c 1 x.db-journal | od -An -tx1 | tr -d ' ')" != 00 ]
}

# Killed at the n-th change of a file while it appends: early ones one by one, later ones sampled.
hits=0
n=0
whole=
while [ -z "$whole" ]; do
	n=$((n + 1 + n / 4))
	rm -f x.db*
	cp right.db x.db
	CSC_KILL_AT=$n LD_PRELOAD=$killer "$command" load -q --append -o x.db "$large" >out 2>&1
	status=$?
	[ "$status" -eq 0 ] && whole=yes && break
	[ "$status" -eq 137 ] || fail "the load that is killed at change $n: exit status $status"
	hot || continue
	hits=$((hits + 1))
	[ "$hits" -ne 3 ] || cp x.db x.db-journal kept/
	before=$(cat x.db x.db-journal | md5sum)
	case $((hits % 4)) in
	0) set -- info x.db ;;
	1) set -- check x.db --max 'peak_bytes > 0' ;;
	2) set -- diff right.db x.db ;;
	3) set -- load -q --append -o x.db "$large" ;;
	esac
	"$command" "$@" >out 2>err && fail "$1 goes on after a kill at change $n"
	[ "$(wc -l <err)" = 1 ] && grep -q "x.db': a load .* broke off; 'carrierscope load --recover x.db'" err ||
		fail "$1 after a kill at change $n: one line that says what to do"
	[ "$(cat x.db x.db-journal | md5sum)" = "$before" ] || fail "$1 wrote to the file after a kill at change $n"
	"$command" load --recover x.db >out 2>err || fail "load --recover after a kill at change $n"
	grep -q "x.db': what a load that broke off had appended is undone" err ||
		fail "nothing says that a load was undone (change $n)"
	"$command" report x.db >after.txt 2>err || fail "report after a kill at change $n"
	cmp -s right.txt after.txt || fail "the report is another one after a kill at change $n"
	md5sum <x.db | cmp -s - right.md5 || fail "the file is not as it was after a kill at change $n"
	[ ! -e x.db-journal ] || fail "the journal is still there after a kill at change $n"
	if [ $((hits % 4)) -eq 3 ]; then
		"$command" load -q --append -o x.db "$large" 2>err || fail "the next load after a kill at change $n"
		[ "$(sqlite3 x.db 'SELECT count(*) FROM source')" = $((sources + 1)) ] ||
			fail "the next load after a kill at change $n: sources"
	fi
done
echo "$hits kills left a journal to roll back, of $n changes"
[ "$hits" -ge 4 ] || fail "too few kills left a journal to roll back"

# A load into a new file that is killed at one of its first changes: the next one removes what it left.
mkdir new
for n in 1 2 3 4 5 6; do
	CSC_KILL_AT=$n LD_PRELOAD=$killer "$command" load -q -o new/x.db "$large" >out 2>&1
	[ $? = 137 ] || fail "the load into a new file that is killed at change $n: exit status"
	[ -n "$(ls new)" ] || fail "the load that is killed at change $n leaves nothing: nothing is tested"
	"$command" load -q -o new/x.db "$large" 2>err || fail "the load into a new file after a kill at change $n"
	[ "$(ls new)" = x.db ] || fail "a load that was killed at change $n left $(ls new | grep -v '^x.db$')"
	rm new/x.db
done

# Where nothing can be written it says what to do; nobody else's file is touched.
weak="setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search"
[ "$(id -u)" -eq 0 ] || weak="env"
cp kept/x.db kept/x.db-journal .
mkdir closed other
cp x.db x.db-journal closed/
cp x.db other/x.db
cp x.db-journal other/x.db-journal
chmod 444 closed/*
chmod 555 closed
if $weak true 2>/dev/null; then
	$weak "$command" load --recover closed/x.db >out 2>err
	[ $? = 1 ] || fail "load --recover where nothing can be written: exit status"
	[ "$(wc -l <err)" = 1 ] && grep -q "copy it with 'closed/x.db-journal' to where you can write" err ||
		fail "load --recover where nothing can be written: one line that says what to do"
else
	echo "SKIPPED: folders that cannot be written (no setpriv)"
fi
chmod 755 closed
printf 'XXXX' | dd of=other/x.db bs=1 seek=68 conv=notrunc status=none
before=$(cat other/* | md5sum)
"$command" report other/x.db >out 2>err && fail "another program's database is read"
"$command" load --recover other/x.db >out 2>err && fail "another program's database is recovered"
[ "$before" = "$(cat other/* | md5sum)" ] || fail "another program's database was written to"

# A disk that gets full: the load itself undoes it.
mkdir small
if mount -t tmpfs -o size=1k tmpfs small 2>/dev/null; then
	kib=$(($(stat -c %s right.db) / 1024))
	for more in 100 300 600 1000 1500; do
		mount -o remount,size=$((kib + more))k small
		rm -f small/*
		cp right.db small/x.db
		"$command" load -q --append -o small/x.db "$large" >out 2>err
		[ $? = 1 ] || fail "a full disk, $more KiB left: exit status"
		[ "$(wc -l <err)" = 1 ] && grep -q "disk is full" err || fail "a full disk, $more KiB left: one line"
		[ "$(ls small)" = x.db ] || fail "a full disk, $more KiB left: $(ls small)"
		md5sum <small/x.db | cmp -s - right.md5 || fail "a full disk, $more KiB left: the file is not as it was"
		"$command" report small/x.db >out 2>err || fail "a full disk, $more KiB left: report"
	done
else
	echo "SKIPPED: a full disk by a small tmpfs (mount is not allowed; test 'failure' has full disks, too)"
fi

ends
