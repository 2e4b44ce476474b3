#!/bin/sh
# SPDX-License-Identifier: MIT
# limits.sh ERL EBIN BEAMS PLUGIN_DIR: the node lives on, with hooks that come and go under load while all modules are loaded and
# purged and two sessions record ($CSC_CYCLES, 4, with 16 schedulers), where no file can be opened any more, and in a control
# group at its limit; what cannot be done is said in one sentence.
. "$(dirname "$0")/../harness/main.sh"
. "$here/common.sh"
cycles=${CSC_CYCLES:-4}
group=
# The node of another suite has a loader of its own, and is not found by the pid of its script.
ends_group() {
	[ -z "$group" ] || rmdir "$group" 2>/dev/null
}
cleanup() {
	finish
	ends_group
}

# limited COMMAND NAME ARGUMENT...: as runs(), of beam_limits, after a shell's command.
limited() {
	before=$1
	shift
	# shellcheck disable=SC2086
	sh -c "$before"' && exec "$@"' sh "$erl" -noinput -boot start_clean -pa "$ebin" "$beams" $flags \
		-run beam_limits main "$@" >"$work/out" 2>&1
	status=$?
	sed -n '/^=[A-Z]* REPORT/,/^$/d; s/^/'"$1"': /p' "$work/out"
	[ $status -eq 0 ] || fail "node '$*' ended with $status: $(tail -n 20 "$work/out")"
}

# Two sessions, one of which forgets.
records first
{
	lttng create flight --snapshot --output="$work/flight" &&
		lttng enable-channel -u -s flight --overwrite --subbuf-size=512K --num-subbuf=4 all &&
		lttng enable-event -u -s flight -c all 'carrierscope:*' && lttng start flight
} >"$work/log" 2>&1 || skip "no second session can be recorded: $(cat "$work/log")"
flags='+S 16'
limited true cycles "$cycles"
flags=
lttng destroy flight >/dev/null 2>&1
ends_session first
# By size: to load what 100 cycles wrote takes longer than they do.
[ "$(du -sm "$work/first.trace" | cut -f 1)" -gt 8 ] || fail 'the session has recorded hardly anything'
rm -rf "$work/first.trace"

# Files.
gives() {
	tries=0
	until [ -s "$work/asked" ] || [ $tries -ge 4000 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	records second 512K
	: >"$work/given"
}
gives &
giver=$!
limited 'ulimit -n 128' files "$work/asked" "$work/given"
kill $giver 2>/dev/null
wait $giver
lttng destroy second >/dev/null 2>&1

# Memory: control groups of version 1 or 2, if they can be made here.
for root in /sys/fs/cgroup/memory /sys/fs/cgroup; do
	case $root in
	*/memory) limit=memory.limit_in_bytes ;;
	*) limit=memory.max ;;
	esac
	group=$root/carrierscope-test-$$
	if mkdir "$group" 2>/dev/null && echo 400M >"$group/$limit" 2>/dev/null; then
		break
	fi
	ends_group
	group=
done
if [ -n "$group" ]; then
	records third 256K
	limited "echo \$\$ >$group/cgroup.procs" memory 200 64 32 16 8
	lttng destroy third >/dev/null 2>&1
else
	echo 'memory: not tried, no control group can be made here'
fi
ends
