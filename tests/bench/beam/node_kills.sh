#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# node_kills.sh BUILD_DIR [KILLS [EVENTS [SECONDS [SEED]]]]: a node that works on all schedulers is recorded, every block, by batches
# (default) or single events, and killed by SIGKILL KILLS (100) times, at a random moment within SECONDS (1) of its work.
#
# It stands still for the last millisecond, and `kill_node` reads from its memory what it has published.  Compared:
#
#   missing   records that were published and are neither in the trace nor in the rings; of single events, those that were counted
#   left      records that lay in rings
#   lacks     records that were published and that the load has not, which takes what lay in rings from their file
#   doubles   allocations of a live block and frees of one that was freed, before the moment until which the load says that all is there
#   later     the same behind that moment
#   said      what the load says is missing: its problems of severity data_loss, and not_emitted
#
# Unsaid is what is missing without a word: records are missing beyond those of the rings, or doubles before the moment.
. "$(dirname "$0")/../../harness/main.sh"
own_daemon "$@"
build=$(cd "${1:?usage: node_kills.sh BUILD_DIR [KILLS [EVENTS [SECONDS [SEED]]]]}" && pwd)
kills=${2:-100} events=${3:-batches} seconds=${4:-1} seed=${5:-$RANDOM}
program=$build/analyzer/carrierscope
tests_program "$program"
needs lttng lttng-sessiond babeltrace2 sqlite3 erl nm
plain_erl
export LTTNG_HOME=$work LTTNG_UST_REGISTER_TIMEOUT=60000
RANDOM=$seed
node=
cleanup() {
  [[ -z $node ]] || kill -9 "$node" 2>/dev/null
  ends_daemon
}
starts_daemon "$work/daemon.log" || skip "$(cat "$work/daemon.log")"
library=$build/provider/beam/ebin/carrierscope_nif.so
symbol() { nm "$library" | awk -v name="$1" '$3 == name { print $1 }'; }
rings=$(symbol rings) hook=$(symbol hook)
[[ -n $rings && -n $hook ]] || fail "$library has no symbols"

# Of blocks; a source without blocks has none.
doubles="WITH moment AS (SELECT ifnull(min(begin_ns), 9223372036854775807) AS ns FROM lost_interval),
  odd AS (SELECT address FROM block_event WHERE op = 1 AND ended_id IS NULL AND address <> 0),
  freed AS (SELECT op, ts_ns, ended_id, lag(id) OVER (PARTITION BY address ORDER BY id) AS before FROM block_event
    WHERE address IN (SELECT address FROM odd)),
  double AS (SELECT ts_ns FROM block_event WHERE op = 0 AND ended_id IS NOT NULL
    UNION ALL SELECT ts_ns FROM freed WHERE op = 1 AND ended_id IS NULL AND before IS NOT NULL)
SELECT count(*) FILTER (WHERE ts_ns < ns), count(*) FILTER (WHERE ts_ns >= ns) FROM double, moment"

printf 'kill\tpublished\ttrace\tleft\tmissing\tlacks\tdoubles\tlater\tsaid\n'
for ((number = 1; number <= kills; number++)); do
  name=carrierscope-kills-$$-$number
  {
    lttng create $name --output="$work/trace"
    lttng enable-channel -u -s $name --buffers-uid --subbuf-size="${CSC_SUBBUF:-2M}" --num-subbuf=4 memory
    lttng enable-event -u -s $name -c memory 'carrierscope:*'
    lttng add-context -u -s $name -c memory -t vpid -t vtid -t procname
    lttng start $name
  } >"$work/log" 2>&1 || skip "no session can be recorded: $(cat "$work/log")"
  : >"$work/out"
  erl -noinput -boot start_clean -pa "$build/provider/beam/ebin" "$build/tests/beam" -run beam_case main victim "$events" >"$work/out" 2>&1 &
  node=$!
  waits grep -q ready "$work/out" || fail "the node does not start: $(cat "$work/out")"
  ms=$((RANDOM % (seconds * 1000)))
  sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
  base=$(awk -v file="$library" '$6 == file && $3 == "00000000" { split($1, at, "-"); print at[1]; exit }' /proc/$node/maps)
  "$build/tests/bench/beam/kill_node" $node "$base" "$rings" "$hook" >"$work/state" || fail "kill $number: it was not killed"
  wait $node 2>/dev/null
  node=
  ends_session $name
  babeltrace2 "$work/trace" 2>/dev/null | LC_ALL=C awk '
    NR == FNR && $1 == "ring" { published += $4 - $5; left += $6; next }
    NR == FNR { single += $2; next }
    match($0, /block_batch: /) { match($0, / records = [0-9]+/); records += substr($0, RSTART + 11, RLENGTH - 11); next }
    / carrierscope:block_/ { alone++ }
    END { printf "%d\t%d\t%d\t%d", published + single, records + alone, left, published + single - records - alone - left }' \
    "$work/state" - >"$work/counts"
  said=
  if "$program" load --quiet -f -o "$work/kill.db" "$work/trace" >"$work/log" 2>&1 ||
    { said=salvaged, && "$program" load --quiet --salvage -f -o "$work/kill.db" "$work/trace" >"$work/log" 2>&1; }; then
    rows=$(sqlite3 "$work/kill.db" "SELECT sum(events) FROM event_count WHERE event LIKE 'block_%' AND event <> 'block_batch'")
    found=$(($(cut -f 1 "$work/counts") - rows))$'\t'$(sqlite3 -separator $'\t' "$work/kill.db" "$doubles")
    said+=$(sqlite3 "$work/kill.db" "SELECT group_concat(name || '=' || count, ',') FROM (SELECT name, sum(count) AS count FROM load_problem
      WHERE severity IN ('data_loss', 'error') OR name IN ('not_emitted', 'free_not_seen', 'rings_taken', 'rings_not_taken') GROUP BY name)")
  else
    fail "kill $number: it is not loaded: $(cat "$work/log")"
    found=$'-\t-\t-'
  fi
  printf '%d\t%s\t%s\t%s\n' $number "$(cat "$work/counts")" "$found" "$said" | tee -a "$work/all"
  [[ -z ${CSC_KEEP:-} ]] || cp -r "$work/trace" "$work/kill.db" "$work/state" "$(mkdir -p "$CSC_KEEP/$number" && echo "$CSC_KEEP/$number")"
  rm -rf "$work/trace"
done
awk -F '\t' -v seed="$seed" '{ published += $2; left += $4; most = $4 > most ? $4 : most; missing += $5 > 0 ? $5 : 0; short += $5 > 0
    lacks += $6; lacking += $6 != 0; doubles += $7; later += $8 }
  END { printf "%d kills (seed %d): published %d, in rings %d (%d at most), missing %d in %d kills, lacking %d in %d, doubles %d, later %d\n",
    NR, seed, published, left, most, missing, short, lacks, lacking, doubles, later }' "$work/all"
rm -f "$work/err"
ends
