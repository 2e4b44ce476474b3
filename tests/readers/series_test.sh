#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# series_test.sh BUILD_DIR: several readings of a node show its growth, or that there is none.
set -u
build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
# shellcheck source=tests/verdict/evidence.sh
. "$here/../verdict/evidence.sh"

for tool in erl erlc sqlite3; do
	command -v $tool >/dev/null || {
		echo "SKIPPED: there is no $tool here"
		exit 77
	}
done
unset ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ERL_LIBS
erlc -o "$work" "$here/series.erl" || exit 1

# judged WHAT DATABASE EXPECTED: the verdicts on its readings, in their order.
judged() {
	local got
	got=$(sqlite3 -readonly "$2" "SELECT group_concat(verdict || ifnull(' ' || allocator, ''), ', ')
		FROM (SELECT * FROM verdict WHERE level = 'runtime' ORDER BY snapshot_id)")
	[[ $got == "$3" ]] || {
		echo "FAILED: $1: '$got' instead of '$3'"
		failures=$((failures + 1))
	}
}

# is WHAT DATABASE EXPECTED: the same, and the evidence of what was found.
is() {
	local wrong
	judged "$@"
	wrong=$(evidence_missing "$2")
	[[ -z $wrong ]] || {
		echo "FAILED: $1: evidence of $wrong"
		failures=$((failures + 1))
	}
}

normal='normal, normal, normal, normal, normal'
for kind in leak stable plateau; do
	mkdir "$work/$kind"
	# Without the pool, where a process that moves to the other scheduler leaves carriers.
	erl +S 1 +MBacul 0 -noinput -pa "$work" -eval "series:snapshots($kind, \"$work/$kind\"), halt()." || exit 1
done
"$build/carrierscope" load --quiet -o "$work/leak.db" "$work"/leak/*.terms || exit 1
is 'snapshots of a leak' "$work/leak.db" "$normal, leak binary_alloc"
# The same, one after the other.
for n in 1 2 3 4 5 6; do
	"$build/carrierscope" load --quiet --append -o "$work/appended.db" "$work/leak/$n.terms" || exit 1
done
is 'the same, appended' "$work/appended.db" "$normal, leak binary_alloc"
for kind in stable plateau; do
	"$build/carrierscope" load --quiet -o "$work/$kind.db" "$work/$kind"/*.terms || exit 1
	is "snapshots of a $kind" "$work/$kind.db" "$normal, normal"
done

# Dumps of a node that held more each time it died.  A dump tells seconds: each has its own.
for n in 1 2 3 4 5; do
	ERL_CRASH_DUMP_SECONDS=60 ERL_CRASH_DUMP="$work/dump-$n" erl +S 1 +MBacul 0 -noinput -pa "$work" \
		-eval "series:dump($n, \"$work/dump-$n\")." >/dev/null 2>&1
	sed -i "2s/:[0-9][0-9] \([0-9]*\)$/:0$n \1/" "$work/dump-$n"
	sed "2s/:[0-9][0-9] \([0-9]*\)$/:1$n \1/" "$work/dump-1" >"$work/steady-$n"
done
"$build/carrierscope" load --quiet -o "$work/dying.db" "$work"/dump-? || exit 1
is 'dumps of a leak' "$work/dying.db" 'normal, normal, normal, normal, leak binary_alloc'
"$build/carrierscope" load --quiet -o "$work/steady.db" "$work"/steady-? || exit 1
is 'dumps of one load' "$work/steady.db" "$normal"

# The same of nodes that had names: five of one name are one node, five names are five.
for n in 1 2 3 4 5; do
	# Broken off behind the allocators: whether there was a name is not told.
	sed '/^=node:/,$d' "$work/dump-$n" >"$work/untold-$n"
	{ cat "$work/untold-$n" && printf "=node:'app@host'\n=end\n"; } >"$work/one-$n"
	{ cat "$work/untold-$n" && printf "=node:'app%s@host'\n=end\n" "$n"; } >"$work/several-$n"
done
"$build/carrierscope" load --quiet -o "$work/one.db" "$work"/one-? || exit 1
judged 'dumps of a leak, of one name' "$work/one.db" 'normal, normal, normal, normal, leak binary_alloc'
"$build/carrierscope" load --quiet -o "$work/several.db" "$work"/several-? || exit 1
judged 'dumps of five nodes' "$work/several.db" "$normal"
"$build/carrierscope" load --quiet -o "$work/untold.db" "$work"/untold-? || exit 1
judged 'dumps that tell no name' "$work/untold.db" 'normal, normal, normal, normal, leak binary_alloc'
"$build/carrierscope" load --quiet -o "$work/among.db" "$work"/untold-? "$work"/several-[12] || exit 1
judged 'the same among dumps of two nodes' "$work/among.db" "$normal, normal, normal"

# told WHAT DATABASE EXPECTED: what the finding says of whose the readings are.
told() {
	local got
	got=$(sqlite3 -readonly "$2" "SELECT confidence || ': ' || iif(sentence LIKE '%is assumed%', 'assumed', 'told')
		FROM finding WHERE rule = 'LEAK-01'")
	[[ $got == "$3" ]] || {
		echo "FAILED: $1: '$got' instead of '$3'"
		failures=$((failures + 1))
	}
}
told 'one name' "$work/one.db" 'exact: told'
told 'nodes without a name' "$work/dying.db" 'estimate: assumed'
told 'names that are not told' "$work/untold.db" 'estimate: assumed'
told 'snapshots' "$work/leak.db" 'estimate: assumed'

# Snapshots of which each is of a node of its own: their counts of calls say so.
mkdir "$work/nodes"
for n in 1 2 3 4 5; do
	# Each next one lived shorter, and holds more all the same.
	sed -E "s/[{]binary_alloc,0,[0-9]+[}]/{binary_alloc,0,$((90 - n))}/" "$work/leak/$n.terms" >"$work/nodes/$n.terms"
done
"$build/carrierscope" load --quiet -o "$work/nodes.db" "$work"/nodes/*.terms || exit 1
judged 'snapshots of five nodes' "$work/nodes.db" "$normal"

# How a node with a name tells it.
ERL_CRASH_DUMP_SECONDS=60 ERL_CRASH_DUMP="$work/named" HOME=$work erl -sname carrierscope_series -start_epmd false \
	-dist_listen false -setcookie series -noinput -eval 'erlang:halt("named").' >/dev/null 2>&1
"$build/carrierscope" load --quiet -o "$work/named.db" "$work/named" || exit 1
name=$(sqlite3 -readonly "$work/named.db" "SELECT value FROM node_fact WHERE key = 'node_name'")
[[ $name == carrierscope_series@* ]] || {
	echo "FAILED: a node with a name: '$name'"
	failures=$((failures + 1))
}
((failures == 0))
