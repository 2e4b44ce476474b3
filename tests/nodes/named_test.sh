#!/bin/sh
# SPDX-License-Identifier: MIT
# named_test.sh ERL EBIN BEAMS PLUGIN_DIR: how a node's table was found, the names of its types, its dumps, and that it
# loads all modules that an older release has compiled.
. "$(dirname "$0")/../harness/main.sh"
. "$harness/../beam/common.sh"

# What was found, by name: releases add types of blocks.
named() {
	records all
	runs plainly
	loads all
	release=$("$erl" -noinput -eval 'io:put_chars(erlang:system_info(otp_release)), halt().')
	is all "SELECT DISTINCT value FROM runtime_fact WHERE key = 'otp_release'" "$release"
	case $release in
	27) ways=exported% types=233 news="'code_coverage', 'persistent_term', 'trace_info_proc_request'" ;;
	*) ways='searched: 12 functions, % sets of instances%agree' types=242 news="'record_entry', 'record_table', 'paused_timer'" ;;
	esac
	is all "SELECT count(*) > 0, min(value LIKE '$ways') FROM runtime_fact WHERE key = 'table_found_by'" '1|1'
	is all "SELECT count(DISTINCT type_id) >= $types FROM name_type" 1
	is all "SELECT count(DISTINCT name) FROM name_type WHERE name IN ($news)" 3
	is all "SELECT count(*) FROM block_event WHERE type_id NOT IN (SELECT type_id FROM name_type)
		OR allocator_id NOT IN (SELECT allocator_id FROM name_allocator)" 0
	is all "SELECT count(*) > 1000 FROM block_event" 1
	dumped
}

# A crash dump of it, with the flag that it was started with.
dumped() {
	"$erl" +MBas aobf -noinput -boot start_clean -env ERL_CRASH_DUMP "$work/dump" \
		-env ERL_CRASH_DUMP_SECONDS 30 -eval 'erlang:halt("dumped").' >"$work/out" 2>&1
	"$plugins/carrierscope" load -q -o "$work/dump.db" "$work/dump" >"$work/log" 2>&1 ||
		fail "the dump is not loaded: $(cat "$work/log" "$work/out")"
	"$plugins/carrierscope" report flags "$work/dump.db" >"$work/flags" 2>&1
	grep -q 'MBas aobf' "$work/flags" || fail "report flags: $(cat "$work/flags")"
	is dump "SELECT count(*) FROM load_problem WHERE severity = 'data_loss'" 0
}

# Each module; that of the library only with its library.
loads_modules() {
	"$erl" -noinput -boot start_clean -pa "$ebin" -eval '
		[Folder] = init:get_plain_arguments(),
		Files = [filename:rootname(File) || File <- filelib:wildcard(Folder ++ "/*.beam"), filename:basename(File) =/= "carrierscope_nif.beam"],
		true = length(Files) > 20,
		[{module, _} = code:load_abs(File) || File <- Files], halt().' -extra "$ebin" >"$work/out" 2>&1 ||
		fail "a module is not loaded: $(head -n 3 "$work/out")"
}

named
loads_modules
ends
