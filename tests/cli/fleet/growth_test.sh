#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# growth_test.sh CARRIERSCOPE [NODES [DAYS [SEED...]]]: fleets of known growth (tests/bench/fleet/growth.sql; 100 nodes, 14 days, seeds 1
# and 2): no leak is named that is none, nine of ten are found, and what they gain a day is as said; pods that were replaced are not silent.
. "$(dirname "$0")/../../harness/main.sh"
fleet_apps=$here/../../../examples/apps
tests_program "$1"
. "$here/../../../examples/fleet/server.sh"
nodes=${2:-100}
days=${3:-14}
shift $(($# < 3 ? $# : 3))
[[ $# -gt 0 ]] || set -- 1 2
server=

cleanup() {
  [[ -z $server ]] || { kill "$server" && wait "$server"; } 2>/dev/null
}

. "$here/one_server.sh"

# makes SEED: the fleet, anew.
makes() {
  local statement
  ask 'DROP DATABASE IF EXISTS fleet' >"$work/answer"
  "$program" fleet init --to "$to" || fail "the tables are not made"
  rm -f "$work"/statement*
  sed -e '/^--/d' -e "s/\$NODES/$nodes/g; s/\$DAYS/$days/g; s/\$SEED/$1/g; s/\$END/$(($(date +%s) / 3600 * 3600 + 3599))/g" \
    "$here/../../bench/fleet/growth.sql" | awk -v RS=';\n' -v to="$work/statement" 'NF { print > (to NR) }'
  for statement in "$work"/statement*; do
    ask "$(cat "$statement")" >"$work/answer"
    [[ ! -s $work/answer ]] || fail "the fleet is not made: $(cat "$work/answer")"
  done
}

# Of each life, or of all short ones of a release, what it is said to gain a day, and what it does.
judged="SELECT kind, is_growing, bytes_per_day_low AS low, bytes_per_day AS likely, bytes_per_day_high AS high, if(allocator = 'binary_alloc', rate, 0) AS truth
  FROM (SELECT app, release, node, allocator, is_growing, bytes_per_day_low, bytes_per_day, bytes_per_day_high FROM life_growth) ANY INNER JOIN (
    SELECT app, release, node, any(app) AS kind, any(rate) AS rate FROM life WHERE e - b >= 120 GROUP BY app, release, node
    UNION ALL SELECT app, release, '' AS node, any(app) AS kind, sum(rate * (e - b)) / sum(e - b) AS rate FROM life WHERE e - b < 120 GROUP BY app, release
  ) USING (app, release, node)"
for seed; do
  makes "$seed"
  ask "SELECT kind, count(), countIf(is_growing AND truth = 0), countIf(truth > 0), countIf(is_growing AND truth > 0),
    countIf(is_growing AND truth > 0 AND truth >= low AND truth <= high) FROM ($judged) GROUP BY kind ORDER BY kind" >>"$work/judged"
  # No life is left out: all kinds, in two allocators.
  [[ $(ask "SELECT uniqExact(app, allocator) FROM life_growth") -ge 18 ]] || fail "seed $seed: some are not judged: $(cat "$work/judged")"
  ask 'SELECT app, count() FROM fleet_leak GROUP BY app HAVING count() > 1' >"$work/answer"
  [[ ! -s $work/answer ]] || fail "seed $seed: a release has two rows: $(cat "$work/answer")"
  ask 'SELECT node FROM fleet_silent' >"$work/answer"
  [[ ! -s $work/answer ]] || fail "seed $seed: a node that was replaced is silent: $(cat "$work/answer")"
done
echo "kind    judged  false  leaks  found  rate within"
sort "$work/judged" | awk '{ for (i = 2; i <= 6; i++) { sum[$1, i] += $i; all[i] += $i }; kinds[$1] }
  END { for (kind in kinds) printf "%-8s %5d %6d %6d %6d %6d\n", kind, sum[kind, 2], sum[kind, 3], sum[kind, 4], sum[kind, 5], sum[kind, 6] | "sort"
    close("sort"); printf "%-8s %5d %6d %6d %6d %6d\n", "all", all[2], all[3], all[4], all[5], all[6] }' | tee "$work/table"
read -r _ subjects false leaks found within < <(tail -n 1 "$work/table")
[[ $leaks -ge $((nodes / 10)) && $subjects -gt $leaks ]] || fail "the fleets have $leaks leaks"
[[ $false -eq 0 ]] || fail "$false leaks are none: $(ask "SELECT kind, low, likely, high FROM ($judged) WHERE is_growing AND truth = 0")"
[[ $((found * 10)) -ge $((leaks * 9)) ]] || fail "of $leaks leaks $found are found"
[[ $((within * 10)) -ge $((found * 9)) ]] || fail "of $found leaks $within gain what is said"

# As it is read: one line for all lives that were killed.
"$program" fleet report leak --to "$to" >"$work/out" || fail "no report"
[[ $(grep -cE '^LEAK: application killed 1 \([0-9]+ lives\) gains [0-9.]+ to [0-9.]+ (MiB|GiB) a day in binary_alloc; at that rate the [0-9]+ MiB of a node double in [0-9]+ (hours|days); most in killed@host[0-9]+, ' "$work/out") -eq 1 &&
  $(grep -c killed "$work/out") -eq 1 ]] || fail "lives that were killed are not one sentence: $(cat "$work/out")"

# A node whose place nobody took is silent; a pod of the same app that is replaced is not.
ask "INSERT INTO recording (push, recording, pushed_at, node, app, begin_ts, end_ts) SELECT 1, 1, now() - 3600 * 30, 'gone@host', 'steady',
  now() - 864000, now() - 3600 * 30"
[[ $(ask 'SELECT node FROM fleet_silent') == gone@host ]] || fail "silent: '$(ask 'SELECT node FROM fleet_silent')', not gone@host"
ask "INSERT INTO recording (push, recording, node, app, begin_ts, end_ts) SELECT 1, 2, 'new@host', 'steady', now() - 3600 * 29, now()"
[[ -z $(ask 'SELECT node FROM fleet_silent') ]] || fail "a node that was replaced is silent"
ends
