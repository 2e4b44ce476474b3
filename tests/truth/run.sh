#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# run.sh [--twin | --node] [--all | --share PERCENT] [--seed N] [--seconds N] [--only REGEX]
#        [--keep FOLDER] [--verdicts] [BUILD]
#
# Recordings with known truth: every workload of the twin times every way of recording, and a stock
# Erlang node in several settings times every way of hooking it.  The twin writes beside the recording
# what its allocators have (--truth), the node what it reads itself at rest; each figure that
# `carrierscope report figures` prints of the recording must contain it, and the verdict is the truth's
# or unknown.  One line for each figure that does not, then how many were compared and how tight they
# are.
#
#   --twin, --node  one of the two; else both, one after the other
#   --all       the whole matrix; else a share of it (10 percent), chosen by the seed, which is printed
#   --seconds   begins no recording after so many
#   --only      of the cases WAY/WORKLOAD those that match
#   --keep      figures go to FOLDER/truth.db, and recordings of which one is outside or a verdict is wrong
#   --verdicts  prints the verdicts of whole recordings as lines of expected.tsv
#   BUILD       the build folder (build/dev)
#
# Exit status 1: a figure is outside, a verdict is wrong, a recording could not be compared, or one of
# all events is not exact (goals.sql).
. "$(dirname "$0")/../harness/main.sh"
own_daemon "$@"
root=$(cd "$here/../.." && pwd)
arguments=("$@")
share=10
seed=$(($(date +%s%N) % 1000000007))
seconds=0
only=.
keep=
verdicts=
part=
build=$root/build/dev
while (($#)); do
  case $1 in
  --twin | --node) part=${1#--} ;;
  --all) share=100 ;;
  --verdicts) verdicts=1 share=100 only='^all/' part=twin ;;
  --share | --seed | --seconds | --only | --keep)
    (($# > 1)) || { echo "run.sh: $1 needs a value" >&2; exit 2; }
    case $1 in
    --share) share=$2 ;;
    --seed) seed=$2 ;;
    --seconds) seconds=$2 ;;
    --only) only=$2 ;;
    --keep) keep=$2 ;;
    esac
    shift
    ;;
  -*) echo "run.sh: unknown option '$1'" >&2; exit 2 ;;
  *) build=$1 ;;
  esac
  shift
done
set -- ${arguments[@]+"${arguments[@]}"}
if [[ -z $part ]]; then
  status=0
  "$BASH" "$0" --twin --seed "$seed" "$@" || status=$?
  "$BASH" "$0" --node --seed "$seed" "$@" || status=$?
  exit $status
fi

erl=$(command -v erl)
twin=$build/provider/carrierscope-twin
bin=$build/analyzer
clock=$build/tests/verdict/libtick_clock.so
ebin=$build/provider/beam/ebin
needed=("$bin/carrierscope" "$clock" "$twin")
if [[ $part == node ]]; then
  needs erl
  needed=("$bin/carrierscope" "$ebin/carrierscope.beam" "$build/tests/truth/truth_node.beam")
fi
for file in "${needed[@]}"; do
  [[ -e $file ]] || { echo "FAILED: there is no '$file': build first"; exit 1; }
done
needs sqlite3 lttng lttng-sessiond

export LTTNG_HOME=$work
results=$work/truth.db
twins=()
checker=

cleanup() {
  for pid in ${twins[@]+"${twins[@]}"}; do kill -9 "$pid" 2>/dev/null; done
  [[ -z $checker ]] || kill "$checker" 2>/dev/null
  [[ -z $session ]] || ends_session "$session"
  ends_daemon
  if [[ -n $keep && -f $results ]]; then cp "$results" "$keep/truth.db"; fi
}
[[ -z $keep ]] || mkdir -p "$keep" || exit 1

# Nodes know the system's time alone.
if [[ $part == twin ]]; then
  export CSC_TICKS=$work/ticks LTTNG_UST_CLOCK_PLUGIN=$clock
  head -c 8 /dev/zero >"$CSC_TICKS"
fi
starts_daemon "$work/daemon.log" || skip "$(cat "$work/daemon.log")"
[[ -n $daemon || $part == node ]] || {
  echo "a session daemon runs already: its clock is taken"
  unset LTTNG_UST_CLOCK_PLUGIN
}
sqlite3 "$results" <"$here/results.sql"

# A line WAY WORKLOAD for each case, and the file of a workload.
declare -A files
for file in "$root"/tests/advice/workloads/*.workload "$root"/tests/verdict/workloads/*.workload \
  "$root"/examples/workloads/*.workload; do
  name=${file##*/}
  files[${name%.workload}]=$file
done
if [[ $part == node ]]; then
  # Settings of a node: its flags.
  files=([one]='+S 1:1' [two]='+S 2:2' [four]='+S 4:4' [best-fit]='+S 2:2 +MBas bf +MHas bf +MEas bf'
    [no-pool]='+S 2:2 +Muacul 0' [address-order]='+S 2:2 +MBas aobf +MHas aoff' [small]='+S 2:2 +Musmbcs 64 +Mulmbcs 1024'
    [single]='+S 2:2 +Musbct 64')
fi
ways=(carriers blocks all batches late-25 late-50 late-75 late-carriers-25 late-carriers-50 late-carriers-75
  ring lossy killed two)
[[ $part == twin ]] || ways=(node-boot node-late node-sampled node-snapshots node-lossy node-killed)

# A share that picks no recording takes the one that was nearest to it.
cases() {
  for way in "${ways[@]}"; do
    for name in "${!files[@]}"; do echo "$way/$name"; done
  done | sort | grep -E "$only" |
    awk -v seed="$seed" -v share="$share" 'BEGIN { srand(seed) }
      { order = rand(); if (first == "" || order < least) { least = order; first = $0 }
        if (rand() * 100 < share) { chosen++; print order, $0 } }
      END { if (!chosen && first != "") { print least, first } }' | sort | cut -d ' ' -f 2
}

# The verdict of a workload's whole recording; expected_part: one that a part of it may have as well.
expected() {
  cat "$root/tests/verdict/expected.tsv" "$here/expected.tsv" 2>/dev/null |
    awk -F '\t' -v name="$1" '$1 == "twin:" name || $1 == "planted:" name || $1 == "advice:" name { print $2; exit }'
}
expected_part() {
  [[ $way != late-* && $way != ring ]] ||
    awk -F '\t' -v name="$1" '$1 == "part:" name { print $2; exit }' "$here/expected.tsv"
}

# creates EVENTS CHANNEL-OPTION...: the session of this case.
creates() {
  local events=$1
  shift
  session=carrierscope-truth-$$-$number
  {
    if [[ $way == ring ]]; then
      lttng create "$session" --snapshot --output="$trace"
    else
      lttng create "$session" --output="$trace"
    fi &&
      lttng enable-channel -u -s "$session" --buffers-uid "$@" all &&
      lttng add-context -u -s "$session" -c all -t vpid -t vtid -t procname &&
      lttng enable-event -u -s "$session" -c all "$events" &&
      lttng start "$session"
  } >"$work/log" 2>&1
}

# runs WORKLOAD TWIN-OPTION...: in the background.
runs() {
  local name=$1 index=${#twins[@]}
  shift
  local truth=(--truth "$folder/truth-$index.csv")
  [[ -z ${LTTNG_UST_CLOCK_PLUGIN-} ]] || truth+=(--truth-clock "$CSC_TICKS")
  LTTNG_UST_REGISTER_TIMEOUT=-1 LTTNG_UST_ALLOW_BLOCKING=$blocking "$twin" --workload "${files[$name]}" \
    --quiet --stats /dev/null "${truth[@]}" "$@" <"$work/in" >"$work/out" 2>"$folder/twin-$index.log" &
  twins+=($!)
  pids+=($!)
  names+=("$name")
}

# runs_node WAY: a node of these settings.
runs_node() {
  local flags
  read -ra flags <<<"${files[$workload]}"
  [[ $1 != boot ]] || flags+=(-run carrierscope)
  LTTNG_UST_REGISTER_TIMEOUT=60000 ERL_CRASH_DUMP_SECONDS=0 TMPDIR=$work "$erl" -noinput -boot start_clean \
    -pa "$ebin" "$build/tests/truth" "$build/tests/beam" "${flags[@]}" \
    -run truth_node main "$1" "$folder/truth-0.csv" "$((seed % 100000 + number))" 1000 \
    <"$work/in" >"$work/out" 2>"$folder/twin-0.log" &
  twins+=($!)
  pids+=($!)
  names+=(node)
}

# pauses: until the twin says so; false: it does not.
pauses() {
  local line tries=0
  until read -r -t 10 line <&8 && [[ $line == paused ]]; do
    kill -0 "${twins[0]}" 2>/dev/null && ((++tries < 60)) || return 1
  done
}

# rests: until the first process has not worked for three tenths of a second, and no thread of it waits for a processor.
rests() {
  local before='' now same=0
  while ((same < 3)); do
    now=$(sed 's/.*) //' "/proc/${twins[0]}/stat" | cut -d ' ' -f 12,13)
    ! grep -qs '^State:[[:space:]]*[RD]' "/proc/${twins[0]}"/task/*/status || before=
    if [[ $now == "$before" ]]; then same=$((same + 1)); else same=0; fi
    before=$now
    sleep 0.1
  done
}

goes_on() { echo >&7; }

# waits: until all twins have ended.
waits() {
  local status=0
  for pid in "${twins[@]}"; do wait "$pid" || status=$?; done
  twins=()
  return $status
}

blocks='carrierscope:block_*,carrierscope:name_*,carrierscope:state_*'
carriers='org_erlang_otp:carrier_*'
all="$carriers,carrierscope:*"
whole=(--subbuf-size=8M --num-subbuf=8 --blocking-timeout=inf)

# record: the case $way of $workload into $trace; false: $reason says what went wrong.
record() {
  local late events
  reason="no session can be recorded"
  blocking=1
  case $way in
  carriers) creates "$carriers" "${whole[@]}" ;;
  blocks) creates "$blocks" "${whole[@]}" ;;
  all | batches | killed | two) creates "$all" "${whole[@]}" ;;
  ring) blocking=0 && creates "$all" --overwrite --subbuf-size=128k --num-subbuf=4 ;;
  lossy) blocking=0 && creates "$all" --discard --subbuf-size=4k --num-subbuf=2 ;;
  node-lossy) creates 'carrierscope:*' --discard --subbuf-size=4k --num-subbuf=2 ;;
  node-*) creates 'carrierscope:*' --subbuf-size=4M --num-subbuf=8 ;;
  esac || return 1
  reason="the twin failed"
  case $way in
  carriers | blocks | all | lossy) runs "$workload" && waits ;;
  batches) runs "$workload" --events batches && waits ;;
  two)
    runs "$workload" && runs "$other" && waits
    ;;
  late-*)
    late=${way##*-}
    events=$all
    [[ $way != late-carriers-* ]] || events=$carriers
    runs "$workload" --pause-at "$late" && pauses || return 1
    creates "$events" "${whole[@]}" || { reason="no session can be recorded"; return 1; }
    goes_on && waits
    ;;
  ring)
    runs "$workload" --pause-at 100 && pauses || return 1
    lttng snapshot record -s "$session" >"$work/log" 2>&1 || { reason="no snapshot"; return 1; }
    goes_on && waits
    ;;
  node-killed)
    reason="the node failed"
    runs_node killed && pauses && rests || return 1
    kill -9 "${twins[0]}"
    wait "${twins[0]}" 2>/dev/null
    twins=()
    ;;
  node-*)
    reason="the node failed"
    runs_node "${way#node-}" && waits
    ;;
  killed)
    runs "$workload" --pause-at 60 && pauses || return 1
    kill -9 "${twins[0]}"
    wait "${twins[0]}" 2>/dev/null
    twins=()
    ;;
  esac
}

# figures [--at TIME]: prints the JSON of the case's database.
figures() {
  "$bin/carrierscope" report figures "$folder/run.db" --format json "$@"
}

# check: the case in $folder, in a shell of its own.  Prints what is wrong.
check() {
  local failure='' sql=$folder/check.in first_ns offset_ns ticks near_ns is_to_end=1 has_blocks=0 is_node=0 at index pid
  local begin_ns=86400000000000
  if ! "$bin/carrierscope" load --quiet --salvage -f -o "$folder/run.db" "$trace" 2>"$folder/load.log"; then
    failure="cannot be loaded: $(tail -n 1 "$folder/load.log")"
  elif ! figures >"$folder/figures.json" 2>"$folder/report.log"; then
    failure="report figures: $(tail -n 1 "$folder/report.log")"
  fi
  metadata=$(find "$trace" -name metadata | head -n 1)
  if [[ -z $failure && -z $metadata ]]; then failure="there is no metadata"; fi
  if [[ -n $verdicts && -f $folder/run.db ]]; then
    sqlite3 -readonly -separator '	' "$folder/run.db" "SELECT DISTINCT 'advice:$workload', verdict,
      ifnull(allocator, '-') FROM verdict WHERE level = 'runtime'"
    rm -rf "${folder:?}"
    return
  fi
  if [[ -z $failure ]]; then
    offset_ns=$(grep -a -m 1 -o 'offset = [0-9]*' "$metadata" | tr -dc 0-9)
    first_ns=$(sqlite3 -readonly "$folder/run.db" "SELECT ifnull(min(first_ts_ns), 0) FROM source")
    ticks=0
    near_ns=0
    if grep -aq 'name = "ticks"' "$metadata"; then ticks=1 near_ns=600; fi
    [[ $way != lossy ]] || is_to_end=0
    [[ $part != node ]] || is_node=1
    case $way in all | batches | blocks | late-[0-9]* | killed | two | ring) has_blocks=1 ;; esac
    {
      echo "CREATE TEMP TABLE setting(way, workload, first_ns, near_ns, is_to_end, has_blocks, is_node);"
      echo "INSERT INTO setting VALUES('$way', '$workload', $first_ns, $near_ns, $is_to_end, $has_blocks, $is_node);"
      echo "CREATE TEMP TABLE written(pid INTEGER, t_ns INTEGER, line INTEGER, kind TEXT, time INTEGER,
        operations INTEGER, allocator TEXT, mbcs INTEGER, mbcs_bytes INTEGER, sbcs INTEGER, sbcs_bytes INTEGER,
        pool INTEGER, pool_bytes INTEGER, blocks INTEGER, blocks_bytes INTEGER, kept INTEGER,
        cached_bytes INTEGER, asked_blocks INTEGER, asked_bytes INTEGER);"
      echo "CREATE TEMP TABLE verdicts(pid INTEGER, verdict TEXT, part_verdict TEXT);"
      for index in "${!pids[@]}"; do
        pid=${pids[$index]}
        awk -F , -v OFS=, -v pid="$pid" \
          '$1 ~ /^[0-9]+$/ && NF == 17 { print pid, 0, $0 }' "$folder/truth-$index.csv" >"$folder/written-$index.csv"
        echo ".import --csv --schema temp '$folder/written-$index.csv' written"
        # What a run that is killed has become is not what it would have become.
        [[ $way == killed || $part == node ]] || echo "INSERT INTO verdicts
          SELECT $pid, '$(expected "${names[$index]}")', '$(expected_part "${names[$index]}")'
          WHERE '$(expected "${names[$index]}")' <> '';"
      done
      if ((is_node)); then
        echo "UPDATE written SET t_ns = time;"
      elif ((ticks)); then
        echo "UPDATE written SET t_ns = $offset_ns + $begin_ns + 1000 * time - iif(kind = 'event', 0, 500);"
      else
        echo "UPDATE written SET t_ns = $offset_ns + time;"
      fi
      echo "CREATE TEMP TABLE said(text TEXT, at_ns INTEGER);"
      echo "INSERT INTO said VALUES(readfile('$folder/figures.json'), NULL);"
    } >"$sql"
    # Moments of the truth that lie in the recording, chosen by the seed.
    {
      cat "$sql"
      echo "SELECT DISTINCT t_ns FROM written WHERE kind IN ('moment', 'pause') AND t_ns > $first_ns
        AND t_ns < (SELECT max(last_ts_ns) FROM run.source);"
    } | sqlite3 -cmd "ATTACH 'file:$folder/run.db?mode=ro' AS run" :memory: >"$folder/moments" 2>"$folder/sql.log"
    for at in $(awk -v seed="$((seed + number))" 'BEGIN { srand(seed) } { print rand(), $0 }' "$folder/moments" |
      sort | cut -d ' ' -f 2 | head -n 3); do
      if ! figures --at "$at" >"$folder/at-$at.json" 2>"$folder/report.log"; then
        failure="report figures --at $at: $(tail -n 1 "$folder/report.log")"
        break
      fi
      # Where much was lost, nothing may be known of a moment.
      [[ $way == *lossy || $way == ring ]] || grep -q '"moment": *"at"' "$folder/at-$at.json" ||
        failure="report figures --at $at prints nothing of that moment"
      echo "INSERT INTO said VALUES(readfile('$folder/at-$at.json'), $at);" >>"$sql"
    done
    sqlite3 -readonly -json "$folder/run.db" "SELECT DISTINCT r.vpid AS pid, v.verdict FROM verdict AS v
      JOIN runtime AS r ON r.id = v.runtime_id WHERE v.level = 'runtime'" >"$folder/verdict.json"
    [[ -s $folder/verdict.json ]] || echo '[]' >"$folder/verdict.json"
    {
      echo "CREATE TEMP TABLE judgement(text TEXT);"
      echo "INSERT INTO judgement VALUES(readfile('$folder/verdict.json'));"
      cat "$here/check.sql"
    } >>"$sql"
    if ! sqlite3 -bail "$results" <"$sql" >"$folder/sql.out" 2>"$folder/sql.log"; then
      failure="check.sql: $(head -n 1 "$folder/sql.log")"
    fi
  fi
  says_wrong
  rm -rf "${folder:?}"
}

# says_wrong: one line for each thing that is, and the row of the recording.
says_wrong() {
  local wrong
  sqlite3 "$results" "INSERT INTO recorded VALUES('$way', '$workload', nullif('${failure//\'/}', ''))"
  [[ -z $failure ]] || echo "FAILED: $way/$workload: $failure"
  wrong=$(
    sqlite3 "$results" "
      SELECT format('OUTSIDE: %s/%s: %s %s of %s: %s (%s) [%s, %s] likely %s, truth %s%s', way, workload, moment,
        quantity, allocator, wrong, quality, ifnull(low, '-'), ifnull(high, '-'), ifnull(likely, '-'), truth_low,
        iif(truth_low = truth_high, '', ' to ' || truth_high))
      FROM checked WHERE way = '$way' AND workload = '$workload' AND wrong IS NOT NULL;
      SELECT format('WRONG: %s/%s: verdict ''%s'' instead of ''%s''', way, workload, verdict, truth)
      FROM judged WHERE way = '$way' AND workload = '$workload' AND verdict NOT IN (truth, 'unknown');"
  )
  [[ -z $wrong ]] || echo "$wrong"
  if [[ -n $keep && -n $wrong ]]; then
    mkdir -p "$keep/$way-$workload" && cp -r "$folder"/. "$keep/$way-$workload"
  fi
}

begin=$SECONDS
number=0
if [[ -n $verdicts ]]; then
  for name in "${!files[@]}"; do
    [[ ${files[$name]} == */advice/* ]] || unset "files[$name]"
  done
fi
picked=$(cases)
count=$(echo "$picked" | grep -c .)
[[ $part != node ]] || echo "truth of a node: from .. to, of two readings, with and without what a reading has for itself"
echo "$count recordings; to repeat them: --seed $seed --share $share --only '$only'"
names_all=("${!files[@]}")
while IFS=/ read -r way workload; do
  [[ -n $way ]] || continue
  if ((seconds > 0 && SECONDS - begin >= seconds)); then
    echo "$((count - number)) of them are left out: $seconds s are over"
    break
  fi
  number=$((number + 1))
  folder=$work/case-$number
  trace=$folder/trace
  mkdir "$folder"
  rm -f "$work/in" "$work/out"
  mkfifo "$work/in" "$work/out"
  exec 7<>"$work/in" 8<>"$work/out"
  pids=()
  names=()
  other=${names_all[$(((number * 7 + seed) % ${#names_all[@]}))]}
  failure=
  record || failure="$reason: $(tail -n 1 "$work/log" 2>/dev/null) $(cat "$folder"/twin-*.log 2>/dev/null | tail -n 1)"
  for pid in ${twins[@]+"${twins[@]}"}; do kill -9 "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; done
  twins=()
  ends_session "$session"
  session=
  exec 7>&- 8>&-
  # What was recorded is compared while the next case is recorded.
  [[ -z $checker ]] || wait "$checker"
  checker=
  if [[ -n $failure ]]; then
    says_wrong
  else
    check &
    checker=$!
  fi
done <<<"$picked"
[[ -z $checker ]] || wait "$checker"
checker=

[[ -z $verdicts ]] || exit 0
sqlite3 "$results" <"$here/goals.sql" >"$work/loose"
# A hundred of them say as much as all.
head -n 100 "$work/loose"
sqlite3 "$results" <"$here/table.sql"
sqlite3 "$results" "SELECT format('%d figures of %d recordings compared, %d outside, %d verdicts wrong, %d recordings not compared',
  (SELECT count(*) FROM checked), (SELECT count(*) FROM recorded), (SELECT count(*) FROM checked WHERE wrong IS NOT NULL),
  (SELECT count(*) FROM judged WHERE verdict NOT IN (truth, 'unknown')),
  (SELECT count(*) FROM recorded WHERE failure IS NOT NULL))
  || ', $(wc -l <"$work/loose") loose'"
[[ $(sqlite3 "$results" "SELECT (SELECT count(*) FROM checked) > 0
  AND NOT EXISTS (SELECT 1 FROM checked WHERE wrong IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM judged WHERE verdict NOT IN (truth, 'unknown'))
  AND NOT EXISTS (SELECT 1 FROM recorded WHERE failure IS NOT NULL)") == 1 && ! -s $work/loose ]]
