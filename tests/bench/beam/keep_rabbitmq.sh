#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# keep_rabbitmq.sh BUILD_DIR [ROUNDS [SECONDS [RATE]]]: what `carrierscope keep` costs a RabbitMQ with RATE (1000) messages of 1 KiB
# a second, published and consumed; with $CSC_OPTIONS what carrierscope:start($CSC_OPTIONS) costs it, into a session of LTTng.
#
# One private node (examples/apps/rabbitmq-node.sh) lives through ROUNDS (41) rounds; in each of them SECONDS (10) with a keeper
# of default settings and as many without are measured, in turns as to which comes first, each after a settling time that is not
# measured.  CPU is what the kernel counts of each process, user and system.
#
#   a line each round: round; CPU of the node in % of a core kept, without; of the keeper and what it runs; of LTTng's daemons;
#   messages consumed a second kept, without; load of the machine
#
# At the end medians, and in parentheses where they lie with 95 % (by ranks).  Exit status 77: no packages.
. "$(dirname "$0")/../../harness/main.sh"
own_daemon "$@"
# What examples/parts.sh prepares has a folder of its own.
rmdir "$work"
set -eo pipefail
build=$(cd "${1:?usage: keep_rabbitmq.sh BUILD_DIR [ROUNDS [SECONDS [RATE]]]}" && pwd)
rounds=${2:-41}
seconds=${3:-10}
rate=${4:-1000}
cd "$(dirname "$0")/../../.."
. examples/parts.sh
. examples/apps/parts.sh
. examples/apps/rabbitmq-node.sh
settling=3
keeper=

prepares node unused.db --build-dir "$build"
finish_bench() {
  [[ -z $keeper ]] || ends_process "$keeper" 20
  finish_app
}
trap finish_bench EXIT
has_rabbitmq
starts_rabbitmq
ERL_LIBS=$plugins erlc -o "$work" tests/bench/beam/rabbitmq_steady.erl
ERL_LIBS=$plugins erl -noshell -pa "$work" -run rabbitmq_steady main "$port" "$rate" >"$work/client" 2>"$work/client.err" &
client=$!

# cpu PID...: ticks of these and of what they ran and waited for.
cpu() {
  local process
  for process; do
    sed 's/^.*) //' "/proc/$process/stat" 2>/dev/null || true
  done | awk '{ sum += $12 + $13 + $14 + $15 } END { print sum + 0 }'
}

# Of the node alone, as the kernel counts its threads in ns, in ticks; of the keeper; of the daemons.
cpus() {
  # shellcheck disable=SC2046
  echo "$(cat /proc/"$node"/task/*/schedstat | awk -v hertz="$(getconf CLK_TCK)" '{ ns += $1 } END { printf "%.5f", ns / 1e9 * hertz }') $(if [[ -n $keeper ]]; then cpu "$keeper"; else echo 0; fi) $(cpu $(descendants "$daemon") "$daemon")"
}

# measured: "NODE KEEPER DAEMONS MESSAGES": CPU in % of a core, and messages consumed a second.
measured() {
  local begin end before after
  begin=$(date +%s%3N)
  before=$(cpus)
  sleep "$seconds"
  end=$(date +%s%3N)
  after=$(cpus)
  # The client's next line is there.
  sleep 0.5
  tail -n 1000 "$work/client" | awk -v begin="$begin" -v end="$end" -v before="$before" -v after="$after" \
    -v hertz="$(getconf CLK_TCK)" '
    $1 <= begin { first = $1; from = $3 }
    $1 <= end { last = $1; to = $3 }
    END {
      split(before, b, " ")
      split(after, a, " ")
      for (i = 1; i <= 3; i++) {
        printf "%.3f ", (a[i] - b[i]) / hertz / (end - begin) * 1e5
      }
      printf "%.1f", (to - from) * 1000 / (last - first)
    }'
}

recorded() {
  {
    lttng create rabbitmq --output="$work/recorded"
    lttng enable-channel -u -s rabbitmq --buffers-uid --subbuf-size=8M --num-subbuf=8 all
    lttng enable-event -u -s rabbitmq -c all 'carrierscope:*'
    lttng start rabbitmq
    rabbitmqctl eval "code:add_patha(\"$build/provider/beam/ebin\"), {ok, #{listening := true}} = carrierscope:start($CSC_OPTIONS)."
  } >"$work/record.log" 2>&1
  sleep $settling
  of_kept=$(measured)
  rabbitmqctl eval '{ok, #{lost := 0}} = carrierscope:stop().' >>"$work/record.log" 2>&1
  lttng destroy rabbitmq >/dev/null
  du -sb "$work/recorded" >>"$work/bytes"
  rm -rf "$work/recorded"
}

kept() {
  if [[ -n ${CSC_OPTIONS:-} ]]; then
    recorded
    return
  fi
  "$bin/carrierscope" keep --node "$RABBITMQ_NODENAME" -o "$work/kept" >"$work/keep.log" 2>&1 &
  keeper=$!
  local tries=0
  until grep -q 'is recorded' "$work/keep.log"; do
    tries=$((tries + 1))
    if [[ $tries -gt 600 ]] || ! kill -0 "$keeper" 2>/dev/null; then
      cat "$work/keep.log" >&2
      echo "nothing is recorded" >&2
      exit 1
    fi
    sleep 0.1
  done
  sleep $settling
  of_kept=$(measured)
  kill -TERM "$keeper"
  wait "$keeper"
  keeper=
}

without() {
  sleep $settling
  of_without=$(measured)
}

echo "  RabbitMQ is pid $node; $rounds rounds of $seconds s each way"
# The node's own start is over, and the module is loaded.
sleep 20
kept
for ((round = 1; round <= rounds; round++)); do
  if ((round % 2)); then
    kept
    without
  else
    without
    kept
  fi
  read -r node_kept keeper_cpu daemons_cpu messages_kept <<<"$of_kept"
  read -r node_without _ _ messages_without <<<"$of_without"
  echo "$round $node_kept $node_without $keeper_cpu $daemons_cpu $messages_kept $messages_without $(cut -d ' ' -f 1 /proc/loadavg)" | tee -a "$work/rounds"
done

awk '
  function sorted(list, count,    i, j, held) {
    for (i = 2; i <= count; i++) {
      held = list[i]
      for (j = i - 1; j >= 1 && list[j] > held; j--) {
        list[j + 1] = list[j]
      }
      list[j + 1] = held
    }
  }
  # Where the median of what these were drawn from lies with 95 %, by their ranks.
  function show(what, format, list,    rank) {
    sorted(list, NR)
    rank = int((NR - 1.96 * sqrt(NR)) / 2)
    rank = rank < 1 ? 1 : rank
    printf "%-52s " format " (" format " to " format ")\n", what, list[int((NR + 1) / 2)], list[rank], list[NR + 1 - rank]
  }
  {
    kept[NR] = $2
    without[NR] = $3
    ratio[NR] = $2 / $3
    more[NR] = $2 - $3
    keeper[NR] = $4
    daemons[NR] = $5
    all[NR] = $2 - $3 + $4 + $5
    messages_kept[NR] = $6
    messages_without[NR] = $7
    load[NR] = $8
  }
  END {
    show("the node, CPU kept / without", "%.3f", ratio)
    show("the node without, % of a core", "%.2f", without)
    show("the node kept, % of a core", "%.2f", kept)
    show("the node, more by the keeper, % of a core", "%.2f", more)
    show("the keeper and what it runs, % of a core", "%.2f", keeper)
    show("LTTng'\''s daemons, % of a core", "%.2f", daemons)
    show("all of that together, % of a core", "%.2f", all)
    show("messages consumed a second, kept", "%.1f", messages_kept)
    show("messages consumed a second, without", "%.1f", messages_without)
    show("load of the machine", "%.1f", load)
  }' "$work/rounds"
[[ ! -d $work/kept ]] || find "$work/kept" -name '*.db' | sed 's/^/  an alarm: /'
[[ ! -e $work/bytes ]] || awk '{ n += $1 } END { printf "bytes of trace, mean of %d sessions: %.0f\n", NR, n / NR }' "$work/bytes"
stops_rabbitmq
