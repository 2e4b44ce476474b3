#!/bin/sh
# SPDX-License-Identifier: MIT
# node_test.sh SUITE ARCHITECTURE EBIN BEAMS PLUGIN_DIR REPLAY_CHECK CASE: a case of tests/beam, or one of these, on
# a node of another Debian suite.
set -u
here=$(cd "$(dirname "$0")" && pwd)
suite=$1 architecture=$2 ebin=$3 beams=$4 plugins=$5 check=$6 case=$7

node_dir=$(sh "$here/fetch.sh" "$suite" "$architecture") || {
	echo "$node_dir"
	exit 77
}
# The library's own libraries are this machine's.
ldd "$ebin/carrierscope_nif.so" | awk '$1 ~ /lttng/ { print $3 }' >"$node_dir/more/.list.$$"
while read -r library; do
	ln -sf "$library" "$node_dir/more/"
done <"$node_dir/more/.list.$$"
rm -f "$node_dir/more/.list.$$"
erl=$node_dir/erl

# A C library that is older than this machine's cannot load what was built here.
answer=$("$erl" -noinput -boot start_clean -pa "$ebin" -eval \
	'io:format("~0p", [carrierscope:info()]), halt().' 2>&1)
case $answer in
*GLIBC_*)
	echo "SKIPPED: the C library of Debian $suite is older than this machine's"
	exit 77
	;;
esac

case $case in
functions) exec sh "$here/functions_test.sh" "$erl" "$ebin" "$beams" "$plugins" ;;
named) exec sh "$here/named_test.sh" "$erl" "$ebin" "$beams" "$plugins" ;;
proof) exec sh "$here/../beam/proof_test.sh" "$erl" "$ebin" "$beams" "$plugins" "$check" ;;
toggle) exec sh "$here/../bench/beam/toggle.sh" "$erl" "$ebin" "$beams" "$plugins" ;;
limits) exec sh "$here/../beam/limits.sh" "$erl" "$ebin" "$beams" "$plugins" ;;
start) exec sh "$here/../bench/beam/start_bench.sh" "$erl" "$ebin" "$beams" "$plugins" ;;
*) exec sh "$here/../beam/beam_test.sh" "$erl" "$ebin" "$beams" "$plugins" "$case" ;;
esac
