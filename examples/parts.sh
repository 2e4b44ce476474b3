# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by quickstart.sh and stock-node.sh, in the root of the sources: what they do alike.
#
#   prepares KIND DATABASE ARGUMENT...   installs the packages of KIND that are missing, and builds; sets
#                                        $build, $bin, $database (DATABASE if no argument names one),
#                                        $work (a folder of its own) and $session.  With
#                                        --build-dir DIR it takes the build that is there
#   records DIR EVENTS [PID]             starts $session: the events go into DIR, of all processes or of one
#   prints_verdict                       of $database, and writes the page beside it

# shellcheck source=examples/session-daemon.sh
. examples/session-daemon.sh

build() {
  local log
  log=$(mktemp)
  if ! { cmake --preset release -DBUILD_TESTING=OFF && cmake --build --preset release; } >"$log" 2>&1; then
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

# LTTng 2.16 finds no processors without /sys, and calls that a lack of memory.
has_processors() {
  [[ ! -r /sys/devices/system/cpu/possible ]] || return 0
  lttng create "$session" --output="$work/trial" >/dev/null
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

records() {
  {
    lttng create "$session" --output="$1"
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
  "$bin/carrierscope" report "$database" | sed -n '/(OS pid /,/^$/p' | grep .
  local page=${database%.db}.html
  if "$bin/carrierscope" report --format html -f -o "$page" "$database"; then
    echo "  the page with all figures: $page"
  fi
}
