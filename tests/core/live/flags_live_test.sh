#!/bin/sh
# SPDX-License-Identifier: MIT
# flags_live_test.sh TWIN ERL BEAM_DIR: random +M command lines, on this runtime and on the twin.
#
# CSC_SEED and CSC_LINES in the environment choose other command lines, and how many.
. "$(dirname "$0")/../../harness/main.sh"
. "$here/twin_and_runtime.sh"
release=$("$erl" -noinput -eval 'io:format("~s~n", [erlang:system_info(otp_release)]), halt().')
if [ "$release" != 25 ]; then
	echo "SKIPPED: no OTP 25 runs here, but '$release': its flags are not compared"
	exit 77
fi
# What the twin refuses because the runtime crashes on it: this runtime does, when it makes carriers
# from sys_alloc, and does not where the twin takes it.  Too large is what wraps.
carriers()
{
	# shellcheck disable=SC2016
	timeout 400 "$erl" "$@" +MBmmsbc 0 -noinput -boot start_clean -eval '
		L = [binary:copy(<<1>>, 600000) || _ <- lists:seq(1, 300)],
		300 = length(L),
		halt(0).' >/dev/null 2>&1
}
for ycs in 0 18014398509481500 18014398509481984; do
	carriers +Muycs $ycs
	status=$?
	if [ $status -le 128 ]; then
		echo "the runtime does not crash with +Muycs $ycs: exit code $status"
		exit 1
	fi
	if "$twin" --print-options +Muycs $ycs >/dev/null 2>&1; then
		echo "the twin takes +Muycs $ycs, on which the runtime crashes"
		exit 1
	fi
done
for flags in '+Muycs 1' '+Muycs 18014398509480960' '+Muycs 0 +Musac false'; do
	# shellcheck disable=SC2086
	carriers $flags || {
		echo "the runtime does not live with $flags: exit code $?"
		exit 1
	}
	# shellcheck disable=SC2086
	"$twin" --print-options $flags >/dev/null || exit 1
done
exec "$erl" -noinput -boot start_clean -pa "$beams" \
	-run flags_live main "$erl" "$twin" "${CSC_SEED:-1}" "${CSC_LINES:-30}"
