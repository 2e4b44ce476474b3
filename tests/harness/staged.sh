# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by tests (POSIX sh) that ask a database several things about its verdict.
#
#   stages DB   makes tables of the views that `carrierscope report` computes once (table `stage`):
#               what is asked afterwards reads their rows, and does not compute them again
stages() {
	{
		echo 'BEGIN;'
		sqlite3 -readonly "$1" "SELECT 'DROP VIEW ' || view || '; CREATE TABLE ' || view ||
			substr(sql, instr(sql, ' AS')) || ';'
			FROM stage JOIN sqlite_schema ON type = 'view' AND name = view
			WHERE \"set\" IN ('judge', 'page') ORDER BY \"set\", number"
		echo 'COMMIT;'
	} >"$1.stages"
	sqlite3 -bail "$1" <"$1.stages" && rm "$1.stages"
}
