#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# run.sh [--all]: builds and tests everything, in about 28 minutes on an idle machine of 2 cores.  Installs the packages it
# needs from .packages when they are missing (as root).  Before each step it prints what it is and about how long is left,
# by what the steps took here the last time (build/run.times).  A test of the last step that fails is run once more, as a busy
# machine may keep a node from what it does; the output has both.  Its last lines are ctest's summary.
#
# --all: also what takes hours, of which the tests have a part each time:
#   failures   each allocation and each write fails in turn (tests failure and reader_failure: some of them)
#   random     30 random traces (test case_random: 2)
#   toggles    hooks are toggled under load for half an hour, blocks are compared for a minute (beam.stability, beam.exact)
#   truth      every recording with known truth (truth.twin, truth.node: a random tenth)
set -euo pipefail
cd "$(dirname "$0")/.."

packages() {
  examples/install-packages.sh run test node
}

tidy() {
  cmake --workflow --preset tidy
}

# That of threads and the fuzzers have long tests of one thread, which leave a processor to the other.
sanitizers() {
  local status=0
  { cmake --workflow --preset tsan && cmake --workflow --preset fuzz; } >build/beside.log 2>&1 &
  cmake --workflow --preset asan || status=$?
  wait $! || status=$?
  cat build/beside.log
  return $status
}

build() {
  cmake --preset dev
  cmake --build --preset dev
}

failures() {
  LIBBABELTRACE2_NO_DLCLOSE=1 build/dev/tests/sink/failure_test
  build/dev/tests/readers/reader_failure_test tests/readers/data
}

random() {
  bash tests/cases/random_test.sh build/dev/analyzer build/dev/provider/carrierscope-twin examples/workloads 30 3
}

toggles() {
  local case
  for case in exact stability; do
    sh tests/beam/beam_test.sh "$(command -v erl)" build/dev/provider/beam/ebin build/dev/tests/beam build/dev/analyzer $case --long
  done
}

truth() {
  tests/truth/run.sh --all build/dev
}

tests() {
  cmake --workflow --preset dev
}

case "$#:$*" in
0:) steps=(packages tidy sanitizers tests) ;;
1:--all) steps=(packages tidy sanitizers build failures random toggles truth tests) ;;
*)
  echo "run.sh: '$*' is no option: there is --all, for what takes hours" >&2
  exit 2
  ;;
esac
declare -A what=([packages]='packages' [tidy]='clang-tidy over what is shipped'
  [sanitizers]='sanitizers of memory and threads, and fuzzers' [build]='the build that is tested in full'
  [failures]='each failure in turn' [random]='random traces' [toggles]='hooks toggled for half an hour'
  [truth]='all recordings with known truth' [tests]='the build without sanitizers, all tests')
# Seconds on an idle machine of 2 cores, until a step has run here.
declare -A seconds=([packages]=5 [tidy]=250 [sanitizers]=600 [build]=120 [toggles]=2000 [tests]=800)
mkdir -p build
if [[ -f build/run.times ]]; then
  while read -r name took; do seconds[$name]=$took; done <build/run.times
fi

# What failed of the longer ones does not keep the tests from running.
failed=()
for index in "${!steps[@]}"; do
  name=${steps[index]}
  left=0
  unknown=
  for later in "${steps[@]:index}"; do
    left=$((left + ${seconds[$later]:-0}))
    [[ -n ${seconds[$later]:-} ]] || unknown=' and more, as some steps have not run here yet'
  done
  [[ $name != tests || ${#failed[@]} -eq 0 ]] || echo "FAILED: ${failed[*]}"
  echo "step $((index + 1)) of ${#steps[@]}: ${what[$name]} (about $(((left + 59) / 60)) min left$unknown)"
  begin=$SECONDS
  # A shell of its own, as errors would be ignored in a function that is a condition.
  set +e
  (set -e; "$name")
  status=$?
  set -e
  case $status:$name in
  0:* | 77:toggles | 77:truth) ;;
  *:failures | *:random | *:toggles | *:truth) failed+=("$name") ;;
  *) exit $status ;;
  esac
  seconds[$name]=$((SECONDS - begin))
  for known in "${!seconds[@]}"; do echo "$known ${seconds[$known]}"; done >build/run.times
done
[[ ${#failed[@]} -eq 0 ]]
