#!/bin/sh
# SPDX-License-Identifier: MIT
#
# file_circles.sh ALLOWED GROUP...: no files of a library need each other in a circle.
#
# A GROUP is a library (libNAME.a) or a list of objects (NAME.objects, a path per line).  An object needs
# another when it wants a symbol that the other defines.  A circle is a set of objects of which each needs
# all others, by way of others or not; it is a line "GROUP: FILE FILE...".  ALLOWED has lines
# "GROUP: FILE FILE...", then " # " and the reason; a circle within one of them is no failure, and GROUP "*"
# is any.
set -u
allowed=$1
shift

# circles GROUP: the circles of one group, sorted.
circles() {
	case $1 in
	*.objects) xargs nm -A -g <"$1" 2>/dev/null ;;
	*) nm -A -g "$1" 2>/dev/null ;;
	esac | awk -v group="$(basename "$1" | sed 's/^lib//; s/[.][a-z]*$//')" '
	{
		file = $0
		sub(/:[^:]*$/, "", file)
		sub(/.*[:\/]/, "", file)
		sub(/[.]o$/, "", file)
		if ($(NF - 1) == "U") { wants[file, $NF] = 1 } else if ($(NF - 1) ~ /[A-TX-Z]/) { home[$NF] = file }
		files[file] = 1
	}
	END {
		for (pair in wants) {
			split(pair, part, SUBSEP)
			if ((part[2] in home) && home[part[2]] != part[1]) { reach[part[1], home[part[2]]] = 1 }
		}
		for (k in files) { for (i in files) { if ((i, k) in reach) {
			for (j in files) { if ((k, j) in reach) { reach[i, j] = 1 } }
		} } }
		for (i in files) {
			if (!((i, i) in reach) || (i in shown)) { continue }
			line = ""
			for (j in files) { if (((i, j) in reach) && ((j, i) in reach)) { shown[j] = 1; line = line " " j } }
			print group ":" line
		}
	}'
}

# is_allowed CIRCLE: all its files stand in one line of its group.
is_allowed() {
	sed 's/ *#.*//' "$allowed" | awk -v circle="$1" '
	BEGIN { count = split(circle, want, " ") }
	$1 == want[1] {
		split("", have)
		for (i = 2; i <= NF; i++) { have[$i] = 1 }
		missing = 0
		for (i = 2; i <= count; i++) { missing += !((want[i] in have) || ("*" in have)) }
		if (missing == 0) { found = 1 }
	}
	END { exit !found }'
}

failures=0
for group in "$@"; do
	circles "$group" >"${TMPDIR:-/tmp}/circles.$$"
	while IFS= read -r circle; do
		if ! is_allowed "$circle"; then
			echo "files need each other in a circle: $circle"
			failures=$((failures + 1))
		fi
	done <"${TMPDIR:-/tmp}/circles.$$"
	rm -f "${TMPDIR:-/tmp}/circles.$$"
done
[ "$failures" -eq 0 ]
