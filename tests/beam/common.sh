# SPDX-License-Identifier: MIT
# What the tests of provider/beam share: sourced after harness/main.sh, with the test's arguments
#
#   ERL EBIN BEAMS PLUGIN_DIR
#
# EBIN has module carrierscope, BEAMS the modules of the tests, PLUGIN_DIR the sink.  A session
# daemon of its own, in a mount namespace where that is allowed: other tests have theirs.
own_daemon "$@"
erl=$1
ebin=$2
beams=$3
plugins=$4
needs lttng lttng-sessiond babeltrace2 sqlite3
plain_erl
# A node waits so long (ms) for the daemon to say what is recorded; a busy machine takes more than 3 s.
export LTTNG_HOME="$work" TMPDIR="$work" LTTNG_UST_REGISTER_TIMEOUT=60000
node=

finish() {
	[ -z "$node" ] || kill -9 "$node" 2>/dev/null
	ends_daemon
}
cleanup() {
	finish
}

starts_daemon "$work/daemon.log" || skip "$(cat "$work/daemon.log")"

# records SESSION [SUBBUF [EVENTS]]: a session for all events of ours and OTP's, or those, into $work/SESSION.trace.
records() {
	{
		lttng create "$1" --output="$work/$1.trace" &&
			lttng enable-channel --userspace --session="$1" --buffers-uid \
				--subbuf-size="${2:-4M}" --num-subbuf=8 all &&
			lttng enable-event --userspace --session="$1" --channel=all \
				"${3:-carrierscope:*,org_erlang_dyntrace:*}" &&
			lttng add-context --userspace --session="$1" --channel=all \
				-t vpid -t vtid -t procname &&
			lttng start "$1"
	} >"$work/log" 2>&1 || skip "no session can be recorded: $(cat "$work/log")"
}

# loads SESSION: ends it, and makes $work/SESSION.db of it.
loads() {
	ends_session "$1"
	LD_PRELOAD=${CSC_PRELOAD:-} babeltrace2 --plugin-path="$plugins" "$work/$1.trace" -c sink.carrierscope.sqlite \
		-p "path=\"$work/$1.db\",force=yes" >"$work/log" 2>&1 ||
		fail "the trace of '$1' cannot be loaded: $(cat "$work/log")"
}

# Both kinds of sampled blocks, as a table of SQL.
# shellcheck disable=SC2034
sampled_blocks='(SELECT ts_ns, runtime_id, address, size_bytes, type_id, allocator_id, weight_micro FROM sample_alloc
	UNION ALL SELECT ts_ns, runtime_id, address, size_bytes, type_id, allocator_id, weight_micro FROM sample_alloc_by_process)'

# is SESSION QUERY EXPECTED
is() {
	got=$(sqlite3 "$work/$1.db" "$2")
	[ "$got" = "$3" ] || fail "of '$1': $2
  expected: $3
  got:      $got"
}

# runs NAME ARGUMENT...: case NAME of the modules beam_*.erl, on a node with $flags, until it halts.
flags=
runs() {
	# shellcheck disable=SC2086
	"$erl" -noinput -boot start_clean -pa "$ebin" "$beams" $flags \
		-run beam_case main "$@" >"$work/out" 2>&1
	status=$?
	[ $status -eq 0 ] || fail "node '$*' ended with $status: $(tail -n 20 "$work/out")"
}
