#!/bin/sh
# SPDX-License-Identifier: MIT
# memory.sh ERL EBIN BEAMS PLUGIN_DIR: a node has no room for the buffers of the session that records it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=common.sh
. "$here/common.sh"

runs free_memory

# What the machine has is a file of ours, where mounts are: 100 MiB.
printf 'MemTotal: 204800 kB\nMemAvailable: 102400 kB\n' >"$work/meminfo"
if [ -z "${CSC_OWN_MOUNTS:-}" ] || ! mount --bind "$work/meminfo" /proc/meminfo; then
	[ $failures -eq 0 ] || ends
	skip 'another /proc/meminfo cannot be mounted here; what needs none was tested'
fi

records large
runs refused_buffers
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
