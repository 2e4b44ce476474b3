#!/bin/sh
# SPDX-License-Identifier: MIT
# twin_options_test.sh TWIN DIR: --print-options against what two real runtimes said.
set -u
twin=$1
failures=0

# White space and the version of the C library do not count.
plain() {
	grep -v '^%' | tr -d ' \n' | sed 's/{glibc,\[[0-9]*,[0-9]*\]/{glibc,[]/'
}

for otp in 24rc0 25; do
	told=$("$twin" --print-options --otp $otp --schedulers 2 | plain)
	real=$(plain <"$2/system_info_$otp.expect")
	if [ "$told" != "$real" ]; then
		printf '%s\n  told: %s\n  real: %s\n' "$otp" "$told" "$real"
		failures=$((failures + 1))
	fi
done

sentence=$("$twin" --print-options +MBas worst 2>&1)
[ $? -eq 1 ] || failures=$((failures + 1))
case $sentence in
*'bad "+MBas" value: worst'*) ;;
*) failures=$((failures + 1)) ;;
esac
"$twin" --print-options --otp 3 >/dev/null 2>&1
[ $? -eq 2 ] || failures=$((failures + 1))

[ $failures -eq 0 ]
