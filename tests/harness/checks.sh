# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by tests that are scripts (POSIX sh):
#
#   $work           a folder of the test's own; at the end cleanup(), if there is one, and it is removed
#   fail TEXT...    prints the text, and $work/err if there is something in it; the test goes on
#   skip TEXT...    ends the test: it cannot run here
#   needs TOOL...   skips unless each of these programs is there
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
