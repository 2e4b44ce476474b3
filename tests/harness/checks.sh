# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by tests that are scripts (POSIX sh):
#
#   $work           a folder of the test's own; at the end cleanup(), if there is one, and it is removed
#   fail TEXT...    prints the text, and $work/err if there is something in it; the test goes on
#   skip TEXT...    ends the test: it cannot run here
#   needs TOOL...   skips unless each of these programs is there
#   left            what lies in $work, but LTTng's own files: a command that is refused leaves nothing of its own
#   free_ports N    prints the first of N ports in a row that nobody uses, below those that the kernel gives to clients
#   ends            ends the test: 1 if something failed
#   plain_erl       nodes that are started take no flags from the environment, and write no crash dump
failures=0

cleanup() {
	:
}

fail() {
	echo "FAILED: $*"
	[ ! -s "$work/err" ] || sed 's/^/    | /' "$work/err"
	failures=$((failures + 1))
}

skip() {
	echo "SKIPPED: $*"
	exit 77
}

left() {
	ls -A "$work" | grep -v '^\.lttng'
}

free_ports() {
	# Where it looks first depends on the process: tests that begin at once get ports of their own.
	cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v count="$1" -v first=$((20000 + $$ * 16 % 12000)) '
		split($2, at, ":") == 2 { used[at[2]] = 1 }
		END {
			for (port = first; number < count; port++) {
				number = sprintf("%04X", port) in used ? 0 : number + 1
			}
			print port - count
		}'
}

needs() {
	for tool; do
		command -v "$tool" >/dev/null || skip "there is no $tool here"
	done
}

ends() {
	echo "$failures failures"
	[ $failures -eq 0 ] || exit 1
	exit 0
}

plain_erl() {
	unset ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ERL_LIBS
	export ERL_CRASH_DUMP_SECONDS=0
}

work=$(mktemp -d) || exit 1
trap 'cleanup; rm -rf "$work"' EXIT
