#!/bin/sh
# SPDX-License-Identifier: MIT
#
# missing_test.sh CARRIERSCOPE TRACE_DIR LOG: the program when npm could not install what the page needs: it is built, HTML
# reports are refused with npm's reason, all else works.  LOG: what bundling printed.
. "$(dirname "$0")/../harness/main.sh"
trace=$2 log=$3
tests_program "$1"

reason='no HTML reports: npm could not install what the page needs when this program was built: self-signed certificate in  chain'
tr -s '\n ' '  ' <"$log" | grep -qF "$(echo "$reason" | tr -s ' ')" || fail "the build does not warn: $(cat "$log")"
"$program" load -q -o "$work/run.db" "$trace" || fail "it cannot load"
"$program" report "$work/run.db" >"$work/out" 2>&1 || fail "it cannot report: $(cat "$work/out")"
"$program" report --format html -o "$work/run.html" "$work/run.db" >"$work/out" 2>&1
status=$?
[ "$status" -eq 1 ] || fail "an HTML report ends with $status, not 1"
grep -qF "$reason" "$work/out" || fail "no reason: $(cat "$work/out")"
[ ! -e "$work/run.html" ] || fail "an HTML report that was refused leaves a file"
"$program" diff --format html -o "$work/run.html" "$work/run.db" "$work/run.db" >"$work/out" 2>&1
grep -qF "$reason" "$work/out" || fail "no reason from diff: $(cat "$work/out")"

ends
