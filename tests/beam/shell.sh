#!/bin/sh
# SPDX-License-Identifier: MIT
# shell.sh ERL EBIN BEAMS CARRIERSCOPE CASE...: what is typed in the shell of a node without a library and without LTTng: cases of
# beam_shell.erl; the readings that a verdict is made of are judged by the program as well, which must not contradict it.
. "$(dirname "$0")/../harness/main.sh"
erl=$1
beams=$3
tests_program "$4"
plain_erl
mkdir "$work/ebin"
cp "$2"/*.beam "$work/ebin"
shift 4

for name; do
	file=$work/$name.csp
	# Where no carrier is abandoned, none waits in the pool.
	flags=
	[ "$name" != fragmented ] || flags='+MBacul 0'
	# shellcheck disable=SC2086
	timeout 600 "$erl" $flags -noinput -pa "$work/ebin" "$beams" -run beam_shell main "$name" "$file" >"$work/out" 2>&1 ||
		fail "$name: the node ends with $?: $(cat "$work/out")"
	sed "s/^/$name: /" "$work/out"
	[ -f "$file" ] || { fail "$name: no readings are written"; continue; }
	[ "$(stat -c %a "$file")" = 600 ] || fail "$name: others may read $(stat -c %A "$file")"
	"$program" load -q -o "$work/$name.db" "$file" 2>"$work/err" || fail "$name: its readings are not loaded"
	[ ! -s "$work/err" ] || fail "$name: its readings are not whole"
	"$program" report "$work/$name.db" >"$work/answer" 2>"$work/err" || fail "$name: no report"
	said=$(sed -n 's/^[0-9]* s: \([A-Z]*\): .*/\1/p' "$work/out" | tail -n 1)
	judged=$(sed -n '1s/^\([A-Z ]*\): .*/\1/p' "$work/answer")
	case $said/$judged in
	UNKNOWN/* | /* | LEAK/LEAK | GROWTH/LEAK | GROWTH/UNKNOWN | FRAGMENTATION/FRAGMENTATION | POOLED/POOLED | NORMAL/NORMAL) ;;
	# What grows outside the allocators is not looked at in the node.
	*/OUTSIDE) ;;
	*) fail "$name: the node says $said, the program says $(head -n 3 "$work/answer")" ;;
	esac
done
ends
