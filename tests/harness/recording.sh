# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced first by tests that record (POSIX sh), from a folder beside this one: an LTTng daemon of the
# test's own where that is allowed, and what checks.sh has.
#
#   begins_session FOLDER SUBBUF EVENTS [bare]
#              $session records into FOLDER what runs from now on, with the process and thread of
#              each event unless it is bare; a recorded program waits where a buffer is full
#   $runner    a program that is killed at the end if it still runs
#
harness=$(dirname "$0")/../harness
# shellcheck source=own_daemon.sh
. "$harness/own_daemon.sh"
# Nothing is lost on a busy machine, and nothing runs before it is recorded.
export LTTNG_UST_ALLOW_BLOCKING=1 LTTNG_UST_REGISTER_TIMEOUT=-1
# shellcheck source=checks.sh
. "$harness/checks.sh"
# shellcheck source=../../examples/session-daemon.sh
. "$harness/../../examples/session-daemon.sh"
session=
runner=
serial=0

# Ends what was started here and nothing else.
cleanup() {
	[ -z "$session" ] || lttng destroy "$session" >/dev/null 2>&1
	[ -z "$runner" ] || kill "$runner" 2>/dev/null
	ends_daemon
}

begins_session() {
	serial=$((serial + 1))
	session=carrierscope-test-$$-$serial
	{
		lttng create $session --output="$1" &&
			lttng enable-channel --userspace --session=$session --buffers-uid \
				--subbuf-size="$2" --num-subbuf=8 --blocking-timeout=inf all &&
			{ [ "${4:-}" = bare ] || lttng add-context --userspace --session=$session --channel=all \
				--type=vpid --type=vtid --type=procname; } &&
			lttng enable-event --userspace --session=$session --channel=all "$3" &&
			lttng start $session
	} >"$work/log" 2>&1 || skip "no session can be recorded: $(cat "$work/log")"
}
