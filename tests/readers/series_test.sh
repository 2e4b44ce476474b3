#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# series_test.sh BUILD_DIR: several readings of a node show its growth, or that there is none.
. "$(dirname "$0")/../harness/main.sh"
build=$1
. "$here/../verdict/evidence.sh"

needs erl erlc sqlite3
unset ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ERL_LIBS
erlc -o "$work" "$here/series.erl" || exit 1

# load NAME INPUT...: $work/NAME.db, with what is judged in it.
load() {
	local name=$1
	shift
	"$build/carrierscope" load --quiet -o "$work/$name.db" "$@" || exit 1
}

# judged WHAT DATABASE EXPECTED: the verdicts on its readings, in their order.
judged() {
	local got
	got=$(sqlite3 -readonly "$2" "SELECT group_concat(verdict || ifnull(' ' || allocator, ''), ', ')
		FROM (SELECT * FROM verdict WHERE level = 'runtime' ORDER BY snapshot_id)")
	[[ $got == "$3" ]] || fail "$1: '$got' instead of '$3'"
}

# is WHAT DATABASE EXPECTED: the same, and the evidence of what was found.
is() {
	local wrong
	judged "$@"
	wrong=$(evidence_missing "$2")
	[[ -z $wrong ]] || fail "$1: evidence of $wrong"
}

normal='normal, normal, normal, normal, normal'
for kind in leak stable plateau; do
	mkdir "$work/$kind"
	# Without the pool, where a process that moves to the other scheduler leaves carriers.
	erl +S 1 +MBacul 0 -noinput -pa "$work" -eval "series:snapshots($kind, \"$work/$kind\"), halt()." || exit 1
done
load leak "$work"/leak/*.terms
is 'snapshots of a leak' "$work/leak.db" "$normal, leak binary_alloc"
# The same, one after the other.
for n in 1 2 3 4 5 6; do
	"$build/carrierscope" load --quiet --append -o "$work/appended.db" "$work/leak/$n.terms" || exit 1
done
is 'the same, appended' "$work/appended.db" "$normal, leak binary_alloc"
for kind in stable plateau; do
	load "$kind" "$work/$kind"/*.terms
	is "snapshots of a $kind" "$work/$kind.db" "$normal, normal"
done

# Dumps of a node that held more each time it died.  A dump has seconds: each has its own.
for n in 1 2 3 4 5; do
	ERL_CRASH_DUMP_SECONDS=60 ERL_CRASH_DUMP="$work/dump-$n" erl +S 1 +MBacul 0 -noinput -pa "$work" \
		-eval "series:dump($n, \"$work/dump-$n\")." >/dev/null 2>&1
	sed -i "2s/:[0-9][0-9] \([0-9]*\)$/:0$n \1/" "$work/dump-$n"
	sed "2s/:[0-9][0-9] \([0-9]*\)$/:1$n \1/" "$work/dump-1" >"$work/steady-$n"
done
load dying "$work"/dump-?
is 'dumps of a leak' "$work/dying.db" 'normal, normal, normal, normal, leak binary_alloc'
load steady "$work"/steady-?
is 'dumps of one load' "$work/steady.db" "$normal"

# The same of nodes that had names: five of one name are one node, five names are five.
for n in 1 2 3 4 5; do
	# Broken off behind the allocators: whether there was a name is not known.
	sed '/^=node:/,$d' "$work/dump-$n" >"$work/nameless-$n"
	{ cat "$work/nameless-$n" && printf "=node:'app@host'\n=end\n"; } >"$work/one-$n"
	{ cat "$work/nameless-$n" && printf "=node:'app%s@host'\n=end\n" "$n"; } >"$work/several-$n"
done
load one "$work"/one-?
judged 'dumps of a leak, of one name' "$work/one.db" 'normal, normal, normal, normal, leak binary_alloc'
load several "$work"/several-?
judged 'dumps of five nodes' "$work/several.db" "$normal"
load nameless "$work"/nameless-?
judged 'dumps without a name' "$work/nameless.db" 'normal, normal, normal, normal, leak binary_alloc'
load among "$work"/nameless-? "$work"/several-[12]
judged 'the same among dumps of two nodes' "$work/among.db" "$normal, normal, normal"

# owner WHAT DATABASE EXPECTED: whether it is known or assumed that the readings are of one node.
owner() {
	local got
	got=$(sqlite3 -readonly "$2" "SELECT confidence || ': ' || iif(sentence LIKE '%are assumed to be of one node%', 'assumed', 'known')
		FROM finding WHERE rule = 'LEAK-01'")
	[[ $got == "$3" ]] || fail "$1: '$got' instead of '$3'"
}
owner 'one name' "$work/one.db" 'exact: known'
owner 'nodes without a name' "$work/dying.db" 'estimate: assumed'
owner 'names that are not known' "$work/nameless.db" 'estimate: assumed'
owner 'snapshots' "$work/leak.db" 'estimate: assumed'

# Snapshots of which each is of a node of its own: their counts of calls say so.
mkdir "$work/nodes"
for n in 1 2 3 4 5; do
	# Each next one lived shorter, and holds more all the same.
	sed -E "s/[{]binary_alloc,0,[0-9]+[}]/{binary_alloc,0,$((90 - n))}/" "$work/leak/$n.terms" >"$work/nodes/$n.terms"
done
load nodes "$work"/nodes/*.terms
judged 'snapshots of five nodes' "$work/nodes.db" "$normal"

# How a node with a name writes it.
ERL_CRASH_DUMP_SECONDS=60 ERL_CRASH_DUMP="$work/named" HOME=$work erl -sname carrierscope_series -start_epmd false \
	-dist_listen false -setcookie series -noinput -eval 'erlang:halt("named").' >/dev/null 2>&1
load named "$work/named"
name=$(sqlite3 -readonly "$work/named.db" "SELECT value FROM node_fact WHERE key = 'node_name'")
[[ $name == carrierscope_series@* ]] || fail "a node with a name: '$name'"
ends
