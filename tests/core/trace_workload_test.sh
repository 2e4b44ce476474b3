#!/bin/sh
# SPDX-License-Identifier: MIT
# trace_workload_test.sh TWIN FOLDER: what LTTng recorded of workloads is what the twin counted.
. "$(dirname "$0")/../harness/main.sh"
records_here "$@"
twin=$1
folder=$2
needs babeltrace2

# begin: what the twin emits is recorded.
begin() {
	begins_session "$work/trace-$((serial + 1))" 8M 'org_erlang_otp:carrier_*,carrierscope:*'
}

# end: the session's events are in $work/trace.
end() {
	lttng destroy $session >/dev/null 2>&1
	session=
	: >"$work/trace"
	if [ -d "$work/trace-$serial/ust" ]; then
		babeltrace2 "$work/trace-$serial" >"$work/trace" 2>"$work/log" ||
			fail 'the trace cannot be read'
		! grep -q discarded "$work/log" || fail 'events were lost'
	fi
	rm -rf "$work/trace-$serial"
}

# record EXIT ARGUMENT...: a workload under a session: text in $work/trace, terms in $work/stats.
record() {
	expected=$1
	shift
	begin
	"$twin" --stats "$work/stats" "$@" >"$work/out" 2>"$work/err"
	code=$?
	[ $code -eq "$expected" ] || fail "exit $code instead of $expected: $*"
	end
}

# The figures of --stats and of the last line, one for each line.
cat >"$work/stats.awk" <<'END'
# The first number of {name,N...}; and a count, which has a part for each 10^9.
function figure(text, name) {
	sub(".*[{]" name ",", "", text)
	sub(/[^0-9].*/, "", text)
	return text + 0
}
function count(text, name,    parts) {
	sub(".*[{]" name ",", "", text)
	split(text, parts, /[,}]/)
	return parts[1] * 1000000000 + parts[2]
}
/^[{][a-z_]*_alloc,/ {
	allocator = substr($0, 2, index($0, ",") - 2)
	carriers[allocator] = 0
}
/^[{]instance,/ { instance = $0; gsub(/[^0-9]/, "", instance) }
/^  [{](mbcs|mbcs_pool|sbcs),/ {
	group = $0
	gsub(/^ *[{]|,.*/, "", group)
	n = figure($0, "carriers")
	bytes = figure($0, "carriers_size")
	carriers[allocator] += n
	carriers_bytes[allocator] += bytes
	if (match($0, /[{]count,/)) live[allocator] += figure($0, "count")
	if (group == "mbcs") line = n " " bytes
	if (group == "sbcs") print "counters", allocator, instance, line, n, bytes
}
/^  [{]calls,/ {
	short = allocator
	sub(/_alloc$/, "", short)
	sub(/^  [{]calls,\[/, "")
	printf "calls %s %s", allocator, instance
	printf " %.0f", count($0, short "_alloc")
	printf " %.0f", count($0, short "_free")
	printf " %.0f", count($0, short "_realloc")
	printf " %.0f %.0f", count($0, "mseg_alloc"), count($0, "mseg_dealloc")
	printf " %.0f %.0f", count($0, "mseg_realloc"), count($0, "sys_alloc")
	printf " %.0f %.0f\n", count($0, "sys_free"), count($0, "sys_realloc")
	allocs[allocator] += count($0, short "_alloc")
	frees[allocator] += count($0, short "_free")
	reallocs[allocator] += count($0, short "_realloc")
}
/^% .* asked for/ { sub(/ asked for.*/, ""); sub(/.* /, ""); print "asked", $0 }
END {
	for (allocator in carriers) {
		printf "held %s %.0f %.0f\n", allocator, carriers[allocator], carriers_bytes[allocator]
		printf "sum %s %d %d %d\n", allocator, allocs[allocator], frees[allocator], reallocs[allocator]
		# Freed objects of fixed size are kept and counted.
		if (allocator != "fix_alloc") printf "live %s %.0f\n", allocator, live[allocator]
	}
}
END

# The same figures of the events.
cat >"$work/trace.awk" <<'END'
function complain(text) { if (bad++ < 5) print "complaint", text ": " $0 }
{
	split("", value)
	for (i = 1; i <= NF; i++) {
		if ($i != "=") continue
		text = $(i + 1)
		gsub(/[",]/, "", text)
		value[$(i - 1)] = text
	}
	for (i = 1; i <= NF && $i !~ /:[a-z_]*:$/; i++) { }
	event = $i
	sub(/^[a-z_]*:/, "", event)
	sub(/:$/, "", event)
	if (value["procname"] == "" || value["vpid"] == "" || value["vtid"] == "") {
		complain("no context")
	}
	key = names[value["allocator_id"]] " " value["instance"]
	allocator = names[value["allocator_id"]]
}
event == "name_allocator" {
	names[value["allocator_id"]] = value["name"]
	if (value["name"] != "sys_alloc") known[value["name"]] = 1
}
event == "name_type" { types[value["type_id"]] = value["allocator_id"] }
event == "state_begin" { dumps++ }
event == "state_end" { ends++ }
/ org_erlang_otp:carrier_(create|destroy):/ {
	key = value["type"] " " value["instance"]
	counters[key] = value["mbc_carriers"] " " value["mbc_carriers_size"] " " \
		value["sbc_carriers"] " " value["sbc_carriers_size"]
	keys[key] = 1
	if (is_exact && value["mbc_blocks"] + value["sbc_blocks"] != in_use[key] + 0) {
		complain("not " in_use[key] + 0 " blocks")
	}
}
event ~ /^(block_|alloc_failure)/ && types[value["type_id"]] != value["allocator_id"] {
	complain("no such type")
}
event == "block_alloc" || (event == "block_realloc" && value["old_address"] == "0x0") {
	calls[key, 0] += event == "block_alloc"
	calls[key, 2] += event == "block_realloc"
	sum[allocator, event]++
	live[allocator]++
	in_use[key]++
	asked += value["size_bytes"]
	size[value["address"]] = value["size_bytes"]
	next
}
event == "block_realloc" {
	calls[key, 2]++
	sum[allocator, event]++
	asked += value["size_bytes"] - size[value["old_address"]]
	delete size[value["old_address"]]
	size[value["address"]] = value["size_bytes"]
}
event == "block_free" {
	calls[key, 1]++
	sum[allocator, event]++
	live[allocator]--
	in_use[key]--
	asked -= value["size_bytes"]
	if (size[value["address"]] != value["size_bytes"]) complain("another size")
	delete size[value["address"]]
}
event == "alloc_failure" { refusals++ }
event == "carrier_alloc" { carriers[allocator]++; bytes[allocator] += value["size_bytes"] }
event == "carrier_free" { carriers[allocator]--; bytes[allocator] -= value["size_bytes"] }
event == "carrier_alloc" || event == "carrier_realloc" {
	if (event == "carrier_realloc") {
		bytes[allocator] += value["size_bytes"] - carrier_size[value["old_address"]]
		delete carrier_size[value["old_address"]]
	}
	carrier_size[value["address"]] = value["size_bytes"]
}
event == "os_request" { os[key, value["call"]]++ }
END {
	if (dumps != 1 || ends != 1) print "complaint", dumps + 0, "dumps"
	for (key in keys) print "counters", key, counters[key]
	for (key in keys) {
		printf "calls %s %d %d %d", key, calls[key, 0], calls[key, 1], calls[key, 2]
		for (i = 0; i < 6; i++) printf " %d", os[key, i]
		print ""
	}
	for (allocator in known) {
		printf "held %s %.0f %.0f\n", allocator, carriers[allocator], bytes[allocator]
		printf "sum %s %d %d %d\n", allocator, sum[allocator, "block_alloc"],
			sum[allocator, "block_free"], sum[allocator, "block_realloc"]
		if (allocator != "fix_alloc") printf "live %s %.0f\n", allocator, live[allocator]
	}
	printf "asked %.0f\n", asked
	print NR " events, " refusals + 0 " refusals" >"/dev/stderr"
}
END

# Of instances that nobody used the trace says nothing.
nothing='^(counters|calls) [a-z_]* [0-9]*( 0)*$'

# compare NAME IS_EXACT KINDS: figures of these kinds are the same on both sides.
compare() {
	grep '^%.*operations,' "$work/out" | cat "$work/stats" - | awk -f "$work/stats.awk" |
		grep -E "^($3) " | grep -vE "$nothing" | sort >"$work/want"
	awk -v is_exact="$2" -f "$work/trace.awk" "$work/trace" 2>"$work/count" |
		grep -E "^($3|complaint) " | grep -vE "$nothing" | sort >"$work/have"
	if [ ! -s "$work/want" ] || ! cmp -s "$work/want" "$work/have"; then
		fail "$1: the twin's figures (<) and those of the trace (>)"
		diff "$work/want" "$work/have" | head -20
	fi
	echo "$1: $(cat "$work/count"), $(wc -l <"$work/want") lines of figures"
}

fragmentation=$folder/fragmentation.workload
record 0 --workload "$fragmentation" --scale 10
compare fragmentation 1 'counters|calls|sum|held|live|asked'
grep '^% .*operations' "$work/out"

# What is written beside a recording does not change it: times, process and where memory lies aside.
plain() {
	sed 's/^[^)]*) //; s/v[pt]id = [0-9]*//g; s/0x[0-9A-F]*/0x/g; s/cpu_id = [0-9]*//' "$work/trace"
}
record 0 --workload "$folder/mixed-service.workload" --scale 1
plain >"$work/without"
record 0 --workload "$folder/mixed-service.workload" --scale 1 --truth "$work/truth.csv" --pause-at 50 <<'END'

END
plain >"$work/with"
[ -s "$work/without" ] || fail 'nothing was recorded'
cmp "$work/without" "$work/with" || {
	fail 'a recording beside which the truth is written is another one'
	diff "$work/without" "$work/with" | head -5
}
grep -q ',event,' "$work/truth.csv" || fail 'no change of carriers is written'

# Each instance belongs to one thread, which frees what it has allocated.
record 0 --workload "$fragmentation" --scale 5 --threads --schedulers 3
compare threads 1 'counters|calls|sum|held|live|asked'

# With pools, carriers that change their size, and blocks that others free: those are recorded for the
# instance that frees them, and counted by the instance that has them.
record 0 --workload "$folder/mixed-service.workload" --scale 5
compare mixed 0 'sum|held|live|asked'
record 0 --workload "$folder/load-peak.workload" --scale 5
compare pool 0 'sum|held|live|asked'

# All is said before the end for want of memory, too.  A refused call is counted twice, as it is
# tried twice.
record 1 --workload "$folder/heap-growth.workload" --memory-limit 20m
compare limit 0 'held|live|asked'
grep -q 'carrierscope:alloc_failure:' "$work/trace" || fail 'no refusal is recorded'

# A session that comes while the workload runs gets every block before it is freed.
cat >"$work/endless.workload" <<'END'
schedulers 2
size small lognormal 300 0.8 16 4096
life session exponential 2000
source replies binary size small life session freed-by other
phase endless operations 1000000000
  make replies 1
END
# ticks: of the clock, which the thread that runs the workload has worked.
ticks() {
	sed 's/.*) //' "/proc/$runner/task/$runner/stat" | awk '{ print $12 + $13 }'
}

# works TICKS: until it has worked so much longer; an event that it is at is over then.
works() {
	until_ticks=$(($(ticks) + $1))
	waits_for has_worked
}

has_worked() {
	[ "$(ticks)" -ge $until_ticks ]
}

is_written() {
	find "$work/trace-$serial" -name 'all_*' -size +1M | grep -q .
}

# waits_for COMMAND: some minutes at most.
waits_for() {
	tries=0
	until $1; do
		tries=$((tries + 1))
		[ $tries -lt 8000 ] || {
			fail "not after some minutes: $1"
			return
		}
		sleep 0.05
	done
}

"$twin" --workload "$work/endless.workload" --quiet >/dev/null 2>"$work/err" &
runner=$!
works 20
begin
# A buffer is written when it is full: the state, and much that came since.
waits_for is_written
lttng stop $session >/dev/null
works 3
kill $runner 2>/dev/null || fail 'the workload was over too early'
wait $runner 2>/dev/null
runner=
end
awk '{
	for (i = 1; i <= NF; i++) {
		if ($i == "address") address = $(i + 2)
		if ($i == "block_count") count = $(i + 2) + 0
	}
}
/carrierscope:state_(block|carrier):/ && is_dumped { bad++ }
/carrierscope:state_carrier:/ { sum += count }
/carrierscope:state_block:/ { live[address] = 1; found++ }
/carrierscope:state_end:/ { is_dumped = 1; ended = count }
/carrierscope:block_alloc:/ { if (live[address] || !is_dumped) bad++; live[address] = 1; since++ }
/carrierscope:block_free:/ { if (!live[address]) bad++; delete live[address] }
END {
	print "late: " found " blocks found, " since + 0 " allocated since, " bad + 0 " unknown"
	exit !(found && found == sum && found == ended && since && !bad)
}' "$work/trace" || fail 'the recorded state is not that of the run'

record 0 --workload "$fragmentation" --scale 1 --no-trace
[ ! -s "$work/trace" ] || fail '--no-trace emits events'

ends
