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

# is_named: the verdict is one of these, and keeper both holds and grows.
verdicts='^typed \{ok,"(LEAK: <[0-9.]+> keeper gains|UNKNOWN: |GROWTH: binary_alloc)'
is_named() {
	grep -qE "$verdicts" "$work/out" && [ "$(grep -c "^typed \[#{.*name => \"keeper\"" "$work/out")" = 2 ]
}

# Minutes are seconds here, and the file is the test's.  Again, for longer, where a busy machine hides the growth.
for times in 1 4 16; do
	rm -f "$work/node.csp"
	sed -n '/^## In the shell/,/^## /{/^```erlang/,/^```/{/^carrierscope:/p}}' "$guide" |
		sed "s,seconds => 60,seconds => $((2 * times)),; s/growth(10, 5000)/growth(10, $((5000 * times)))/; s,/tmp/node[.]csp,$work/node.csp," >"$work/lines"
	[ $times -eq 1 ] || sed -i "s/verdict()/verdict(#{seconds => $((10 * times))})/" "$work/lines"
	[ "$(grep -c '^carrierscope:' "$work/lines")" -ge 5 ] || fail "the guide has only $(cat "$work/lines")"
	{
		echo 'spawn(fun() -> register(keeper, self()), F = fun(G, L) -> receive after 10 -> G(G, [binary:copy(<<"a">>, 20000) | L]) end end, F(F, []) end), ok.'
		while read -r line; do
			echo "io:format(\"~ntyped ~0p~n\", [begin ${line%%.  *}" | sed 's/[.]$//; s/$/ end])./'
		done <"$work/lines"
		grep -o 'h(carrierscope[^`]*)[.]' "$guide"
		echo 'halt().'
	} >"$work/typed"
	timeout 500 "$erl" -pa "$work/ebin" <"$work/typed" >"$work/out" 2>&1 || fail "the shell ends with $?"
	! is_named || break
done
[ "$(grep -c '^typed ' "$work/out")" = "$(grep -c . "$work/lines")" ] || fail "not all is answered: $(cat "$work/out")"
! grep -E '^typed \{error|exception|syntax error' "$work/out" >"$work/err" || fail "an error: $(cat "$work/out")"
: >"$work/err"
grep -qE "$verdicts" "$work/out" || fail "no verdict: $(cat "$work/out")"
[ "$(grep -c "^typed \[#{.*name => \"keeper\"" "$work/out")" = 2 ] || fail "keeper neither holds nor grows: $(cat "$work/out")"
grep -q '^typed \[#{.*mbcs_usage => .*unused_words => ' "$work/out" || fail "no usage of carriers: $(cat "$work/out")"
grep -q 'need neither LTTng nor' "$work/out" || fail "h(carrierscope) shows nothing: $(cat "$work/out")"
"$program" load -q -o "$work/run.db" "$work/node.csp" 2>"$work/err" || fail 'what was written is not loaded'
ends
