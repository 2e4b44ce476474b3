#!/bin/sh
# SPDX-License-Identifier: MIT
# fix_types_test.sh TWIN ERL BEAM_DIR: the sizes that the twin takes for exact, against the runtime.
. "$(dirname "$0")/../../harness/main.sh"
. "$here/twin_and_runtime.sh"

# What was not measured must not be taken for exact.
for target in '24rc0 4' '24.0.1 8' '25 4' '27 8' '28 8' '29 8'; do
	"$twin" --print-options --otp "${target% *}" --word "${target#* }" |
		grep -q '^% Objects of fixed size, in bytes (estimates: ' || {
		echo "sizes of '$target' are not marked as estimates"
		exit 1
	}
done
for otp in 24rc0 25; do
	"$twin" --print-options --otp $otp |
		grep -q '^% Objects of fixed size, in bytes (exact: measured on OTP ' || {
		echo "sizes of '$otp' are not marked as exact"
		exit 1
	}
done

release=$("$erl" -noinput -eval 'io:format("~s~n", [erlang:system_info(otp_release)]), halt().')
if [ "$release" != 25 ]; then
	echo "SKIPPED: no OTP 25 runs here, but '$release': sizes are not compared"
	exit 77
fi
"$twin" --print-options --otp 25 | sed -n 's/^% \({fix_types,.*\)/\1./p' >"$work/sizes"
"$erl" +S 1:1 +MFt false +P 100000 -noinput -boot start_clean -pa "$beams" \
	-run fix_types main "$work/sizes"
