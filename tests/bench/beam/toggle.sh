#!/bin/sh
# SPDX-License-Identifier: MIT
# toggle.sh ERL EBIN BEAMS PLUGIN_DIR: hooks are toggled under load for $CSC_SECONDS (1800), with draws from
# $CSC_SEED (1), while sessions come and go; CSC_SESSIONS=no: nobody listens but at the end.
#
# BEAMS: folders of the modules of tests/beam and of this folder, with a blank between them.  On a node of
# another Debian suite (trixie has OTP 27, sid 29), from the root of the sources:
#
#   CSC_SECONDS=1800 sh tests/nodes/node_test.sh sid amd64 build/dev/provider/beam/ebin \
#     "build/dev/tests/beam build/dev/tests/bench/beam" build/dev/analyzer build/dev/provider/carrierscope-twin toggle
#
# Prints how many toggles of each kind there were, what memory grew by, and the calls of allocators that the
# hook and the node counted afterwards, at rest.  Exit status 1: the node ended, or something does not hold.
. "$(dirname "$0")/../../harness/main.sh"
. "$harness/../beam/common.sh"
seconds=${CSC_SECONDS:-1800}

# In turns: nobody listens, a session writes, a flight recorder, both.
sessions() {
	while true; do
		sleep 5
		records brief >/dev/null
		sleep 5
		{
			lttng create flight --snapshot --output="$work/flight" &&
				lttng enable-channel -u -s flight --overwrite --subbuf-size=1M --num-subbuf=4 all &&
				lttng enable-event -u -s flight -c all 'carrierscope:*' && lttng start flight
		} >/dev/null 2>&1
		sleep 2
		lttng destroy brief >/dev/null 2>&1
		rm -rf "$work/brief.trace"
		sleep 3
		lttng destroy flight >/dev/null 2>&1
	done
}
cat >"$work/rest" <<-END
	#!/bin/sh
	kill \$(cat "$work/sessions") 2>/dev/null
	sleep 6
	{
		lttng destroy --all
		lttng create rest --snapshot --output="$work/rest.trace"
		lttng enable-channel -u -s rest --overwrite --subbuf-size=1M --num-subbuf=4 all
		lttng enable-event -u -s rest -c all 'carrierscope:*'
		lttng start rest
	} >"$work/rest.log" 2>&1
END
chmod +x "$work/rest"
[ "${CSC_SESSIONS:-}" = no ] || sessions &
echo $! >"$work/sessions"
# shellcheck disable=SC2086
timeout $((seconds * 2 + 600)) "$erl" -noinput -boot start_clean -pa "$ebin" $beams \
	-run beam_toggle main "$seconds" "${CSC_SEED:-1}" "$work/rest" >"$work/out" 2>&1 &
node=$!
wait $node
status=$?
node=
kill "$(cat "$work/sessions")" 2>/dev/null
cat "$work/out"
[ $status -eq 0 ] || fail "the node ended with $status"
ends
