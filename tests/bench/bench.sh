#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Measures loading against its peers, side by side, and prints Markdown tables.
# README.md says what and how.  Builds nothing; no result makes it fail.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
plugin_dir=
carrierscope=
tools=${CSC_BENCH_TOOLS:-}
cache=${TMPDIR:-/tmp}/carrierscope-bench
rounds=5
peer_rounds=
blocks=5000000
carriers=2000000
small_blocks=500000
small_carriers=200000
with_peers=yes
rss=
queries=
with_core=
core_rounds=9
variants="dummy counter pretty ctf sink load report page"

usage() {
  cat <<USAGE
usage: bench.sh --tools DIR [OPTION]...
  --tools DIR           where bench_generate, bench_measure and bench_views are
                        (default: \$CSC_BENCH_TOOLS)
  --plugin-dir DIR      where babeltrace-plugin-carrierscope.so is
  --carrierscope FILE   the command; its rows are n/a without
  --rounds N            rounds (default $rounds)
  --peer-rounds N       of them with the slow peers (default: at most 3)
  --blocks N            block events (default $blocks); 0 leaves them out
  --carriers N          carrier events (default $carriers); 0 leaves them out
  --small-blocks N      block events for the slow peers (default $small_blocks)
  --small-carriers N    carrier events for them (default $small_carriers)
  --no-peers            leave the slow peers out
  --variants LIST       what takes turns (default: '')
  --core                also time the core beside the runtime, each strategy (minutes)
  --core-rounds N       rounds of it (default $core_rounds)
  --rss                 also load 4 M and 16 M carrier events (2 GB, minutes)
  --cache DIR           recorded traces (default $cache)
  --queries DB          only time the views of a database
USAGE
}

fail() {
  printf 'bench.sh: %s\n' "$*" >&2
  exit 1
}

say() {
  printf '%s\n' "$*" >&2
}

while [ $# -gt 0 ]; do
  case $1 in
  --rss) rss=yes ;;
  --core) with_core=yes ;;
  --no-peers) with_peers= ;;
  -h | --help)
    usage
    exit 0
    ;;
  --tools | --plugin-dir | --carrierscope | --rounds | --peer-rounds | --blocks | --carriers | \
    --small-blocks | --small-carriers | --cache | --queries | --core-rounds | --variants)
    if [ $# -lt 2 ]; then
      say "bench.sh: '$1' needs a value"
      exit 2
    fi
    name=${1#--}
    printf -v "${name//-/_}" '%s' "$2"
    shift
    ;;
  *)
    say "bench.sh: no such option: '$1'"
    usage >&2
    exit 2
    ;;
  esac
  shift
done

for number in "$rounds" "${peer_rounds:-0}" "$blocks" "$carriers" "$small_blocks" \
  "$small_carriers" "$core_rounds"; do
  [[ $number =~ ^[0-9]+$ ]] || fail "not a number: '$number'"
done
peer_rounds=${peer_rounds:-$((rounds < 3 ? rounds : 3))}
[ -n "$tools" ] || fail 'where are the tools? (--tools DIR)'
tools=$(cd "$tools" && pwd)

if [ -n "$queries" ]; then
  [ -x "$tools/bench_views" ] || fail "no program '$tools/bench_views'"
  "$tools/bench_views" "$queries" | sort -rn | awk -F '\t' '
    { views++ }
    $1 > 100 { slow++; line[slow] = "| " $4 " | " $1 " | " $2 " | " $3 " |"
               if ($3 != "full scan") missed++ }
    END {
      print "| view over 100 ms | ms | rows | named in view_doc as |"
      print "|---|---:|---:|---|"
      for (i = 1; i <= slow; i++) print line[i]
      verdict = views == 0 ? "n/a" : missed > 0 ? "MISS" : "PASS"
      printf "\n%d views, %d over 100 ms, %d of them not named as full scans: %s\n",
        views, slow, missed, verdict
    }'
  exit 0
fi

for tool in generate measure; do
  [ -x "$tools/bench_$tool" ] || fail "no program '$tools/bench_$tool'"
done
if [ -n "$plugin_dir" ]; then
  [ -e "$plugin_dir/babeltrace-plugin-carrierscope.so" ] || fail "no plugin in '$plugin_dir'"
  plugin_dir=$(cd "$plugin_dir" && pwd)
fi
if [ -n "$carrierscope" ]; then
  [ -x "$carrierscope" ] || fail "no program '$carrierscope'"
fi
python=
for candidate in "${PYTHON:-}" python3 /usr/bin/python3; do
  if [ -n "$candidate" ] && "$candidate" -c 'import bt2, sqlite3' 2>/dev/null; then
    python=$candidate
    break
  fi
done

mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
scratch=$(mktemp -d "$cache/run-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
data=$scratch/data
: >"$data"

# trace_of KIND COUNT: sets trace to a recording, made when there is none.  The
# number in its name changes when the generator does.
trace_of() {
  trace=$cache/1-$1-$2
  if [ ! -e "$trace/count" ]; then
    say "recording $2 $1 events"
    rm -rf "$trace"
    CSC_BENCH_TOOLS=$tools "$here/record.sh" "$trace" "$1" "$2"
  fi
}

# bytes_of PATH: of a file or of what is in a folder.
bytes_of() {
  find "$1" -type f -printf '%s\n' 2>/dev/null | awk '{ sum += $1 } END { print sum + 0 }'
}

# command_of VARIANT KIND: sets command, and output to what it writes.
command_of() {
  output=
  case $1 in
  dummy) command=(babeltrace2 "$trace" -c sink.utils.dummy) ;;
  counter) command=(babeltrace2 "$trace" -c sink.utils.counter) ;;
  report) command=("$carrierscope" report "$scratch/load.db") ;;
  page) command=("$carrierscope" report "$scratch/load.db" --format html) ;;
  pretty) command=(babeltrace2 "$trace" -c sink.text.pretty) ;;
  ctf)
    output=$scratch/ctf
    command=(babeltrace2 "$trace" -c sink.ctf.fs -p "path=\"$output\"")
    ;;
  sink)
    output=$scratch/sink.db
    command=(babeltrace2 "--plugin-path=$plugin_dir" "$trace"
      -c sink.carrierscope.sqlite -p "path=\"$output\",force=yes")
    ;;
  load)
    output=$scratch/load.db
    command=("$carrierscope" load -f -o "$output" "$trace" --verbose)
    if [ -n "$plugin_dir" ]; then
      command=(env "BABELTRACE_PLUGIN_PATH=$plugin_dir" "${command[@]}")
    fi
    ;;
  python)
    output=$scratch/python.db
    command=("$python" "$here/peers/python_bt2.py" "$trace" "$output" "$2")
    ;;
  awk)
    output=$scratch/awk.db
    command=("$here/peers/text_awk_import.sh" "$trace" "$output" "$2")
    ;;
  esac
}

is_available() {
  case $1 in
  sink) [ -n "$plugin_dir" ] ;;
  load) [ -n "$carrierscope" ] ;;
  report | page) [ -n "$carrierscope" ] && [ -e "$scratch/load.db" ] ;;
  python) [ -n "$python" ] ;;
  *) true ;;
  esac
}

# What the command says of itself, '-' where it does not: rows wall, rows CPU, CPU of the end, of the
# threads that decode, of the reader and of the writer, events.
load_phases() {
  awk '
    function known(value) { return value == "" ? "-" : value }
    /^phases: rows / { wall = $3; cpu = $6; end = $13 }
    /^threads: decoding / { decoding = $3; reader = $7; writer = $11 }
    /^[0-9]+ events in / { events = $1 }
    END { print known(wall), known(cpu), known(end), known(decoding), known(reader), known(writer), known(events) }
  ' "$1"
}

# sample SET KIND COUNT VARIANT ROUND: one line of data: set kind count variant
# round, wall cpu rss, bytes written, and what load_phases prints but the events.
sample() {
  local set=$1 kind=$2 count=$3 variant=$4 round=$5
  local bytes='-' phases='- - - - - - -' loaded='-' printed

  is_available "$variant" || return 0
  command_of "$variant" "$kind"
  # Reports are of what the load before them wrote.
  case $variant in
  report | page) ;;
  *) rm -rf "$scratch"/*.db* "$scratch/ctf" ;;
  esac
  rm -f "$scratch/line"
  # Only the peers' number of rows is wanted; text must not cost a disk.
  case $variant in
  python | awk) printed=$scratch/out ;;
  *) printed=/dev/null ;;
  esac
  if ! "$tools/bench_measure" "$scratch/line" "${command[@]}" >"$printed" \
    2>"$scratch/err"; then
    say "bench.sh: $variant failed on $kind: $(tail -n 1 "$scratch/err")"
    return 0
  fi
  if [ -n "$output" ]; then
    bytes=$(bytes_of "$output")
  fi
  case $variant in
  load)
    phases=$(load_phases "$scratch/err")
    loaded=${phases##* }
    ;;
  python | awk) loaded=$(tail -n 1 "$scratch/out") ;;
  esac
  if [ "$loaded" != - ] && [ "$loaded" != "$count" ]; then
    say "bench.sh: $variant loaded $loaded of $count $kind events"
  fi
  printf '%s %s %s %s %s %s %s %s\n' "$set" "$kind" "$count" "$variant" "$round" \
    "$(cat "$scratch/line")" "$bytes" "${phases% *}" >>"$data"
}

# rounds_of SET KIND COUNT ROUNDS VARIANT...: A B C, A B C, ... on one trace, after a
# reading that warms the page cache.
rounds_of() {
  local set=$1 kind=$2 count=$3 last=$4 round variant
  shift 4

  [ "$count" -gt 0 ] || return 0
  trace_of "$kind" "$count"
  babeltrace2 "$trace" -c sink.utils.dummy
  for ((round = 1; round <= last; round++)); do
    say "$set $kind events, round $round of $last"
    for variant in "$@"; do
      sample "$set" "$kind" "$count" "$variant" "$round"
    done
  done
}

load_begin=$(cut -d ' ' -f 1-2 /proc/loadavg)
for kind in block carrier; do
  [ "$kind" = block ] && count=$blocks || count=$carriers
  # shellcheck disable=SC2086
  rounds_of full "$kind" "$count" "$rounds" $variants
done
if [ -n "$with_peers" ]; then
  [ -n "$python" ] || say "bench.sh: no Python with module 'bt2': its row is n/a"
  rounds_of small block $((blocks > 0 ? small_blocks : 0)) "$peer_rounds" dummy load awk python
  rounds_of small carrier $((carriers > 0 ? small_carriers : 0)) "$peer_rounds" \
    dummy load awk python
fi
if [ -n "$rss" ]; then
  rounds_of rss4 carrier 4000000 1 dummy load
  rounds_of rss16 carrier 16000000 1 dummy load
fi

printf '%s CPUs, load %s at the start and %s at the end, %s rounds (%s for peers).\n\n' \
  "$(nproc)" "$load_begin" "$(cut -d ' ' -f 1-2 /proc/loadavg)" "$rounds" "$peer_rounds"
awk -f "$here/summary.awk" "$data"
if [ -n "$with_core" ]; then
  erl=$(command -v erl) || fail "no program 'erl', which --core needs"
  printf '\nNanoseconds of a pair of calls of the core and of others.\n\n'
  sh "$here/core/core_bench.sh" -r "$core_rounds" "$erl" "$tools/core/core_bench_nif.so" "$tools/core" |
    tee "$scratch/core"
  awk -f "$here/core/goals.awk" "$scratch/core"
fi
