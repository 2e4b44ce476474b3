#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Each line of ../shared/public/README.md: what the reports of that input must contain, and what not.
#
#	public_shared_test.sh BUILD_DIR SHARED_PUBLIC
. "$(dirname "$0")/../harness/main.sh"

build=$1
shared=$2

[ -d "$shared" ] || skip "there is no '$shared'"

# INPUT, then texts; those behind "--not" must not be there.
expect() {
	local input=$1 wanted=1 text

	shift
	if [ ! -e "$shared/$input" ]; then
		fail "there is no '$shared/$input'"
		return
	fi
	rm -f "$work/x.db"
	if ! "$build/carrierscope" load -o "$work/x.db" "$shared/$input" >"$work/said" 2>&1; then
		fail "$input: load failed: $(cat "$work/said")"
		return
	fi
	for report in '' findings holders flags histograms; do
		# shellcheck disable=SC2086
		"$build/carrierscope" report $report "$work/x.db" 2>&1
	done | tr -s ' \n\t' '   ' >"$work/out"
	for text; do
		if [ "$text" = --not ]; then
			wanted=0
		elif [ "$(grep -cF -- "$text" "$work/out")" -ne $wanted ]; then
			fail "$input: '$text' must $([ $wanted -eq 1 ] || echo not) be in: $(head -c 900 "$work/out")"
		fi
	done
}

expect absurd-request.dump '2^35' 'a node that held 127,926,272 bytes' 'no process is to blame' 'max_heap_size does not help' \
	--not 'order_book holds' 'Limit it'
expect break-info.txt 'Its memory is 60,000,000 bytes' 'eheap_alloc 30,000,000 bytes in carriers, 60 % used' --not DIED
expect default-scrfsd.dump '0 differ' --not '+MIscrfsd'
for input in dump-behind-prompt.txt dump-in-fence.md; do
	expect $input DIED '43.9 MiB' 'order_book holds 11.4 MiB'
done
expect dump-head-behind-prompt.txt 'OUT OF MEMORY' '8162366936 bytes' 'OTP 21, 16 schedulers' 'the dump breaks off' --not "board's"
expect dump-memory-only.dump 'OUT OF MEMORY' '14,000,000,000 bytes' 'processes 12,500,000,000 bytes (12.5 GB), 89 %'
expect elixir-instrument.txt "tcp_inet's drv_binary may hold up to 2.0 GB" "jiffy's nif_internal has 128,608 below 128 bytes" \
	'233,015,472 bytes were not scanned'
expect elixir-memory.txt 'erlang:memory() is 275,998,648' 'code 93,399,782' 'processes 81,298,904' 'That is not large' 'outside erlang:memory()'
for input in elixir-system-info.txt erlang-system-info.txt; do
	expect $input FRAGMENTATION 'binary_alloc keeps 2201.0 MiB' 'uses 2 %' 'Figures: exact' 'warning exact' --not 'Figures: estimate'
done
expect emqx-vm.txt 'erlang:memory() is 127,648,904' 'code 48,748,792' NORMAL
expect flags-env.sh '7 +M flags' 'erl takes each of them'
expect flags-ps.txt '+MBas ageffcbf' '+MHlmbcs 512' '+MMmcs 30' 'those that RabbitMQ ships'
expect flags-refused.args 'line 3, column 1: +MPas aobf' 'line 4, column 1: +MBlmbcs abc' 'line 5, column 1: +MHas bestfit' 'line 6, column 1: +MZfoo 3'
# The input has 20 + 4 + 2 + 2 + 2 + 3 + 1 + 1 = 35 heaps (its README: 38).
expect instrument-allocations.txt 'system heap 35' 'system binary 26' 'system message 122'
expect mailbox.dump 'log_sink has 5,010,932 messages in its queue' 'OUT OF MEMORY'
expect memory-ets.txt 'ETS 13,348,480,784 bytes (13.3 GB), 87 %' '15,273,742,784' 'Look at tables'
expect memory-grows.txt 'Binaries rise by 1,000,000,000 bytes (1.0 GB) from reading to reading' 'everything else is constant'
expect rabbitmq-breakdown.txt FRAGMENTATION '75.8 % is allocated but unused' 'queue_procs 3,107,671,800 bytes (3.1 GB)' 'binary 2,254,231,500 bytes (2.3 GB)'
expect rabbitmq-status-old.txt '3,659,726,336' 'queue_procs 1,643,307,920' 'binary 1,235,604,488' "RabbitMQ's, not those of erlang:memory()" 'left out'
expect recon-allocated-types.txt 'binary_alloc has 9,432,237,616 bytes (9.4 GB) of 13,907,699,056 bytes (13.9 GB) of carriers'
expect recon-cache-hit-rates.txt 'instance 2 7.6 %' 'instance 0 58.7 %' --not impossible
for input in recon-frag-instance-0.txt recon-frag-instance-4.txt; do
	expect $input FRAGMENTATION 'binary_alloc keeps 3799.3 MiB' 'uses 3 %'
done
expect server-log-oom.txt 'OUT OF MEMORY' '9,794,840,320 bytes (9.8 GB) of old heap' 'load its crash dump next' --not "board's"
expect table-larger-than-its-allocator.dump 'table "logger"' '84.16 KiB' '8.1' --not '758.6'
expect user-dump-26.dump 'Someone asked for this dump' '11.4' 'price_cache' '6.1' --not halt

ends
