#!/bin/sh
# SPDX-License-Identifier: MIT
# flags_live_test.sh TWIN ERL BEAM_DIR: random +M command lines, on this runtime and on the twin.
#
# CSC_SEED and CSC_LINES in the environment choose other command lines, and how many.
set -u
twin=$1
erl=$2
beams=$3

unset ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ERL_LIBS
export ERL_CRASH_DUMP_SECONDS=0
release=$("$erl" -noinput -eval 'io:format("~s~n", [erlang:system_info(otp_release)]), halt().')
if [ "$release" != 25 ]; then
	echo "SKIPPED: no OTP 25 runs here, but '$release': its flags are not compared"
	exit 77
fi
exec "$erl" -noinput -boot start_clean -pa "$beams" \
	-run flags_live main "$erl" "$twin" "${CSC_SEED:-1}" "${CSC_LINES:-30}"
