#!/bin/sh
# SPDX-License-Identifier: MIT
#
# walls_test.sh ROOT LINKS OBJECTS [LIBRARY...]: rooms use each other as the table of ARCHITECTURE.md says.
#
# The table under "## Rooms" says for each room (a folder and those below it) which rooms and which
# libraries it may use.  Checked are each #include, the symbols that a room's LIBRARY wants, and what it
# links (LINKS has a line "csc_NAME;csc_OTHER;..." for each library).  No files of a library, nor the
# OBJECTS of the command, need each other in a circle (file_circles.sh).  Then violations are planted in a
# copy, and each must be found.
set -u
root=$1
links=$2
objects=$3
shift 3
# shellcheck source=../harness/checks.sh
. "$(dirname "$0")/../harness/checks.sh"

# Lines "room word" of the table, and "room" alone.
table() {
	awk -F '|' '
	/^## / { is_rooms = $0 == "## Rooms" }
	is_rooms && $2 ~ /`[a-z]/ {
		room = $2
		gsub(/[ `]/, "", room)
		print room
		words = $4
		gsub(/[`]/, "", words)
		count = split(words, word, / *, */)
		for (i = 1; i <= count; i++) {
			gsub(/^ +| +$/, "", word[i])
			if (word[i] != "" && word[i] != "-") { print room, word[i] }
		}
	}' "$1/ARCHITECTURE.md"
}

# includes ROOT: a line for each #include that the table does not allow.
includes() {
	table "$1" >"$work/table"
	(cd "$1" && find tp provider analyzer schema -name '*.[ch]' -o -name '*.inc') | LC_ALL=C sort >"$work/files"
	(cd "$1" && xargs grep -nE '^[ 	]*#[ 	]*include[ 	]*[<"]' <"$work/files" /dev/null) >"$work/includes"
	awk -v table="$work/table" -v files="$work/files" '
	BEGIN {
		while ((getline line < table) > 0) {
			split(line, part, " ")
			rooms[part[1]] = 1
			if (part[2] != "") { may[part[1], part[2]] = 1 }
		}
		while ((getline line < files) > 0) {
			name = line
			sub(/.*\//, "", name)
			found[name] = found[name] " " line
			if (room_of(line) == "") { print line ": is in no room of the table" }
		}
	}
	function room_of(file,    folder) {
		folder = file
		while (sub(/[^\/]*\/?$/, "", folder) && folder != "") {
			if (folder in rooms) { return folder }
			sub(/\/$/, "", folder)
		}
		return ""
	}
	# The word for a header of the system or of a library.
	function word_of(header) {
		if (header ~ /^(stdbool|stddef|stdint|stdarg|stdatomic|string|limits|inttypes|assert|stdalign)[.]h$/) { return "" }
		if (header ~ /^(stdlib|stdio|errno|ctype|math|time|locale)[.]h$/) { return "libc" }
		if (header == "pthread.h") { return "threads" }
		if (header == "semaphore.h") { return "threads" }
		if (header == "sqlite3.h") { return "SQLite" }
		if (header == "zlib.h") { return "zlib" }
		if (header == "microhttpd.h") { return "Microhttpd" }
		if (header ~ /^curl\//) { return "curl" }
		if (header == "argp.h") { return "argp" }
		if (header == "erl_nif.h") { return "Erlang" }
		if (header ~ /^capstone\//) { return "Capstone" }
		if (header ~ /^babeltrace2?\//) { return "Babeltrace" }
		if (header ~ /^lttng\//) { return "LTTng" }
		return "system"
	}
	{
		file = $0
		sub(/:.*/, "", file)
		where = $0
		sub(/:[ \t]*#.*/, "", where)
		room = room_of(file)
		name = $0
		if ($0 ~ /include[ \t]*</) {
			sub(/.*</, "", name)
			sub(/>.*/, "", name)
			word = word_of(name)
			if (word != "" && !((room, word) in may)) { print where ": " room " may not use <" name ">: " word }
			next
		}
		sub(/^[^"]*"/, "", name)
		sub(/".*/, "", name)
		path = name
		sub(/.*\//, "", name)
		count = split(found[name], candidate, " ")
		allowed = count == 0
		other = ""
		for (i = 1; i <= count; i++) {
			other = room_of(candidate[i])
			if (other == room || (room, other) in may) { allowed = 1 }
		}
		if (count == 0 && path !~ /^(carrierscope_tp|org_erlang_|com_ericsson_|csc_).*[.]h$/) { print where ": no such file in any room: " path }
		if (path ~ /\.\.\//) { print where ": leaves its room by a path: " path }
		if (!allowed) { print where ": " room " may not use " other " (" path ")" }
	}' "$work/includes"
}

# private ROOT: a line for each text of SQL in C that reads a step of the judge (_name), which no file of a user has.  The judge may.
private() {
	(cd "$1" && find provider analyzer -name '*.[ch]' | LC_ALL=C sort | xargs grep -nE \
		'".*(FROM|JOIN) \(?(main\.|temp\.)?_[a-z]|^[^"]*"(main\.|temp\.)?_[a-z_]+ (AS|WHERE|ORDER|GROUP) ' /dev/null |
		grep -v '^analyzer/judge/')
}

# circles ROOT: rooms that use each other in a circle.
circles() {
	table "$1" | awk 'NF == 2 && $2 ~ /\/$/ { print $2, $1 }' | tsort 2>&1 >/dev/null | grep -v ':$'
}

# symbols ROOM LIBRARY: a line for each symbol that the room may not use.
symbols() {
	nm -u "$2" 2>/dev/null | awk -v room="$1" -v table="$work/table" '
	BEGIN { while ((getline line < table) > 0) { split(line, part, " "); may[part[1], part[2]] = 1 } }
	{
		name = $NF
		word = ""
		if (name ~ /^(malloc|calloc|realloc|reallocarray|free|aligned_alloc|posix_memalign|printf|fprintf|puts|abort|exit|fopen)$/) { word = "libc" }
		if (name ~ /^(mmap|munmap|mprotect|mremap|open|openat|read|write|close|ioctl|fork|execve)$/) { word = "system" }
		if (name ~ /^(pthread_|sem_)/) { word = "threads" }
		if (name ~ /^sqlite3_/) { word = "SQLite" }
		if (name ~ /^bt_/) { word = "Babeltrace" }
		if (name ~ /^lttng_/) { word = "LTTng" }
		if (name ~ /^MHD_/) { word = "Microhttpd" }
		if (name ~ /^(gz[a-z]+|inflate.*|deflate.*)$/) { word = "zlib" }
		if (name ~ /^argp_/) { word = "argp" }
		if (name ~ /^curl_/) { word = "curl" }
		if (name ~ /^enif_/) { word = "Erlang" }
		if (word != "" && !((room, word) in may) && !seen[name]++) { print room " may not use " name ": " word }
	}'
}

# room_of_library NAME: csc_store is analyzer/store/, csc_cli_load is analyzer/cli/load/.
room_of_library() {
	for part in provider analyzer; do
		folder=$part/$(echo "${1#csc_}" | tr _ /)/
		if grep -qx "$folder" "$work/table"; then echo "$folder"; fi
	done
	if [ "$1" = csc_core32 ]; then echo provider/core/; fi
	if [ "$1" = csc_schema ]; then echo schema/; fi
	if [ "$1" = csc_events ] || [ "$1" = csc_tp ]; then echo tp/; fi
}

wrong=$(includes "$root")
[ -z "$wrong" ] || fail "$wrong"
[ "$(grep -c . "$work/includes")" -gt 500 ] || fail "few includes were found"
[ "$(grep -c ' ' "$work/table")" -gt 40 ] || fail "few rows were found in the table of ARCHITECTURE.md"
wrong=$(private "$root")
[ -z "$wrong" ] || fail "a step of the judge is read: $wrong"
wrong=$(circles "$root")
[ -z "$wrong" ] || fail "rooms use each other in a circle: $wrong"

checked=0
for library in "$@"; do
	name=$(basename "$library" .a)
	room=$(room_of_library "${name#lib}")
	[ -n "$room" ] || { fail "$library has no room"; continue; }
	wrong=$(symbols "$room" "$library")
	[ -z "$wrong" ] || fail "$wrong"
	checked=$((checked + 1))
done
[ "$checked" -ge 14 ] || fail "only $checked libraries were looked at"

while IFS= read -r line; do
	name=${line%%;*}
	room=$(room_of_library "$name")
	[ -n "$room" ] || { fail "$name has no room"; continue; }
	for other in $(echo "${line#*;}" | tr ';' '\n' | grep '^csc_' | grep -vx csc_options); do
		uses=$(room_of_library "$other")
		[ "$uses" = "$room" ] || grep -qx "$room $uses" "$work/table" || fail "$name links $other, which $room may not use"
	done
done <"$links"

# Files that need each other, and why they may.
cat >"$work/allowed" <<'END'
csc_core: * # the allocator's own recursion
csc_core32: * # the same, for the other word size
END
wrong=$(sh "$(dirname "$0")/file_circles.sh" "$work/allowed" "$@" "$objects") || fail "$wrong"

# No folder holds more than anyone can look over.
(cd "$root" && find tp provider analyzer schema -name '*.c') | sed 's,/[^/]*$,,' | sort | uniq -c |
	awk '$1 > 25 { print $2 " holds " $1 " sources" }' >"$work/large"
[ ! -s "$work/large" ] || fail "$(cat "$work/large")"

# plants FILE LINE...: each alone, in a copy; it must be found, in that file.
plants() {
	for line; do [ "$line" = "$1" ] || plants_one "$1" "$line"; done
}

plants_one() {
	rm -rf "$work/copy"
	mkdir "$work/copy"
	(cd "$root" && find ARCHITECTURE.md tp provider analyzer schema -name '*.[ch]' -o -name '*.inc' -o -name ARCHITECTURE.md |
		tar -cf - -T -) | tar -xf - -C "$work/copy"
	[ -f "$work/copy/$1" ] || { fail "$1 is not there to plant in"; return; }
	printf '%s\n' "$2" >>"$work/copy/$1"
	{ includes "$work/copy"; private "$work/copy"; } | grep -q "^$1:" || fail "planted in $1 and not found: $2"
}

plants provider/core/migration/ring.c '#include <lttng/tracepoint.h>' '#include <stdlib.h>' '#include <pthread.h>' '#include <sys/mman.h>'
plants provider/replay/start_state.c '#include "../../analyzer/model/numbering.h"' '#include "numbering.h"'
plants provider/target/linux.c '#include "../text/optext.h"' '#include "optext.h"'
plants provider/workload/scheduler.c '#include "replay.h"'
plants analyzer/readers/args.c '#include "../sink/sink.h"' '#include "sink.h"' '#include "salvage.h"'
plants analyzer/store/store.c '#include "readers/dump.h"' '#include "dump.h"'
plants analyzer/derive/pool.c '#include <sqlite3.h>' '#include "store.h"'
plants analyzer/cli/page.c '"SELECT * FROM _holder_read"' '"... JOIN (_held AS h"' '"_held AS h"'
plants analyzer/cli/send/push_rows.c '"FROM main._subject"'
plants analyzer/model/numbering.c '#include <babeltrace2/babeltrace.h>'

# Symbols that no header shows.
if command -v cc >/dev/null; then
	echo 'extern void *malloc(unsigned long); extern int pthread_yield_to(void); void *f(void); void *f(void) { pthread_yield_to(); return malloc(1); }' >"$work/f.c"
	cc -c -o "$work/f.o" "$work/f.c" 2>/dev/null
	[ "$(symbols provider/core/ "$work/f.o" | grep -c 'may not use')" -eq 2 ] || fail "malloc and a thread in the core are not found"

	# Three objects in a circle, and one that only uses it.
	echo 'int two(void); int one(void); int one(void) { return two(); }' >"$work/one.c"
	echo 'int three(void); int two(void); int two(void) { return three(); }' >"$work/two.c"
	echo 'int one(void); int three(void); int three(void) { return one(); }' >"$work/three.c"
	echo 'int one(void); int four(void); int four(void) { return one(); }' >"$work/four.c"
	for name in one two three four; do cc -c -o "$work/$name.c.o" "$work/$name.c"; echo "$work/$name.c.o"; done >"$work/planted.objects"
	sh "$(dirname "$0")/file_circles.sh" "$work/allowed" "$work/planted.objects" >"$work/found" && fail "a circle of files is not found"
	grep -q 'planted:.* two.c' "$work/found" || fail "a circle of files has no names: $(cat "$work/found")"
	! grep -q 'four' "$work/found" || fail "a file that only uses a circle is taken for a part of it"
fi

[ $failures -eq 0 ] || ends
echo "$(grep -c . "$work/includes") includes, $checked libraries, $(grep -c . "$links") lists of links; 21 planted violations found"
