#!/bin/sh
# SPDX-License-Identifier: MIT
# attached.sh ERL EBIN BEAMS PLUGIN_DIR: a node that runs under load and knows nothing of us is
# hooked from outside, over -remsh and by erl_call.
. "$(dirname "$0")/../harness/main.sh"
. "$here/common.sh"
needs epmd erl_call script
getent hosts "$(uname -n)" >/dev/null ||
	skip "this machine cannot look up its own name, without which erl_call crashes"

# Names are looked up by an epmd of the test's own, at a port of its own.
ERL_EPMD_PORT=$(free_ports 1)
ERL_EPMD_ADDRESS=127.0.0.1
export ERL_EPMD_PORT ERL_EPMD_ADDRESS
epmd >"$work/epmd.log" 2>&1 &
epmd=$!
cleanup() {
	kill $epmd 2>/dev/null
	finish
}
cookie="-setcookie attached$$"
name=attached$$@127.0.0.1

# waits_for WHAT COMMAND...: some minutes at most.
waits_for() {
	what=$1
	shift
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 4000 ] || { fail "$what: $(cat "$work/out" "$work/epmd.log")"; ends; }
		sleep 0.1
	done
}

# calls EXPECTED MODULE FUNCTION ARGUMENTS: by erl_call; EXPECTED is how the answer begins.
calls() {
	expected=$1
	shift
	answer=$(erl_call -name "$name" -c "attached$$" -timeout 400 -a "$*" 2>&1)
	case $answer in
	"$expected"*) ;;
	*) fail "erl_call -a '$*' answers $answer" ;;
	esac
}

waits_for 'epmd does not start' epmd -names
records all
# shellcheck disable=SC2086
"$erl" -noinput -boot start_clean -name "$name" $cookie -pa "$beams" \
	-eval 'beam_load:start(11), io:format("ready~n").' >"$work/out" 2>&1 &
node=$!
waits_for 'the node does not start' grep -q ready "$work/out"

# shows TEXT: until the shell does, some minutes at most.
shows() {
	tries=0
	until grep -q -e "$1" "$work/shell" || [ $tries -gt 2000 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
}

# A shell on the node, as an operator types: without a terminal -remsh would stay at home.
{
	cat <<-END
		true = code:add_patha("$ebin").
		{ok, #{hooked := true}} = carrierscope:start().
		Recorded = fun(F) -> maps:get(allocs, carrierscope:info()) > 1000 orelse begin timer:sleep(50), F(F) end end.
		true = Recorded(Recorded).
		{ok, #{allocs := Allocs}} = carrierscope:stop().
		io:format("~p recorded ~p~n", [node(), Allocs > 1000]).
	END
	shows ' recorded true'
	# Leaves this shell, not the node.
	printf '\007'
	shows ' --> '
	printf 'q\n'
} | TERM=xterm timeout 400 script -qefc "'$erl' -name shell$$@127.0.0.1 -hidden $cookie -remsh $name" \
	/dev/null >"$work/shell" 2>&1
grep -q "'$name' recorded true" "$work/shell" || fail "over -remsh: $(cat "$work/shell")"

calls '{ok, #{' carrierscope start '[["sample=bytes:4096", "allocators=ets_alloc,binary_alloc"]]'
calls '{error, "the allocators are hooked already, by carrierscope:start in process <' carrierscope start '[["sample=bytes:4096"]]'
calls '{error, "option '\''sample'\'' is none, {bytes, N} or {count, N} with N from 2 to 1099511627776, not {bytes,1}"}' \
	carrierscope start '[["sample=bytes:1"]]'
calls ok beam_load fill '[]'
calls '{ok, #{' carrierscope stop
calls '{error, "nothing is hooked"}' carrierscope stop
kill $node
wait $node 2>/dev/null
node=

loads all
is all "SELECT group_concat(sample_by) FROM (SELECT sample_by FROM hook_begin ORDER BY id)" 0,1
is all "SELECT count(*) FROM hook_end" 2
is all "SELECT DISTINCT value FROM runtime_fact WHERE key = 'node_name'" "$name"
is all "SELECT count(*) > 1000 FROM block_event" 1
is all "SELECT count(*) > 10 FROM $sampled_blocks" 1
is all "SELECT group_concat(name) FROM (SELECT DISTINCT n.name FROM $sampled_blocks AS s
	JOIN allocator_name AS n USING (allocator_id) ORDER BY 1)" binary_alloc,ets_alloc
ends
