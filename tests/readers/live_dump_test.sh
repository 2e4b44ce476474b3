#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Dumps of nodes that run here: asked for by SIGUSR1, by `A` in the break handler, by halt, and by want of memory, under a super
# carrier and under `ulimit -v`.  The cause must be right, and what the dump says of memory must be what is loaded.
#
#	live_dump_test.sh BUILD_DIR [NODE_DIR]
#
# NODE_DIR: a folder with another `erl`, as tests/nodes/fetch.sh prints it.
. "$(dirname "$0")/../harness/main.sh"

build=$(cd "$1" && pwd)
[ $# -lt 2 ] || PATH=$2:$PATH

needs erl
cd "$work" || exit 1
export ERL_CRASH_DUMP=$work/dump ERL_CRASH_DUMP_SECONDS=400 ERL_CRASH_DUMP_BYTES=20000000
# Until its list is there, however long that takes.
busy='Main = self(), register(order_book, spawn(fun () -> L = lists:seq(1, 400000), Main ! made, receive stop -> L end end)), receive made -> ok end, timer:sleep(300)'
grow='F = fun F(L) -> F([lists:seq(1, 100000) | L]) end, F([])'

# in_a_minute COMMAND...: until it succeeds.
in_a_minute() {
	local tries
	for ((tries = 0; tries < 600; tries++)); do
		"$@" && return
		sleep 0.1
	done
}

# NAME, then texts that the reports must have; the dump is $work/dump.
expect() {
	local name=$1 text

	shift
	if [ ! -s dump ]; then
		fail "$name: the node wrote no dump"
		return
	fi
	rm -f x.db
	"$build/carrierscope" load -o x.db dump >said 2>&1 || {
		fail "$name: $(cat said)"
		return
	}
	{
		"$build/carrierscope" report x.db
		"$build/carrierscope" report holders x.db
	} 2>&1 | tr -s ' \n\t' '   ' >out
	for text; do
		grep -qF -- "$text" out || {
			fail "$name: no '$text' in: $(head -c 900 out)"
		}
	done
	# The node's own figures.
	for key in total processes binary ets; do
		own=$(sed -n '/^=memory/,/^=/s/^'$key': //p' dump | head -n 1)
		ours=$(sqlite3 x.db "SELECT bytes FROM memory_sample WHERE key = '$key'")
		[ "$own" = "$ours" ] || {
			fail "$name: $key is $ours, the dump says $own"
		}
	done
	[ "$(sqlite3 x.db "SELECT count(*) FROM node_fact WHERE key = 'otp_release'")" -eq 1 ] || {
		fail "$name: the release is not known"
	}
	rm -f dump
}

erl -noshell -eval "$busy, os:cmd(\"kill -USR1 \" ++ os:getpid()), timer:sleep(400000)" </dev/null >log 2>&1
expect sigusr1 'Someone asked for this dump' order_book

# The break handler reads from a terminal.
if command -v script >/dev/null; then
	{
		# A shell that has no terminal takes no A, and writes no dump.
		in_a_minute test -e busy
		sleep 1
		printf '\003'
		sleep 1
		printf 'A\n'
		in_a_minute grep -qs '^=end' dump
	} | script -qec "erl -eval '$busy, file:write_file(\"busy\", []).'" /dev/null >log 2>&1
	if [ -s dump ]; then
		expect break 'Someone asked for this dump' order_book
	else
		echo "not tried: the break handler took no 'A' here"
	fi
fi

erl -noshell -eval "$busy, erlang:halt(\"text of ours\")" </dev/null >log 2>&1
expect halt HALTED 'text of ours' order_book

erl +MMscs 300 +MMsco true +Musac false -noshell -eval "$grow" </dev/null >log 2>&1
expect super_carrier 'OUT OF MEMORY' 'a process heap needed'

(
	ulimit -v 3400000
	erl -noshell -eval "$grow" </dev/null >log 2>&1
)
expect ulimit 'OUT OF MEMORY' 'a process heap needed'

ends
