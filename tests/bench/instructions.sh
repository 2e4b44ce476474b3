#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# instructions.sh --tools DIR [--plugin-dir DIR] [--cache DIR] [--low N] [--high N]:
# instructions per event, by valgrind's callgrind, of decoding alone and of our sink:
# the slope between a trace of N and one of 2 N events, so that starting and ending
# do not count.  Unlike time it is the same on every run.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
tools=${CSC_BENCH_TOOLS:-}
plugin_dir=
cache=${TMPDIR:-/tmp}/carrierscope-bench
low=50000
high=100000

fail() {
  printf 'instructions.sh: %s\n' "$*" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
  --tools | --plugin-dir | --cache | --low | --high)
    [ $# -ge 2 ] || fail "'$1' needs a value"
    name=${1#--}
    printf -v "${name//-/_}" '%s' "$2"
    shift 2
    ;;
  *)
    echo 'usage: instructions.sh --tools DIR [--plugin-dir DIR] [--cache DIR] [--low N] [--high N]' >&2
    exit 2
    ;;
  esac
done
[ -n "$tools" ] || fail 'where are the tools? (--tools DIR)'
[[ $low =~ ^[1-9][0-9]*$ && $high =~ ^[1-9][0-9]*$ ]] || fail 'not a count'
[ "$low" -lt "$high" ] || fail "$low is not below $high"
command -v valgrind >/dev/null || fail 'valgrind is not installed'
tools=$(cd "$tools" && pwd)
if [ -n "$plugin_dir" ]; then
  [ -e "$plugin_dir/babeltrace-plugin-carrierscope.so" ] || fail "no plugin in '$plugin_dir'"
fi
mkdir -p "$cache"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# instructions_of ARGUMENT...: of all threads together.
instructions_of() {
  LIBBABELTRACE2_NO_DLCLOSE=1 valgrind --tool=callgrind \
    --callgrind-out-file=/dev/null babeltrace2 "$@" >/dev/null 2>"$scratch/log" ||
    fail "babeltrace2 failed: $(grep -v '^==' "$scratch/log" | tail -n 3)"
  awk '/Collected :/ { print $4 }' "$scratch/log"
}

# per_event KIND ARGUMENT...: the slope between the two traces.
per_event() {
  local kind=$1 at_low at_high
  shift
  at_low=$(instructions_of "$@" "$cache/1-$kind-$low")
  at_high=$(instructions_of "$@" "$cache/1-$kind-$high")
  echo $(((at_high - at_low) / (high - low)))
}

echo '| events | dummy, instructions/event | our sink | x dummy |'
echo '|---|---:|---:|---:|'
for kind in block carrier; do
  for count in "$low" "$high"; do
    trace=$cache/1-$kind-$count
    if [ ! -e "$trace/count" ]; then
      rm -rf "$trace"
      CSC_BENCH_TOOLS=$tools "$here/record.sh" "$trace" "$kind" "$count"
    fi
  done
  dummy=$(per_event "$kind" -c sink.utils.dummy)
  ours=n/a
  ratio=n/a
  if [ -n "$plugin_dir" ]; then
    ours=$(per_event "$kind" "--plugin-path=$plugin_dir" -c sink.carrierscope.sqlite \
      -p "path=\"$scratch/x.db\",force=yes")
    ratio=$(awk -v ours="$ours" -v dummy="$dummy" 'BEGIN { printf "%.2f", ours / dummy }')
  fi
  printf '| %s | %s | %s | %s |\n' "$kind" "$dummy" "$ours" "$ratio"
done
