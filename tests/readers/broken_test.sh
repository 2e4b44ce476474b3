#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# broken_test.sh BUILD_DIR: what breaks off, is damaged or is put together by hand is refused by one
# line, or loaded with a problem that says what is missing; what ended a node is never lost.
. "$(dirname "$0")/../harness/main.sh"
carrierscope=$1/carrierscope
needs sqlite3
cd "$work" || exit 1

# A node that died of memory: a dump with its name, all allocators, no processes.
zcat "$here/data/otp27.dump.gz" |
	sed -e 's/^Slogan: .*/Slogan: eheap_alloc: Cannot allocate 529782288 bytes of memory (of type "heap")./' \
		-e "s/^=end/=node:'app@host'\n=end/" >whole
bytes=$(wc -c <whole)
first=$(grep -bm1 '^=allocator' whole | cut -d: -f1)
terms=$here/data/otp27-allocators.txt.gz
zcat "$terms" >figures

# asked QUERY: of db.
asked() {
	sqlite3 -readonly db "$1"
}

# refused FILE TEXT: nothing is loaded, and one line says TEXT.
refused() {
	"$carrierscope" load --quiet -f -o db "$1" >out 2>&1
	local status=$?
	[[ $status == 1 && $(wc -l <out) == 1 && ! -e db ]] || fail "$1: status $status: $(cat out)"
	grep -qF -- "$2" out || fail "$1: no '$2': $(cat out)"
}

# loaded FILE PLACES PROBLEM: so many places with the memory of the whole one, and that problem.
loaded() {
	local got
	"$carrierscope" load --quiet -f -o db "$1" >out 2>&1 || fail "$1: $(cat out)"
	got=$(asked "SELECT group_concat(carriers_bytes, ' ') FROM verdict WHERE level = 'runtime'")
	[[ $got == "$2" ]] || fail "$1: carriers '$got' instead of '$2'"
	got=$(sqlite3 -readonly db "SELECT group_concat(name, ' ') FROM load_problem")
	[[ $got == "$3" ]] || fail "$1: problem '$got' instead of '$3'"
	rm -f db
}

# says QUERY EXPECTED: of db.
says() {
	local got
	got=$(asked "$1")
	[[ $got == "$2" ]] || fail "'$got' instead of '$2': $1"
}

"$carrierscope" load --quiet -f -o db whole || exit 1
all=$(asked "SELECT carriers_bytes FROM verdict WHERE level = 'runtime'")
((all > 1000000)) || fail "the whole dump has $all bytes"
says "SELECT headline, confidence FROM verdict WHERE level = 'runtime'" 'out of memory|exact'
says "SELECT value FROM node_fact WHERE key = 'node_name'" 'app@host'
says "SELECT count(*) FROM finding WHERE rule = 'LOSS-02'" 0
rm db

# Broken off before the allocators: behind the head, and where they would begin.
for at in $((first - 300)) "$first"; do
	head -c "$at" whole >"cut-$at"
	"$carrierscope" load --quiet -f -o db "cut-$at" 2>/dev/null || fail "cut-$at"
	says "SELECT headline, verdict, saving_bytes IS NULL FROM verdict WHERE level <> 'allocator'" \
		'out of memory, unknown|unknown|1'
	says "SELECT group_concat(rule, ' ') FROM (SELECT rule FROM report_findings)" 'OOM-01 LOSS-02'
done
"$carrierscope" report verdict db >out 2>/dev/null
grep -q "breaks off at offset $first, before its sections =allocator.*a process heap needed 505.24 MiB (529782288 bytes)" out ||
	fail "report verdict: $(cat out)"
"$carrierscope" report dump db 2>/dev/null | grep -q 'what ended it.*a process heap needed 505.24 MiB (529782288 bytes)' ||
	fail "report dump does not say what ended it"
"$carrierscope" report db >out 2>/dev/null
grep -q '^OUT OF MEMORY, UNKNOWN: ' out || fail "report: $(head -5 out)"
if "$carrierscope" report --format html -f -o page.html db >out 2>&1; then
	grep -q '<h2>Out of memory, unknown</h2>' page.html || fail "the page's head: $(grep -m1 '<h2>' page.html)"
	grep -q "a process heap needed 505.24 MiB (529782288 bytes).*breaks off at offset $first," page.html ||
		fail "the page does not say why it is unknown"
else
	echo "SKIPPED: the page: $(tail -n 1 out)"
fi

# Among them: what is there is a part, from which no upper limit follows.
head -c $((first + 30000)) whole >cut-among
"$carrierscope" load --quiet -f -o db cut-among 2>/dev/null || fail "cut-among"
says "SELECT headline, saving_bytes IS NULL, carriers_bytes BETWEEN 1 AND $all - 1,
	sentence LIKE '%offset $((first + 30000)), among its sections%' FROM verdict WHERE level = 'runtime'" \
	'out of memory, unknown|1|1|1'
says "SELECT DISTINCT confidence FROM verdict WHERE level = 'allocator'" bound
rm -f db

# Line ends, marks, compression, one behind the other.
sed 's/$/\r/' whole >crlf
{ printf '\xef\xbb\xbf' && cat whole; } >mark
gzip -c mark >mark.gz
{ printf '\n\r\n' && cat whole; } >blank
cat whole whole >two
{ cat whole && cat mark; } >two-mark
{ head -c "$((first + 30001))" whole && cat whole; } >glued
sed '/^=erl_crash_dump/,/^Calling Thread/d' whole >headless
{ cat whole && cat headless; } >rest
{ sed '/^=end/d' whole && cat headless; } >no-head
cat whole figures >terms-behind
sed '/^=end/d' whole >no-end
gzip -c whole | head -c 2000 >cut.gz
loaded crlf "$all" ''
loaded mark "$all" ''
loaded mark.gz "$all" ''
loaded blank "$all" ''
loaded two "$all $all" ''
loaded two-mark "$all $all" ''
loaded rest "$all" dump_rest
loaded terms-behind "$all" dump_rest
loaded no-head "$all $all" dump_cut
loaded no-end "$all" dump_cut
"$carrierscope" load --quiet -f -o db glued || fail "glued"
says "SELECT count(*), max(carriers_bytes) FROM verdict WHERE level = 'runtime'" "2|$all"
says "SELECT group_concat(name) FROM load_problem" dump_cut
says "SELECT group_concat(ended || ' ' || end_offset_bytes) FROM crash_dump" \
	"cut $((first + 30001)),end $((first + 30001 + bytes))"
rm -f db
"$carrierscope" load --quiet -f -o db cut.gz || fail "cut.gz"
says "SELECT group_concat(name) FROM (SELECT name FROM load_problem ORDER BY name)" 'dump_cut,input_cut'
says "SELECT count(*) FROM load_problem WHERE name = 'input_cut' AND sentence LIKE '%stops at offset 0:%'" 0
rm -f db

# What is no dump, or nothing of one.
: >empty
gzip -c empty >empty.gz
mkdir folder
printf '=erl_crash_dump:0.5' >first-line
tr '\n' '\r' <whole >cr
tar cf whole.tar whole
gzip -c whole | gzip -c >twice.gz
refused empty 'it is empty'
refused empty.gz 'it is empty'
refused folder "no trace in 'folder'"
refused first-line 'at offset 19, within the first line'
refused cr "at offset $bytes, within the first line"
refused whole.tar 'a tar archive; unpack it first'
refused twice.gz 'compressed by gzip twice'

# OTP 29 can be built to encrypt its dumps: a file of nothing but noise, also behind a line of text; other bytes are not that.
head -c 100000 /dev/urandom >noise
(echo '=a head of text' && head -c 100000 /dev/urandom) >headed
head -c 100000 "$carrierscope" >program
for file in noise headed; do
	refused $file 'decrypt it first, in a shell of OTP 29 or later: crashdump:pem_decrypt('
done
refused program 'program'
! grep -q decrypt out || fail "a program is said to be encrypted: $(cat out)"

# Figures that no allocator can have, in dumps and in terms.
sed 's/^mbcs carriers size: .*/mbcs carriers size: -1 -1 -1/' whole >negative
sed 's/^mbcs carriers size: .*/mbcs carriers size: 18446744073709551615 1 1/' whole >huge
for kind in negative huge; do
	"$carrierscope" load --quiet -f -o db $kind || fail $kind
	case $kind in
	negative) says "SELECT group_concat(name) FROM load_problem" dump_line_unreadable ;;
	huge) says "SELECT group_concat(name) FROM load_problem" figure_impossible ;;
	esac
	says "SELECT count(current) FROM instance_stat WHERE key = 'carriers_size' AND section = 'mbcs'" 0
done
for number in -5 99999999999999999999 1.5e3; do
	sed -E "s/\{carriers_size,[0-9]+/{carriers_size,$number/" figures >wrong.terms
	"$carrierscope" load --quiet -f -o db wrong.terms || fail "$number"
	says "SELECT group_concat(name) FROM load_problem" figure_impossible
	says "SELECT count(*) FROM instance_stat WHERE key = 'carriers_size' AND current IS NOT NULL
		AND section IN ('mbcs', 'sbcs')" 0
	says "SELECT count(*) FROM verdict WHERE carriers_bytes < 0" 0
done
# A name that nobody knows is an allocator like any other.
sed 's/ets_alloc/new_alloc/g' figures >unknown.terms
"$carrierscope" load --quiet -f -o db unknown.terms || fail "unknown.terms"
says "SELECT count(*) > 0 FROM instance_stat WHERE allocator = 'new_alloc'" 1
says "SELECT count(*) FROM load_problem" 0

ends
