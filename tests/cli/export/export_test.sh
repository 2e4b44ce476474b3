#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# export_test.sh CARRIERSCOPE DATA TRACE DUMP: what exports to text hold is what other views have; what
# cannot be exported is refused in one line.
. "$(dirname "$0")/../../harness/main.sh"
. "$here/databases.sh"

# refused STATUS TEXT ARGUMENT...: one line on stderr, nothing on stdout, no file left.
refused() {
  local status=$1 text=$2
  shift 2
  "$program" export "$@" >"$work/out" 2>"$work/err"
  same "exit status of export $*" "$status" "$?"
  same "lines of export $*" 1 "$(wc -l <"$work/err")"
  grep -qF -- "$text" "$work/err" || fail "export $*: no '$text'"
  [[ ! -s $work/out && ! -e $work/none ]] || fail "export $* writes something"
}

refused 2 "needs --to" "$work/exact.db"
refused 2 "needs a FILE" --to pprof
refused 2 "too many arguments" --to pprof "$work/exact.db" "$work/dump.db"
refused 2 "unknown format 'xml'; use pprof, folded" --to xml "$work/exact.db"
refused 2 "'noon' is not a time for --at" --to pprof --at noon "$work/exact.db"
refused 2 "--at goes with" --to csv --at +1 "$work/exact.db"
refused 2 "invalid value 'rss' for --value" --to folded --value rss "$work/exact.db"
refused 2 "--value goes with" --to pprof --value alloc_space "$work/exact.db"
refused 2 "--code goes with" --to csv --code "$work/exact.db"
refused 1 "does not show which functions made blocks: record samples" --to pprof --code -o "$work/none" "$work/exact.db"
refused 2 "--instances goes with" --to perfetto --instances "$work/exact.db"
refused 1 "cannot open" --to pprof -o "$work/none" "$work/missing.db"
refused 1 "does not show what blocks hold: record blocks" --to pprof -o "$work/none" "$work/carriers.db"
# No zeroes for what a dump does not have.
refused 1 "no block that was allocated by this time" --to pprof --at 1 -o "$work/none" "$work/exact.db"
refused 1 "alloc_space is unknown for" --to folded --value alloc_space -o "$work/none" "$work/dump.db"
echo "+P 4096" >"$work/vm.args" && "$program" load -q -o "$work/args.db" "$work/vm.args" 2>"$work/err"
refused 1 "has no figures of allocators" --to csv -o "$work/none" "$work/args.db"
refused 1 "has no figures of allocators at a known time" --to perfetto -o "$work/none" "$work/args.db"
echo kept >"$work/kept"
refused 1 "it exists; use --force" --to folded -o "$work/kept" "$work/exact.db"
same "a file that exists" kept "$(cat "$work/kept")"
refused 1 "it is the database to read" --to folded -f -o "$work/exact.db" "$work/exact.db"
"$program" export --to folded -f -o "$work/kept" "$work/exact.db" && [[ $(head -c 4 "$work/kept") != kept ]] ||
  fail "--force does not replace"
"$program" export --help | grep -q 'Usage: carrierscope export' || fail "no help"

# folded_sum NAME VALUE [OPTION...]: the sum of its lines.
folded_sum() {
  "$program" export --to folded --value "$2" "${@:3}" "$work/$1.db" | awk '{ sum += $NF } END { printf "%d\n", sum }'
}

read -r -a expected <<<"$(sums exact)"
read -r -a drawn <<<"$(sample_sums sampled)"
at=0
for value in alloc_objects alloc_space inuse_objects inuse_space; do
  same "$value of all blocks" "${expected[at]}" "$(folded_sum exact $value)"
  same "$value of samples" "${drawn[at]}" "$(folded_sum sampled $value)"
  at=$((at + 1))
done
# By code what is live counts for the functions that made it, also where lists have others that hold it.
adds_stacks sampled
adds_stacks both
same "in use by code" "${drawn[3]}" "$(folded_sum code_of_sampled inuse_space --code)"
"$program" export --to folded --code "$work/code_of_sampled.db" >"$work/folded"
same "in use by code of the node that has samples" "${drawn[3]}" "$(folded_sum code_of_both inuse_space --code)"
refused 1 "no block that was allocated by this time" --to pprof --code --at 1 -o "$work/none" "$work/code_of_sampled.db"
same "in use by a stack" "$(query code_of_sampled "SELECT CAST(total(live_bytes) AS INTEGER) FROM code_memory WHERE stack = 5")" \
  "$(awk '/;shop:serve\/1;shop:put\/1 / { sum += $NF } END { printf "%d\n", sum }' "$work/folded")"
grep -q ';no stack was read [0-9]' "$work/folded" || fail "what has no stack is not in it: $(head -3 "$work/folded")"
same "two nodes" $((expected[3] + drawn[3])) "$(folded_sum both inuse_space)"
same "the frames of a node" "$(query both "SELECT count(DISTINCT node) FROM export_stack WHERE evidence <> 'reading'")" \
  "$("$program" export --to folded --value alloc_space "$work/both.db" | cut -d ';' -f 1 | sort -u | wc -l)"
same "a process is a frame" "$(query exact "SELECT sum(live_bytes) FROM block_process_at WHERE pid = '<0.77.0>'")" \
  "$("$program" export --to folded "$work/exact.db" | awk -F '[; ]' '$3 == "<0.77.0>" { sum += $NF } END { print sum }')"
none "stacks in two lines" "$("$program" export --to folded "$work/exact.db" | sed 's/ [0-9]*$//' | sort | uniq -d)"

# A moment in the middle, by another way: rows of block_event up to it, and keyframes.
moment=$(query exact "SELECT ts_ns FROM block_event ORDER BY id LIMIT 1 OFFSET 250")
same "allocated by a moment" "$(query exact "SELECT sum(size) FROM block_event
  WHERE ts_ns <= $moment AND op <> 1 AND address <> 0")" "$(folded_sum exact alloc_space --at "$moment")"
"$program" report --at "$moment" --format=json block_size_at "$work/exact.db" >"$work/at.json"
then=$(sqlite3 :memory: "SELECT sum(value ->> 'live_bytes') FROM json_each(readfile('$work/at.json'))")
same "in use at a moment" "$then" "$(folded_sum exact inuse_space --at "$moment")"
[[ $then != "${expected[3]}" ]] || fail "nothing was freed or allocated after the moment"
moment=$(query sampled "SELECT ts_ns FROM sample_free ORDER BY id LIMIT 1 OFFSET 5")
same "samples in use at a moment" "$(query sampled "WITH stack AS (SELECT round(total(weight * size)) AS d FROM sample_block
  WHERE since_ns <= $moment AND ifnull(freed_ns > $moment, 1) GROUP BY runtime_id, allocator, instance, type)
  SELECT format('%d', sum(d)) FROM stack")" "$(folded_sum sampled inuse_space --at "$moment")"

# A dump: what its allocators have, with heaps of processes apart.
same "in use in a dump" "$(query dump "SELECT sum(used) FROM allocator_reading")" "$(folded_sum dump inuse_space)"
cp "$work/dump.db" "$work/heaps.db"
query heaps "INSERT INTO process_sample (snapshot_id, line, pid, name, heap_words, old_heap_words, heap_fragments,
  heap_fragment_words) SELECT id, 1, '<0.5.0>', 'kernel', 100, 10, 2, 7 FROM snapshot"
same "heaps of a dump" "eheap_alloc;heap;kernel 800 eheap_alloc;heap_frag;kernel 56 eheap_alloc;old_heap;kernel 80" \
  "$("$program" export --to folded "$work/heaps.db" | grep kernel | tr '\n' ' ' | sed 's/ $//')"
same "the rest of eheap_alloc" "$(folded_sum dump inuse_space)" "$(folded_sum heaps inuse_space)"
same "blocks of a dump" "$(query dump "SELECT sum(mbc_blocks + sbc_blocks + pool_blocks) FROM instance_reading")" \
  "$(folded_sum heaps inuse_objects)"
# Heaps that are more than their allocator has: processes are left out.
query heaps "UPDATE process_sample SET heap_words = 1000000000"
same "heaps that cannot be" "$(folded_sum dump inuse_space)" "$(folded_sum heaps inuse_space)"
# Of several readings of one node the last counts, not their sum.
"$program" load -q --append -o "$work/heaps.db" "$dump" 2>"$work/err"
same "two readings of a node" "$(folded_sum dump inuse_space)" "$(folded_sum heaps inuse_space)"

# Names are data: a semicolon would be another frame, a line feed another stack.
same "hostile names" "$(folded_sum exact inuse_space)" "$(folded_sum hostile inuse_space)"
"$program" export --to folded "$work/hostile.db" | grep -qaF 'f,g, "h" i;a,b "c", d\x0a\xff\x1b\u{202e}<e>' ||
  fail "a hostile name in folded stacks"
! "$program" export --to folded "$work/hostile.db" | grep -qavE '^[^;]+(;[^;]+){0,2} [0-9]+$' || fail "a folded line"

# CSV, as another program imports it: the rows of the views, and empty where nothing was recorded.
imported() {
  sqlite3 -separator ' ' :memory: ".import --csv $work/$1 t" "$2"
}
export_to csv carriers
same "lines of CSV end in CRLF" "$(wc -l <"$work/carriers.csv")" "$(grep -c $'\r$' "$work/carriers.csv")"
same "the header" "time_ns,node,os_pid,allocator,instance,carriers_bytes,blocks_bytes,mbc_carriers_bytes,mbc_blocks_bytes,\
sbc_carriers_bytes,sbc_blocks_bytes,live_blocks,live_bytes,evidence" "$(head -n 1 "$work/carriers.csv" | tr -d '\r')"
same "levels of carriers" "$(query carriers "SELECT count(*), sum(carriers_bytes), sum(blocks_bytes) FROM utilisation_allocator")" \
  "$(imported carriers.csv "SELECT count(*), sum(carriers_bytes), sum(blocks_bytes) FROM t WHERE instance = '' AND live_bytes = ''")"
export_to csv carriers --instances
same "levels of instances" "$(query carriers "SELECT count(*), sum(carriers_bytes) FROM utilisation_instance")" \
  "$(imported carriers.csv "SELECT count(*), sum(carriers_bytes) FROM t WHERE instance <> ''")"
export_to csv exact
same "the last level of blocks" "${expected[3]}" "$(imported exact.csv "SELECT sum(live_bytes) FROM (SELECT live_bytes, max(time_ns + 0)
  FROM t WHERE evidence = 'blocks' GROUP BY allocator)")"
export_to csv sampled
same "the last level of samples" 1 "$(imported sampled.csv "SELECT abs(sum(live_bytes) - ${drawn[3]}) < 10 FROM (SELECT live_bytes,
  max(time_ns + 0) FROM t WHERE evidence = 'samples' GROUP BY allocator)")"
export_to csv hostile
same "a hostile name in CSV" 1 "$(imported hostile.csv "SELECT count(DISTINCT allocator) FROM t WHERE allocator = 'f;g, \"h\" i'")"

ends
