#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Metadata that Babeltrace would read without end is refused with file and byte; a signal ends
# a load within a second whatever Babeltrace does, and nothing is left behind; what killed
# salvages left goes with the next one; a link that leads nowhere is refused at once.
#
#	stuck_test.sh BUILD_DIR TRACE_DIR DAMAGED_TRACE_DIR SPIN
#
# BUILD_DIR holds carrierscope and the plugin, TRACE_DIR has its metadata in packets of 4096 bytes,
# DAMAGED_TRACE_DIR is one that --salvage repairs, SPIN is the library made of spin.c.
. "$(dirname "$0")/../harness/main.sh"

command=$(realpath "$1")/carrierscope
trace=$(realpath "$2")
damaged=$(realpath "$3")
spin=$(realpath "$4")
cd "$work" || exit 1

# refuse NAME PART: loading the copy of the trace ends soon, with one line that says PART.
refuse() {
	timeout -k 1 400 "$command" load -o no.db copy >out 2>err
	status=$?
	[ "$status" = 1 ] || fail "$1: exit status $status"
	[ "$(wc -l <err)" = 1 ] && grep -qF -- "$2" err || fail "$1: no line that says '$2'"
	[ -z "$(ls -d no.db* 2>/dev/null)" ] || fail "$1: something is left"
}

cp -r "$trace" copy
metadata=$(find copy -name metadata)
cp "$metadata" sound
bytes=$(stat -c %s sound)
[ "$(od -An -tx1 -N4 sound | tr -d ' ')" = 571dd175 ] && [ "$bytes" -ge 8192 ] ||
	fail "the metadata is not in packets as expected"

# set OFFSET BYTES: printf escapes written into the metadata.
set_bytes() {
	cp sound "$metadata"
	printf "$2" | dd of="$metadata" bs=1 seek="$1" conv=notrunc status=none
}

# The length of content, in bits, of the first packet and of the second.
set_bytes 24 '\377\377\377\377'
refuse "endless content" "copy/" && refuse "endless content: byte" "/metadata': it is damaged at byte 0: a packet begins there"
set_bytes $((4096 + 24)) '\0\0\1\0'
refuse "content beyond the file" "/metadata': it is damaged at byte 4096: a packet begins there"

# A comment and a text that do not end: byte 5000 lies in the second packet.
set_bytes 5000 '/*'
LC_ALL=C sed -i ':a;N;$!ba;s/\*\//**/g' "$metadata"
at=$(LC_ALL=C grep -abo '/\*' "$metadata" | head -1 | cut -d: -f1)
refuse "an open comment" "/metadata': it is damaged at byte $at: a comment begins there"
cp sound "$metadata"
timeout -k 1 400 "$command" load -q -f -o yes.db copy >out 2>err || fail "the sound metadata is refused"
babeltrace2 "$trace" -c sink.utils.counter >/dev/null 2>&1
printf 'typealias integer { size = 8; } := ok; /* no end' >tail
python3 - "$metadata" <<'END' 2>/dev/null || echo "SKIPPED: plain metadata (no python3)"
import sys
b = open("sound", "rb").read()
text, at = b"", 0
while at + 37 <= len(b):
    content, packet = (int.from_bytes(b[at + i:at + i + 4], "little") // 8 for i in (24, 28))
    text += b[at + 37:at + content]
    at += packet
open("plain", "wb").write(text)
open(sys.argv[1], "wb").write(text + open("tail", "rb").read())
END
if [ -f plain ]; then
	at=$(($(stat -c %s plain) + 39))
	refuse "an open comment at the end" "/metadata': it is damaged at byte $at: a comment begins there"
	(cat plain && printf 'env { x = "\\"') >"$metadata"
	at=$(($(stat -c %s plain) + 10))
	refuse "an open text" "/metadata': it is damaged at byte $at: a text in quotes begins there"
	(cat plain && printf '// no end of line') >"$metadata"
	timeout -k 1 400 "$command" load -q -f -o yes.db copy >out 2>err || grep -q "damaged (use" err || fail "a comment of one line"
fi
cp sound "$metadata"

# end NAME SIGNAL WHERE ARGUMENT…: the first signal ends it within a second, with exit status 130.
end() {
	local name=$1 signal=$2 where=$3 began ended status
	shift 3
	rm -f mark
	CSC_SPIN=$where CSC_SPIN_MARK=mark LD_PRELOAD=$spin env --default-signal=INT,TERM \
		"$command" load -q "$@" >out 2>err &
	pid=$!
	while ! [ -e mark ] && kill -0 "$pid" 2>/dev/null; do
		sleep 0.01
	done
	began=$(date +%s%3N)
	kill -s "$signal" "$pid" || fail "$name: it does not spin"
	wait "$pid"
	status=$?
	ended=$(date +%s%3N)
	[ "$status" = 130 ] || fail "$name: exit status $status"
	# A second by the clock; more on a busy machine.
	[ $((ended - began)) -lt 60000 ] || fail "$name: it took $((ended - began)) ms"
	[ "$(grep -c '^carrierscope: interrupted: ' err)" = 1 ] || fail "$name: no line"
}

for signal in INT TERM; do
	end "a query, $signal" "$signal" query -o i.db "$trace"
	[ -z "$(ls -d i.db* 2>/dev/null)" ] || fail "a query, $signal: left $(ls -d i.db*)"
	end "a run, $signal" "$signal" run -o i.db "$trace"
	[ -z "$(ls -d i.db* 2>/dev/null)" ] || fail "a run, $signal: left $(ls -d i.db*)"
	end "a salvage, $signal" "$signal" run --salvage -o i.db "$damaged"
	[ -z "$(ls -d i.db* 2>/dev/null)" ] || fail "a salvage, $signal: left $(ls -d i.db*)"
	cp yes.db i.db
	end "an append, $signal" "$signal" run --append -o i.db "$trace"
	"$command" report i.db >out 2>err || fail "an append, $signal: report"
	[ "$(sqlite3 i.db 'SELECT count(*) FROM source')" = 1 ] || fail "an append, $signal: sources"
	rm -f i.db*
done

# Babeltrace calls abort() on some metadata.
CSC_SPIN=abort LD_PRELOAD=$spin "$command" load -q -o i.db "$trace" >out 2>err
status=$?
[ "$status" = 1 ] || fail "an abort: exit status $status"
[ "$(grep -c '^carrierscope: cannot load: Babeltrace gave up' err)" = 1 ] || fail "an abort: no line"
[ -z "$(ls -d i.db* 2>/dev/null)" ] || fail "an abort: left $(ls -d i.db*)"

# What a killed salvage left goes with the next one; that of a salvage at work stays, and so do
# folders of other names.
rm -f mark
CSC_SPIN=run CSC_SPIN_MARK=mark LD_PRELOAD=$spin "$command" load -q --salvage -o s.db "$damaged" >out 2>err &
killed=$!
while ! [ -e mark ] && kill -0 "$killed" 2>/dev/null; do
	sleep 0.01
done
[ -d "s.db.salvage-$killed" ] || fail "a salvage has no folder"
mkdir s.db.salvage-x s.db.salvage-1
"$command" load -q --salvage -o s.db "$damaged" 2>err || fail "a salvage beside another one"
[ -d "s.db.salvage-$killed" ] || fail "the folder of a salvage at work is gone"
kill -9 "$killed"
wait "$killed" 2>/dev/null
[ -d "s.db.salvage-$killed" ] || fail "a killed salvage leaves no folder: nothing is tested"
"$command" load -q -f --salvage -o s.db "$damaged" 2>err || fail "the salvage after a killed one"
[ ! -e "s.db.salvage-$killed" ] || fail "the folder of a killed salvage is still there"
[ -d s.db.salvage-x ] && [ -d s.db.salvage-1 ] || fail "a folder that is not a dead salvage's is gone"

# A link that leads nowhere.
ln -s nowhere/at/all link.db
for option in "" --append; do
	# shellcheck disable=SC2086 # none or one
	CSC_SPIN=query LD_PRELOAD=$spin timeout 400 "$command" load $option -o link.db "$trace" >out 2>err
	[ $? = 1 ] || fail "a link that leads nowhere $option: exit status"
	[ "$(wc -l <err)" = 1 ] && grep -q "cannot write 'link.db': it is a link that leads nowhere" err ||
		fail "a link that leads nowhere $option: line"
	[ "$(readlink link.db)" = nowhere/at/all ] || fail "a link that leads nowhere $option is another one"
done
"$command" report -o link.db summary yes.db >out 2>err && fail "a report to a link that leads nowhere"
grep -q "it is a link that leads nowhere" err || fail "a report to a link that leads nowhere: line"
"$command" load -q -f -o link.db "$trace" 2>err || fail "--force replaces a link"

ends
