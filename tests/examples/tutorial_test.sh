#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# tutorial_test.sh CARRIERSCOPE: what analyzer/guide/tutorial.md says to type is typed, in its order, and does what it says.
. "$(dirname "$0")/../harness/main.sh"
own_daemon "$@"
tests_program "$1"
plain_erl
needs erl erlc erl_call sqlite3 lttng lttng-sessiond
names_nodes
guide=$(realpath "$here/../../analyzer/guide/tutorial.md")
EXAMPLES=$(realpath "$here/../../examples")
export EXAMPLES LTTNG_UST_REGISTER_TIMEOUT=60000 ERL_CRASH_DUMP_SECONDS=0
mkdir "$work/bin" "$work/first"
# As installed: the module is where the program looks for it.
ln -s "$program" "$work/bin/carrierscope"
PATH=$work/bin:$PATH
cd "$work/first" || exit 1

# The file of a fence of Erlang, and the commands of those of a shell; the names of nodes are this test's own.
awk '/^```erlang$/ { on = 1; next } /^```$/ { on = 0 } on' "$guide" >orders.erl
[[ $(grep -c . orders.erl) -gt 8 ]] || fail 'the tutorial has no program'
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$guide" | sed -E "s/-sname shop\b/-sname $node/; s/^carrierscope (record )?shop\b/carrierscope \1$node/" >typed
[[ $(grep -c '^carrierscope ' typed) -eq 8 ]] || fail "the tutorial has $(grep -c '^carrierscope ' typed) commands of ours"
sed -E 's/^(carrierscope|erlc|sed) .*/& \|\| echo "FAILED: $?: & "/; /-noinput -s orders &$/s/$/\nready/; /-q$/s/$/\ngone/' typed |
  sed -E 's/ \|\| echo "FAILED: .*/ || echo "FAILED: $?"/; /--verify| diff /s/ \|\|.*//' >commands
# A node has booted where it answers, and is gone where epmd does not know it any more.
{
  echo "ready() { for i in {1..3000}; do ! erl_call -sname $node -a 'erlang node' >/dev/null 2>&1 || break; sleep 0.1; done; }"
  echo "gone() { for i in {1..3000}; do epmd -names | grep -q '^name $node ' || break; sleep 0.1; done; sleep 1; }"
  cat commands
} >script
echo true >>script
bash script >out 2>"$work/err" </dev/null || fail "the tutorial ends with $?"
rm -f "$work/err"
! grep -q '^FAILED' out || fail "a command fails: $(cat out)"

verdict() {
  sqlite3 "$1" "SELECT json ->> '\$.verdict' || ' ' || ifnull(json ->> '\$.mechanism', '') FROM answer WHERE rank = 1"
}
[[ $(verdict leak.db) == 'leak pieces' ]] || fail "the leak is $(verdict leak.db)"
[[ $(verdict fixed.db) != leak* ]] || fail "the fixed line still leaks: $(verdict fixed.db)"
grep -m 1 '^Grew ' out | grep -q ' orders ' || fail "orders is not first among those that grew: $(head -n 12 out)"
grep -q 'Do now *Copy what <.*> orders keeps of large binaries (binary:copy/1)' out || fail 'what to do is not as the tutorial says'
tr '\n' ' ' <out | grep -q 'Look at orders:loop/1 (orders.erl:9), which made' || fail 'the line is not as the tutorial says'
# How much is saved depends on how busy the machine is.
if grep -q '^No flag is advised' advice; then
  echo 'no flag was advised on this machine'
else
  grep -q '^+M' vm.args || fail "no flags: $(cat advice)"
  [[ $(grep -cE '^(peak|end|average) .* (as|more than|less than) predicted$' out) -eq 3 ]] || fail "no comparison: $(tail -n 20 out)"
fi
ends
