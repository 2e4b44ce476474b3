#!/bin/sh
# SPDX-License-Identifier: MIT
# version_test.sh CARRIERSCOPE PAGE FILE: one version of the schema.  What loads FILE writes it in
# two places, the man page PAGE names it, and the report and the replay refuse every other one alike.
. "$(dirname "$0")/../harness/main.sh"
carrierscope=$1 page=$2 file=$3

needs sqlite3
"$carrierscope" load --quiet -o "$work/db" "$file" || fail "cannot load $file"
version=$(sqlite3 "$work/db" 'PRAGMA user_version')
meta=$(sqlite3 "$work/db" "SELECT value FROM meta WHERE key = 'schema_version'")
named=$(sed -n 's/^the version of the schema, now \([0-9]*\)[.]$/\1/p' "$page")
[ "$version" = "$meta" ] || fail "user_version is $version, meta.schema_version $meta"
[ "$version" = "$named" ] || fail "user_version is $version, $page says '$named'"

# refused VERSION WORD: both say the same in one line and exit with the same code.
refused() {
	sqlite3 "$work/db" "PRAGMA user_version = $1"
	"$carrierscope" report "$work/db" >"$work/out" 2>"$work/report"
	report=$?
	"$carrierscope" replay "$work/db" >>"$work/out" 2>"$work/replay"
	replay=$?
	sed -i 's/^[a-z-]*: //' "$work/report" "$work/replay"
	[ $report -eq 1 ] && [ $replay -eq 1 ] || fail "version $1: report exits $report, replay $replay"
	grep -q "was made by $2 carrierscope: its schema has version $1" "$work/report" ||
		fail "version $1: $(cat "$work/report")"
	cmp -s "$work/report" "$work/replay" || fail "version $1: replay says $(cat "$work/replay")"
	[ ! -s "$work/out" ] || fail "version $1: something was printed"
}

refused 99 'a newer'
refused $((version + 1)) 'a newer'
refused $((version - 1)) 'an older'
refused 0 'an older'
ends
