#!/bin/sh
# SPDX-License-Identifier: MIT
# beam_test.sh ERL EBIN BEAMS PLUGIN_DIR CASE [--long]: module carrierscope on a stock node.
. "$(dirname "$0")/../harness/main.sh"
. "$here/common.sh"
case=$5
long=${6:-}

root=$("$erl" -noinput -eval 'io:put_chars(code:root_dir()), halt().')
# Where a node has a loader of its own, its program is a script beside the emulator (tests/nodes).
emulator=$(ls "$root"/erts-*/bin/beam.smp.real 2>/dev/null || ls "$root"/erts-*/bin/beam.smp | head -n 1)

# Whether there is anything to hook.
exports_allocators() {
	LC_ALL=C grep -q erts_allctrs "$emulator"
}

is_release() {
	[ "$("$erl" -noinput -eval 'io:put_chars(erlang:system_info(otp_release)), halt().')" = "$1" ]
}

# Whether dirty schedulers may have instances; OTP 23 does not know the flag.
knows_dirty_instances() {
	"$erl" +Mdai max -noinput -eval 'halt().' >/dev/null 2>&1
}

# Within one hook, no block is recorded as allocated while it is live, and none is freed twice.
twice="WITH life AS (
  SELECT op, lag(op) OVER (PARTITION BY address, (SELECT count(*) FROM hook_end AS e
    WHERE e.ts_ns < b.ts_ns) ORDER BY id) AS last FROM block_event AS b)
SELECT count(*) FILTER (WHERE op <> 1 AND last <> 1), count(*) FILTER (WHERE op = 1 AND last = 1)
FROM life"

# The numbers of hook_end are those of the events.
counts_agree() {
	is "$1" "SELECT sum(h.allocs) = c.a, sum(h.frees) = c.f, sum(h.reallocs) = c.r
	FROM hook_end AS h, (SELECT
		total(events) FILTER (WHERE event IN ('block_alloc', 'block_alloc_by_process', 'sample_alloc',
			'sample_alloc_by_process')) AS a,
		total(events) FILTER (WHERE event IN ('block_free', 'sample_free')) AS f,
		total(events) FILTER (WHERE event IN ('block_realloc', 'block_realloc_by_process')) AS r FROM event_count) AS c" '1|1|1'
}

start_stop() {
	records all
	runs start_stop
	loads all
	is all "SELECT count(*) FROM hook_begin" 4
	is all "SELECT count(*) FROM hook_end" 4
	counts_agree all
	is all "SELECT sum(lost_events) FROM source" 0
	# The second hook recorded large blocks of one allocator, the third one type.
	is all "SELECT count(*) > 1000, min(size) >= 100, count(DISTINCT allocator_id)
		FROM block_event, hook_begin AS b, hook_end AS e
		WHERE b.hook_id = 2 AND e.hook_id = 2 AND op = 0
		  AND block_event.ts_ns BETWEEN b.ts_ns AND e.ts_ns" '1|1|1'
	is all "SELECT group_concat(DISTINCT n.name)
		FROM block_event AS x, hook_begin AS b, hook_end AS e, name_type AS n
		WHERE b.hook_id = 3 AND e.hook_id = 3 AND n.type_id = x.type_id
		  AND x.ts_ns BETWEEN b.ts_ns AND e.ts_ns" 'db_segment'
	is all "SELECT min(weight_micro), max(weight_micro) FROM $sampled_blocks" '7000000|7000000'
}

# The instance of each thread: that of its scheduler, and others for dirty schedulers if wanted.
instances() {
	records all 32M
	more='+S 3:3'
	reached=0,1,2,3
	if knows_dirty_instances; then
		more='+S 3:3 +SDcpu 3:3 +Mdai 2'
		reached=0,1,2,3,4,5
	fi
	for flags in '' "$more"; do
		runs instances 1000
	done
	loads all
	is all "SELECT count(*) FROM runtime" 2
	for runtime in 1 2; do
		sqlite3 "$work/all.db" >"$work/differ" <<-END
			CREATE TEMP VIEW block_event AS SELECT b.* FROM main.block_event AS b
			JOIN thread AS t ON t.id = b.thread_id WHERE t.runtime_id = $runtime;
			CREATE TEMP VIEW snapshot_begin AS SELECT * FROM main.snapshot_begin
			WHERE runtime_id = $runtime;
			CREATE TEMP VIEW snapshot_figure AS SELECT * FROM main.snapshot_figure
			WHERE runtime_id = $runtime;
			.read $here/instances.sql
			SELECT 'nothing was counted' WHERE (SELECT sum(calls) FROM counted) < 1000;
		END
		[ ! -s "$work/differ" ] ||
			fail "allocator|instance|calls|recorded|resized: $(cat "$work/differ")"
	done
	# All of them: the global one, schedulers, dirty ones.
	is all "SELECT group_concat(instance) FROM (SELECT DISTINCT b.instance FROM block_event AS b
		JOIN thread AS t ON t.id = b.thread_id WHERE t.runtime_id = 2 ORDER BY 1)" $reached
}

# How many events of that name a trace has.
events_of() {
	is "$1" "SELECT total(events) $3 FROM event_count WHERE event = '$2'" 1
}

# What the node counted and what was recorded, allocator by allocator; 60 s with --long.  By batches and by single events;
# $CSC_EVENTS: one of these.
exact() {
	ms=${CSC_MS:-2000}
	[ "$long" != --long ] || ms=60000
	for events in ${CSC_EVENTS:-batches single}; do
		CSC_EVENTS=$events exact_by "$events"
		rm -rf "$work/$events.trace" "$work/$events.db"
	done
}

exact_by() {
	all=$1
	records "$all" 32M
	# Where all types share one pool, a free counts as a call of the instance that has the carrier.
	release=$("$erl" -noinput -eval 'io:put_chars(erlang:system_info(otp_release)), halt().')
	[ "$release" -ge 24 ] || flags='+Mucp :'
	runs exact "$ms"
	loads "$all"
	is "$all" "SELECT sum(lost_events) FROM source" 0
	counts_agree "$all"
	events_of "$all" block_batch "$(test "$all" = batches && echo '> 10' || echo '= 0')"
	is "$all" "SELECT count(*) FROM lost_interval" 0
	is "$all" "$twice" '0|0'
	is "$all" "SELECT count(*) FROM snapshot_begin" 27
	sqlite3 "$work/$all.db" >"$work/differ" <<-END
		CREATE TEMP TABLE name AS SELECT DISTINCT allocator_id, name FROM allocator_name;
		.read $here/exact.sql
		SELECT a.name, b.what, least_before, most_before, least_after, most_after
		FROM base AS b JOIN name AS a USING (allocator_id) WHERE NOT is_one;
		.output $work/figures
		SELECT count(DISTINCT allocator_id), sum(events) FROM step;
		SELECT 'not compared: ' || count(*) FROM base HAVING count(*) <> 19;
	END
	[ ! -s "$work/differ" ] || fail "allocator|what|before from|to|after from|to: $(cat "$work/differ")"
	echo "allocators|events: $(cat "$work/figures")"
	sqlite3 "$work/$all.db" "SELECT DISTINCT key || ': ' || value FROM runtime_fact
		WHERE key IN ('table_found_by', 'process_found_by', 'port_found_by')"
	# Readings are taken on each allocator but sys_alloc, blocks on all but fix_alloc.
	! grep -q not "$work/figures" || fail "$(cat "$work/figures")"
}

reload() {
	mkdir "$work/other"
	cp "$ebin/carrierscope_nif.so" "$work/other/other_nif.so"
	records all
	runs reload "$work/other/other_nif.so"
	loads all
	is all "SELECT sum(lost_events) FROM source" 0
	is all "SELECT count(*) FROM hook_end" 3
	counts_agree all
	is all "$twice" '0|0'
}

# Loads that OTP refuses leave the node alive, and the module at work.
refused_loads() {
	cp -r "$ebin" "$work/ebin"
	mkdir "$work/nothing"
	cp "$ebin"/*.beam "$work/nothing"
	records all
	ebin=$work/ebin
	runs refused_loads "$work/ebin" "$work/nothing"
	loads all
	is all "SELECT sum(lost_events) FROM source" 0
	is all "SELECT count(*) > 1000 FROM block_event" 1
	is all "SELECT count(*) > 0 FROM $sampled_blocks" 1
	is all "SELECT count(*) > 0 FROM otp_event WHERE event = 'process_scheduled'" 1
}

upgrade() {
	records all
	runs upgrade
	loads all
	is all "SELECT sum(lost_events) FROM source" 0
	is all "SELECT count(*) FROM hook_end" 7
	counts_agree all
	is all "$twice" '0|0'
}

loaded_twice() {
	runs loaded_twice
}

plain() {
	runs plain "$ebin"
}

# A process that ends within an event leaves the buffer that it is in unreadable: what was recorded before
# is written first.  The load goes on meanwhile, and the end comes at any moment of it.
killed() {
	for time in 1 2 3; do
		killed_once "all$time"
	done
}

killed_once() {
	all=$1
	records "$all"
	"$erl" -noinput -boot start_clean -pa "$ebin" "$beams" -run beam_case main victim \
		>"$work/out" 2>&1 &
	node=$!
	tries=0
	until grep -q ready "$work/out"; do
		tries=$((tries + 1))
		[ $tries -lt 4000 ] || { fail "the node does not start: $(cat "$work/out")"; return; }
		sleep 0.1
	done
	lttng rotate "$all" >"$work/log" 2>&1 || fail "lttng rotate: $(cat "$work/log")"
	sleep "0.$((($$ + time) % 10))"
	kill -9 $node
	wait $node 2>/dev/null
	node=
	loads "$all"
	is "$all" "SELECT count(*) FROM hook_begin" 1
	is "$all" "SELECT count(*) > 1000, count(DISTINCT type_id) > 10 FROM block_event" '1|1'
	# What batches say is there until then, is; behind it, what threads had not handed over is missing.
	until=$(horizon_of "$all")
	is "$all" "SELECT count(*) > 1000 FROM block_event WHERE ts_ns < $until" 1
	if [ "$(sqlite3 "$work/$all.db" "SELECT count(*) FROM load_problem WHERE severity = 'data_loss'")" = 0 ]; then
		is "$all" "$(echo "$twice" | sed "s/FROM block_event AS b/& WHERE b.ts_ns < $until/")" '0|0'
	else
		sqlite3 "$work/$all.db" "SELECT name, sentence FROM load_problem WHERE severity = 'data_loss'"
	fi
}

# The last horizon of the batches of a trace, as ns since the epoch, to the millisecond: batches of ring 0 are emitted at first_ns.
horizon_of() {
	babeltrace2 --clock-seconds "$work/$1.trace" 2>/dev/null | LC_ALL=C sed -n \
		's/^\[\([0-9.]*\)\].*block_batch: .* ring = \([0-9]*\),.* first_ns = \([0-9]*\),.* horizon_ns = \([0-9]*\),.*/\1 \2 \3 \4/p' |
		awk '$2 == 0 { offset = $1 * 1e9 - $3; if (!beats++ || offset < least) { least = offset } }
			$4 > horizon { horizon = $4 } END { printf("%.0f", horizon + least - 1e6) }'
}

halted() {
	for time in 1 2 3 4 5; do
		records all$time
		runs halted "lttng rotate all$time >/dev/null 2>&1"
		loads all$time
		is all$time "SELECT count(*) > 1000, sum(type_id IS NULL) FROM block_event" '1|0'
	done
	# Nothing of what it did last is missing.
	records all
	runs halted_at_once
	read -r allocs frees <"$work/out"
	loads all
	is all "SELECT count(*) FILTER (WHERE op = 0) >= ${allocs:-none}, count(*) FILTER (WHERE op = 1) >= ${frees:-none} FROM block_event" '1|1'
}

# A session that does not ask for batches has single events, as it always had.
old_rules() {
	records all 4M 'carrierscope:block_alloc*,carrierscope:block_free,carrierscope:block_realloc*,carrierscope:hook_*,carrierscope:state_*,carrierscope:name_*,carrierscope:sample_*'
	runs old_rules
	loads all
	is all "SELECT count(*) FROM hook_end WHERE allocs > 1000" 2
	counts_agree all
	events_of all block_batch '= 0'
	is all "$twice" '0|0'
}

orphan() {
	[ -n "$daemon" ] || skip 'the session daemon is not ours to kill'
	records all
	# A killed daemon does not announce its end; what it leaves is taken away, as at boot.
	cat >"$work/kill" <<-END
		#!/bin/sh
		kill -9 $daemon \$(cat /proc/$daemon/task/$daemon/children)
		sleep 0.5
	END
	cat >"$work/again" <<-END
		#!/bin/sh
		exec >"$work/again.log" 2>&1
		lttng-sessiond --no-kernel --daemonize --pidfile="$work/again.pid"
		lttng create again --output="$work/again.trace"
		lttng enable-channel --userspace --session=again --subbuf-size=4M --num-subbuf=8 all
		lttng enable-event --userspace --session=again --channel=all 'carrierscope:*'
		lttng add-context --userspace --session=again --channel=all -t vpid -t vtid -t procname
		lttng start again
		# The node comes back to a new daemon by itself, within some seconds.
		for try in \$(seq 800); do
			lttng list -u | grep -q carrierscope:block_alloc && break
			sleep 0.5
		done
	END
	chmod +x "$work/kill" "$work/again"
	runs orphan "$work/kill" "$work/again"
	wait $daemon 2>/dev/null
	daemon=$(cat "$work/again.pid")
	loads again
	is again "SELECT count(*) > 1000 FROM block_event" 1
}

late() {
	cat >"$work/session" <<-END
		#!/bin/sh
		exec >"$work/session.log" 2>&1
		if [ "\$1" = end ]; then lttng stop "\$2"; exit; fi
		lttng create "\$1" --output="$work/\$1.trace"
		lttng enable-channel --userspace --session="\$1" --subbuf-size=4M --num-subbuf=8 all
		lttng enable-event --userspace --session="\$1" --channel=all 'carrierscope:*'
		lttng add-context --userspace --session="\$1" --channel=all -t vpid -t vtid -t procname
		lttng start "\$1"
	END
	chmod +x "$work/session"
	runs late "$work/session"
	for name in first second; do
		loads $name
		is $name "SELECT count(*) > 3000 FROM block_event" 1
		# Names came by themselves, and so did what is hooked.
		is $name "SELECT count(*) FROM block_event
			WHERE type_id NOT IN (SELECT type_id FROM name_type)
			   OR allocator_id NOT IN (SELECT allocator_id FROM name_allocator)" 0
		is $name "SELECT DISTINCT hook_id, is_again, hooked_uptime_ms > 0 FROM hook_begin" '1|1|1'
		is $name "SELECT count(*) > 100 FROM option" 1
		is $name "SELECT DISTINCT key, value FROM runtime_fact WHERE key = 'node_name'" 'node_name|nonode@nohost'
		is $name "SELECT DISTINCT release FROM state_begin" \
			"$("$erl" -noinput -eval 'io:put_chars(erlang:system_info(otp_release)), halt().')"
	done
	is second "SELECT count(*) FROM hook_end" 1
}

# Estimates lie within five standard deviations of what was counted in full.
sampling() {
	records all
	runs sampling
	loads all
	is all "SELECT sum(lost_events) FROM source" 0
	counts_agree all
	sqlite3 "$work/all.db" >"$work/differ" <<-END
		CREATE TEMP TABLE exact AS SELECT count(*) AS blocks, sum(size) AS bytes
		FROM block_event WHERE op = 0;
		CREATE TEMP TABLE drawn AS SELECT b.hook_id, s.address, s.size_bytes AS size,
		  s.weight_micro / 1e6 AS weight FROM $sampled_blocks AS s
		JOIN hook_begin AS b ON s.ts_ns > b.ts_ns
		JOIN hook_end AS e ON e.hook_id = b.hook_id AND s.ts_ns < e.ts_ns;
		SELECT hook_id, count(*), sum(weight), blocks, sum(weight * size), bytes FROM drawn, exact
		GROUP BY hook_id
		HAVING abs(sum(weight) - blocks) > 5 * sqrt(sum(weight * (weight - 1)))
		  OR abs(sum(weight * size) - bytes) > 5 * sqrt(sum(size * size * weight * (weight - 1)))
		  OR count(*) < 500;
		SELECT 'samples of two hooks' WHERE (SELECT count(DISTINCT hook_id) FROM drawn) <> 2;
		SELECT 'all weights by bytes' WHERE EXISTS (SELECT 1 FROM $sampled_blocks AS s, hook_begin AS b,
		  hook_end AS e WHERE b.hook_id = 2 AND e.hook_id = 2 AND s.ts_ns BETWEEN b.ts_ns AND e.ts_ns
		  AND abs(s.weight_micro / 1e6 - 1 / (1 - exp(-s.size_bytes / 4096.0))) > 0.001);
	END
	[ ! -s "$work/differ" ] || fail "hook|samples|blocks|exact|bytes|exact: $(cat "$work/differ")"
	# Each hook begins and ends by a reading of the node, in full or not.
	is all "SELECT h.hook_id, h.sample_by, count(*), sum(s.ts_ns > h.ts_ns AND s.ts_ns < e.ts_ns),
		(SELECT count(DISTINCT snapshot_id) FROM snapshot_begin) FROM hook_begin AS h JOIN hook_end AS e USING (hook_id)
		JOIN snapshot_end AS s ON s.ts_ns BETWEEN h.ts_ns AND e.ts_ns GROUP BY h.hook_id" '1|0|2|2|9
2|1|2|2|9
3|2|2|2|9'
	# About half of the blocks were freed, and so were the samples.
	is all "SELECT count(*) > 500 FROM sample_free" 1
	is all "SELECT count(*) FROM sample_free AS f WHERE NOT EXISTS (SELECT 1 FROM $sampled_blocks AS s
		WHERE s.address = f.address AND s.ts_ns < f.ts_ns)" 0

	records rest
	runs drained
	loads rest
	is rest "SELECT sum(lost_events) FROM source" 0
	# In the order of time, a sampled address is recorded and freed in turns; at the end none is left
	# but a few that the runtime keeps in tables of its own.
	is rest "WITH life AS (SELECT address, ts_ns, 1 AS d FROM $sampled_blocks UNION ALL
		SELECT address, ts_ns, -1 FROM sample_free),
		level AS (SELECT sum(d) OVER (PARTITION BY address ORDER BY ts_ns) AS live FROM life)
		SELECT count(*) > 1000, min(live), max(live), (SELECT sum(d) <= 5 FROM life) FROM level" '1|0|1|1'
}

snapshots() {
	records all
	runs snapshots
	loads all
	is all "SELECT count(*) >= 5 FROM snapshot_end" 1
	# The last of them without holders, and why.
	is all "SELECT count(*) FROM runtime_fact WHERE key = 'snapshot_failed' AND value LIKE '% holders are not listed: %function_clause%'
		AND CAST(value AS INTEGER) = (SELECT snapshot_id FROM snapshot_end ORDER BY ts_ns DESC LIMIT 1)" 1
	is all "SELECT count(*) FROM snapshot_end WHERE snapshot_id NOT IN (SELECT snapshot_id FROM snapshot_holders)" 1
	is all "SELECT count(*) FROM snapshot_end AS e WHERE e.figures <>
		(SELECT count(*) FROM snapshot_figure AS i WHERE i.snapshot_id = e.snapshot_id) +
		(SELECT count(*) FROM snapshot_memory AS m WHERE m.snapshot_id = e.snapshot_id)" 0
	# What is in memory, from the system: more than the live blocks of a small node, less than 4 GiB.
	is all "SELECT count(*) FROM snapshot_end AS e WHERE NOT EXISTS (SELECT 1 FROM snapshot_memory AS m
		WHERE m.snapshot_id = e.snapshot_id AND m.key = 'os_resident' AND m.bytes BETWEEN 1048576 AND 4294967296)" 0
	if LC_ALL=C grep -q __jit_debug_descriptor "$emulator"; then
		# A bare OTP 25 keeps some KiB for debuggers of each load of a module, for ever.
		most="$(is_release 25 && echo 'BETWEEN 100 * 2000 AND 100 * 50000' || echo '>= 0')"
		is all "SELECT min(bytes) > 100000, max(bytes) - min(bytes) $most,
			count(*) = (SELECT count(*) FROM snapshot_end) FROM snapshot_memory WHERE key = 'jit_debug'" '1|1|1'
		is all "SELECT count(*) FROM finding WHERE rule = 'JIT-02'" 0
	else
		is all "SELECT count(*) FROM snapshot_memory WHERE key = 'jit_debug'" 0
		is all "SELECT severity, sentence LIKE 'Release % hides what its JIT keeps%' FROM finding WHERE rule = 'JIT-02'" 'info|1'
	fi
	is all "SELECT count(DISTINCT name) FROM waterfall WHERE allocator IS NULL AND quality <> 'unknown'
		AND name IN ('resident', 'buffers of the recorder', 'outside the allocators', 'from the system', 'segment cache')" 5
	# Ring buffers of this session: 8 of 4 MiB, and one more for what records it, for each processor, and
	# no more than LTTng's own headers beside them.  All of it is in memory, and not ours alone.
	cpus=$(sqlite3 "$work/all.db" "SELECT value FROM runtime_fact WHERE key = 'cpus_possible' LIMIT 1")
	is all "SELECT count(*) > 5, min(bytes) >= $cpus * 8 * 4194304, max(bytes) <= $cpus * 10 * 4194304
		FROM snapshot_memory WHERE key = 'own_buffers_mapped'" '1|1|1'
	is all "SELECT count(*) > 5, min(b.bytes) > 0, sum(b.bytes > m.bytes), sum(b.bytes > r.bytes)
		FROM snapshot_memory AS b JOIN snapshot_memory AS m USING (snapshot_id) JOIN snapshot_memory AS r
		USING (snapshot_id) WHERE b.key = 'own_buffers' AND m.key = 'own_buffers_mapped'
		AND r.key = 'os_resident'" '1|1|0|0'
	is all "SELECT count(*) > 5, min(bytes) > 1000, max(bytes) < 1048576 FROM snapshot_memory
		WHERE key = 'own_tables'" '1|1|1'
	# As the kernel counts them, page by page.
	is all "SELECT count(*) FROM snapshot_memory WHERE key = 'own_buffers'
		AND bytes <> $(sed -n 's/^buffers //p' "$work/out")" 0
	is all "SELECT group_concat(key || ' ' || (value = CASE key WHEN 'node_name' THEN 'nonode@nohost'
		WHEN 'kernel_release' THEN '$(uname -r)' WHEN 'cpus_online' THEN '$(getconf _NPROCESSORS_ONLN)'
		WHEN 'cpus_possible' THEN '$(getconf _NPROCESSORS_CONF)' WHEN 'word_bits' THEN '64' ELSE value END), ',')
		FROM (SELECT DISTINCT key, iif(key = 'export_count', 0, value) AS value FROM runtime_fact
			WHERE key NOT IN ('snapshot_failed', 'memory_limit', 'memory_limit_file') ORDER BY key)" \
		'atom_limit 1,cpus_online 1,cpus_possible 1,emu_flavor 1,erts_version 1,ets_limit 1,export_count 1,export_limit 1,kernel_release 1,machine_memory 1,module_limit 1,node_name 1,otp_release 1,port_limit 1,process_limit 1,snapshot_every_ms 1,system_version 1,word_bits 1'
	# Limits of the machine, as it says itself, and tables that are not full.
	is all "SELECT DISTINCT value FROM runtime_fact WHERE key = 'machine_memory'" \
		"$(awk '$1 == "MemTotal:" { printf("%.0f", 1024 * $2) }' /proc/meminfo)"
	is all "SELECT count(DISTINCT f.key), min(f.current > 0), min(f.current < l.value), min(l.value >= 1024) FROM snapshot_figure AS f
		JOIN runtime_fact AS l ON l.key = replace(f.key, '_count', '_limit')
		WHERE f.section = 'node' AND f.key <> 'export_count'" '5|1|1|1'
	is all "SELECT count(*) FROM snapshot_end WHERE snapshot_id NOT IN (SELECT snapshot_id FROM snapshot_figure
		WHERE section = 'node' AND key = 'atom_count')" 0
	is all "SELECT count(DISTINCT c.value) BETWEEN 1 AND 3, max(CAST(c.value AS INTEGER) < CAST(l.value AS INTEGER)) FROM runtime_fact AS c
		JOIN runtime_fact AS l ON l.key = 'export_limit' WHERE c.key = 'export_count'" '1|1'
	# What is mapped by name is what is in memory in all, but for what changes meanwhile.
	is all "WITH m AS (SELECT snapshot_id, sum(resident_bytes) AS bytes, count(*) AS names, sum(name LIKE '%/beam.smp%') AS emulators,
			sum(name = '[LTTng]') AS buffers, sum(anonymous_bytes > resident_bytes) AS wrong FROM snapshot_mapping GROUP BY snapshot_id)
		SELECT count(*) >= 1, max(abs(m.bytes - r.bytes) > 4194304 + 0.1 * r.bytes), max(m.names <= 21), min(m.emulators), min(m.buffers), sum(m.wrong)
		FROM m JOIN snapshot_memory AS r USING (snapshot_id) WHERE r.key = 'os_resident'" '1|0|1|1|1|0'
	is all "SELECT count(*) >= 1, max(a.bytes > r.bytes), min(a.bytes > 1048576) FROM snapshot_memory AS a JOIN snapshot_memory AS r USING (snapshot_id)
		WHERE a.key = 'os_anonymous' AND r.key = 'os_resident'" '1|0|1'
	is all "SELECT count(DISTINCT value) FROM runtime_fact WHERE key = 'system_version'
		AND value LIKE 'Erlang/OTP % [erts-%'" 1
	is all "SELECT group_concat(current || ' ' || max_since_last || ' ' || max_ever, ',') FROM (SELECT *
		FROM snapshot_figure WHERE key = 'below zero' ORDER BY id)" '-48 -1 -9223372036854775807,-48 -1 7'
	is all "SELECT count(*) FROM load_problem WHERE severity = 'data_loss'" 0
	# erlang:memory/0 is made of these: binary, and processes and system in the whole.
	is all "SELECT count(*) FROM snapshot_memory AS t JOIN snapshot_memory AS p USING (snapshot_id)
		JOIN snapshot_memory AS s USING (snapshot_id)
		WHERE t.key = 'total' AND p.key = 'processes' AND s.key = 'system'
		  AND t.bytes <> p.bytes + s.bytes" 0
	is all "SELECT count(DISTINCT a.name) FROM snapshot_figure AS s
		JOIN allocator_name AS a USING (runtime_id, allocator_id)
		WHERE s.section = 'mbcs' AND s.key = 'carriers_size' AND s.current > 0" 10
	is all "SELECT group_concat(DISTINCT section) FROM (SELECT DISTINCT section
		FROM snapshot_figure WHERE snapshot_id > 0 ORDER BY 1)" 'calls,erts_mmap,fix_types,mbcs,mbcs_pool,mseg_alloc,node,sbcs'
	# A node without carrier events is judged by its last reading; how, is up to its day: where it grew, half a second is too
	# short for a verdict.
	is all "SELECT confidence = iif(verdict = 'unknown', 'estimate', 'exact'), carriers_bytes = (SELECT sum(current) FROM snapshot_figure
		WHERE section IN ('mbcs', 'sbcs', 'mbcs_pool') AND key = 'carriers_size'
		  AND snapshot_id = (SELECT max(snapshot_id) FROM snapshot_end))
		FROM verdict WHERE level = 'runtime'" '1|1'
	is all "SELECT count(*) > 0 FROM report_recon" 1
}

# Events of OTP's own tracer, from a runtime that has none.
tracer() {
	records all
	runs tracer
	read -r main pid child port <"$work/out"
	loads all
	of="FROM otp_event WHERE provider = 'org_erlang_dyntrace' AND event"
	is all "SELECT count(*) FROM extra_field" 0
	is all "SELECT pid, parent, entry $of = 'process_spawn'" "$child|$pid|erlang:apply/2"
	is all "SELECT pid, name, type $of = 'process_register' ORDER BY id" "$pid|traced_name|register
$pid|traced_name|unregister"
	# The child is linked from its parent's side; the port when it is opened and closed.
	is all "SELECT \"from\", \"to\", type $of = 'process_link' ORDER BY id" "$pid|$child|link
$pid|$child|unlink
$pid|$port|link
$port|$pid|unlink"
	is all "SELECT pid, reason $of = 'process_exit'" "$pid|finished"
	is all "SELECT \"to\", message $of = 'message_receive' AND message = 'go'" "$pid|go"
	is all "SELECT \"from\", \"to\", message $of = 'message_send' AND \"to\" = '$child'" \
		"$pid|$child|stop"
	# Texts are cut as OTP cuts them: 256 bytes with the zero.
	is all "SELECT \"from\", length(message) $of = 'message_send' AND \"to\" = '$main'" "$pid|255"
	is all "SELECT pid, entry, depth $of = 'function_call' ORDER BY id" "$pid|beam_tracer:returns/1|0
$pid|beam_tracer:fails/1|0"
	is all "SELECT pid, entry $of = 'function_return'" "$pid|beam_tracer:returns/1"
	is all "SELECT pid, entry, class $of = 'function_exception'" "$pid|beam_tracer:fails/1|error"
	is all "SELECT pid, driver, port $of = 'port_open'" "$pid|cat|$port"
	is all "SELECT port, reason $of = 'port_exit'" "$port|normal"
	is all "SELECT count(*) > 0 $of = 'port_scheduled' AND pid = '$port'" 1
	is all "SELECT count(*) >= 1, min(heap) >= 233, min(need) >= 0 $of = 'gc_major_start'
		AND pid = '$pid'" '1|1|1'
	is all "SELECT count(*) $of = 'gc_major_start'" "$(sqlite3 "$work/all.db" \
		"SELECT count(*) $of = 'gc_major_end'")"
	# In and out in turns, on the threads that also record blocks; a process that ends does not go out.
	is all "WITH turn AS (SELECT type LIKE 'in%' AS is_in,
		lag(type LIKE 'in%', 1, 0) OVER (ORDER BY id) AS was_in
		$of = 'process_scheduled' AND pid = '$pid')
		SELECT count(*) >= 4, sum(is_in = was_in), sum(is_in) - sum(NOT is_in) FROM turn" '1|0|1'
}

# Blocks, samples and blocks of a size have the process that allocated them.
processes() {
	records all 32M
	runs processes
	read -r holder other large sampled some port <"$work/out"
	loads all
	is all "SELECT sum(lost_events) FROM source" 0
	counts_agree all
	is all "SELECT DISTINCT value LIKE 'two processes and a dirty scheduler agree: byte % of a scheduler''s data'
		FROM runtime_fact WHERE key = 'process_found_by'" 1
	is all "SELECT DISTINCT value LIKE 'two ports agree: byte % of a scheduler''s data'
		FROM runtime_fact WHERE key = 'port_found_by'" 1
	# What the port read is its own: a port is no process, and the other way round.
	is all "SELECT DISTINCT '#Port<0.' || (process - 4611686018427387905) || '>' FROM block_event
		WHERE process > 4611686018427387904 AND size >= 10000" "$port"
	is all "SELECT text FROM process_label WHERE pid = '$port'" "$port cat"
	is all "SELECT sum(process > 1152921504606846976 AND process <= 4611686018427387904) FROM block_event" 0
	# Of every allocation it is known whether a process ran, and of no free.
	is all "SELECT count(*) > 1000, sum(process IS NULL), sum(process = 0) > 0, sum(process > 0) > 1000
		FROM block_event WHERE op <> 1" '1|0|1|1'
	is all "SELECT count(*) > 1000, count(process) FROM block_event WHERE op = 1" '1|0'
	# A binary has a few bytes beside its own.
	is all "SELECT pid, count(*), min(is_pid_known) FROM block_at
		WHERE allocator = 'binary_alloc' AND size BETWEEN 10007 AND 10107 GROUP BY pid
		ORDER BY 2 DESC LIMIT 1" "$holder|200|1"
	is all "SELECT pid, count(*) FROM block_at
		WHERE allocator = 'binary_alloc' AND size BETWEEN 20011 AND 20111 GROUP BY pid
		ORDER BY 2 DESC LIMIT 1" "$other|300"
	is all "SELECT pid, count(*) FROM block_at
		WHERE allocator = 'binary_alloc' AND size BETWEEN 40009 AND 40109 GROUP BY pid
		ORDER BY 2 DESC LIMIT 1" "$some|50"
	is all "SELECT pid, live_bytes > 48000000 FROM block_process_at ORDER BY live_bytes DESC LIMIT 1" "$large|1"
	is all "SELECT substr(process, 1, instr(process || ' ', ' ') - 1) FROM report_growth_processes ORDER BY live_mib DESC LIMIT 1" "$large"
	# Its large heaps are made by dirty schedulers.
	is all "SELECT count(*) > 0 FROM block_event AS b JOIN thread AS t ON t.id = b.thread_id
		WHERE t.procname LIKE '%d%cpu%' AND b.process > 0 AND b.size > 10000000
		  AND '$large' = '<0.' || ((b.process - 1) & 268435455) || '.' || ((b.process - 1) >> 28) || '>'" 1
	is all "SELECT pid, count(*) BETWEEN 1700 AND 2300, min(is_pid_known) FROM sample_block
		WHERE size BETWEEN 5003 AND 5103 GROUP BY pid
		ORDER BY count(*) DESC LIMIT 1" "$sampled|1|1"
	is all "SELECT count(*) FROM sample_alloc" 0
}

# altered SED NAME ARGUMENT...: case NAME on a copy of the emulator that a script of sed has changed.
altered() {
	program=$work/bin/$(basename "$emulator")
	rm -f "$work/bin/beam.smp"
	# A script names the emulator, if that is not what is started (tests/nodes).
	[ "$program" = "$work/bin/beam.smp" ] ||
		sed "s|$emulator|$program|" "${emulator%.real}" >"$work/bin/beam.smp"
	LC_ALL=C sed "$1" "$emulator" >"$program"
	chmod +x "$program" "$work/bin/beam.smp"
	! cmp -s "$emulator" "$program" || fail "'$1' changes nothing in the emulator"
	shift
	# shellcheck disable=SC2086
	ROOTDIR=$root BINDIR=$work/bin EMU=beam PROGNAME=erl "$work/bin/erlexec" -noinput -boot start_clean \
		-pa "$ebin" "$beams" $flags -run beam_case main "$@" >"$work/out" 2>&1 ||
		fail "'$*': $(tail -n 5 "$work/out")"
}

# Where all programs of the emulator are links, so that one of them may be another.
copies_emulator() {
	mkdir "$work/bin"
	for file in "$(dirname "$emulator")"/*; do
		ln -s "$file" "$work/bin/"
	done
	rm "$work/bin/$(basename "$emulator")"
}

# An emulator that hides one symbol is searched, and what is found is what it does not hide.
hidden() {
	exports_allocators || skip 'this emulator hides its symbols itself'
	copies_emulator
	records all
	for symbol in erts_allctrs erts_alc_a2ad erts_alc_c2cd erts_alc_n2t erts_alc_n2td \
		erts_allctr_thr_spec erts_no_schedulers; do
		renamed=$(echo "$symbol" | sed 's/^e/E/')
		altered "s/\\x00$symbol\\x00/\\x00$renamed\\x00/g" hidden
	done
	# Where no allocator has instances, code alone confirms the table.
	flags='+Mut false'
	altered "s/\\x00erts_alc_n2t\\x00/\\x00Erts_alc_n2t\\x00/g" hidden
	flags=
	loads all
	counts_agree all
	is all "SELECT count(DISTINCT runtime_id) FROM hook_begin" 8
	is all "SELECT count(*) FROM runtime_fact WHERE key = 'table_found_by'
		AND value NOT LIKE 'searched: 12 functions, % sets of instances%agree'" 0
	is all "SELECT count(DISTINCT runtime_id) FROM block_event JOIN thread AS t ON t.id = thread_id" 8
}

# Emulators that hide their symbols and have an anchor of the search in another way.
refusal() {
	copies_emulator
	records all
	hide=
	! exports_allocators || hide="s/\\x00erts_allctrs\\x00/\\x00Erts_allctrs\\x00/g;"
	for anchor in allocator class type; do
		altered "${hide}s/invalid_$anchor\\x00/inValid_$anchor\\x00/g" refusal \
			"the emulator hides its symbols, and has 0 lists of names that begin with 'invalid_$anchor', where one was expected"
	done
	loads all
	is all "SELECT count(*) FROM hook_begin" 0
	is all "SELECT count(*) FROM block_event" 0
	# Snapshots are taken and judged all the same.
	is all "SELECT count(DISTINCT a.name) FROM snapshot_figure AS s
		JOIN allocator_name AS a USING (runtime_id, allocator_id)
		WHERE s.section = 'mbcs' AND s.key = 'carriers_size' AND s.current > 0" 10
	is all "SELECT min(verdict <> 'unknown'), group_concat(DISTINCT confidence) FROM verdict
		WHERE level = 'runtime'" '1|exact'
}

boot() {
	records all
	flags='-run carrierscope'
	runs hooked_at_boot none
	flags='-run carrierscope start sample=bytes:500 allocators=ets_alloc'
	runs hooked_at_boot '{bytes,500}'
	flags=
	export ERL_AFLAGS='-run carrierscope start sample=count:3'
	runs hooked_at_boot '{count,3}'
	unset ERL_AFLAGS
	# Other settings of the runtime: no instances, all to malloc.
	for flags in '+Mut false' '+Mea min' '+S 1:1' '+S 4:2 +Muatags true'; do
		runs start_stop
	done
	# Instances of dirty schedulers.
	runtimes=5
	if knows_dirty_instances; then
		flags='+Mdai max'
		runs start_stop
		runtimes=6
	fi
	loads all
	is all "SELECT sum(lost_events) FROM source" 0
	counts_agree all
	is all "SELECT count(*) FROM runtime WHERE id IN
		(SELECT t.runtime_id FROM block_event JOIN thread AS t ON t.id = thread_id)" $runtimes
}

# Hooks toggled under load while sessions come and go; half an hour with --long.
stability() {
	seconds=6
	[ "$long" != --long ] || seconds=${CSC_SECONDS:-1800}
	# A flight recorder records everything and writes nothing.
	{
		lttng create flight --snapshot --output="$work/flight" &&
			lttng enable-channel -u -s flight --overwrite --subbuf-size=1M --num-subbuf=4 all &&
			lttng enable-event -u -s flight -c all 'carrierscope:*' && lttng start flight
	} >"$work/log" 2>&1 || skip "no session can be recorded: $(cat "$work/log")"
	(
		while true; do
			records brief >/dev/null
			sleep 2
			lttng destroy brief >/dev/null 2>&1
			rm -rf "$work/brief.trace"
			sleep 1
		done
	) &
	toggler=$!
	runs stability $seconds
	kill $toggler
	wait $toggler 2>/dev/null
	grep -e rounds -e median "$work/out"
}

case $case in
start_stop | old_rules | exact | reload | refused_loads | upgrade | loaded_twice | plain | killed | late | sampling | snapshots | hidden | refusal | boot | stability | tracer | \
	instances | processes | \
	halted | orphan)
	$case
	;;
*) fail "there is no case '$case'" ;;
esac
ends
