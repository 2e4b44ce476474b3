#!/bin/sh
# SPDX-License-Identifier: MIT
# leftovers.sh PROGRAM VICTIM: what lay in rings when a process was killed joins what its trace has, without a gap or a double; where it
# cannot, the load says so in one sentence, and has what it had without.

# Its own /dev/shm where that is allowed: the next node of another test would remove files that seem to be old.
if [ -z "${CSC_OWN_SHM:-}" ] && unshare -m --propagation private mount -t tmpfs none /dev/shm 2>/dev/null; then
	CSC_OWN_SHM=1 exec unshare -m --propagation private sh -c 'mount -t tmpfs none /dev/shm && exec "$@"' sh sh "$0" "$@"
fi
. "$(dirname "$0")/../harness/main.sh"
records_here "$@"
tests_program "$1"
victim=$2
needs sqlite3 python3
shm=/dev/shm/carrierscope-rings-
pid=

cleanup() {
	[ -z "$pid" ] || rm -rf "$shm$pid"-*
	ends_daemon
}

# kills STOP WHERE SLOTS [COMMAND...]: a trace of a victim of its own, run by COMMAND.
kills() {
	stop=$1 where=$2 slots=$3
	shift 3
	[ -z "$pid" ] || rm -rf "$shm$pid"-*
	rm -rf "$work/trace"
	begins_session "$work/trace" 1M 'carrierscope:*'
	"$@" "$victim" "$work/counts" "$stop" "$where" "$slots" >"$work/said" 2>&1 &
	pid=$!
	wait $pid 2>/dev/null
	status=$?
	[ $status -ne 77 ] || skip "$(cat "$work/said")"
	[ $status -eq 137 ] || fail "the victim was not killed: $status, $(cat "$work/said")"
	# However long it takes: nobody was killed within an event.
	lttng stop $session >/dev/null 2>&1
	lttng destroy $session >/dev/null 2>&1
	session=
}

# loads WHAT: into run.db.
loads() {
	"$program" load --quiet -o "$work/run.db" -f "$work/trace" >"$work/out" 2>"$work/err" || fail "$1: exit $?: $(cat "$work/err")"
}

# says WHAT QUERY ANSWER
says() {
	got=$(sqlite3 "$work/run.db" "$2")
	[ "$got" = "$3" ] || fail "$1: $2
  expected: $3
  got:      $got"
}
problems="SELECT group_concat(name) FROM (SELECT name FROM load_problem ORDER BY name)"

for where in before after; do
	for stop in 1 2 3 9 50 300; do
		kills $stop $where 32768
		what="killed $where batch $stop"
		loads "$what"
		if [ "$(sqlite3 "$work/run.db" "SELECT count(*) FROM load_problem WHERE name = 'rings_taken'")" = 0 ]; then
			# Nothing shows whose file it is before the first batch.
			[ $stop = 1 ] && [ $where = before ] || fail "$what: $(sqlite3 "$work/run.db" 'SELECT name, sentence FROM load_problem')"
			continue
		fi
		python3 "$here/leftovers.py" "$work/run.db" "$work/counts" >"$work/out" 2>&1 || fail "$what: $(cat "$work/out")"
		says "$what" "$problems" rings_taken
		says "$what" 'SELECT count(*) FROM lost_interval' 0
	done
done

# changes PYTHON: PYTHON changes the open file `f`; put(at, value, form) writes numbers.
changes() {
	cp --sparse=always "$work/file" "$file"
	chmod 600 "$file"
	python3 -c 'import os, struct, sys
f = open(sys.argv[1], "r+b")
def get(at, form="Q"):
    f.seek(at); return struct.unpack(form, f.read(struct.calcsize(form)))[0]
def put(at, value, form="Q"):
    f.seek(at); f.write(struct.pack(form, value))
page = 4096
bytes = get(24)
rings = [page + i * bytes for i in range(get(36, "I"))]
busy = max(rings, key=lambda at: get(at) - get(at + 64))
exec(sys.argv[2])' "$file" "$1"
}

# All that is left of a ring has one time, and is more than one batch holds: it stays in its order.
for attempt in $(seq 50); do
	kills 300 after 32768
	file=$(echo "$shm$pid"-*)
	mv "$file" "$work/file"
	! changes 'slots = [busy + page + (at & get(busy + 128)) * 24 for at in range(get(busy + 64), get(busy))]
if len(slots) < 2000: sys.exit(1)
times = [at for at in slots if get(at + 8) >> 56 < 3]
for at in times: put(at, get(times[-1]))' || break
done
[ "$attempt" -lt 50 ] || fail 'no ring had two batches left'
loads 'one time'
says 'one time' "$problems" rings_taken
python3 "$here/leftovers.py" "$work/run.db" "$work/counts" >"$work/out" 2>&1 || fail "one time: $(cat "$work/out")"
rm "$file"

# The same without its file and with damaged ones.
loads 'no file'
says 'no file' "$problems" not_emitted
# Of a process that stood still for 5 s, the loader has taken more than its last horizon covers.
says 'no file' "SELECT cause IN ('not_emitted', 'missing_batches') FROM lost_interval" 1
rows=$(sqlite3 "$work/run.db" 'SELECT count(*) FROM block_event')

# refused WHAT SENTENCE
refused() {
	loads "$1"
	says "$1" "$problems" not_emitted,rings_not_taken
	says "$1" "SELECT substr(sentence, instr(sentence, ''': ') + 3) FROM load_problem WHERE name = 'rings_not_taken'" "$2"
	says "$1" 'SELECT count(*) FROM block_event' "$rows"
}

# damages WHAT SENTENCE PYTHON
damages() {
	changes "$3" || fail "$1: it cannot be damaged"
	if [ -n "$2" ]; then
		refused "$1" "$2"
	else
		loads "$1"
		says "$1" "$problems" not_emitted
	fi
	rm -rf "$file"
}
[ "$(id -u)" != 0 ] || ln -s "$work/file" "$file" && refused 'a link' 'this user may not read it' && rm "$file"
mkfifo -m 600 "$file" && refused 'a pipe' 'it is no regular file'
rm "$file"
damages 'not one of ours' 'it is no file of rings' 'put(0, 7)'
damages 'another version' 'it is of another version of Carrierscope' 'put(8, 2, "I")'
damages 'another number' 'it is of another process' 'put(12, 1, "I")'
damages 'of others' 'others may have written it' 'os.chmod(sys.argv[1], 0o644)'
damages 'empty' 'it is damaged' 'f.truncate(0)'
damages 'cut' 'it is damaged' 'f.truncate(page + bytes)'
damages 'slots' 'it is damaged' 'put(16, 3)'
damages 'many slots' 'it is damaged' 'put(16, 1 << 40)'
damages 'ring bytes' 'it is damaged' 'put(24, 1 << 60)'
damages 'many rings' 'the process had more threads than rings' 'put(36, 1 << 30, "I")'
damages 'no ticks' 'it is damaged' 'put(96, 0)'
damages 'lost' 'threads without a ring lost block events' 'put(56, 5)'
damages 'closed' '' 'put(32, 0, "I")'
damages 'head' 'it is damaged' 'put(busy, 1 << 62)'
damages 'mask' 'it is damaged' 'put(busy + 128, (1 << 40) - 1)'
damages 'not there' '/dev/shm had no room for all rings' 'put(44, 1, "I")'
damages 'another process' 'it is of another process of that number' '[put(at + 160 + i * 48 + 24, 1) for at in rings for i in range(64)]'
damages 'another time' 'it is of another process of that number' '[put(at + 160 + i * 48 + 16, 1) for at in rings for i in range(64)]'
damages 'no marks' 'batches before what is in it are not in the trace' '[put(at + 160 + i * 48, 0) for at in rings for i in range(64)]'
damages 'overwritten' 'what follows the trace is overwritten' 'put(busy + 72, get(busy))'
damages 'a slot' 'it is damaged' 'put(busy + page + ((get(busy) - 1) & get(busy + 128)) * 24 + 8, 0xff << 56)'
damages 'a time' 'it is damaged' 'put(busy + page + ((get(busy) - 1) & get(busy + 128)) * 24, 1 << 63)'
damages 'later' 'the trace ends before the process did' 'put(48, get(48) + 10**10)'
# Whatever is in it, the load ends, and says which of both it did.
for seed in $(seq 1 "${CSC_FILES:-12}"); do
	cp --sparse=always "$work/file" "$file"
	python3 -c 'import random, sys
random.seed(int(sys.argv[2])); f = open(sys.argv[1], "r+b")
for _ in range(random.choice([1, 3, 30])):
    f.seek(random.choice([0, 4096, 794624, 1585152]) + random.randrange(random.choice([160, 4096]))); f.write(bytes([random.randrange(256)]))' \
		"$file" "$seed"
	loads "seed $seed"
	says "seed $seed" "SELECT count(*) > 0 FROM load_problem WHERE name IN ('rings_taken', 'not_emitted')" 1
	rm "$file"
done

# Rings of 64 slots: what has no room is counted.
kills 200 after 64
loads 'small rings'
says 'small rings' "SELECT count(*) FROM load_problem WHERE name = 'rings_taken'" 1
dropped=$(sqlite3 "$work/run.db" "SELECT ifnull(sum(events), 0) FROM lost_interval WHERE cause = 'dropped_records'")
loaded=$(sqlite3 "$work/run.db" "SELECT sum(events) FROM event_count WHERE event LIKE 'block_%' AND event <> 'block_batch'")
written=$(python3 -c 'import struct, sys; print(sum(struct.unpack("4Q", open(sys.argv[1], "rb").read(32))))' "$work/counts")
[ $((loaded + dropped - written)) -ge 0 ] && [ $((loaded + dropped - written)) -le 3 ] ||
	fail "small rings: $written written, $loaded loaded, $dropped dropped"

# A container without /dev/shm in memory, and with one that is full: private memory, as said.
if unshare -m true 2>/dev/null; then
	kills 100 after 32768 unshare -m sh -c 'mount -t ramfs none /dev/shm && exec "$@"' sh
	grep -q 'lost if the node is killed: there is no /dev/shm in memory' "$work/said" || fail "without /dev/shm: $(cat "$work/said")"
	loads 'without /dev/shm'
	says 'without /dev/shm' "$problems" not_emitted
	# Full from the beginning, and when rings grow.
	for size in 64k 1m; do
		rm -rf "$work/shm"
		mkdir "$work/shm"
		kills 300 after 32768 unshare -m sh -c 'mount -t tmpfs -o size=$1 none /dev/shm && shift && "$@"; status=$?; cp --sparse=always /dev/shm/carrierscope-rings-* "$0/shm"; exit $status' "$work" $size
		left=$(basename "$work"/shm/*)
		file=/dev/shm/$left
		pid=${left#carrierscope-rings-}
		pid=${pid%-*}
		cp --sparse=always "$work/shm/$left" "$file"
		loads "a full /dev/shm of $size"
		says "a full /dev/shm of $size" "$problems" not_emitted,rings_not_taken
		says "a full /dev/shm of $size" "SELECT count(*) FROM load_problem WHERE sentence LIKE '%: /dev/shm had no room for all rings'" 1
	done
fi
ends
