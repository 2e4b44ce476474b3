#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A load that is killed at a random moment leaves no file, or one that says
# what it is.
#
#	kill_test.sh BUILD_DIR TRACE [KILLS]
#
# BUILD_DIR holds the plugin (analyzer/babeltrace-plugin-carrierscope.so).  Each
# second kill hits a load that appends.  Each second pair of kills comes a random
# while after the start, the other pairs as long after the load is seen at work.
# Goes on until a fifth of KILLS has hit a load at work: fewer would prove nothing.
# How long loads take on this machine, at this hour, is measured as it goes.
set -u

plugins=$1/analyzer
trace=$2
kills=${3:-50}
folder=$(mktemp -d /tmp/csc_kill_test_XXXXXX) || exit 2
trap 'rm -rf "$folder"' EXIT
file=$folder/x.db
hits=0
loader=

fail()
{
	echo "kill $kill: $1" >&2
	exit 1
}

load()
{
	exec babeltrace2 --plugin-path "$plugins" "$trace" -c sink.carrierscope.sqlite \
		-p "path=\"$1\",$2=yes"
}

ask()
{
	sqlite3 "$file" "$1" || fail "cannot ask '$1'"
}

now_ms()
{
	date +%s%3N
}

sleep_ms()
{
	sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"
}

# Its own file, or its journal, is there: it is loading, not starting or ended.
is_at_work()
{
	ls "$folder" | grep -q -e '\.partial-' -e '-journal$'
}

# One undisturbed load, to know how long one takes and what is right.
kill=0
begin_ms=$(now_ms)
load "$folder/right.db" force &
loader=$!
start_ms=1
while kill -0 "$loader" 2>/dev/null && ! is_at_work; do
	start_ms=$(($(now_ms) - begin_ms))
done
wait "$loader" || fail "the load fails undisturbed"
whole_ms=$(($(now_ms) - begin_ms))
right=$(sqlite3 "$folder/right.db" 'SELECT events FROM source')
echo "a load takes $whole_ms ms, from $start_ms on with a file, and gives $right events"

while [ "$kill" -lt "$kills" ] || [ "$hits" -lt $((kills / 5)) ]; do
	[ "$kill" -lt $((kills * 20)) ] || fail "only $hits of all kills hit a load at work"
	kill=$((kill + 1))
	rm -f "$file" "$file"-*
	flag=force
	sources=0
	if [ $((kill % 2)) -eq 0 ]; then
		flag=append
		sources=1
		cp "$folder/right.db" "$file"
	fi

	# While it writes, going by the measured times; some before and some after.
	delay_ms=$(shuf -n 1 -i "$((start_ms * 8 / 10))-$((whole_ms + 1))")
	load "$file" "$flag" &
	loader=$!
	if [ $((kill / 2 % 2)) -eq 0 ]; then
		while kill -0 "$loader" 2>/dev/null && ! is_at_work; do
			:
		done
		delay_ms=$(shuf -n 1 -i "0-$((whole_ms > start_ms ? whole_ms - start_ms : 0))")
	fi
	sleep_ms "$delay_ms"
	kill -9 "$loader" 2>/dev/null
	wait "$loader" 2>/dev/null
	if [ $? -ne 137 ]; then
		# Over before: loads are quicker now.
		whole_ms=$((start_ms + (whole_ms - start_ms) * 9 / 10))
	elif is_at_work; then
		hits=$((hits + 1))
	fi

	if [ -e "$file" ]; then
		[ "$(ask 'PRAGMA integrity_check')" = ok ] || fail "the file is not sound"
		[ "$(ask "SELECT count(*) FROM source WHERE complete = 1 AND events <> $right")" = 0 ] ||
			fail "the file says it is complete and is not"
		[ "$(ask "SELECT count(*) FROM source WHERE id <= $sources AND complete = 1")" = $sources ] ||
			fail "the earlier source is gone"
	elif [ "$flag" = append ]; then
		fail "the file that was appended to is gone"
	fi

	# A following load works, and clears away what the killed one left.
	if [ "$kill" -le 6 ] || [ $((kill % 10)) -eq 0 ]; then
		before=$([ -e "$file" ] && ask 'SELECT count(*) FROM source' || echo 0)
		(load "$file" "$flag") || fail "the next load fails"
		[ "$flag" = force ] && before=0
		[ "$(ask 'SELECT count(*) FROM source WHERE complete = 1')" = $((before + 1)) ] ||
			fail "the next load is not whole"
		[ "$(ask 'PRAGMA integrity_check')" = ok ] || fail "the next file is not sound"
		if [ "$flag" = force ]; then
			left=$(ls "$folder" | grep -v -x -e x.db -e right.db)
			[ -z "$left" ] || fail "left behind: $left"
		fi
	fi

	rm -f "$folder"/x.db.partial-*
done

echo "$hits of $kill kills hit a load at work"
