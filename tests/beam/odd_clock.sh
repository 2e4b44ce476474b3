#!/bin/sh
# SPDX-License-Identifier: MIT
# odd_clock.sh ERL EBIN BEAMS PLUGIN_DIR LIBRARY: a node whose time of day is set an hour back or forward while it is hooked lets go
# when its recorder has not asked for the time of its lease, and a session that comes then is told all.
. "$(dirname "$0")/../harness/main.sh"
. "$here/common.sh"
library=$5
ODD_CLOCK=$work/clock
export ODD_CLOCK

# sets HOURS: as the library reads it; the file is mapped, so it is never shorter.
sets() {
	# shellcheck disable=SC2059
	printf "$1" | dd of="$work/clock" conv=notrunc status=none
}
seconds() {
	cut -d ' ' -f 1 /proc/uptime | cut -d . -f 1
}

# lets_go: a node of $flags and $lease, whose time is off by $hours, and a session that comes while it is hooked.
lets_go() {
	sets '\000'
	rm -rf "$work/hooked" "$work/free" "$work/odd.trace"
	# shellcheck disable=SC2086
	LD_PRELOAD=$library timeout 400 "$erl" $flags -noinput -pa "$ebin" -eval '
		"csc-ok" ++ _ = carrierscope_recorder:start(#{}, '"$lease"'),
		ok = file:write_file("'"$work/hooked"'", "x"),
		F = fun F() -> maps:get(hooked, carrierscope:info()) andalso F() end, F(),
		ok = file:write_file("'"$work/free"'", "x"), halt().' >"$work/out" 2>&1 &
	node=$!
	until [ -e "$work/hooked" ] || ! kill -0 $node 2>/dev/null; do sleep 0.1; done
	begin=$(seconds)
	sets "$hours"
	records odd 512K
	# Seconds after the lease; more on a busy machine, and an hour if its time of day counted.
	until [ -e "$work/free" ] || [ $(($(seconds) - begin)) -ge 300 ]; do sleep 0.1; done
	took=$(($(seconds) - begin))
	echo "'$flags', $hours, $lease ms: $took s"
	[ -e "$work/free" ] || fail "node '$flags' stays hooked with its time off by $hours"
	kill -9 $node 2>/dev/null
	wait $node 2>/dev/null
	node=
	loads odd
}

for flags in '' '+C multi_time_warp' '+c false'; do
	for hours in '\377' '\001'; do
		# Again with a longer lease where a busy machine's session comes when the node has let go already.
		for lease in 3000 12000 48000; do
			lets_go
			[ "$(sqlite3 "$work/odd.db" 'SELECT count(*) FROM hook_begin')" = 0 ] || break
		done
		is odd 'SELECT count(*) FROM hook_begin' 1
	done
done
ends
