#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# advice_test.sh TWIN CARRIERSCOPE ADVICE EXAMPLES [ERL]: flags that are advised first help.
#
# Each workload of ADVICE/bounds.tsv (in ADVICE/workloads or EXAMPLES) runs without a session; what is
# found in its figures names flags; with these it keeps no more of its carriers than the bounds
# say, and they are not advised again.  ERL, if there is one, takes them.
. "$(dirname "$0")/../harness/main.sh"
twin=$1 bin=$2 advice=$3 examples=$4
erl=${5-}
tried=0
. "$advice/advised.sh"

while IFS=$'\t' read -r name rule peak_most end_most; do
  [[ $name != '#'* ]] || continue
  tried=$((tried + 1))
  workload=$advice/workloads/$name.workload
  [[ -f $workload ]] || workload=$examples/$name.workload
  read -r peak end < <(runs "$workload")
  judged || fail "$name: what the twin prints cannot be loaded"
  flags=$(advised "$rule")
  if [[ $flags != +M* ]]; then
    fail "$name: $rule advises no flags ('$flags')"
    continue
  fi
  read -ra words <<<"$flags"
  read -r new_peak new_end < <(runs "$workload" "${words[@]}")
  if [[ -z ${new_end-} ]]; then
    fail "$name: the twin refuses '$flags': $(cat "$work/errors")"
    continue
  fi
  echo "$name ($rule, $flags): peak $peak to $new_peak, end $end to $new_end"
  ((100 * new_peak <= peak_most * peak)) || fail "$name: the peak is more than $peak_most %"
  ((100 * new_end <= end_most * end)) || fail "$name: the end is more than $end_most %"
  judged || fail "$name: what the twin prints with '$flags' cannot be loaded"
  [[ $(advised "$rule") != "$flags" ]] || fail "$name: '$flags' is advised again"
  [[ ! -x $erl ]] || "$erl" "${words[@]}" -noinput -eval 'halt().' >"$work/erl" 2>&1 ||
    fail "$name: erl refuses '$flags': $(head -1 "$work/erl")"
done <"$advice/bounds.tsv"
[[ -x $erl ]] || echo "SKIPPED: there is no erl here: whether it takes these flags was not asked"
echo "$tried workloads"
((tried > 0)) || fail "there are no workloads in $advice"
ends
