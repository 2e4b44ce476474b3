#!/bin/sh
# SPDX-License-Identifier: MIT
# limits.sh BUILD_DIR [CYCLES]: tests/beam/limits.sh with so many cycles (100) of start, load, purge and stop, on the OTP of this
# machine and on those of Debian trixie (27) and sid (29), which are fetched.  Some 5 s of CPU for a cycle.
#
# Prints what each node answered; exit status 1: one of them ended, or an answer was no sentence.  A suite that cannot be
# fetched is named.
set -u
tests=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
CSC_CYCLES=${2:-100}
export CSC_CYCLES
failures=0
one() {
	echo "$1:"
	shift
	"$@" || {
		status=$?
		[ $status -eq 77 ] || failures=$((failures + 1))
	}
}
one "this machine's OTP" sh "$tests/beam/limits.sh" "$(command -v erl)" "$build/provider/beam/ebin" "$build/tests/beam" "$build/analyzer"
for suite in trixie sid; do
	one "$suite" sh "$tests/nodes/node_test.sh" $suite amd64 "$build/provider/beam/ebin" "$build/tests/beam" "$build/analyzer" none limits
done
[ $failures -eq 0 ]
