#!/bin/sh
# SPDX-License-Identifier: MIT
#
# walls_test.sh ROOT CMAKE LINKS OBJECTS [ABSENT...]: rooms use each other as the table of ARCHITECTURE.md says.
#
# The table under "## Rooms" says for each room (a folder and those below it) which rooms and which
# libraries it may use.  Checked are each #include, the symbols that a room's objects want, and what its
# targets link.  No files of a room need each other in a circle (file_circles.sh), a room without compiled
# files is no room, only those rooms print that may, each public view has a worked example, and no C reads
# a private one.  Then violations are planted in a copy, and each must be found.
#
# OBJECTS has a line "target folder object object..." for each target of a folder, LINKS a line
# "target;other;other...".  ABSENT are rooms that this build leaves out.
. "$(dirname "$0")/../harness/main.sh"
root=$1
cmake=$2
links=$3
objects=$4
shift 4

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

# circles ROOT: rooms that use each other in a circle.
circles() {
	table "$1" | awk 'NF == 2 && $2 ~ /\/$/ { print $2, $1 }' | tsort 2>&1 >/dev/null | grep -v ':$'
}

# objects_of ROOT OBJECTS: a line "room file object" for each object of a file in a room.  One of a file that is
# made while building, in a folder that is no room, is left out; "-" is the room of any other such file.
objects_of() {
	table "$1" | awk 'NF == 1' >"$work/rooms"
	awk -v rooms="$work/rooms" '
	BEGIN { while ((getline line < rooms) > 0) { is_room[line] = 1 } }
	{
		for (i = 3; i <= NF; i++) {
			file = $i
			sub(/.*\/CMakeFiles\/[^\/]*[.]dir\//, "", file)
			sub(/[.]o$/, "", file)
			gsub(/^[.]\//, "", file)
			folder = $2
			while (sub(/^__\//, "", file)) { sub(/\/[^\/]*$/, "", folder) }
			file = folder "/" file
			folder = file
			while (sub(/[^\/]*\/?$/, "", folder) && folder != "" && !(folder in is_room)) { sub(/\/$/, "", folder) }
			print folder == "" ? "-" : folder, file, $i, $1
		}
	}' "$2" | while read -r room file object target; do
		[ "$room" = - ] && [ ! -f "$1/$file" ] || echo "$room $file $object $target"
	done
}

# homeless ROOT OBJECTS_OF [ABSENT...]: rooms of which nothing is compiled, and files that are in no room.
homeless() {
	awk '$1 == "-" { print $2 ": is in no room of the table" }' "$2"
	table "$1" | awk 'NF == 1' | while read -r room; do
		grep -q "^$room " "$2" || case " $3 " in
		*" $room "*) ;;
		*) echo "$room: nothing of this room is compiled" ;;
		esac
	done
}

# listed ROOT WORD: files and rooms that the line "WORD: ..." of ARCHITECTURE.md names.
listed() {
	sed -n "/^$2:/"'s/[^`]*`\([^`]*\)`[^`]*/\1 /gp' "$1/ARCHITECTURE.md"
}

# symbols ROOT OBJECTS_OF: a line for each symbol that a file may not use.
symbols() {
	table "$1" >"$work/table"
	awk '$1 != "-" { print $3 }' "$2" | xargs nm -A -u 2>/dev/null | awk -v table="$work/table" -v objects="$2" -v printing="$(listed "$1" "May print")" '
	BEGIN {
		while ((getline line < table) > 0) { split(line, part, " "); may[part[1], part[2]] = 1 }
		while ((getline line < objects) > 0) { split(line, part, " "); room_of[part[3]] = part[1]; file_of[part[3]] = part[2] }
		printers = split(printing, printer, " ")
	}
	{
		object = $1
		sub(/:$/, "", object)
		room = room_of[object]
		file = file_of[object]
		name = $NF
		if (sub(/_chk$/, "", name)) { sub(/^__/, "", name) }
		word = ""
		if (name ~ /^(malloc|calloc|realloc|reallocarray|free|aligned_alloc|posix_memalign|printf|fprintf|puts|abort|exit|fopen)$/) { word = "libc" }
		if (name ~ /^(mmap|munmap|mprotect|mremap|open|openat|read|write|close|ioctl|fork|execve)$/) { word = "system" }
		if (name ~ /^(pthread_|sem_)/) { word = "threads" }
		if (name ~ /^sqlite3_/) { word = "SQLite" }
		if (name ~ /^bt_/) { word = "Babeltrace" }
		if (name ~ /^lttng_ust_/) { word = "LTTng" }
		if (name ~ /^MHD_/) { word = "Microhttpd" }
		if (name ~ /^(gz[a-z]+|inflate.*|deflate.*)$/) { word = "zlib" }
		if (name ~ /^argp_/) { word = "argp" }
		if (name ~ /^curl_/) { word = "curl" }
		if (name ~ /^enif_/) { word = "Erlang" }
		if (name ~ /^cs_[a-z]/) { word = "Capstone" }
		if (word != "" && !((room, word) in may)) { print file ": " room " may not use " name ": " word }
		# What LTTng makes of an event can print on stderr.
		if (name ~ /^(v?printf|puts|putchar|perror|psignal|v?dprintf|v?errx?|v?warnx?|error|stdout|stderr)$/ &&
				!(name == "stderr" && (room, "LTTng") in may)) {
			found = 0
			for (i = 1; i <= printers; i++) { if (index(file, printer[i]) == 1) { found = 1 } }
			if (!found) { print file ": may not print: " name }
		}
	}' | sort -u
}

# file_circles OBJECTS_OF: circles of files in each room.
file_circles() {
	rm -rf "$work/groups"
	mkdir "$work/groups"
	awk -v groups="$work/groups/" '$1 != "-" { group = $1; gsub("/", "-", group); sub("-$", "", group); print $3 >(groups group ".objects") }' "$1"
	sh "$here/file_circles.sh" "$work/allowed" "$work/groups/"*.objects
}

# unlisted_links ROOT OBJECTS_OF LINKS: targets that link a target of a room that theirs may not use.
unlisted_links() {
	table "$1" >"$work/table"
	awk -F ';' -v table="$work/table" -v objects="$2" '
	BEGIN {
		while ((getline line < table) > 0) { split(line, part, " "); may[part[1], part[2]] = 1 }
		while ((getline line < objects) > 0) { split(line, part, " "); count[part[4], part[1]]++; rooms[part[1]] = 1; targets[part[4]] = 1 }
		# A target is of the room that most of its files are of.
		for (target in targets) { for (room in rooms) {
			if (count[target, room] > most[target]) { most[target] = count[target, room]; room_of[target] = room }
		} }
		room_of["csc_events"] = "tp/"
	}
	{
		for (i = 2; i <= NF; i++) {
			uses = room_of[$i]
			if ($i ~ /^csc_/ && $i != "csc_options" && uses == "") { print $1 " links " $i ", which has no room" }
			if (uses != "" && uses != room_of[$1] && !((room_of[$1], uses) in may)) {
				print $1 " links " $i ", which " room_of[$1] " may not use"
			}
		}
	}' "$3"
}

# Names of the views of the schema.
views() {
	(cd "$1/schema" && find . -name '*.sql' -exec sed -n 's/^CREATE VIEW \([a-z_0-9]*\).*/\1/p' {} +) | sort
}

# without_example ROOT: public views that no file of tests/views is named after.
without_example() {
	(cd "$root/tests/views" && ls) | sed 's/[.].*//' | sort -u >"$work/examples"
	views "$1" | grep -v '^_' | comm -23 - "$work/examples" | sed 's/$/: a public view without a worked example in tests\/views/'
}

# private_readers ROOT: lines "file step" of C outside the judge that names a step of it in a text: no file of a user has one.
private_readers() {
	(cd "$1/schema" && find . -name '*.sql' -exec sed -nE 's/^CREATE TEMP (VIEW|TABLE) (_[a-z_0-9]*).*/\2/p' {} +) | sort -u >"$work/private"
	# shellcheck disable=SC2046
	(cd "$1" && find $(listed "$1" "May contain SQL") ! -path 'analyzer/judge/*' -name '*.[ch]' -exec grep -HE '"[^"]*_[a-z]' {} +) | awk -v views="$work/private" '
	BEGIN { while ((getline line < views) > 0) { is_private[line] = 1 } }
	{
		file = $0
		sub(/:.*/, "", file)
		line = substr($0, length(file) + 2)
		if (line ~ /^[ \t]*(\/?\*|\/\/)/) { next }
		count = split(line, word, /[^A-Za-z0-9_]+/)
		for (i = 1; i <= count; i++) { if (word[i] in is_private) { print file, word[i] } }
	}' | LC_ALL=C sort -u
}

wrong=$(includes "$root")
[ -z "$wrong" ] || fail "$wrong"
[ "$(grep -c . "$work/includes")" -gt 500 ] || fail "few includes were found"
[ "$(grep -c ' ' "$work/table")" -gt 40 ] || fail "few rows were found in the table of ARCHITECTURE.md"
wrong=$(circles "$root")
[ -z "$wrong" ] || fail "rooms use each other in a circle: $wrong"

objects_of "$root" "$objects" >"$work/objects"
wrong=$(homeless "$root" "$work/objects" "$*")
[ -z "$wrong" ] || fail "$wrong"
wrong=$(symbols "$root" "$work/objects")
[ -z "$wrong" ] || fail "$wrong"
wrong=$(unlisted_links "$root" "$work/objects" "$links")
[ -z "$wrong" ] || fail "$wrong"

# Files that need each other, and why they may.
cat >"$work/allowed" <<'END'
provider-core: * # the allocator's own recursion
END
wrong=$(file_circles "$work/objects") || fail "$wrong"

wrong=$(without_example "$root")
[ -z "$wrong" ] || fail "$wrong"
wrong=$(private_readers "$root" | sed 's/ / reads a private step of the judge: /')
[ -z "$wrong" ] || fail "$wrong"
[ "$(grep -c . "$work/private")" -gt 50 ] || fail "few steps of the judge were found"

# No folder holds more than anyone can look over.
(cd "$root" && find tp provider analyzer schema -name '*.c') | sed 's,/[^/]*$,,' | sort | uniq -c |
	awk '$1 > 25 { print $2 " holds " $1 " sources" }' >"$work/large"
[ ! -s "$work/large" ] || fail "$(cat "$work/large")"

# Violations, planted in a copy.
copy=$work/copy
mkdir "$copy"
(cd "$root" && find ARCHITECTURE.md tp provider analyzer schema -name '*.[ch]' -o -name '*.inc' -o -name '*.sql' -o -name ARCHITECTURE.md |
	tar -cf - -T -) | tar -xf - -C "$copy"
planted=0

# plants FILE LINE...: a planted line is remembered as "file:number:text".
plants() {
	file=$1
	shift
	[ -f "$copy/$file" ] || { fail "$file is not there to plant in"; return; }
	for line; do
		printf '%s\n' "$line" >>"$copy/$file"
		echo "$file:$(grep -c '' "$copy/$file"):$line" >>"$work/planted"
		planted=$((planted + 1))
	done
}

plants provider/core/migration/ring.c '#include <lttng/tracepoint.h>' '#include <stdlib.h>' '#include <pthread.h>' '#include <sys/mman.h>'
plants provider/replay/start_state.c '#include "../../analyzer/model/numbering.h"' '#include "numbering.h"'
plants provider/target/linux.c '#include "../text/optext.h"' '#include "optext.h"'
plants provider/workload/scheduler.c '#include "replay.h"'
plants analyzer/readers/args.c '#include "../sink/sink.h"' '#include "sink.h"' '#include "salvage.h"'
plants analyzer/store/store.c '#include "readers/dump.h"' '#include "dump.h"'
plants analyzer/derive/pool.c '#include <sqlite3.h>' '#include "store.h"'
plants analyzer/cli/database/table.c '#include "page.h"'
plants analyzer/cli/answer/page.c '#include "serve_page.h"' '#include <microhttpd.h>'
plants analyzer/cli/export/pprof.c '#include "metric.h"'
plants analyzer/cli/record/process.c '#include "database.h"'
plants analyzer/model/numbering.c '#include <babeltrace2/babeltrace.h>'
includes "$copy" >"$work/found"
while IFS= read -r line; do
	grep -qF "$(echo "$line" | cut -d : -f 1,2):" "$work/found" || fail "planted and not found: $line"
done <"$work/planted"

# Words that no include shows.
: >"$work/planted"
plants analyzer/readers/args.c 'char *a = "SELECT 1";' 'char *b = "DELETE FROM event";' 'char *c = "INSERT INTO event VALUES(1)";' \
	'char *d = "INSERT OR IGNORE INTO event VALUES(1)";' 'char *e = "UPDATE event SET id = 1";' 'char *f = "REPLACE INTO event VALUES(1)";' \
	'char *g = "CREATE TABLE event(id)";' 'char *h = "CREATE TEMP VIEW event AS";' 'char *i = "DROP VIEW event";' 'char *j = "ALTER TABLE event";' \
	'char *k = "PRAGMA user_version";' 'char *l = "ATTACH ?1 AS other";'
plants provider/beam/hook.c 'char *a = "VACUUM INTO ?1";'
plants analyzer/store/store.c 'LTTNG_UST_TRACEPOINT_EVENT(a, b, c, d)' 'bt_message_put_ref(0);'
"$cmake" -DROOT="$copy" -P "$here/rooms.cmake" >"$work/found" 2>&1 && fail "rooms.cmake finds nothing"
while IFS= read -r line; do
	text=${line#*:*:}
	grep -F "${line%%:*}: not its room" "$work/found" | grep -qF "${text%;}" ||
		fail "planted and not found: $line"
done <"$work/planted"

# A room that nobody compiles, a public view that nobody shows, a private one that C reads.
mkdir "$copy/analyzer/extra"
echo 'int extra;' >"$copy/analyzer/extra/extra.c"
sed 's/^| `schema\/` /| `analyzer\/extra\/` | nothing | libc |\n&/' "$root/ARCHITECTURE.md" >"$copy/ARCHITECTURE.md"
homeless "$copy" "$work/objects" "$*" | grep -q '^analyzer/extra/: nothing' || fail "a room without a library is not found"
plants schema/report/reports.sql 'CREATE VIEW planted_view AS SELECT 1;' 'CREATE TEMP VIEW _planted_view AS SELECT 1;'
[ "$(without_example "$copy")" = "planted_view: a public view without a worked example in tests/views" ] ||
	fail "a view without an example is not found"
plants analyzer/cli/database/table.c 'static const char sql[] = "SELECT * FROM _planted_view";'
plants analyzer/cli/answer/page.c '"... JOIN (_held AS h"'
plants analyzer/cli/fleet/push_rows.c '"FROM main._subject"'
private_readers "$copy" >"$work/found"
for line in 'database/table.c _planted_view' 'answer/page.c _held' 'fleet/push_rows.c _subject'; do
	grep -qx "analyzer/cli/$line" "$work/found" || fail "C that reads a private step is not found: $line"
done

# Symbols that no header shows, in objects of files that are not there: plants_object FILE CODE.
: >"$work/planted"
plants_object() {
	echo "$2" >"$work/object.c"
	mkdir -p "$work/CMakeFiles/planted.dir/$(dirname "${1#*/}")"
	cc -w -c -o "$work/CMakeFiles/planted.dir/${1#*/}.o" "$work/object.c" || fail "not compiled: $2"
	echo "planted ${1%%/*} $work/CMakeFiles/planted.dir/${1#*/}.o" >>"$work/planted"
	planted=$((planted + 1))
}
if command -v cc >/dev/null; then
	print='extern int puts(const char *), perror(const char *), putchar(int), dprintf(int, const char *, ...), fputs(const char *, void *);
		extern void *stdout, *stderr; void f(int a) {'
	plants_object provider/core/planted_malloc.c 'extern void *malloc(unsigned long); void *f(void) { return malloc(1); }'
	plants_object provider/core/planted_thread.c 'extern int pthread_yield_to(void); int f(void) { return pthread_yield_to(); }'
	plants_object provider/beam/planted_sqlite.c 'extern int sqlite3_open(const char *, void *); int f(void) { return sqlite3_open("", 0); }'
	plants_object provider/twin/planted_sqlite.c 'extern int sqlite3_open(const char *, void *); int f(void) { return sqlite3_open("", 0); }'
	plants_object analyzer/cli/record/planted_sqlite.c 'extern int sqlite3_open(const char *, void *); int f(void) { return sqlite3_open("", 0); }'
	plants_object analyzer/store/planted_puts.c "$print puts(\"a\"); }"
	plants_object analyzer/store/planted_perror.c "$print perror(\"a\"); }"
	plants_object analyzer/store/planted_putchar.c "$print putchar(a); }"
	plants_object analyzer/store/planted_dprintf.c "$print dprintf(1, \"%d\", a); }"
	plants_object analyzer/store/planted_stdout.c "$print fputs(\"a\", stdout); }"
	plants_object analyzer/store/planted_stderr.c "$print fputs(\"a\", stderr); }"
	plants_object provider/beam/planted_stdout.c "$print fputs(\"a\", stdout); }"
	objects_of "$root" "$work/planted" >"$work/planted_objects"
	symbols "$root" "$work/planted_objects" >"$work/found"
	while read -r room file rest; do
		grep -q "^$file: " "$work/found" || fail "planted and not found: $file"
	done <"$work/planted_objects"

	# In each room two files in a circle, and one that only uses it.
	: >"$work/planted"
	plants_object planted/one.c 'int planted_two(void); int planted_one(void) { return planted_two(); }'
	plants_object planted/two.c 'int planted_one(void); int planted_two(void) { return planted_one(); }'
	plants_object planted/user.c 'int planted_one(void); int planted_user(void) { return planted_one(); }'
	: >"$work/planted"
	planted=$((planted - 3))
	while read -r room; do
		folder=$work/CMakeFiles/planted.dir/${room#*/}
		mkdir -p "$folder"
		for file in one two user; do
			cp "$work/CMakeFiles/planted.dir/$file.c.o" "${folder%/}/planted_$file.c.o"
			echo "planted ${room%%/*} ${folder%/}/planted_$file.c.o" >>"$work/planted"
		done
		planted=$((planted + 1))
	done <"$work/rooms"
	objects_of "$root" "$work/planted" >>"$work/objects"
	file_circles "$work/objects" >"$work/found" && fail "circles of files are not found"
	while read -r room; do
		[ "$room" = provider/core/ ] || grep -q "$(echo "${room%/}" | tr / -): planted_\(one.c planted_two\|two.c planted_one\).c$" "$work/found" ||
			fail "a circle of files in $room is not found: $(cat "$work/found")"
	done <"$work/rooms"
fi

[ $failures -eq 0 ] || ends
[ $# -eq 0 ] || echo "not compiled in this build, hence their symbols are not checked: $*"
echo "$(grep -c . "$work/includes") includes, $(grep -c . "$work/objects") objects, $(grep -c . "$links") lists of links; $planted planted violations found"
