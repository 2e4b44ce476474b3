#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The flags that are read from a dump are those that its node was given: a second node
# with these flags says the same of its settings, and a node without flags has none.
#
#	flags_test.sh BUILD_DIR
#
# Without an Erlang this is a skip.
. "$(dirname "$0")/../harness/main.sh"
set -e

build=$(realpath "$1")
needs erl
cd "$work"
failed=0

# settings FILE FLAG…: what a node with these flags says is in force; its dump is in FILE.db
settings() {
	local name=$1
	shift
	ERL_CRASH_DUMP=$name.dump erl "$@" -noshell -noinput -eval 'erlang:halt("flags")' >out 2>&1 || true
	rm -f "$name.db"
	"$build/carrierscope" load -q -o "$name.db" "$name.dump"
	sqlite3 "$name.db" 'SELECT allocator, instance, name, value FROM allocator_option' >"$name.txt"
}

# round FLAG…
round() {
	local flags
	settings first "$@"
	flags=$(sqlite3 first.db 'SELECT flags FROM flags_in_force')
	unknown=$(sqlite3 first.db 'SELECT default_not_known FROM flags_in_force')
	# shellcheck disable=SC2086
	settings second $flags +S 2:2
	if ! diff first.txt second.txt >diff.txt || [ "$unknown" -ne 0 ]; then
		echo "given '$*', read '$flags', $unknown defaults not known" >&2
		head -20 diff.txt >&2
		failed=1
	fi
}

for schedulers in 1 2 3 4 8; do
	settings none +S $schedulers
	flags=$(sqlite3 none.db "SELECT flags || differing || default_not_known FROM flags_in_force")
	if [ "$flags" != 00 ]; then
		echo "$schedulers schedulers without flags: '$flags'" >&2
		failed=1
	fi
done

round +S 2:2 +MBas aobf +MBsbct 2048 +MElmbcs 512 +MHacul 20 +MMmcs 30
round +S 2:2 +Muacul 0
round +S 2:2 +MBt false +MEt false +MDramv true
round +S 2:2 +MBas gf +MBmbsd 5 +MHas bf +MLas ageffcbf +MSas ageffcaobf
round +S 2:2 +MMamcbf 1024 +MMrmcbf 30 +MYtt 256 +Muycs 2048 +Mummc 10 +MTmmbcs 64
round +S 2:2 +Mulmbcs 4096 +Musmbcs 1024 +Musbct 1024 +MRatags false +MHatags true
round +S 2:2 +MBe false +MRe false
round +S 2:2 +MMscs 64 +MMsco true +Musac false
round +S 2:2 +MBacnl 7 +MBacfml 4096 +MEacful 10 +MFcp @ +MRrsbcst 33 +MDrmbcmt 44 +MHmbcgs 3
exit $failed
