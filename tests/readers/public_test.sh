#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# What people paste: each input is loaded from standard input, and what load, report, report holders and report
# flags print is searched.
#
#	public_test.sh BUILD_DIR CASES
#
# CASES has for each input a line "=== NAME", the input, a line "--- STATUS" (of load; "any": 0 or 2), and then lines
# "has TEXT" and "not TEXT" about the reports, and "says TEXT" about load.  An input that ends in a line "\ no newline"
# ends before it.  Blanks and ends of lines count as one blank.
. "$(dirname "$0")/../harness/main.sh"

build=$1
cases=$2
count=0


folded() {
	tr -s ' \n\t' '   ' <"$1"
}

run() {
	local got

	count=$((count + 1))
	rm -f "$work/x.db"
	if [ "$(tail -n 1 "$work/input" | tr -d '\r\0')" = '\ no newline' ]; then
		head -n -1 "$work/input" | head -c -1 >"$work/whole"
	else
		cp "$work/input" "$work/whole"
	fi
	"$build/carrierscope" load -o "$work/x.db" - <"$work/whole" >"$work/said" 2>&1
	got=$?
	: >"$work/out"
	if [ -e "$work/x.db" ]; then
		for report in '' findings holders flags; do
			# shellcheck disable=SC2086
			"$build/carrierscope" report $report "$work/x.db" >>"$work/out" 2>&1
		done
		# No exit 0 and no file without something taken.
		[ "$(sqlite3 "$work/x.db" 'SELECT count(*) FROM snapshot')" -gt 0 ] || fail "$name: nothing was taken"
	fi
	if [ "$status" = any ]; then
		[ $got -eq 0 ] || [ $got -eq 1 ] || [ $got -eq 2 ] || fail "$name: exit status $got"
	elif [ "$status" -eq 0 ]; then
		[ $got -eq 0 ] || fail "$name: exit status $got: $(cat "$work/said")"
	else
		[ $got -ne 0 ] && [ $got -lt 128 ] || fail "$name: exit status $got"
	fi
}

name=
state=input
check() {
	local text=${1#* }

	case $1 in
	has\ *) folded "$work/out" | grep -qF -- "$text" || fail "$name: no '$text' in: $(folded "$work/out" | head -c 700)" ;;
	not\ *) folded "$work/out" | grep -qF -- "$text" && fail "$name: '$text' is in the reports" ;;
	says\ *) folded "$work/said" | grep -qF -- "$text" || fail "$name: load does not say '$text': $(cat "$work/said")" ;;
	esac
}

csplit -s -z -f "$work/case" -n 4 "$cases" '/^=== /' '{*}'
for part in "$work"/case*; do
	name=$(head -n 1 "$part")
	name=${name#=== }
	line=$(grep -an '^--- ' "$part" | tail -n 1 | cut -d: -f1)
	status=$(sed -n "${line}s/^--- //p" "$part")
	sed -n "2,$((line - 1))p" "$part" >"$work/input"
	run
	while IFS= read -r line; do
		check "$line"
	done < <(sed "1,${line}d" "$part")
done

echo "$count inputs of $(basename "$cases")"
ends
