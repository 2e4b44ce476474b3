#!/bin/sh
# SPDX-License-Identifier: MIT
# live_test.sh ERL NIF BEAM_DIR STRATEGY: random operation files on a stock emulator and on the
# core.  The settings that only a command line can give are those of three emulators.
#
# STRATEGY finds_differences: the core gets other settings, and the test must see it.
# STRATEGY great: all strategies with blocks of about 4 GiB, and other files each time.
# CSC_SEED and CSC_FILES in the environment choose other files, and how many for each emulator.
. "$(dirname "$0")/../../harness/main.sh"
erl=$1
nif=${2%.so}
beams=$3
strategy=$4
kind=plain
seed=${CSC_SEED:-1}
files=${CSC_FILES:-200}

plain_erl

# run STRATEGY SEED FILES LIE FLAG...
run()
{
	what="$1 $2 $3 $4"
	shift 4
	# The segment cache is off: it forgets by the clock.
	# shellcheck disable=SC2086
	"$erl" +S 1:1 +SDio 1 +MMmcs 0 "$@" -noinput -boot start_clean -pa "$beams" \
		-run live main "$nif" $kind $what
}

if [ "$strategy" = great ]; then
	kind=great
	seed=${CSC_SEED:-$(date +%s)}
	echo "CSC_SEED=$seed draws these files again"
	for strategy in bf aobf gf af aoff aoffcbf aoffcaobf ageffcaoff ageffcbf ageffcaobf; do
		run "$strategy" "$seed" "${CSC_FILES:-100}" false || exit $?
	done
	# What the runtime does with carriers rounded otherwise is in the trees as well.
	run aoffcbf "$seed" "${CSC_FILES:-100}" false +Muycs 300
	exit $?
fi

if [ "$strategy" = finds_differences ]; then
	for strategy in bf ageffcbf; do
		text=$(run $strategy 1 20 true)
		status=$?
		if [ $status -eq 77 ]; then
			echo "$text"
			exit 77
		fi
		if [ $status -ne 1 ]; then
			echo "a wrong setting of '$strategy' was not seen: $text"
			exit 1
		fi
		count=$(echo "$text" | sed -n 's/^\([0-9]*\) operations are enough.*/\1/p')
		if [ "${count:-100}" -gt 10 ]; then
			echo "the difference was not made small: $text"
			exit 1
		fi
		echo "$strategy: seen, in $count operations"
	done
	exit 0
fi

failed=0
run "$strategy" "$seed" "$files" false
case $? in
0) ;;
77) exit 77 ;;
*) failed=1 ;;
esac
run "$strategy" $((seed + files)) "$files" false +Muycs 300 || failed=1
run "$strategy" $((seed + 2 * files)) "$files" false +Musac false || failed=1
exit $failed
