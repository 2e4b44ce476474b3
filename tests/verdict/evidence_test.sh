#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# evidence_test.sh SCHEMA VIEWS JUDGE: each finding of the worked examples VIEWS/finding*.example shows its
# figures by its evidence.  SCHEMA: one file of SQL, as the loader has it; JUDGE: judge_file.c.
. "$(dirname "$0")/../harness/main.sh"
schema=$1
views=$2
judge=$3
. "$here/evidence.sh"

sqlite3 -cmd 'PRAGMA synchronous = OFF' "$work/empty.db" <"$schema" || exit 1
examples=0
for example in "$views"/finding*.example; do
	sed '/^-- expect$/,$d' "$example" >"$work/given"
	cp "$work/empty.db" "$work/db"
	cat "$views/fixture.sql" "$work/given" | sqlite3 -cmd 'PRAGMA synchronous = OFF' "$work/db" || exit 1
	"$judge" "$work/db" || fail "${example##*/}: it cannot be judged"
	wrong=$(evidence_missing "$work/db")
	[[ -z $wrong ]] || fail "${example##*/}: $wrong"
	examples=$((examples + 1))
done
echo "$examples examples, $failures failures"
((examples > 0)) || fail "there are no examples in $views"
ends
