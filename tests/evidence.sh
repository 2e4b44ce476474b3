# SPDX-License-Identifier: MIT
# Sourced by tests: evidence_missing DB prints what is wrong with the evidence of its findings; judged DB
# makes reading them fast.

# Puts tables in the place of the views that verdicts and findings are made of, as the command does for
# itself: SQLite would plan them again for each view that reads them.
judged() {
	sqlite3 "$1" "SELECT format('DROP VIEW \"%w\"; CREATE TABLE \"%w\" AS %s;', s.view, s.view,
			substr(m.sql, instr(m.sql, ' AS') + 3))
		FROM stage AS s JOIN sqlite_schema AS m ON m.name = s.view
		WHERE s.\"set\" IN ('judge', 'page') ORDER BY s.\"set\", s.number" >"$1.judged" &&
		{ echo 'BEGIN;' && cat "$1.judged" && echo 'COMMIT;'; } | sqlite3 -bail "$1" && rm -f "$1.judged"
}

# Each query of evidence is run as it stands.  It must yield rows, and among their values at least
# one of the figures that the finding tells (ratios to six digits; 0 and 1 are no figures).
evidence_missing() {
	sqlite3 -readonly -separator '|' "$1" "SELECT
			'@@' || rule || ' ' || ifnull(allocator, '-') || '|' || ifnull((
				SELECT group_concat(CASE type WHEN 'real' THEN format('%.6g', value) ELSE value END, ' ')
				FROM json_each(figures) WHERE type IN ('integer', 'real') AND value NOT IN (0, 1)), ''),
			replace(evidence, char(10), ' ')
		FROM finding" >"$1.findings"
	# The title of each finding goes before the rows of its evidence.
	awk -F '|' '{ printf ".print \"%s|%s\"\n", $1, $2; sub(/^[^|]*[|][^|]*[|]/, ""); print $0 ";" }' \
		"$1.findings" >"$1.queries"
	sqlite3 -readonly -list -separator ' ' "$1" <"$1.queries" >"$1.rows" 2>"$1.errors"
	cat "$1.errors"
	awk '
		function judge() {
			if (title != "" && !rows) { print title ": no rows" }
			else if (title != "" && n && !found) { print title ": none of its figures" }
		}
		/^@@/ {
			judge()
			title = substr($0, 3)
			rows = found = 0
			n = split(substr($0, index($0, "|") + 1), want, " ")
			next
		}
		{
			rows++
			for (f = 1; f <= NF; f++) {
				value = $f ~ /^[0-9]+[.][0-9]+(e-?[0-9]+)?$/ ? sprintf("%.6g", $f) : $f
				for (i = 1; i <= n; i++) { if (value == want[i]) { found = 1 } }
			}
		}
		END { judge() }' "$1.rows"
	rm -f "$1.findings" "$1.queries" "$1.rows" "$1.errors"
}
