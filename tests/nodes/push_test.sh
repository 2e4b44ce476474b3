#!/bin/sh
# SPDX-License-Identifier: MIT
# push_test.sh CARRIERSCOPE SUITE: readings of a node of another Debian suite, which has nothing of ours.
. "$(dirname "$0")/../harness/main.sh"
tests_program "$1"
suite=$2
needs sqlite3
folder=$(sh "$(dirname "$0")/fetch.sh" "$suite" amd64) || {
	echo "$folder"
	exit 77
}
names_nodes
cleanup() {
	[ -z "$other_pid" ] || kill -9 "$other_pid" 2>/dev/null
	ends_node
}
other_pid=
# Its epmd, and what asks it.
starts_node 'register(keeper, self()), receive stop -> ok end.'
own=$node_pid
node=other$$
"$folder/erl" -noinput -sname "$node" -start_epmd false -eval '
	spawn(fun() -> register(keeper, self()),
		F = fun(G, L) -> receive after 10 -> G(G, [binary:copy(<<"a">>, 20000) | L]) end end, F(F, []) end).' >"$work/other.log" 2>&1 &
other_pid=$!
waits node_is_ready || fail "no node of $suite: $(cat "$work/other.log")"
kill -9 "$own" 2>/dev/null
is_clean() { [ "$(asked '{erlang:module_loaded(carrierscope_pushed), [N || N <- registered(), lists:prefix("carrierscope", atom_to_list(N))]}')" = '{ok, {false, []}}' ]; }

for times in 1 2; do
	atoms=$(asked 'erlang:system_info(atom_count)' | tr -dc 0-9)
	# Again where a busy machine hides the growth of 6 s.
	for seconds in 6 12 24 48 96; do
		"$program" record -f -o "$work/run.db" "$node" --readings --seconds $seconds >"$work/out" 2>"$work/err" ||
			fail "$suite is not read: $(cat "$work/err")"
		! grep -q '^LEAK: <[0-9.]*> keeper gains' "$work/out" || [ "$(sqlite3 "$work/run.db" 'SELECT count(*) > 5 FROM snapshot_end')" != 1 ] || break
	done
	grep -q '^LEAK: <[0-9.]*> keeper gains' "$work/out" || fail "$suite: $(head -n 5 "$work/out")"
	waits is_clean || fail "$suite: something is left"
done
[ "$(asked 'erlang:system_info(atom_count)' | tr -dc 0-9)" -le $((atoms + 16)) ] || fail "$suite: each time atoms are left"
[ "$(sqlite3 "$work/run.db" "SELECT count(*) > 5, sum(figures) > 1000 FROM snapshot_end")" = '1|1' ] || fail "$suite: readings are missing"
[ "$(sqlite3 "$work/run.db" "SELECT count(DISTINCT value) FROM runtime_fact WHERE key IN ('otp_release', 'pushed_module')")" = 2 ] ||
	fail "$suite: neither its release nor what was pushed is known"
! [ -s "$work/other.log" ] || fail "$suite logs: $(cat "$work/other.log")"
ends
