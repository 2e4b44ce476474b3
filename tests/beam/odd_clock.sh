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

for flags in '' '+C multi_time_warp' '+c false'; do
	for hours in '\377' '\001'; do
		sets '\000'
		rm -f "$work/hooked" "$work/free"
		# shellcheck disable=SC2086
		LD_PRELOAD=$library timeout 400 "$erl" $flags -noinput -pa "$ebin" -eval '
			"csc-ok" ++ _ = carrierscope_recorder:start(#{}, 3000),
			ok = file:write_file("'"$work/hooked"'", "x"),
			F = fun F() -> maps:get(hooked, carrierscope:info()) andalso F() end, F(),
			ok = file:write_file("'"$work/free"'", "x"), halt().' >"$work/out" 2>&1 &
		node=$!
		until [ -e "$work/hooked" ] || ! kill -0 $node 2>/dev/null; do sleep 0.1; done
		begin=$(seconds)
		sets "$hours"
		records odd 512K
		until [ -e "$work/free" ] || [ $(($(seconds) - begin)) -ge 20 ]; do sleep 0.1; done
		took=$(($(seconds) - begin))
		echo "'$flags', $hours: $took s"
		[ -e "$work/free" ] || fail "node '$flags' stays hooked with its time off by $hours"
		kill -9 $node 2>/dev/null
		wait $node 2>/dev/null
		node=
		loads odd
		is odd 'SELECT count(*) FROM hook_begin' 1
		rm -rf "$work/odd.trace"
	done
done
ends
