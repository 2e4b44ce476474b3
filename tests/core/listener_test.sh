#!/bin/sh
# SPDX-License-Identifier: MIT
# speech_test.sh TWIN LATE GOLDEN-STEM METADATA: what the twin says, as LTTng recorded it.
#
# The case GOLDEN-STEM (.ops.gz, .expect.gz) has event lines; METADATA is that of a real runtime.
. "$(dirname "$0")/../harness/main.sh"
records_here "$@"
twin=$1
late=$2
stem=$3
metadata=$4
needs babeltrace2
[ -r "$stem.ops.gz" ] || skip "there is no recorded case '$stem'"

# records EVENTS: into $work/trace-$serial, without contexts.
records() {
	begins_session "$work/trace-$((serial + 1))" 1M "$1" bare
}

# recorded SESSION TRACE: its events as text, in the file "TRACE.txt".
recorded() {
	lttng destroy "$1" >/dev/null 2>&1
	: >"$2.txt"
	[ ! -d "$2/ust" ] || babeltrace2 "$2" >"$2.txt" 2>"$2.err" || fail "cannot read $2"
	[ ! -s "$2.err" ] || ! grep -q discarded "$2.err" || fail "events were lost"
}

# said PROVIDER <TEXT: its events in the form of the golden files, without numbers of operations.
said() {
	sed -n "s/^.* $1:\([a-z_]*\): { cpu_id = [0-9]* }, { type = \"\([a-z_]*\)\", /\1 \2 /p" |
		sed 's/[a-z_]* = //g; s/[,}]//g; s/ *$//'
}

# The events of a recorded case, in the order of each instance.
records 'org_erlang_otp:*,com_ericsson_otp:*,carrierscope:*'
"$twin" --ops "$stem.ops.gz" >"$work/out" || fail "the twin ended with $?"
recorded $session "$work/trace-1"
gzip -dc "$stem.expect.gz" >"$work/expect"
cmp -s "$work/expect" "$work/out" || fail 'a recorded run prints something else'
sed -n 's/^! [0-9]* //p' "$work/expect" | sort -s -n -k 3,3 >"$work/want"
[ -s "$work/want" ] || fail 'the case has no event lines'
for provider in org_erlang_otp com_ericsson_otp; do
	said $provider <"$work/trace-1.txt" | sort -s -n -k 3,3 >"$work/have"
	if ! cmp -s "$work/want" "$work/have"; then
		fail "$provider"
		diff "$work/want" "$work/have" | head -20
	fi
done
echo "case: $(wc -l <"$work/want") event lines under each name"

# Our carriers are those of the case, and the blocks add up.
for pair in 'carrier_alloc +' 'carrier_free -'; do
	set -- $pair
	want=$(grep -c "^[$2] " "$work/expect")
	have=$(grep -c "carrierscope:$1:" "$work/trace-1.txt")
	[ "$want" = "$have" ] || fail "$have events $1, not $want"
done
awk '{
	for (i = 1; i <= NF; i++) {
		if ($i == "address") address = $(i + 2)
		if ($i == "old_address") old = $(i + 2)
		if ($i == "size_bytes") size = $(i + 2)
	}
}
/carrierscope:block_alloc:/ { live[address] = size }
/carrierscope:block_realloc:/ { delete live[old]; live[address] = size }
/carrierscope:block_free:/ { if (live[address] != size) bad++; delete live[address] }
END { exit bad > 0 }' "$work/trace-1.txt" || fail 'a block is freed with another size'

# The four events are declared as the real runtime declares them.
shape() {
	awk -v provider="$1" '
	/^event \{/ { text = ""; is_wanted = 0 }
	{ text = text $0 "\n" }
	$1 == "id" || $1 == "stream_id" { sub(/[^\n]*\n$/, "", text) }
	$1 == "name" && $3 ~ ("^\"" provider ":carrier_(create|destroy|pool_put|pool_get)\"") {
		is_wanted = 1
	}
	/^};/ { if (is_wanted) printf "%s", text; is_wanted = 0; text = "" }' |
		sed "s/\"$1:/\"/"
}
if [ -r "$metadata" ]; then
	shape org_erlang_otp <"$metadata" >"$work/want"
	[ "$(grep -c '^event' "$work/want")" = 4 ] || fail 'the metadata lacks events'
	babeltrace2 -o ctf-metadata "$work/trace-1/ust/uid/"*/* >"$work/metadata" ||
		fail 'the metadata cannot be read'
	for provider in org_erlang_otp com_ericsson_otp; do
		shape $provider <"$work/metadata" >"$work/have"
		# Ids differ, and so does the order.
		for event in create destroy pool_put pool_get; do
			for side in want have; do
				sed -n "/\"carrier_$event\"/,/^};/p" "$work/$side" >"$work/one-$side"
			done
			[ -s "$work/one-have" ] && cmp -s "$work/one-want" "$work/one-have" ||
				fail "$provider:carrier_$event is declared otherwise"
		done
	done
	echo 'metadata: as the real runtime has it'
else
	echo "metadata: '$metadata' is not there, not compared"
fi

# Sessions that come late, one after the other, get what is there.
mkfifo "$work/to" "$work/from"
"$late" <"$work/to" >"$work/from" &
runner=$!
exec 3>"$work/to" 4<"$work/from"
read -r line <&4
records 'carrierscope:*'
first=$session
echo go >&3
read -r line <&4
records 'carrierscope:*'
second=$session
echo go >&3
read -r line <&4
exec 3>&-
read -r line <&4
exec 4<&-
wait $runner
recorded $first "$work/trace-2"
recorded $second "$work/trace-3"
blocks=$(echo "$line" | cut -d ' ' -f 2)
bytes=$(echo "$line" | cut -d ' ' -f 4)
for trace in 2:2 3:1; do
	text=$work/trace-${trace%:*}.txt
	[ "$(grep -c 'carrierscope:state_begin:' "$text")" = "${trace#*:}" ] ||
		fail "trace $trace: number of dumps"
	grep -q 'name_allocator: .*allocator_id = 5, name = "ll_alloc"' "$text" ||
		fail "trace $trace: no name"
	[ "$(grep -c 'carrierscope:block_alloc: .*type_id = 7,' "$text")" = "${trace#*:}" ] ||
		fail "trace $trace: blocks allocated since"
done
awk -v blocks="$blocks" -v bytes="$bytes" '
function value(name,    i) {
	for (i = 1; i <= NF; i++) if ($i == name) return $(i + 2) + 0
}
/state_carrier:/ { carriers++; count += value("block_count"); sum += value("block_bytes") }
/state_block:/ { found++; found_bytes += value("block_bytes") }
/state_end:/ { end_carriers = value("carrier_count"); end_blocks = value("block_count") }
END {
	print "late: " carriers " carriers with " count " blocks of " sum " bytes"
	exit !(carriers == end_carriers && count == blocks && sum == bytes && found == blocks &&
		found_bytes == bytes && end_blocks == blocks)
}' "$work/trace-3.txt" || fail "the recorded state is not that of $line"

# Nobody speaks when it is switched off.
records 'org_erlang_otp:*,com_ericsson_otp:*,carrierscope:*'
"$twin" --ops "$stem.ops.gz" --no-trace >"$work/out" || fail "the twin ended with $?"
recorded $session "$work/trace-4"
session=
[ ! -s "$work/trace-4.txt" ] || fail '--no-trace emits events'
cmp -s "$work/expect" "$work/out" || fail 'an unrecorded run prints something else'

ends
