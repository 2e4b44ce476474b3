#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A trace in CTF 2, as LTTng 2.16 records it: read by Babeltrace from 2.1 on, and refused with a
# sentence before.
#
#	ctf2_test.sh BUILD_DIR TRACE.tar.gz
. "$(dirname "$0")/../harness/main.sh"

build=$1
tar -xzf "$2" -C "$work" || exit 1
trace=$work/ctf2/trace
failed=0

# is WHAT EXPECTED GOT
is() {
	if [ "$2" != "$3" ]; then
		printf '%s: expected:\n%s\ngot:\n%s\n' "$1" "$2" "$3" >&2
		failed=1
	fi
}

# load OPTION…: status and what was said
load() {
	"$build/carrierscope" load -q -o "$work/load.db" "$@" "$trace" 2>"$work/err"
	echo $?
	cat "$work/err"
}

figures="SELECT kind, count(*), sum(size) FROM carrier_event GROUP BY kind;
	SELECT uuid, tracer, word_bits FROM trace;
	SELECT count(*) FROM load_problem;
	SELECT sum(lost_events), min(complete) FROM source"
figures_want="0|80|42893312
1|19|26476544
2|29|26214400
3|46|1258416
d82c6a76-00ca-444d-aa25-5bb7a2b21303|lttng-ust 2.16|64
0
0|1"

version=$(babeltrace2 --version | sed -n 's/^Babeltrace \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
case $version in
"2 0")
	is "load" "1
carrierscope: cannot read '$trace/ust/uid/0/64-bit/metadata': it is of CTF 2, which Babeltrace reads from 2.1 on; record it with lttng create --trace-format=ctf-1.8" \
		"$(load)"
	is "no database" no "$([ -e "$work/load.db" ] && echo yes || echo no)"
	;;
"2 "*)
	is "load" 0 "$(load)"
	is "figures" "$figures_want" "$(sqlite3 "$work/load.db" "$figures")"
	babeltrace2 --plugin-path="$build" "$trace" -c sink.carrierscope.sqlite \
		-p "path=\"$work/plugin.db\"" || failed=1
	is "figures of the plugin" "$figures_want" "$(sqlite3 "$work/plugin.db" "$figures")"
	rm -f "$work/load.db"
	;;
*)
	echo "Babeltrace says '$version' of its version" >&2
	failed=1
	;;
esac

is "salvage" "1
carrierscope: '$trace/ust/uid/0/64-bit' is of CTF 2: only traces of CTF 1.8 can be repaired; record it with lttng create --trace-format=ctf-1.8" \
	"$(load --salvage)"
exit $failed
