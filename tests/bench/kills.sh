#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# kills.sh CARRIERSCOPE [KILLS [SIGNALS [AT_ONCE [SEED [MOST]]]]]: recorders that are ended at random moments, KILLS (200) by kill -9 and
# SIGNALS (60) by TERM, INT or HUP: `record --node`, `record -- COMMAND` and `keep` with alarms and --on-alarm.  AT_ONCE (16)
# nodes at a time, each with a session daemon of its own.
#
# 25 s after a kill -9, or at the end of a recorder that was asked to end, are counted, and again until nothing is left on a machine
# that is busy, until MOST seconds (25) after it: hooks; processes of ours in the node;
# sessions; processes of ours (that of COMMAND is the user's); and once a next command (`top`) has run: folders that it left and
# recordings that it does not name; and what `record --clean` leaves, or does not make a database of; recorders that
# do not end, and nodes that do not answer.  Status 0: none of these.
. "$(dirname "$0")/../harness/main.sh"
if [[ ${1:-} != --worker ]]; then
  program=$(realpath "$1") kills=${2:-200} signals=${3:-60} at_once=${4:-16} seed=${5:-$RANDOM} most_s=${6:-25}
  needs lttng lttng-sessiond erl erl_call epmd
  total=$((kills + signals))
  [[ $at_once -le $total ]] || at_once=$total
  for ((worker = 0; worker < at_once; worker++)); do
    own=()
    # LTTng's directory of root is the worker's own, too.
    [[ $(id -u) -ne 0 ]] || own=(unshare -m --propagation private sh -c
      'mkdir -p /var/run/lttng && mount -t tmpfs none /var/run/lttng && exec "$@"' sh)
    "${own[@]}" bash "$0" --worker "$program" "$kills" "$signals" "$at_once" $((seed + worker)) "$worker" "$most_s" >"$work/$worker" 2>&1 &
  done
  wait
  cat "$work"/[0-9]*
  awk -v total="$total" -v seed="$seed" '
    /^case / { count++; for (i = 6; i <= NF; i += 2) { sums[$i] += $(i + 1) } }
    END {
      printf "%d of %d cases (seed %d):", count, total, seed
      bad = count != total
      names = split("hooks helpers sessions processes folders unnamed remains lost stuck mute", order, " ")
      for (i = 1; i <= names; i++) { printf " %s %d", order[i], sums[order[i]]; bad += sums[order[i]] }
      print ""
      exit bad > 0
    }' "$work"/[0-9]*
  exit
fi
shift
program=$1 kills=$2 signals=$3 at_once=$4 seed=$5 worker=$6 most_s=$7
plain_erl
export LTTNG_HOME=$work LTTNG_UST_REGISTER_TIMEOUT=60000
names_nodes
# All at once look for ports.
ERL_EPMD_PORT=$((ERL_EPMD_PORT + worker))
other=
cleanup() {
  [[ -z $other ]] || kill -9 "$other" 2>/dev/null
  ends_node
}
starts_node '
  spawn(fun() -> register(keeper, self()),
    (fun F(L) -> receive after 20 -> F(lists:sublist([binary:copy(<<"a">>, 100000) | L], 200)) end end)([]) end).'
# The cookie of a file: its temporary home may be left, too.
cp "$work/.erlang.cookie" "$work/cookie"
chmod 400 "$work/cookie"
RANDOM=$seed
# How long a recorder that nobody ends takes here, in ms: the moments are within that.
begin=$(date +%s%3N)
"$program" record -o "$work/whole.db" --node "$node" --seconds 2 --sample 64KiB >"$work/out" 2>"$work/err" || cat "$work/out" "$work/err"
whole=$(($(date +%s%3N) - begin))

# of_case CASE: pids of the programs that a recorder of this case started, and its own, but for nodes and what is the user's.
of_case() {
  local file pid name
  for file in /proc/[0-9]*; do
    pid=${file#/proc/}
    grep -qz "^CSC_KILLS=$work/$1\$" "$file/environ" 2>/dev/null || continue
    name=$(cat "$file/comm" 2>/dev/null)
    case $name in
    beam.smp | erl_child_setup | inet_gethost | erlexec | sleep | sh | '') ;;
    *) echo "$pid($name)" ;;
    esac
  done
}
# asked_of NODE EXPRESSION
asked_of() {
  echo "$2." | timeout 30 erl_call -sname "$1" -e 2>/dev/null
}
# Of nodes that live: how many are hooked, how many processes of ours they have, and how many do not answer.
count_in() {
  local one answer i
  hooks=0 helpers=0 mute=0
  for one; do
    # One that boots waits for its session daemon for a minute at most.
    for ((i = 0; i < 60; i++)); do
      answer=$(asked_of "$one" '{catch maps:get(hooked, carrierscope:info()),
        length([P || P <- processes(), {_, {M, _, _}} <- [catch proc_lib:translate_initial_call(P)], lists:prefix("carrierscope", atom_to_list(M))]
          ++ [P || P <- [whereis(carrierscope_keeper), whereis(carrierscope_recorder)], P =/= undefined])}' | tr -d ' \n')
      [[ -z $answer ]] || break
      sleep 1
    done
    case $answer in
    '{ok,{true,'*) hooks=$((hooks + 1)) ;;
    '') mute=$((mute + 1)) ;;
    esac
    answer=${answer##*,}
    helpers=$((helpers + $(tr -dc 0-9 <<<"0$answer")))
  done
}
traces() {
  find "$work/files" "$work/.carrierscope" -maxdepth 2 \( -name '*.trace-*' -o -name '.left-*' -o -name '.ring-*' -o -name '.alarm-*' \
    -o -name '*.home' \) 2>/dev/null
}

number=0
for ((at = worker; at < kills + signals; at += at_once)); do
  number=$((number + 1))
  rm -rf "$work/files"
  mkdir "$work/files"
  kind=$((RANDOM % 3)) signal=9 stuck=0
  [[ $at -lt $kills ]] || signal=$((RANDOM % 3))
  nodes=("$node") other=
  case $kind in
  0) words=(record -o "$work/files/run.db" --node "$node" --cookie-file "$work/cookie" --seconds 2 --sample 64KiB) most=$whole ;;
  1) words=(record -o "$work/files/run.db" --seconds 2 --sample 64KiB -- erl -sname "${node}x$number" -noinput -eval 'timer:sleep(600000).')
    nodes+=("${node}x$number") most=$whole ;;
  2) words=(keep -o "$work/files/keep" --node "$node" --cookie-file "$work/cookie" --snapshots 1s --alarm 'rss>1MiB' --on-alarm 'sleep 2' \
    --sample-at-alarm 2s) most=$((whole + 5000)) ;;
  esac
  CSC_KILLS=$work/$number "$program" "${words[@]}" >"$work/out" 2>"$work/err" &
  recorder=$!
  delay=$((RANDOM * 32768 + RANDOM))
  delay=$((delay % most))
  sleep "$(printf '%d.%03d' $((delay / 1000)) $((delay % 1000)))"
  case $signal in
  9) name=KILL ;;
  0) name=TERM ;;
  1) name=INT ;;
  *) name=HUP ;;
  esac
  # A background process of a script ignores INT until its own handler is there.
  kill -s $name $recorder 2>/dev/null
  ended=$SECONDS
  if [[ $signal -eq 9 ]]; then
    wait $recorder 2>/dev/null
    sleep 25
  else
    for ((i = 0; i < 900 || SECONDS - ended < most_s; i++)); do
      kill -0 $recorder 2>/dev/null || break
      sleep 0.1
      # It may have come before the handler.
      [[ $name != INT || $i -ne 300 ]] || kill -TERM $recorder
    done
    ! kill -0 $recorder 2>/dev/null || stuck=1
    wait $recorder 2>/dev/null
  fi
  while
    if [[ $kind -eq 1 ]]; then
      other=$(pgrep -f -- "-sname ${node}x$number " | head -n 1)
      [[ -n $other ]] || nodes=("$node")
    fi
    count_in "${nodes[@]}"
    sessions=$(lttng --no-sessiond list 2>/dev/null | grep -c 'carrierscope-')
    living=$(of_case $number)
    processes=$(wc -w <<<"$living")
    ((hooks + helpers + sessions + processes + mute > 0 && SECONDS - ended < most_s))
  do
    sleep 1
  done
  before=$(traces)
  "$program" top --node "$node" --once >"$work/top" 2>"$work/top.err"
  # What holds a recording is named, by its path or by its keeper's folder; all else is gone.
  folders=0 unnamed=0
  while IFS= read -r path; do
    [[ -n $path ]] || continue
    if [[ -n $(find "$path" -type f -size +0 -print -quit) ]]; then
      grep -qF -e "$path" -e "$(dirname "$path")'" "$work/top.err" "$work/err" || unnamed=$((unnamed + 1))
    else
      folders=$((folders + 1))
    fi
  done <<<"$(traces)"
  had=$(traces | grep -c .) made=$(find "$work/files" -name '*.db' | wc -l)
  "$program" record --clean >"$work/clean" 2>"$work/clean.err"
  remains=$(traces | grep -c .)
  [[ ! -e $work/.carrierscope ]] || remains=$((remains + 1))
  lost=$((had - $(find "$work/files" -name '*.db' | wc -l) + made - $(grep -c . "$work/clean.err")))
  [[ $lost -gt 0 ]] || lost=0
  echo "case $number $kind $name $delay hooks $hooks helpers $helpers sessions $sessions processes $processes folders $folders" \
    "unnamed $unnamed remains $remains lost $lost stuck $stuck mute $mute"
  if [[ $((hooks + helpers + sessions + processes + folders + unnamed + remains + lost + stuck + mute)) -gt 0 ]]; then
    echo "# ${words[*]}: $living"
    for file in err top.err clean.err clean; do sed "s/^/# $file: /" "$work/$file"; done
    echo "# before: $before now: $(traces) $(ls -A "$work/.carrierscope" 2>/dev/null)"
  elif [[ -n $before ]]; then
    sed 's/^/# /' "$work/err" "$work/top.err"
  fi
  [[ -z $other ]] || pkill -9 -f -- "-sname ${node}x$number " 2>/dev/null
done
