#!/bin/sh
# SPDX-License-Identifier: MIT
# memory.sh ERL EBIN BEAMS PLUGIN_DIR: a node has no room for the buffers of the session that records it.
. "$(dirname "$0")/../harness/main.sh"
. "$here/common.sh"

runs free_memory

# A control group around the node, of version 1 or 2, if one may be made here: 200 MiB.
group=
makes_group() {
	point=$(awk '$0 ~ / - cgroup .*[ ,]memory(,|$)/ { print $5; exit }' /proc/self/mountinfo)
	path=$(sed -n 's/^[0-9]*:[^:]*\<memory\>[^:]*://p' /proc/self/cgroup)
	limit=memory.limit_in_bytes
	[ -n "$point" ] || {
		point=$(awk '$0 ~ / - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
		path=$(sed -n 's/^0:::*//p' /proc/self/cgroup)
		limit=memory.max
	}
	group=${point:-/nonexistent}${path%/}/carrierscope-$$
	mkdir "$group" 2>/dev/null && echo 209715200 2>/dev/null >"$group/$limit"
}
cleanup() {
	rmdir "$group" 2>/dev/null
	finish
}
if makes_group; then
	records grouped
	erl_alone=$erl
	printf '#!/bin/sh\necho $$ >"%s/cgroup.procs" && exec "%s" "$@"\n' "$group" "$erl" >"$work/erl_in_group"
	chmod +x "$work/erl_in_group"
	erl=$work/erl_in_group
	runs refused_buffers "$group/$limit"
	erl=$erl_alone
	ends_session grouped
	echo "refused in the control group $group/$limit"
else
	echo "no control group can be made here: a limit of one was read from files of ours only"
fi

# What the machine has is a file of ours, where mounts are: 100 MiB.
printf 'MemTotal: 204800 kB\nMemAvailable: 102400 kB\n' >"$work/meminfo"
if [ -z "${CSC_OWN_MOUNTS:-}" ] || ! mount --bind "$work/meminfo" /proc/meminfo; then
	[ $failures -eq 0 ] || ends
	skip 'another /proc/meminfo cannot be mounted here; what needs none was tested'
fi

records large
runs refused_buffers /proc/meminfo
grep -q 'carrierscope: LTTng' "$work/out" || fail "boot/1 logs nothing: $(cat "$work/out")"
loads large
is large "SELECT count(*) FROM hook_begin" 1
is large "SELECT count(*) FROM runtime_fact WHERE key = 'memory_warning'" 0

cat >"$work/begins" <<-END
	#!/bin/sh
	exec >"$work/begins.log" 2>&1
	lttng create late --output="$work/late.trace"
	lttng enable-channel --userspace --session=late --subbuf-size=4M --num-subbuf=8 all
	lttng enable-event --userspace --session=late --channel=all 'carrierscope:*'
	lttng add-context --userspace --session=late --channel=all -t vpid -t vtid -t procname
	lttng start late
END
chmod +x "$work/begins"
runs late_buffers "$work/begins"
[ "$(grep -c "carrierscope: LTTng's ring buffers take .*, or end the session" "$work/out")" = 1 ] ||
	fail "a session that came late is not logged once: $(cat "$work/out")"
loads late
is late "SELECT count(*), min(value LIKE 'LTTng''s ring buffers take %, or end the session') FROM runtime_fact
	WHERE key = 'memory_warning'" '1|1'
ends
