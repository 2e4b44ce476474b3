#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh SPEECH_COST [ROUNDS [EVENTS]]: what the speech costs, disabled and in a flight recorder.
# Wants a session daemon that runs.
set -eu
cost=$1
rounds=${2:-101}
events=${3:-5000}
session=carrierscope-cost-$$
work=$(mktemp -d)
trap 'lttng destroy $session >/dev/null 2>&1 || true; rm -rf "$work"' EXIT

count() {
	valgrind --tool=callgrind --callgrind-out-file="$work/out" --toggle-collect="run_$1" \
		"$cost" --loop "$2" 1000000 >/dev/null 2>"$work/log"
	sed -n 's/^.*Collected : //p' "$work/log"
}
if command -v valgrind >/dev/null; then
	off=$(count block off)
	none=$(count none none)
	echo "disabled, instructions per call site: $(echo "$off $none" |
		awk '{ printf "%.2f", ($1 - $2) / 1000000 }')"
fi
echo 'disabled:'
"$cost" "$rounds" "$((events * 20))"

{
	lttng create $session --snapshot --output="$work/trace"
	lttng enable-channel --userspace --session=$session --buffers-uid --subbuf-size=1M \
		--num-subbuf=4 --overwrite all
	lttng enable-event --userspace --session=$session --channel=all \
		'org_erlang_otp:*,carrierscope:block_alloc'
	lttng start $session
} >/dev/null
echo 'enabled, flight recorder:'
"$cost" "$rounds" "$events"
