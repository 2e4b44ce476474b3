# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced, with $twin, $bin (carrierscope) and $work set: what is advised for a workload, and what it saves.

# runs WORKLOAD FLAGS...: peak and end, bytes of carriers; the terms of all instances in $work/terms.
runs() {
  local workload=$1
  shift
  "$twin" --workload "$workload" --no-trace --stats="$work/terms" -- "$@" 2>"$work/errors" |
    sed -n 's/.* footprint \([0-9]*\) bytes, peak \([0-9]*\) bytes.*/\2 \1/p'
}

# judged: findings of $work/terms in $work/terms.db.
judged() {
  "$bin" load --quiet -f -o "$work/terms.db" "$work/terms"
}

# advised RULE: the flags that the largest finding of the rule is about.  Those of RET-01 are named only where
# a replay of the recording saves with them.
advised() {
  "$(dirname "$bin")/../tests/harness/judge_file" "$work/terms.db" "SELECT flags FROM _found WHERE rule = '$1' ORDER BY bytes DESC LIMIT 1"
}
