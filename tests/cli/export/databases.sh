# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by the tests of exports, whose first arguments are $program, $data (recordings of a hooked node),
# $trace (carrier events alone) and $dump; makes in $work:
#
#   exact.db     all blocks of a node, two readings of it, and a process that made the last of the blocks
#   sampled.db   a sample of its blocks
#   both.db      both nodes
#   carriers.db  carriers, no blocks
#   dump.db      a crash dump
#   hostile.db   exact.db with names that mean something in some format
data=$2
trace=$3
dump=$4
tests_program "$1"

query() {
  sqlite3 -separator ' ' "$work/$1.db" "$2"
}

# export_to FORMAT NAME [OPTION...]: $work/NAME.FORMAT
export_to() {
  "$program" export --to "$1" -f -o "$work/$2.$1" "${@:3}" "$work/$2.db" 2>"$work/err" ||
    fail "$2 as $1: exit status $?"
}

# same WHAT EXPECTED GOT
same() {
  [[ $2 == "$3" && -n $2 ]] || fail "$1: expected '$2', got '$3'"
}

# none WHAT TEXT: the text is empty.
none() {
  [[ -z $2 ]] || fail "$1: $2"
}

# sums NAME: what the blocks of the database are, by other views: alloc and in-use blocks and bytes.
sums() {
  query "$1" "SELECT (SELECT sum(made) FROM block_use WHERE scope = 'runtime'),
    (SELECT sum(made_bytes) FROM block_use WHERE scope = 'runtime'), count(*), sum(size) FROM block_live"
}

# sample_sums NAME: the same of samples; each stack is rounded.
sample_sums() {
  query "$1" "WITH stack AS (SELECT round(total(weight)) AS a, round(total(weight * size)) AS b,
      round(total(iif(freed_ns IS NULL, weight, 0))) AS c,
      round(total(iif(freed_ns IS NULL, weight * size, 0))) AS d
    FROM sample_block GROUP BY runtime_id, allocator, instance, type)
    SELECT format('%d %d %d %d', sum(a), sum(b), sum(c), sum(d)) FROM stack"
}

# adds_stacks NAME: code_of_NAME.db, where half the samples have a stack.
adds_stacks() {
  cp "$work/$1.db" "$work/code_of_$1.db"
  sqlite3 "$work/code_of_$1.db" ".read $here/stacks.sql" || fail "stacks for $1"
}

for name in all sampled; do
  mkdir "$work/$name" && tar xzf "$data/$name.tar.gz" -C "$work/$name" || exit 1
done
"$program" load -q -o "$work/exact.db" "$work/all" || exit 1
"$program" load -q -o "$work/sampled.db" "$work/sampled" || exit 1
"$program" load -q -o "$work/both.db" "$work/all" && "$program" load -q --append -o "$work/both.db" "$work/sampled" || exit 1
"$program" load -q -o "$work/carriers.db" "$trace" || exit 1
"$program" load -q -o "$work/dump.db" "$dump" || exit 1
query exact "DELETE FROM judgement; INSERT OR REPLACE INTO block_process
  SELECT thread_id, max(id) - 100, '<0.77.0>' FROM block_event GROUP BY thread_id"
cp "$work/exact.db" "$work/hostile.db"
query hostile "UPDATE name_type SET name = 'a;b \"c\", d' || char(10) || CAST(x'ff1b' AS TEXT) || char(8238) || '<e>'
  WHERE name = 'binary'; UPDATE name_allocator SET name = 'f;g, \"h\" i' WHERE name = 'binary_alloc'; DELETE FROM judgement"
