# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by quickstart.sh and stock-node.sh, in the root of the sources: what they do alike.
#
#   prepares KIND DATABASE ARGUMENT...   installs the packages of KIND that are missing, and builds; sets
#                                        $build, $bin, $database (DATABASE if no argument names one),
#                                        $work (a folder of its own) and $session.  With
#                                        --build-dir DIR it takes the build that is there
#   records DIR EVENTS [PID]             starts $session: the events go into DIR, of all processes or of one
#   loads_recording                      ends the session and loads its trace, $work/trace, into $database
#   asks QUESTION REPORT OPTION...       prints the question and carrierscope's report of $database
#   prints_verdict                       of $database, and writes the page beside it
#   prints_next_node                     what records Erlang nodes, or how to get it

# shellcheck source=examples/session-daemon.sh
. examples/session-daemon.sh

build() {
  local log
  log=$(mktemp)
  if ! cmake --workflow --preset release >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    echo "the build failed; all of its output is in $log" >&2
    exit 1
  fi
  rm -f "$log"
}

finish() {
  [[ -z ${node-} ]] || { kill "$node" && wait "$node"; } 2>/dev/null || true
  ends_session "$session"
  ends_daemon
  rm -rf "$work"
}

# LTTng from 2.13.15 on (Debian 13) finds no processors without /sys, and calls that a lack of memory.
has_processors() {
  [[ ! -r /sys/devices/system/cpu/possible ]] || return 0
  creates_session "$session" --output="$work/trial" >/dev/null
  lttng enable-channel -u -s "$session" trial >/dev/null 2>&1 || {
    echo "LTTng records nothing here, since there is no /sys: mount it (mount -t sysfs sysfs /sys)" >&2
    exit 1
  }
  lttng destroy "$session" >/dev/null
}

prepares() {
  local kind=$1
  database=$2
  shift 2
  build=
  if [[ ${1-} == --build-dir ]]; then
    build=$(cd "${2:?--build-dir takes a folder}" 2>/dev/null && pwd) || { echo "--build-dir: there is no folder '$2'" >&2; exit 2; }
    shift 2
  fi
  database=${1:-$database}
  [[ -n $build ]] || examples/install-packages.sh run "$kind"
  work=$(mktemp -d)
  session=carrierscope-$$
  trap finish EXIT
  starts_daemon
  has_processors
  if [[ -z $build ]]; then
    build
    build=$PWD/build/release
  fi
  bin=$build/analyzer
}

loads_recording() {
  lttng stop "$session" >/dev/null
  echo
  echo "== babeltrace2 loads the trace into $database"
  babeltrace2 --plugin-path="$bin" "$work/trace" \
    -c sink.carrierscope.sqlite -p "path=\"$database\",force=yes"
}

asks() {
  local question=$1 report=$2
  shift 2
  echo
  printf '== %-31s carrierscope report %s %s\n' "$question" "$report" "$database"
  "$bin/carrierscope" report "$report" "$database" "$@"
}

# How to record an Erlang node: module carrierscope is built where Erlang is installed.
prints_next_node() {
  if [[ -f $build/provider/beam/ebin/carrierscope_nif.so ]]; then
    echo "An Erlang node is recorded with module carrierscope, which was built as well: examples/stock-node.sh"
  else
    echo "Module carrierscope, which records Erlang nodes, was not built: erlang-base or erlang-dev is missing.  For it:"
    echo "      examples/install-packages.sh run node && cmake --workflow --preset release"
  fi
}

records() {
  {
    creates_session "$session" --output="$1"
    lttng enable-channel -u -s "$session" --buffers-uid --subbuf-size=8M --num-subbuf=8 memory
    lttng enable-event -u -s "$session" -c memory "$2"
    lttng add-context -u -s "$session" -c memory -t vpid -t vtid -t procname
    [[ -z ${3-} ]] || lttng track -u -s "$session" --vpid "$3"
    lttng start "$session"
  } >/dev/null
}

prints_verdict() {
  echo
  echo "== What is the verdict?            carrierscope report $database"
  "$bin/carrierscope" report "$database"
  local page=${database%.db}.html
  if "$bin/carrierscope" report --format html -f -o "$page" "$database"; then
    echo "  the page with all figures: $page"
  fi
}
