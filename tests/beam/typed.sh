#!/bin/sh
# SPDX-License-Identifier: MIT
# typed.sh ERL EBIN CARRIERSCOPE: what analyzer/guide/nodes.md says to type in the shell of a node is typed, and answered.
. "$(dirname "$0")/../harness/main.sh"
erl=$1
tests_program "$3"
guide=$here/../../analyzer/guide/nodes.md
plain_erl
mkdir "$work/ebin"
cp "$2"/*.beam "$work/ebin"

# Minutes are seconds here, and the file is the test's.
sed -n '/^## In the shell/,/^## /{/^```erlang/,/^```/{/^carrierscope:/p}}' "$guide" | sed "s,seconds => 60,seconds => 2,; s,/tmp/node[.]csp,$work/node.csp," >"$work/lines"
[ "$(grep -c '^carrierscope:' "$work/lines")" -ge 5 ] || fail "the guide has only $(cat "$work/lines")"
{
	echo 'spawn(fun() -> register(keeper, self()), F = fun(G, L) -> receive after 10 -> G(G, [binary:copy(<<"a">>, 20000) | L]) end end, F(F, []) end), ok.'
	while read -r line; do
		echo "io:format(\"~ntyped ~0p~n\", [begin ${line%%.  *}" | sed 's/[.]$//; s/$/ end])./'
	done <"$work/lines"
	grep -o 'h(carrierscope[^`]*)[.]' "$guide"
	echo 'halt().'
} >"$work/typed"
timeout 300 "$erl" -pa "$work/ebin" <"$work/typed" >"$work/out" 2>&1 || fail "the shell ends with $?"
[ "$(grep -c '^typed ' "$work/out")" = "$(grep -c . "$work/lines")" ] || fail "not all is answered: $(cat "$work/out")"
! grep -E '^typed \{error|exception|syntax error' "$work/out" >"$work/err" || fail "an error: $(cat "$work/out")"
: >"$work/err"
grep -qE '^typed \{ok,"(LEAK: <[0-9.]+> keeper gains|UNKNOWN: |GROWTH: binary_alloc)' "$work/out" || fail "no verdict: $(cat "$work/out")"
[ "$(grep -c "^typed \[#{.*name => \"keeper\"" "$work/out")" = 2 ] || fail "keeper neither holds nor grows: $(cat "$work/out")"
grep -q '^typed \[#{.*mbcs_usage => .*unused_words => ' "$work/out" || fail "no usage of carriers: $(cat "$work/out")"
grep -q 'need neither LTTng nor' "$work/out" || fail "h(carrierscope) shows nothing: $(cat "$work/out")"
"$program" load -q -o "$work/run.db" "$work/node.csp" 2>"$work/err" || fail 'what was written is not loaded'
ends
