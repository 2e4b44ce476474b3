#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# weights.sh CARRIERSCOPE EBIN BEAMS [RUNS]: how often what report code says of a function holds: in each run five functions keep
# known bytes of binaries, and let as many go.  Prints for each function in how many runs its live bytes lay within the bounds, which
# are of 95 %, and the median of estimate by truth.  Wants a session daemon that runs.
set -euo pipefail
program=$1 ebin=$2 beams=$3 runs=${4:-60}
work=$(mktemp -d)
session=
trap 'lttng destroy "$session" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
for ((run = 1; run <= runs; run++)); do
  session=carrierscope-weights-$$-$run
  lttng create "$session" --output="$work/trace" >/dev/null
  lttng enable-channel -u -s "$session" --subbuf-size=4M --num-subbuf=8 all >/dev/null
  lttng enable-event -u -s "$session" -c all 'carrierscope:*' >/dev/null
  lttng add-context -u -s "$session" -c all -t vpid -t vtid -t procname >/dev/null
  lttng start "$session" >/dev/null
  LTTNG_UST_REGISTER_TIMEOUT=60000 erl -noinput -pa "$ebin" "$beams" -run beam_weights main >"$work/truth"
  lttng destroy "$session" >/dev/null
  "$program" load -q -f -o "$work/run.db" "$work/trace"
  # A block has a header, as large in each: what was asked for is in the samples.
  while read -r site count bytes; do
    sqlite3 -separator ' ' "$work/run.db" "WITH live AS (SELECT total(live_bytes) AS likely, total(live_variance) AS variance FROM code_memory
        WHERE own LIKE 'beam_weights:made_' || substr('$site', 6) || '/%'),
      header AS (SELECT ifnull(max(size) - $bytes, 24) AS bytes FROM sample_block WHERE type = 'binary' AND size BETWEEN $bytes AND $bytes + 64),
      bounds AS (SELECT likely, iif(variance > 0, variance / likely, 0) AS mean, iif(variance > 0, likely * likely / variance, 0) AS n FROM live)
      SELECT '$site', likely, $count * ($bytes + h.bytes),
        iif(mean > 0, max(0, mean * (n + 1.92 - 1.96 * sqrt(n + 0.96))), likely),
        iif(mean > 0, mean * (n + 1.92 + 1.96 * sqrt(n + 0.96)), likely) FROM bounds, header AS h"
  done <"$work/truth" >>"$work/all"
  rm -rf "$work/trace"
done
for site in site_1 site_2 site_3 site_4 site_5; do
  grep "^$site " "$work/all" | awk '{ inside += $4 <= $3 * 1.0001 && $3 <= $5 * 1.0001; print $2 / $3 >"/dev/stderr" } END { printf "%s: %d of %d within\n", $1, inside, NR }' 2>"$work/ratio"
  sort -n "$work/ratio" | awk '{ r[NR] = $1 } END { printf "  estimate by truth: least %.3f, median %.3f, most %.3f\n", r[1], r[int((NR + 1) / 2)], r[NR] }'
done
