#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# evidence_test.sh SCHEMA VIEWS: each finding of the worked examples VIEWS/finding*.given.sql shows its
# figures by its evidence.  SCHEMA: one file of SQL, as the loader has it.
set -u
schema=$1
views=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/evidence.sh
. "$(dirname "$0")/evidence.sh"

sqlite3 "$work/empty.db" <"$schema" || exit 1
examples=0
failures=0
for given in "$views"/finding*.given.sql; do
	cp "$work/empty.db" "$work/db"
	cat "$views/fixture.sql" "$given" | sqlite3 "$work/db" || exit 1
	judged "$work/db" || exit 1
	wrong=$(evidence_missing "$work/db")
	[[ -z $wrong ]] || {
		echo "FAILED: ${given##*/}: $wrong"
		failures=$((failures + 1))
	}
	examples=$((examples + 1))
done
echo "$examples examples, $failures failures"
((examples > 0 && failures == 0))
