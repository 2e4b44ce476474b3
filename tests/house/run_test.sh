#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# run_test.sh ROOT: tests/run.sh says before each step what it is and how long is left, ends with ctest's summary, and
# refuses what it does not know.  cmake and the programs of the build are stand-ins here.
. "$(dirname "$0")/../harness/main.sh"
mkdir -p "$work/tree/tests/"{cases,beam,truth} "$work/tree/examples" "$work/bin" "$work/tree/build/dev/tests/"{sink,readers}
cp "$1/tests/run.sh" "$work/tree/tests/"
cd "$work/tree" || exit 1
# A stand-in writes down that it was called, and fails if the file `fails` names it.
cat >"$work/bin/cmake" <<'END'
#!/bin/sh
echo "${0##*/} $*" >>called
[ "$1" != --workflow ] || echo '100% tests passed'
! grep -qsF "${0##*/} $*" fails
END
chmod +x "$work/bin/cmake"
for program in examples/install-packages.sh build/dev/tests/sink/failure_test build/dev/tests/readers/reader_failure_test \
  tests/cases/random_test.sh tests/beam/beam_test.sh tests/truth/run.sh; do
  cp "$work/bin/cmake" $program
done
PATH=$work/bin:$PATH

# runs STATUS ARGUMENT...: lines about steps in $work/steps.
runs() {
  local wanted=$1
  shift
  : >called
  bash tests/run.sh "$@" >"$work/out" 2>"$work/err"
  local status=$?
  [[ $status -eq $wanted ]] || fail "run.sh $*: status $status, not $wanted"
  grep -E '^(step|FAILED)' "$work/out" >"$work/steps"
}

# same FILE EXPECTED
same() {
  diff <(echo "$2") "$1" || fail "${1##*/} is not as expected"
}

runs 0
same "$work/steps" 'step 1 of 4: packages (about 28 min left)
step 2 of 4: clang-tidy over what is shipped (about 28 min left)
step 3 of 4: sanitizers of memory and threads, and fuzzers (about 24 min left)
step 4 of 4: the build without sanitizers, all tests (about 14 min left)'
[[ $(tail -n 1 "$work/out") == '100% tests passed' ]] || fail "the last line is not ctest's"
same <(sort called) 'cmake --workflow --preset asan
cmake --workflow --preset dev
cmake --workflow --preset fuzz
cmake --workflow --preset tidy
cmake --workflow --preset tsan
install-packages.sh run test node'

# By what they took the last time.
printf 'packages 0\ntidy 60\nsanitizers 120\ntests 600\n' >build/run.times
runs 0
[[ $(cut -d '(' -f 2 "$work/steps") == $'about 13 min left)\nabout 13 min left)\nabout 12 min left)\nabout 10 min left)' ]] ||
  fail "not by the last times: $(cat "$work/steps")"

# A step that fails is the last one; of those of --all the tests follow, and it is said before them.
for preset in tidy asan tsan fuzz; do
  echo "cmake --workflow --preset $preset" >fails
  runs 1
  ! grep -q 'preset dev' called || fail "the tests run after preset $preset has failed"
done
echo 'run.sh --all build/dev' >fails
rm build/run.times
runs 1 --all
[[ $(grep -c ^step "$work/steps") -eq 9 ]] || fail 'not nine steps'
[[ $(tail -n 2 "$work/steps" | head -n 1) == 'FAILED: truth' ]] || fail "it is not said what failed: $(cat "$work/steps")"
grep -q '^step 1 of 9: packages (about [0-9]* min left and more, as some steps have not run here yet)$' "$work/steps" ||
  fail "steps without a time: $(cat "$work/steps")"
[[ $(grep -c 'beam_test.sh .* --long' called) -eq 2 && $(tail -n 1 called) == 'cmake --workflow --preset dev' ]] || fail "$(cat called)"
: >fails
runs 0 --all

for bad in --quick all '--all --all' "''"; do
  eval "runs 2 $bad"
  [[ ! -s $work/out && $(wc -l <"$work/err") -eq 1 && ! -s called ]] || fail "'$bad' is not refused in one sentence"
done
: >"$work/err"
ends
