#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# advice_bench.sh TWIN CARRIERSCOPE WORKLOAD... : a table of what flags leave of each workload's carriers.
#
# A row for each workload and finding of rules about waste: peak and end in bytes, then what the advised
# flags and some others leave of them, in percent (peak/end).  The twin is deterministic.
set -u
twin=$1
bin=$2
shift 2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/try"
. "$(dirname "$0")/../advice/advised.sh"

others=('as aobf' 'as aoffcbf' 'as aoff' 'as ageffcbf' 'acul de' 'acul 0' 'acul 30' 'sbct 2048|lmbcs 16384|smbcs 4096' 'mmsbc 1024' 'lmbcs 2560|sbct 320' 'lmbcs 1024|sbct 128|mmsbc 32768')
printf 'workload\trule\tallocator\tpeak\tend\tadvised\tpeak/end'
printf '\t%s' "${others[@]}"
echo
for workload in "$@"; do
  read -r peak end < <(runs "$workload")
  judged
  while IFS='|' read -r rule allocator letter; do
    flags=$(advised "$rule")
    printf '%s\t%s\t%s\t%s\t%s\t%s' "$(basename "$workload" .workload)" "$rule" "$allocator" "$peak" "$end" "$flags"
    for tried in "$flags" "${others[@]}"; do
      [[ -n $tried && $tried != no* ]] || {
        printf '\t-'
        continue
      }
      [[ $tried == +M* ]] || tried="+M$letter${tried//|/ +M$letter}"
      read -ra words <<<"$tried"
      new_peak='' new_end=''
      read -r new_peak new_end < <(work=$work/try runs "$workload" "${words[@]}")
      [[ -n $new_end ]] || {
        echo "$workload: no figures with '$tried': $(cat "$work/try/errors")" >&2
        exit 1
      }
      printf '\t%d/%d' $(((1000 * new_peak + 5 * peak) / (10 * peak))) $(((1000 * new_end + 5 * end) / (10 * end)))
    done
    echo
  done < <(sqlite3 -readonly "$work/terms.db" "SELECT f.rule, f.allocator, l.letter FROM finding AS f
    JOIN allocator_letter AS l ON l.allocator = f.allocator
    WHERE f.rule IN ('FRAG-01', 'FRAG-02', 'RET-01', 'POOL-01', 'SBC-01', 'SBC-02') GROUP BY f.rule
    HAVING max(f.at_stake_bytes)")
done
