#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What a reader makes of an input, asked by SQL.
#
#	case_test.sh BUILD_DIR CASE
#
# A case is a text file: lines "input PATH", from the folder of the case, then
# "status N" (0 unless said) and "says TEXT" for what `carrierscope load` must do,
# then for each question a line "> SQL" and the rows that answer it.  "missing ok"
# makes a case that is not there a skip, with its name.
. "$(dirname "$0")/../harness/main.sh"

build=$1
case=$2
folder=$(cd "$(dirname "$case")" && pwd)
inputs=()
status=0
may_skip=no
failed=0

while read -r word rest; do
	case $word in
	input) inputs+=("$folder/$rest") ;;
	status) status=$rest ;;
	says) printf '%s\n' "$rest" >>"$work/says" ;;
	missing) may_skip=yes ;;
	'>') break ;;
	esac
done <"$case"

for input in "${inputs[@]}"; do
	if [ ! -e "$input" ]; then
		if [ $may_skip = yes ]; then
			skip "there is no '$input'"
		fi
		echo "there is no '$input'" >&2
		exit 1
	fi
done

"$build/carrierscope" load -o "$work/case.db" "${inputs[@]}" 2>"$work/err"
got=$?
if [ $got -ne "$status" ]; then
	echo "exit status $got, not $status" >&2
	cat "$work/err" >&2
	failed=1
fi

if [ -e "$work/says" ]; then
	while read -r text; do
		if ! grep -qF -- "$text" "$work/err"; then
			echo "no '$text' on stderr:" >&2
			cat "$work/err" >&2
			failed=1
		fi
	done <"$work/says"
fi

# The questions with their answers, and with what the database answers.
sed -n '/^> /,$p' "$case" >"$work/expected"
grep '^> ' "$case" | while read -r question; do
	printf '%s\n' "$question"
	# Steps of the judge are not in the file.
	case $question in
	*' _'*) "$build/../tests/harness/judge_file" "$work/case.db" "${question#> }" 2>&1 ;;
	*) sqlite3 "$work/case.db" "${question#> }" 2>&1 ;;
	esac
done >"$work/answered"
if ! diff -u "$work/expected" "$work/answered" >"$work/diff"; then
	cat "$work/diff" >&2
	failed=1
fi

exit $failed
