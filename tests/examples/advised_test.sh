#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# advised_test.sh BUILD EXAMPLES: EXAMPLES/apps/advised.sh goes from a node that fragments to lines in its vm.args and a
# comparison, with the programs of BUILD, and leaves nothing behind.  How much is saved is not asserted: that
# depends on how busy the machine is.
. "$(dirname "$0")/../harness/main.sh"
own_daemon "$@"
build=$1 examples=$2
plain_erl
needs lttng lttng-sessiond sqlite3
[[ -f $build/provider/beam/ebin/carrierscope.beam ]] || skip "this build has no module carrierscope"
mkdir "$work/tmp"
TMPDIR=$work/tmp "$BASH" "$examples/apps/advised.sh" --build-dir "$build" "$work/run.db" >"$work/out" 2>"$work/err"
status=$?
[[ $status -le 1 ]] || fail "it ends with $status: $(tail -n 5 "$work/out" "$work/err")"
# What a node had started ends a little after it.
has_no_process() { left=$(grep -lzx "TMPDIR=$work/tmp" /proc/[0-9]*/environ 2>/dev/null); [[ -z $left ]]; }
waits has_no_process || fail "it leaves processes: $left"
[[ -z $(ls -A "$work/tmp") ]] || fail "it leaves files: $(ls -A "$work/tmp")"
grep -q '^Best case from tuning: about ' "$work/out" || fail "no best case: $(cat "$work/out" "$work/err")"
if grep -q '^No flag is advised' "$work/out"; then
  echo "no flag was advised on this machine"
  ends
fi
# The lines of vm.args are in force in the second recording, which is what --verify compares.
flags=$(sqlite3 "$work/run.db" 'SELECT flags FROM sweep_advice')
[[ $flags == +M* ]] || fail "nothing was advised: '$flags'"
grep -qF "with $flags" "$work/out" || fail "not compared: $(tail -n 8 "$work/out" "$work/err")"
[[ $(grep -cE '^(peak|end|average) .* (as|more than|less than) predicted$' "$work/out") -eq 3 ]] || fail "no comparison: $(tail -n 8 "$work/out")"
ends
