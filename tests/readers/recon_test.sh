#!/bin/bash
# SPDX-License-Identifier: MIT
#
# recon's figures from SQL are those that recon printed, and those that its published
# formulas give on snapshots of a node that runs here, in each form there is.
#
#	recon_test.sh BUILD_DIR DUMPS_DIR
#
# DUMPS_DIR: ../shared/dumps.  Without an Erlang this is a skip.
. "$(dirname "$0")/../harness/main.sh"
set -e

build=$(realpath "$1")
dumps=$2
needs erl erlc
cd "$work"
erlc "$here/recon.erl"

run() {
	erl -noshell -noinput -eval "$1"
}

# answer FILE: what SQL says of a snapshot.
answer() {
	rm -f run.db
	"$build/carrierscope" load -q -o run.db "$1"
	sqlite3 run.db <"$here/recon_rows.sql" >sql.rows
}

if [ -e "$dumps/otp25-recon-snapshot.terms" ]; then
	run "recon:outputs(\"$dumps/otp25-recon-outputs.txt\", \"printed.rows\"), halt()."
	answer "$dumps/otp25-recon-snapshot.terms"
	run 'recon:compare("printed.rows", "sql.rows").'
	# The formulas are tested with the same figures.
	run "recon:rows(\"$dumps/otp25-recon-snapshot.terms\", \"formula.rows\"), halt()."
	run 'recon:compare("printed.rows", "formula.rows").'
	# Its order, too.
	expected=$(sed -n '/^=== fragmentation(current)/,/^=== fragmentation(max)/p' \
		"$dumps/otp25-recon-outputs.txt" | grep -oE '\{[a-z]+_alloc,[0-9]+\}')
	got=$(sqlite3 run.db "SELECT format('{%s,%d}', allocator, instance)
		FROM recon_fragmentation WHERE keyword = 'current' ORDER BY rank")
	test "$expected" = "$got"
else
	echo "recon's own output is not in '$dumps'; only live snapshots are compared"
fi

for form in recon raw binary; do
	run "recon:snapshot(\"live.$form\", $form), halt()."
	run "recon:rows(\"live.$form\", \"live.rows\"), halt()."
	answer "live.$form"
	run 'recon:compare("live.rows", "sql.rows").'
done
