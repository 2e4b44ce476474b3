#!/bin/sh
# SPDX-License-Identifier: MIT
# twin_options_test.sh TWIN DIR: --print-options against what two real runtimes said.
. "$(dirname "$0")/../harness/main.sh"
twin=$1

# White space and the version of the C library do not count.
plain() {
	grep -v '^%' | tr -d ' \n' | sed 's/{glibc,\[[0-9]*,[0-9]*\]/{glibc,[]/'
}

for otp in 24rc0 25; do
	printed=$("$twin" --print-options --otp $otp --schedulers 2 | plain)
	real=$(plain <"$2/system_info_$otp.expect")
	if [ "$printed" != "$real" ]; then
		printf '%s\n  twin: %s\n  real: %s\n' "$otp" "$printed" "$real"
		failures=$((failures + 1))
	fi
done

# Descriptors take the beginning of a super carrier: as 25.2.3 has it.
for case in '512:10:536854528:256' '512:1000:536805376:1024' '512:65537:532660224:65792' \
	'64:65536:62914560:65536' '5:65536:1048576:65536'; do
	IFS=: read -r size asked scs scrfsd <<END
$case
END
	"$twin" --print-options +MMscs "$size" +MMscrfsd "$asked" |
		grep -qF "{erts_mmap,[{scs,$scs},{sco,true},{scrpm,true},{scrfsd,$scrfsd}]}" || {
		echo "a super carrier of $size MiB with $asked descriptors: not {scs,$scs}"
		failures=$((failures + 1))
	}
done
# Those of literals fill a unit, which was larger once.
"$twin" --print-options --otp 24rc0 | grep -q '^% {literal_mmap,.*{scrfsd,4096}' ||
	failures=$((failures + 1))
"$twin" --print-options +MIscs 64 | grep -qF '{literal_mmap,[{scs,67043328},' ||
	failures=$((failures + 1))
# What is disabled is no feature; impossible sizes are printed as they are used.
"$twin" --print-options +MBe false |
	grep -q '^ \[sys_alloc,.*literal_alloc,driver_alloc,mseg_alloc,' || failures=$((failures + 1))
"$twin" --print-options +MZe true |
	grep -q '^ \[sys_alloc,.*,driver_alloc,test_alloc,mseg_alloc,' || failures=$((failures + 1))
"$twin" --print-options +Muycs 1 | grep -qF '{ycs,16384}' || failures=$((failures + 1))
"$twin" --print-options +Musac false +Muycs 18014398509481984 | grep -qF '{ycs,0}' || failures=$((failures + 1))
"$twin" --print-options --schedulers 2 +Mummbcs 4 >"${TMPDIR:-/tmp}/options.$$"
[ "$(grep -c '{mmbcs,16384}' "${TMPDIR:-/tmp}/options.$$")" = 7 ] || failures=$((failures + 1))
# The first instance of ets_alloc has no main carrier: there it stays what was given.
[ "$(grep -c '{mmbcs,4096}' "${TMPDIR:-/tmp}/options.$$")" = 1 ] || failures=$((failures + 1))
rm -f "${TMPDIR:-/tmp}/options.$$"
for scs in 0 1; do
	sentence=$("$twin" --print-options +MIscs $scs 2>&1)
	[ "$sentence" = 'carrierscope-twin: Failed to create main carrier for literal_alloc' ] ||
		failures=$((failures + 1))
done

sentence=$("$twin" --print-options +MBas worst 2>&1)
[ $? -eq 1 ] || failures=$((failures + 1))
case $sentence in
*'bad "+MBas" value: worst'*) ;;
*) failures=$((failures + 1)) ;;
esac
"$twin" --print-options --otp 3 >/dev/null 2>&1
[ $? -eq 2 ] || failures=$((failures + 1))

ends
