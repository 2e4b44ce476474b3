#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sources_test.sh ROOT: what comments cite as the source of a fact can be looked up.
#
# Facts are entries of provider/core/SOURCES.md: "## N. Title" or, in a chapter, "### N.M. Title", followed by
# a line in asterisks with releases and place.  Comments cite "SOURCES.md N, N.M".  A failure is a citation
# without a number or of no entry, a "Source:" that names another document that is not there, an entry that
# nobody cites, by itself or with its chapter, and a path of papers outside of the repository.  Then each of
# these is planted in a copy, and must be found.
. "$(dirname "$0")/../harness/main.sh"
root=$1
list=provider/core/SOURCES.md
outside='(^|[^A-Za-z])fact[s]/([^0-9]|$)'

# entries ROOT: lines "NUMBER with", "NUMBER without" (releases and place), "NUMBER chapter".
entries() {
	awk '
	/^##+ [0-9]/ {
		if (number != "") { print number, kind }
		number = $2
		sub(/[.]$/, "", number)
		kind = "chapter"
		next
	}
	kind == "chapter" && NF { kind = /^[*][^*]/ ? "with" : "without" }
	END { if (number != "") { print number, kind } }' "$1/$list"
}

# cited: lines "FILE:LINE NUMBER", one for each citation in $work/lines; "-" if its number cannot be read.
cited() {
	grep -vE '^[^:]*[.]md:' "$work/lines" | awk '
	{
		match($0, /^[^:]*:[0-9]*/)
		where = substr($0, 1, RLENGTH)
		text = substr($0, RLENGTH + 2)
		while (match(text, /(SOURCES[.]md|Source: *[0-9])/)) {
			is_bare = substr(text, RSTART, 7) == "Source:"
			text = substr(text, RSTART + RLENGTH - is_bare)
			if (!is_bare && !sub(/^ /, "", text)) { text = "" }
			if (text !~ /^[0-9]/) { print where, "-" }
			while (match(text, /^[0-9]+/)) {
				match(text, /^[0-9.]+/)
				number = substr(text, 1, RLENGTH)
				text = substr(text, RLENGTH + 1)
				sub(/[.]$/, "", number)
				print where, number
				if (text ~ /^ (to [0-9]|[A-Z]([^A-Za-z]|$))/) { print where, "-" }
				if (!sub(/^, and /, "", text) && !sub(/^, /, "", text) && !sub(/^ and /, "", text)) { break }
			}
		}
	}'
}

# documents ROOT: a line for each "Source:" of $work/lines that names a document that is not there.
documents() {
	grep -vE '^[^:]*[.]md:' "$work/lines" | awk '
	match($0, /Source[^:]*:/) {
		text = substr($0, RSTART + RLENGTH)
		match($0, /^[^:]*:[0-9]*/)
		where = substr($0, 1, RLENGTH)
		while (match(text, /[A-Za-z0-9_-]+[.]md/)) {
			name = substr(text, RSTART, RLENGTH)
			text = substr(text, RSTART + RLENGTH)
			if (name != "SOURCES.md") { print where, name }
		}
	}' | while read -r where name; do
		[ -n "$(find "$1" -name "$name" ! -path '*/build/*' | head -n 1)" ] ||
			echo "$where: cites a document that is not here: $name"
	done
}

# violations ROOT: a line for each; leaves $work/lines, "FILE:LINE:TEXT" of what could be a citation.
violations() {
	(cd "$1" && grep -rnIE --exclude=sources_test.sh --exclude-dir=build --exclude-dir=.git \
		-e 'SOURCES[.]md|Source[^:]*: ' -e "$outside" .) | sed 's,^[.]/,,' >"$work/lines"
	entries "$1" >"$work/entries"
	cited >"$work/cited"
	awk -v entries="$work/entries" '
	BEGIN {
		while ((getline line < entries) > 0) {
			split(line, part, " ")
			if (part[1] in kind) { print "SOURCES.md: two entries " part[1] }
			kind[part[1]] = part[2]
			if (part[2] == "without") { print "SOURCES.md: entry " part[1] " has no releases and place" }
		}
	}
	$2 == "-" { print $1 ": cites SOURCES.md without numbers that can be read"; next }
	!($2 in kind) { print $1 ": cites entry " $2 ", which is not there" }
	{ is_cited[$2] = 1 }
	END {
		for (number in kind) {
			chapter = number
			sub(/[.].*/, "", chapter)
			if (kind[number] == "chapter" && !has_entry(number)) { print "SOURCES.md: chapter " number " is empty" }
			if (kind[number] != "chapter" && !is_cited[number] && !is_cited[chapter]) {
				print "SOURCES.md: nobody cites entry " number
			}
		}
	}
	function has_entry(chapter,    other) {
		for (other in kind) { if (index(other, chapter ".") == 1) { return 1 } }
		return 0
	}' "$work/cited"
	documents "$1"
	grep -E "$outside" "$work/lines" | sed 's/$/: no such folder/'
}

wrong=$(violations "$root")
[ -z "$wrong" ] || fail "$wrong"
citations=$(grep -c . "$work/cited")
count=$(grep -c 'with$' "$work/entries")
[ "$citations" -gt 60 ] || fail "only $citations citations were found"
[ "$count" -gt 50 ] || fail "only $count entries were found"

# The copy has the files that cite, and all documents.
mkdir "$work/copy"
(cd "$root" && { cut -d : -f 1 "$work/lines"; find . -name "*.md" ! -path "./build/*"; } |
	sed "s,^[.]/,," | sort -u | tar -cf - -T -) | tar -xf - -C "$work/copy"
wrong=$(violations "$work/copy")
[ -z "$wrong" ] || fail "the copy differs: $wrong"

# plants FILE TEXT FOUND: in the copy; a violation must then contain FOUND.
planted=0
plants() {
	[ -f "$work/copy/$1" ] || { fail "$1 is not there to plant in"; return; }
	cp "$work/copy/$1" "$work/kept"
	printf '%s\n' "$2" >>"$work/copy/$1"
	violations "$work/copy" | grep -qF "$3" || fail "planted in $1 and not found: $2"
	cp "$work/kept" "$work/copy/$1"
	planted=$((planted + 1))
}

place='*OTP 24 to 28; erl_alloc_util.c.*'
plants provider/core/single.c '/* Source: SOURCES.md 2.4, 2.99. */' 'cites entry 2.99,'
plants schema/node/recon.sql '-- Source of this: SOURCES.md 99.' 'cites entry 99,'
plants tests/readers/recon.erl '%% Those of SOURCES.md 18.3 and 18.77; no others.' 'cites entry 18.77,'
plants tp/otp_events.inc '/* Source: 17.9. */' 'cites entry 17.9,'
plants provider/core/single.c '/* As in SOURCES.md, somewhere. */' 'without numbers'
plants provider/core/single.c '/* Source: SOURCES.md 2 to 4. */' 'without numbers'
plants analyzer/derive/derive.h '/* Source: NOTES.md, "derived". */' 'not here: NOTES.md'
plants provider/core/single.c '/* Source: SOURCES.md 2.4, and OTHER.md. */' 'not here: OTHER.md'
plants "$list" "## 99. What nobody needs
$place" 'nobody cites entry 99'
plants "$list" "### 99.1. What nobody needs
$place" 'nobody cites entry 99.1'
plants "$list" "### 4.7. A strategy without a place

It is." 'entry 4.7 has no releases'
plants "$list" "### 4.6. Trees again
$place" 'two entries 4.6'
plants "$list" "## 99. Nothing" 'chapter 99 is empty'
plants analyzer/readers/dump/dump.h "/* Source: fact""s/dumps.md 5. */" 'no such folder'
plants tests/core/naive.h "/* See fact""s/x. */" 'no such folder'

[ $failures -eq 0 ] || ends
echo "$citations citations, $count entries; $planted planted violations found"
