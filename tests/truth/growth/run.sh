#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# run.sh -o FOLDER [--cells N] [--seed N] [--only REGEX] [--jobs N] [--memory MIB] [--load N] [--seconds N] [--list] [BUILD]
#
# Recordings of real nodes that grow in a known way (growth_node.erl): FOLDER/CELL.db, CELL.truth (what the node's own
# program says), CELL.trace.tar.gz if that is less than 20 MB (`carrierscope load` reads it again once unpacked), CELL.log.
# ./score FOLDER compares them with what the truth is.
#
# A cell is WHO-RATE-STATIC-SECONDS-WAY-SHAPE-SEED: who grows, KiB/s, MiB held beside by others, length of the
# recording, `blocks` (every block), `sampled` (one in 64 KiB) or `snapshots` (nothing hooked), and how it grows.
#
#   --cells   so many of the matrix (10), chosen by the seed, as many of each WHO; what is in FOLDER already is left as it is
#   --only    of the cells that match; --list prints them, and records nothing
#   --again   records the cells of which FOLDER has a truth once more, and no others
#   --reload  loads the traces that FOLDER has once more, by a newer program; records nothing
#   --jobs    so many nodes at once (4), which may take so much --memory (half of what is free)
#   --load    none begins while the machine's load is higher
#   --seconds begins none after so many
#   BUILD     the build folder (build/dev)
. "$(dirname "$0")/../../harness/main.sh"
own_daemon "$@"
root=$(cd "$here/../../.." && pwd)
cells=10 seed=1 only=. jobs=4 memory=0 load=1000 seconds=0 lists='' again='' reloads='' folder='' build=$root/build/dev
while (($#)); do
  case $1 in
  --list) lists=1 ;;
  --again) again=1 ;;
  --reload) reloads=1 ;;
  -o | --cells | --seed | --only | --jobs | --memory | --load | --seconds)
    (($# > 1)) || { echo "run.sh: $1 needs a value" >&2; exit 2; }
    case $1 in
    -o) folder=$2 ;;
    --cells) cells=$2 ;;
    --seed) seed=$2 ;;
    --only) only=$2 ;;
    --jobs) jobs=$2 ;;
    --memory) memory=$2 ;;
    --load) load=$2 ;;
    --seconds) seconds=$2 ;;
    esac
    shift
    ;;
  -*) echo "run.sh: unknown option '$1'" >&2; exit 2 ;;
  *) build=$1 ;;
  esac
  shift
done

# The matrix, each cell with a seed of its own: what cannot be is left out.  Atoms, modules and literals are
# there for ever; a mailbox, timers and memory of a NIF have nobody who takes over.
matrix() {
  awk -v seed="$seed" 'function chance() { return (seed = seed * 16807 % 2147483647) / 2147483647 }
  BEGIN {
    # The same cells by every awk.
    seed = 1 + (seed * 7919 + 104729) % 2147483646
    whos = split("nobody process group table bintable mailbox timers atoms modules literals nif pieces uncollected", who)
    shapes = split("steady steps swing owners sawtooth fills cache ended", shape)
    rates = split("102 1024 10240", rate)
    split("50 500 1536", static)
    split("10 30 60", length_s)
    split("blocks sampled snapshots", way)
    for (w = 1; w <= whos; w++) for (r = 1; r <= rates; r++) for (s = 1; s <= shapes; s++)
      for (m = 1; m <= 3; m++) for (l = 1; l <= 3; l++) for (y = 1; y <= 3; y++) {
        if (who[w] == "nobody" ? r > 1 || shape[s] !~ /steady|swing/ : 0) continue
        if (who[w] ~ /atoms|modules|literals/ && shape[s] ~ /owners|sawtooth|cache/) continue
        if (who[w] ~ /mailbox|timers|nif/ && shape[s] == "owners") continue
        if (who[w] == "uncollected" && shape[s] ~ /owners|cache/) continue
        if (who[w] == "modules" && r == 3) continue
        printf "%s %.9f %s-%d-%d-%d-%s-%s-%d\n", who[w], chance(), who[w], who[w] == "nobody" ? 0 : rate[r], static[m],
          length_s[l], way[y], shape[s], 1 + int(chance() * 1000000)
      }
  }' | awk -v only="$only" '$3 ~ only' | LC_ALL=C sort -k 1,1 -k 2,2 |
    awk '{ number = $1 == last ? number + 1 : 1; last = $1; print number, $2, $3 }' | LC_ALL=C sort -k 1,1n -k 2,2 |
    awk '{ print $3 }'
}
picked=$(matrix | head -n "$cells")
if [[ -n $lists ]]; then
  echo "$picked"
  exit 0
fi
[[ -n $folder ]] || { echo "run.sh: -o FOLDER is missing" >&2; exit 2; }
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 1
if [[ -n $again ]]; then picked=$(find "$folder" -name '*.truth' -printf '%f\n' | sed 's/\.truth$//' | grep -E "$only" | sort); fi

program=$build/analyzer/carrierscope
tests_program "$program"

# reload TRACE.tar.gz
reload() {
  local cell=${1##*/} at
  cell=${cell%.trace.tar.gz}
  at=$work/$cell
  if ! { mkdir "$at" && tar -C "$at" -xzf "$1" && "$program" load --quiet --force -o "$at/new.db" "$at"/*.trace-* >"$at/log" 2>&1 &&
    mv "$at/new.db" "$folder/$cell.db"; }; then
    echo "FAILED: $cell: $(tail -n 1 "$at/log")"
    touch "$work/failed"
  fi
  rm -rf "${at:?}"
}
if [[ -n $reloads ]]; then
  for trace in "$folder"/*.trace.tar.gz; do
    [[ ${trace##*/} =~ $only ]] || continue
    while (($(jobs -pr | wc -l) >= jobs)); do wait -n; done
    reload "$trace" &
  done
  wait
  [[ ! -e $work/failed ]]
  exit
fi

ebin=$build/provider/beam/ebin
nodes=$build/tests/truth/growth
for file in "$program" "$ebin/carrierscope.beam" "$nodes/growth_node.beam" "$nodes/growth_nif.so"; do
  [[ -e $file ]] || { echo "FAILED: there is no '$file': build first"; exit 1; }
done
needs lttng lttng-sessiond
names_nodes
declare -A sizes=()
running=()
cleanup() {
  for pid in ${running[@]+"${running[@]}"}; do kill "$pid" 2>/dev/null; done
  for pid in ${running[@]+"${running[@]}"}; do wait "$pid" 2>/dev/null; done
  ends_node
  ends_daemon
}
starts_daemon "$work/daemon.log" || skip "$(cat "$work/daemon.log")"
epmd -port "$ERL_EPMD_PORT" >/dev/null 2>&1 &
epmd_pid=$!
echo GROWTH >"$work/.erlang.cookie"
chmod 400 "$work/.erlang.cookie"

is_ready() { grep -q '^ready' "$log"; }

# records CELL NAME: in a shell of its own; 1 and a line if that fails.
records() {
  local cell=$1 node=$2 length way node_pid='' trace reason status=0 options=()
  IFS=- read -r _ _ _ length way _ _ <<<"$cell"
  log=$work/$node.log
  : >"$log"
  trap '[[ -z $node_pid ]] || kill -9 "$node_pid" 2>/dev/null; exit 1' TERM
  erl -sname "$node" -noinput +S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none +t 4194304 -pa "$ebin" "$nodes" \
    -run growth_node main "$cell" "$work/$cell.truth" "$nodes/growth_nif" >"$log" 2>&1 &
  node_pid=$!
  reason=
  if ! waits is_ready; then
    reason="the node is not ready: $(tail -n 1 "$log")"
  else
    case $way in
    blocks) options=(--node "$node" --every-block) ;;
    sampled) options=(--node "$node" --sample 64KiB) ;;
    snapshots) options=(--node "$node" --readings) ;;
    esac
  fi
  if [[ -z $reason ]]; then
    "$program" record "${options[@]}" --seconds "$length" --ebin "$ebin" --keep-trace --force -o "$work/$cell.db" >>"$log" 2>&1 ||
      reason="record: $(tail -n 1 "$log")"
  fi
  ! grep -Eq '(ERROR|CRASH) REPORT|^Error' "$log" || reason="the node's program failed: $(grep -E -m 1 -A 1 'REPORT|^Error' "$log")"
  kill -9 "$node_pid" 2>/dev/null
  wait "$node_pid" 2>/dev/null
  node_pid=
  trace=$(find "$work" -maxdepth 1 -name "$cell.db.trace-*" | head -n 1)
  if [[ -z $reason ]]; then
    if [[ -n $trace ]] && (($(du -sk "$trace" | cut -f 1) < 200000)); then
      tar -C "$work" -czf "$work/$cell.tar.gz" "${trace##*/}"
      if (($(stat -c %s "$work/$cell.tar.gz") < 20000000)); then mv "$work/$cell.tar.gz" "$folder/$cell.trace.tar.gz"; fi
    fi
    mv "$work/$cell.truth" "$log" "$folder/" && mv "$folder/${log##*/}" "$folder/$cell.log" &&
      mv "$work/$cell.db" "$folder/$cell.db"
  else
    echo "FAILED: $cell: $reason"
    status=1
  fi
  rm -rf ${trace:+"$trace"} "$work/$cell".*
  return $status
}

# MiB that a node takes, with the buffers of its recording.
size() {
  local rate static length
  IFS=- read -r _ rate static length _ <<<"$1"
  echo $((250 + static * 5 / 4 + rate * (length + 20) / 1024 * 2))
}

# One of them has ended.
reaps() {
  local ended status=0 left=() pid
  wait -n -p ended "${running[@]}" || status=$?
  ((status == 0)) || failures=$((failures + 1))
  for pid in "${running[@]}"; do [[ $pid == "$ended" ]] || left+=("$pid"); done
  running=(${left[@]+"${left[@]}"})
  used=$((used - sizes[$ended]))
}

if ((memory == 0)); then memory=$(awk '$1 == "MemAvailable:" { print int($2 / 2048) }' /proc/meminfo); fi
begin=$SECONDS
used=0
number=0
for cell in $picked; do
  [[ -n $again || ! -e $folder/$cell.db ]] || continue
  if ((seconds > 0 && SECONDS - begin >= seconds)); then
    echo "the others are left out: $seconds s are over"
    break
  fi
  mib=$(size "$cell")
  while ((${#running[@]} > 0)) && ((${#running[@]} >= jobs || used + mib > memory)); do reaps; done
  while awk -v load="$load" '{ exit !($1 > load) }' /proc/loadavg; do sleep 1; done
  number=$((number + 1))
  records "$cell" "growth$$x$number" &
  sizes[$!]=$mib
  running+=($!)
  used=$((used + mib))
done
while ((${#running[@]} > 0)); do reaps; done
echo "$((number - failures)) of $number recordings"
ends
