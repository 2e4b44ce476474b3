# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034
# What tests that are scripts share (POSIX sh, bash).  Each sources it first, before it changes its arguments:
#
#   . "$(dirname "$0")/../harness/main.sh"
#
#   $here, $harness      the script's folder; this one
#   $work                a folder of the test's own; at the end cleanup(), and it is removed
#   fail TEXT...         prints the text, and $work/err if there is something in it; the test goes on
#   skip TEXT...         ends the test: it cannot run here, unless something has failed already
#   needs TOOL...        skips unless each of these programs is there
#   left                 what lies in $work, but LTTng's own files: a command that is refused leaves nothing of its own
#   free_ports N         prints the first of N ports in a row that nobody uses, below those that the kernel gives to clients
#   waits COMMAND...     until it succeeds, for 400 s at most; fails then
#   ends                 ends the test: 1 if something failed
#   plain_erl            nodes that are started take no flags from the environment, and write no crash dump
#   tests_program PATH   $program, with the plugin beside it
#
# Recording (also starts_daemon and the other functions of examples/session-daemon.sh):
#
#   own_daemon "$@"      right after this file: the script begins again in a mount namespace where LTTng's directory is
#                        another one, if that is allowed (root).  Its session daemon is its own then, and it records no
#                        other user's programs
#   lossless             nothing is lost on a busy machine, and nothing runs before it is recorded
#   records_here "$@"    both, and a session daemon
#   begins_session FOLDER SUBBUF EVENTS [bare]   $session records into FOLDER what runs from now on, with the process and
#                        thread of each event unless it is bare; a recorded program waits where a buffer is full
#   $runner              a program that is killed at the end if it still runs
#
# An Erlang node that is asked by its name; cookie and names are the test's own:
#
#   names_nodes              home and names for nodes that the test starts from now on
#   starts_node EXPRESSION   a node $node, pid $node_pid, evaluates it; has a process `keeper` when it is ready;
#                            skips the test if that is not possible
#   asked EXPRESSION         what the node answers
#   loads_twice              loads each module of ours that the node has two times, once nobody is in the older code
#   ends_node                for a cleanup() of the test's own
set -u
# Nobody turns pages.
export PAGER=cat
here=$(cd "$(dirname "$0")" && pwd) || exit 1
harness=$here
until [ -f "$harness/harness/main.sh" ]; do
	harness=${harness%/*}
	[ -n "$harness" ] || exit 1
done
harness=$harness/harness
. "$harness/../../examples/session-daemon.sh"
failures=0
session=
runner=
serial=0
node=node$$
node_pid=
epmd_pid=

# Ends what was started here and nothing else.
cleanup() {
	[ -z "$session" ] || lttng destroy "$session" >/dev/null 2>&1
	[ -z "$runner" ] || kill "$runner" 2>/dev/null
	ends_node
	ends_daemon
}

fail() {
	echo "FAILED: $*"
	[ ! -s "$work/err" ] || sed 's/^/    | /' "$work/err"
	failures=$((failures + 1))
}

skip() {
	[ $failures -eq 0 ] || ends
	echo "SKIPPED: $*"
	exit 77
}

needs() {
	for tool; do
		command -v "$tool" >/dev/null || skip "there is no $tool here"
	done
}

left() {
	ls -A "$work" | grep -v '^\.lttng'
}

free_ports() {
	# Where it looks first depends on the process: tests that begin at once get ports of their own.
	cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v count="$1" -v first=$((20000 + $$ * 16 % 12000)) '
		split($2, at, ":") == 2 { used[at[2]] = 1 }
		END {
			for (port = first; number < count; port++) {
				number = sprintf("%04X", port) in used ? 0 : number + 1
			}
			print port - count
		}'
}

waits() {
	waits_tries=0
	until "$@"; do
		waits_tries=$((waits_tries + 1))
		[ $waits_tries -lt 4000 ] || return 1
		sleep 0.1
	done
}

ends() {
	echo "$failures failures"
	[ $failures -eq 0 ] || exit 1
	exit 0
}

plain_erl() {
	unset ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ERL_LIBS
	export ERL_CRASH_DUMP_SECONDS=0
}

tests_program() {
	program=$1
	export CARRIERSCOPE_PLUGIN_DIR="${CARRIERSCOPE_PLUGIN_DIR-$(dirname "$program")}"
}

own_daemon() {
	if [ "$(id -u)" = 0 ] && [ -z "${CSC_OWN_MOUNTS:-}" ] && mkdir -p /var/run/lttng &&
		unshare -m --propagation private mount -t tmpfs none /var/run/lttng 2>/dev/null; then
		rm -rf "$work"
		CSC_OWN_MOUNTS=1 exec unshare -m --propagation private sh -c \
			'mount -t tmpfs none /var/run/lttng && exec "$@"' sh "${BASH:-sh}" "$0" "$@"
	fi
}

lossless() {
	export LTTNG_UST_ALLOW_BLOCKING=1 LTTNG_UST_REGISTER_TIMEOUT=-1
}

records_here() {
	own_daemon "$@"
	lossless
	needs lttng lttng-sessiond
	starts_daemon "$work/daemon.log" || skip "no session daemon can be started: $(cat "$work/daemon.log")"
}

begins_session() {
	serial=$((serial + 1))
	session=carrierscope-test-$$-$serial
	{
		creates_session $session --output="$1" &&
			lttng enable-channel --userspace --session=$session --buffers-uid \
				--subbuf-size="$2" --num-subbuf=8 --blocking-timeout=inf all &&
			{ [ "${4:-}" = bare ] || lttng add-context --userspace --session=$session --channel=all \
				--type=vpid --type=vtid --type=procname; } &&
			lttng enable-event --userspace --session=$session --channel=all "$3" &&
			lttng start $session
	} >"$work/log" 2>&1 || skip "no session can be recorded: $(cat "$work/log")"
}

names_nodes() {
	needs erl erl_call epmd
	plain_erl
	ERL_EPMD_PORT=$(free_ports 1)
	export ERL_EPMD_PORT HOME="$work" TMPDIR="$work" LTTNG_HOME="$work" LTTNG_UST_REGISTER_TIMEOUT=60000
}

# By a name of its own each time: a busy node still takes that of the last call for connected, and refuses it.
# Again where the node is there and the call has not come to it: nothing was evaluated then.
asked() {
	for asked_try in 1 2 3; do
		asked_answer=$(printf '%s.\n' "$1" | erl_call -sname "$node" -e 2>&1)
		asked_status=$?
		case $asked_answer in
		'erl_call: failed to connect'*) epmd -names 2>/dev/null | grep -q "^name $node " || return $asked_status ;;
		'erl_call: '*) return $asked_status ;;
		*) break ;;
		esac
		sleep 0.2
	done
	case $asked_answer in
	'erl_call: '*) ;;
	*) printf '%s' "$asked_answer" ;;
	esac
	return $asked_status
}

loads_twice() {
	[ "$(asked 'Ours = [M || {M, _} <- code:all_loaded(), lists:prefix("carrierscope", atom_to_list(M))],
		Purged = fun F(M, N) -> code:soft_purge(M) orelse (N > 0 andalso begin timer:sleep(20), F(M, N - 1) end) end,
		length(Ours) > 5 andalso [] =:= [M || _ <- [1, 2], M <- Ours, not Purged(M, 1500) orelse code:load_file(M) =/= {module, M}]')" = '{ok, true}' ] ||
		fail 'somebody stays in the older code of a module'
}

node_is_ready() {
	[ "$(asked 'whereis(keeper) =/= undefined andalso element(2, process_info(whereis(keeper), status))')" = '{ok, waiting}' ]
}

# epmd answers, and knows no node of this name: one that was killed a moment ago may still be known.
name_is_free() {
	known_names=$(epmd -names 2>/dev/null) && ! echo "$known_names" | grep -q "^name $node "
}

# Its handshakes may last longer than the usual 7 s, in which a busy machine's node may stand still.
starts_node() {
	if [ -z "$epmd_pid" ]; then
		epmd -port "$ERL_EPMD_PORT" >/dev/null 2>&1 &
		epmd_pid=$!
	fi
	waits name_is_free || skip "no epmd can be started here, or it keeps the name $node"
	erl -sname "$node" -noinput -kernel net_setuptime 120 -eval "$1" >"$work/node.log" 2>&1 &
	node_pid=$!
	waits node_is_ready || skip "no node with a name can be started here: $(cat "$work/node.log")"
}

ends_node() {
	for pid in $node_pid $epmd_pid; do
		kill -9 "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
}

# takes COUNT: until the keeper in the node has taken so many snapshots, however long a busy machine's node stands still.
takes() {
	waits has_taken "$1" || fail "the keeper has not taken $1 snapshots: $(asked 'carrierscope_keeper:status()')"
}
has_taken() {
	taken=$(asked 'lists:nth(3, string:tokens(lists:nthtail(6, carrierscope_keeper:status()), " "))' | tr -dc 0-9)
	[ "${taken:-0}" -ge "$1" ]
}

work=$(mktemp -d) || exit 1
trap 'cleanup; rm -rf "$work"' EXIT
