#!/bin/sh
# SPDX-License-Identifier: MIT
# twin_cli_test.sh TWIN PAGE: what the twin says to good and bad operation files; its man page has
# the flags of --help.
. "$(dirname "$0")/../harness/main.sh"
twin=$1
page=$2

# refuses NAME SENTENCE <FILE: the file is refused with this sentence, exit 2, nothing printed.
refuses() {
	cat >"$work/$1.ops"
	"$twin" --ops "$work/$1.ops" >"$work/out" 2>"$work/err"
	code=$?
	if [ $code -ne 2 ] || [ -s "$work/out" ] || ! grep -qF "$1.ops:$2" "$work/err"; then
		echo "$1: exit $code, expected 2 and '$2', got: $(cat "$work/err")"
		failures=$((failures + 1))
	fi
}

head='@ otp 25.2.3
@ strategy bf
@ setup private'

printf '%s\n%s\n' "$head" 'x 1 2' | refuses letter "4: no such operation: 'x'"
printf '%s\n%s\n' "$head" 'f 7' | refuses unknown '4: block 7 was never allocated'
printf '%s\n%s\n%s\n' "$head" 'a 1 8' 'a 1 8' | refuses twice '5: block 1 was allocated before'
printf '%s\n%s\n' "$head" 'a 1 -8' | refuses negative "4: '-8' is not a number"
printf '%s\n%s\n' "$head" 'a 1 18446744073709551616' | refuses overflow '4: '
printf '%s\n%s\n' "$head" 'a 1' | refuses short '4: field 3 is missing'
printf '%s\n%s\n' "$head" 'a 1 8 0 0' | refuses long "4: 'a' has at most 4 fields"
printf '%s\n%s\n' "$head" 'a 1 8 3' | refuses instance '4: there is no instance 3'
printf '%s\n%s\n' "$head" 'd' | refuses drain "4: 'd' does not occur in this setup"
printf '%s\n%s\n' "$head" 't 1' | refuses tick "4: 't' does not occur in this setup"
printf '%s\n%s\n' "$head" 's 2' | refuses snapshot "4: '2' is not a number from 0 to 1"
printf '%s\n%s\n' "$head" 'b -1' | refuses sbct "4: '-1' is not a number"
printf '%s\n%s\n' "$head" 'b 4000 0' | refuses sbct_instance "4: 'b' has at most 2 fields"
printf '%s\n%s\n' "$head" 'c 1 0x10000000' | refuses serial '4: carrier 0 is next, not 1'
printf '%s\n%s\n' "$head" 'c 0 10000000' | refuses base "4: '10000000' is not an address"
printf '%s\n%s\n' "$head" 'a  1 8' | refuses spaces '4: fields are separated by one space'
printf '%s\n%s\n' "$head" '@ colour red' | refuses key "4: no such key: 'colour'"
printf '%s\n%s\n' "$head" '@ option colour 1' | refuses option "4: no such option: 'colour'"
printf '%s\n%s\n' "$head" '@ strategy gf' | refuses strategies '4: the file names two strategies'
printf '%s\n%s\n%s\n' "$head" 'a 1 8' '@ word 8' | refuses late '5: header lines come before'
printf '@ strategy worst\n' | refuses strategy "1: no such strategy: 'worst'"
printf '# nothing\n' | refuses empty '1: the file names no strategy'

# sbct at run time: from 4000 on, but never with gf.
for strategy in bf gf; do
	printf '%s\n' '@ otp 25.2.3' "@ strategy $strategy" '@ setup private' '@ option mmbcs 0' \
		'c 0 0x10000000' 'b 3999' 'b 4000' 'a 1 4000' |
		"$twin" --ops - 2>&1 | sed -n 's/^[=+] \([0-9]* [0-9]* *[a-z]*\).*/\1/p; s/^= //p' |
		tr '\n' ';' >"$work/sbct.$strategy"
done
grep -q '1 notsup;2 ok;3 0 sbc;' "$work/sbct.bf" &&
	grep -q '1 notsup;2 notsup;3 0 mbc;' "$work/sbct.gf" || {
	echo "sbct at run time: bf $(cat "$work/sbct.bf") gf $(cat "$work/sbct.gf")"
	failures=$((failures + 1))
}

# A good file: from a file, compressed, and from standard input, with the same result.
good() {
	printf '%s\n' "$head" '@ option mmbcs 0' '@ option smbcs 65536' '@ option lmbcs 65536' \
		'c 0 0x10000000' 'a 0 0' 'a 1 100' 'f 1' 'f 1' 'r 1 24' 'a 2 9223372036854775807' \
		'a 3 18446744073709551615' 's 0'
}
good >"$work/good.ops"
gzip -c "$work/good.ops" >"$work/good.ops.gz"
"$twin" --ops "$work/good.ops" >"$work/plain" || failures=$((failures + 1))
"$twin" --ops "$work/good.ops.gz" >"$work/packed" || failures=$((failures + 1))
"$twin" --ops - <"$work/good.ops" >"$work/stdin" || failures=$((failures + 1))
cat >"$work/expect" <<'END'
% 0 mbcs 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
% 0 sbcs 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
% 0 calls 0 0 0 0 0 0 0 0 0
+ 1 0 mbc mseg 65536 0x10000000 0
= 1 0 368 64
= 2 0 432 112
= 5 0 432 64
= 6 NULL
= 7 NULL
@ 8 map 1
m 0 mbc mseg 65536 0x10000000 used 0 0 368 : u64 u64 f65040
% 0 mbcs 2 2 2 128 176 176 1 1 1 65536 65536 65536 1 65536 0 0
% 0 sbcs 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
END
for file in plain packed stdin; do
	if ! grep -v -e 'calls [1-9]' -e '^[.]' "$work/$file" | cmp -s - "$work/expect"; then
		echo "$file:"
		diff "$work/expect" "$work/$file"
		failures=$((failures + 1))
	fi
done

# The figures at the end, as the runtime prints them.
"$twin" --ops "$work/good.ops" --stats "$work/out" >"$work/answers" || failures=$((failures + 1))
for part in '[{instance,0,' '{versions,"0.9","3.0"}' '{count,2,2,2},{size,128,176,176}' \
	'{carriers_size,65536,65536,65536}' '{test_alloc,0,2},{test_free,0,1},{test_realloc,0,1}'; do
	if ! grep -qF "$part" "$work/out"; then
		echo "statistics lack $part: $(cat "$work/out")"
		failures=$((failures + 1))
	fi
done

cmp -s "$work/answers" "$work/plain" || { echo 'with --stats other answers'; failures=$((failures + 1)); }
# As earlier versions had it: the figures alone, printed.
"$twin" --ops "$work/good.ops" --stats="$work/stats" >/dev/null || failures=$((failures + 1))
"$twin" --ops "$work/good.ops" --statistics >"$work/out" && cmp -s "$work/out" "$work/stats" || failures=$((failures + 1))
"$twin" --replay "$work/none" >"$work/out" 2>"$work/err"
[ $? -eq 2 ] && grep -q 'carrierscope replay' "$work/err" || failures=$((failures + 1))

# Usage.
"$twin" >"$work/out" 2>"$work/err"
[ $? -eq 2 ] && grep -qF 'say one of --workload' "$work/err" || failures=$((failures + 1))
"$twin" --ops "$work/none" >"$work/out" 2>"$work/err"
[ $? -eq 2 ] && grep -qF "cannot open '$work/none'" "$work/err" || failures=$((failures + 1))

# The man page.
"$twin" --help | sed -n 's/^  \(+M[^ ]*\) .*/\1/p' >"$work/flags"
[ "$(wc -l <"$work/flags")" -gt 40 ] || fail "--help lists $(wc -l <"$work/flags") flags"
while read -r flag; do
	grep -qF ".BR $flag \"" "$page" || fail "the man page lacks $flag"
done <"$work/flags"

ends
