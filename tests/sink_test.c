/*
 * SPDX-License-Identifier: MIT
 *
 * The sink, fed by a scripted source, writes the database it should.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <babeltrace2/babeltrace.h>
#include <cmocka.h>
#include <sqlite3.h>

#include "scripted_source.h"
#include "sink.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Pieces of scripts. */
#define CONTEXT "{vpid:i32,vtid:i32,procname:str}"
#define HEAD "type:str,instance:i32,size:u64"
#define COUNTERS                                                                     \
	"mbc_carriers:u64,mbc_carriers_size:u64,mbc_blocks:u64,mbc_blocks_size:u64," \
	"sbc_carriers:u64,sbc_carriers_size:u64,sbc_blocks:u64,sbc_blocks_size:u64"
#define CREATE_CLASS "class create s \"org_erlang_otp:carrier_create\" {" HEAD "," COUNTERS "}\n"
#define CLASSES                                                                        \
	CREATE_CLASS                                                                   \
	"class destroy s \"org_erlang_otp:carrier_destroy\" {" HEAD "," COUNTERS "}\n" \
	"class put s \"org_erlang_otp:carrier_pool_put\" {" HEAD "}\n"                 \
	"class get s \"org_erlang_otp:carrier_pool_get\" {" HEAD "}\n"
#define STREAM "stream s t " CONTEXT "\n"
#define BEGIN "trace t\n" STREAM CLASSES "begin s\n"
#define WHO "{7,8,\"1_scheduler\"}"
#define FIRST "event create 1000 " WHO " {\"eheap_alloc\",1,262144,1,262144,0,0,0,0,0,0}\n"
#define SECOND "event create 2000 " WHO " {\"eheap_alloc\",1,262144,2,524288,9,4096,0,0,0,0}\n"
#define END "end s\n"

struct fixture {
	char folder[64];
	char path[96];
	bt_graph *graph;
	sqlite3 *db;
	sqlite3_stmt *rows;
	char *script;
	char *got;
	char error[8192];
};

static const bt_component_class_source *source_class;
static bt_component_class_sink *sink_class;

static int open_fixture(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	if (!fixture) {
		return -1;
	}

	*state = fixture;
	(void)strcpy(fixture->folder, "/tmp/csc_sink_test_XXXXXX");
	if (!mkdtemp(fixture->folder)) {
		return -1;
	}

	(void)snprintf(fixture->path, sizeof(fixture->path), "%s/x.db", fixture->folder);
	return 0;
}

static void close_database(struct fixture *fixture)
{
	(void)sqlite3_finalize(fixture->rows);
	(void)sqlite3_close(fixture->db);
	fixture->rows = NULL;
	fixture->db = NULL;
}

/* How many files are in the folder. */
static int count_files(const struct fixture *fixture)
{
	DIR *folder = opendir(fixture->folder);
	const struct dirent *entry;
	int files = 0;

	while (folder && (entry = readdir(folder))) {
		files += entry->d_name[0] != '.';
	}

	(void)closedir(folder);
	return files;
}

static int close_fixture(void **state)
{
	struct fixture *fixture = *state;
	DIR *folder;
	const struct dirent *entry;

	close_database(fixture);
	bt_graph_put_ref(fixture->graph);
	folder = opendir(fixture->folder);
	while (folder && (entry = readdir(folder))) {
		(void)unlinkat(dirfd(folder), entry->d_name, 0);
	}

	(void)closedir(folder);
	(void)rmdir(fixture->folder);
	free(fixture->script);
	free(fixture->got);
	free(fixture);
	return 0;
}

/* Takes what Babeltrace was told to be wrong. */
static void take_error(struct fixture *fixture)
{
	const bt_error *error = bt_current_thread_take_error();
	size_t length = strlen(fixture->error);

	for (uint64_t i = 0; error && i < bt_error_get_cause_count(error); i++) {
		const bt_error_cause *cause = bt_error_borrow_cause_by_index(error, i);

		length += (size_t)snprintf(fixture->error + length, sizeof(fixture->error) - length,
				"%s\n", bt_error_cause_get_message(cause));
	}

	if (error) {
		bt_error_release(error);
	}
}

/* Adds the sink and the source, connected; false: the sink said no. */
static bool configure(struct fixture *fixture, const char *script, const bt_value *params)
{
	const bt_component_source *source;
	const bt_component_sink *sink;

	fixture->graph = bt_graph_create(0);
	assert_int_equal(bt_graph_add_source_component_with_initialize_method_data(fixture->graph,
					 source_class, "source", NULL, (void *)(uintptr_t)script,
					 BT_LOGGING_LEVEL_NONE, &source),
			0);
	if (bt_graph_add_sink_component(fixture->graph, sink_class, "sink", params,
			    BT_LOGGING_LEVEL_NONE, &sink) != 0) {
		take_error(fixture);
		return false;
	}

	assert_int_equal(
			bt_graph_connect_ports(fixture->graph,
					bt_component_source_borrow_output_port_by_index_const(
							source, 0),
					bt_component_sink_borrow_input_port_by_index_const(sink, 0),
					NULL),
			0);
	return true;
}

/* The parameters of a load; the caller puts them. */
static bt_value *make_params(const char *path, const char *flag)
{
	bt_value *params = bt_value_map_create();

	assert_int_equal(bt_value_map_insert_string_entry(params, "path", path), 0);
	if (flag) {
		assert_int_equal(bt_value_map_insert_bool_entry(params, flag, BT_TRUE), 0);
	}

	return params;
}

/* Plays a script to its end; false: something failed, see `error`. */
static bool load(struct fixture *fixture, const char *script, const char *flag)
{
	bt_value *params = make_params(fixture->path, flag);
	bool is_ok;

	fixture->error[0] = '\0';
	is_ok = configure(fixture, script, params);
	bt_value_put_ref(params);
	if (is_ok && bt_graph_run(fixture->graph) != BT_GRAPH_RUN_STATUS_OK) {
		take_error(fixture);
		is_ok = false;
	}

	bt_graph_put_ref(fixture->graph);
	fixture->graph = NULL;
	return is_ok;
}

/* Yields the rows of a query: columns parted by `|`, rows by line ends. */
static const char *ask(struct fixture *fixture, const char *sql)
{
	size_t size = 0;
	FILE *out;
	int status;

	if (!fixture->db) {
		assert_int_equal(sqlite3_open(fixture->path, &fixture->db), SQLITE_OK);
	}

	free(fixture->got);
	fixture->got = NULL;
	status = sqlite3_prepare_v2(fixture->db, sql, -1, &fixture->rows, NULL);
	if (status != SQLITE_OK) {
		print_error("%s: %s\n", sql, sqlite3_errmsg(fixture->db));
	}

	assert_int_equal(status, SQLITE_OK);
	out = open_memstream(&fixture->got, &size);
	assert_non_null(out);
	while ((status = sqlite3_step(fixture->rows)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(fixture->rows); i++) {
			const char *text = (const char *)sqlite3_column_text(fixture->rows, i);

			(void)fprintf(out, "%s%s", i > 0 ? "|" : "", text ? text : "NULL");
		}

		(void)fputc('\n', out);
	}

	(void)fclose(out);
	if (fixture->got[0]) {
		fixture->got[strlen(fixture->got) - 1] = '\0';
	}

	(void)sqlite3_finalize(fixture->rows);
	fixture->rows = NULL;
	assert_int_equal(status, SQLITE_DONE);
	return fixture->got;
}

/* A script, what becomes of it, and what is then in the database. */
struct script_case {
	const char *name;
	const char *script;

	/* Part of the error's sentence; NULL: the load goes well. */
	const char *error;

	struct {
		const char *sql;
		const char *rows;
	} checks[10];
};

static const struct script_case *current_case;

#define PROBLEMS "SELECT name, severity, count FROM load_problem ORDER BY id"

static const struct script_case script_cases[] = {
	{
			"a trace without any stream gives an empty source",
			"trace t\n",
			NULL,
			{ { "SELECT events, complete, first_ts_ns, last_ts_ns, path, lost_events, "
			    "bucket_ns, first_carrier_event_id FROM source",
					  "0|1|NULL|NULL|NULL|0|NULL|NULL" },
					{ "SELECT count(*) FROM trace", "0" } },
	},
	{
			"a stream without events is a stream of no events",
			BEGIN END,
			NULL,
			{ { "SELECT trace_id, name, packets, events FROM stream", "1|NULL|0|0" },
					{ "SELECT count(*) FROM footprint_sample", "0" } },
	},
	{
			"the environment of the trace is kept",
			"trace t\nenv t hostname \"node\"\nenv t tracer_name \"lttng-ust\"\n"
			"env t tracer_major 2\nenv t tracer_minor 13\nenv t architecture_bit_width 64\n"
			"env t trace_name \"session\"\nenv t tracer_buffering_scheme \"uid\"\n"
			"env t trace_creation_datetime \"20260101T000000\"\n"
			"uuid t 00112233445566778899aabbccddeeff\n" STREAM CLASSES
			"name s \"/a/b/c/ch_0\"\nbegin s\n" FIRST END,
			NULL,
			{ { "SELECT * FROM trace",
					  "1|1|00112233-4455-6677-8899-aabbccddeeff|session|node|"
					  "lttng-ust 2.13|uid|64|20260101T000000" },
					{ "SELECT path FROM source", "/a/b/c" },
					{ "SELECT hostname, vpid FROM runtime", "node|7" } },
	},
	{
			"a create is a row with its counters, class and footprint",
			BEGIN FIRST END,
			NULL,
			{ { "SELECT * FROM carrier_event",
					  "1|1000|0|1|1|262144|1|262144|0|0|0|0|0|0|0|1|262144" },
					{ "SELECT vtid, procname, carrier_events, events FROM thread",
							"8|1_scheduler|1|1" },
					{ "SELECT runtime_id, name, number, base_known FROM instance "
					  "JOIN allocator ON allocator.id = allocator_id",
							"1|eheap_alloc|1|1" },
					{ PROBLEMS, "" } },
	},
	{
			"the four carrier events have their kinds and classes",
			BEGIN FIRST SECOND
			"event put 3000 " WHO " {\"eheap_alloc\",1,262144}\n"
			"event get 4000 " WHO " {\"eheap_alloc\",1,5000}\n"
			"event destroy 5000 " WHO
			" {\"eheap_alloc\",1,262144,1,262144,1,100,0,0,0,0}\n" END,
			NULL,
			{ { "SELECT e.kind, k.name, class, class_exact, mbc_carriers FROM "
			    "carrier_event AS e JOIN carrier_event_kind AS k ON k.id = e.kind",
					  "0|carrier_create|0|1|1\n0|carrier_create|0|1|2\n"
					  "2|carrier_pool_put|NULL|NULL|NULL\n"
					  "3|carrier_pool_get|NULL|NULL|NULL\n"
					  "1|carrier_destroy|2|1|1" },
					{ "SELECT kind, carriers_max, bytes_max FROM ledger",
							"0|1|262144" },
					{ "SELECT fetches, misses, gets, puts FROM scope_total "
					  "WHERE scope = 'source'",
							"1|0|1|1" } },
	},
	{
			"every kind of message is taken",
			"trace t\nstream s t " CONTEXT " packets losses lossclocks\n" CLASSES
			"begin s\npacket s 500\n" FIRST "endpacket s 1500\n"
			"discarded-events s 1500 1600 3\ndiscarded-packets s 1600 1700 2\n"
			"inactivity s 1800\npacket s 1900\n" SECOND "endpacket s 2500\n" END,
			NULL,
			{ { "SELECT packets, events FROM stream", "2|2" },
					{ "SELECT stream_id, cause, begin_ns, end_ns, events, packets FROM "
					  "lost_interval ORDER BY id",
							"1|discarded_events|1500|1600|3|NULL\n"
							"1|discarded_packets|1600|1700|NULL|2" },
					{ "SELECT lost_events, lost_packets FROM source", "3|2" },
					{ PROBLEMS,
							"discarded_events|data_loss|1\n"
							"discarded_packets|data_loss|1" } },
	},
	{
			"lost events without count or clock are an interval of unknowns",
			"trace t\nstream s t " CONTEXT " packets losses\n" CLASSES
			"begin s\ndiscarded-events s 0 0 -\ndiscarded-packets s 0 0 -\n" END,
			NULL,
			{ { "SELECT cause, begin_ns, end_ns, events, packets FROM lost_interval",
					  "discarded_events|NULL|NULL|NULL|NULL\n"
					  "discarded_packets|NULL|NULL|NULL|NULL" },
					{ "SELECT lost_events, lost_packets FROM source", "0|0" } },
	},
	{
			"a counter of lost events that ran back makes sums modulo 2^64",
			"trace t\nstream s t " CONTEXT " lossclocks\n" CLASSES "begin s\n"
			"discarded-events s 10 20 100\n"
			"discarded-events s 20 30 18446744073709551582\n" END,
			NULL,
			{ { "SELECT group_concat(events) FROM lost_interval", "100,-34" },
					{ "SELECT lost_events FROM source", "66" },
					{ PROBLEMS,
							"discarded_events|data_loss|2\n"
							"lost_counter_ran_back|notice|1" } },
	},
	{
			"counts of lost events that overflow do no harm",
			"trace t\nstream s t " CONTEXT " lossclocks\n" CLASSES "begin s\n"
			"discarded-events s 10 20 9223372036854775807\n"
			"discarded-events s 10 20 9223372036854775807\n"
			"discarded-events s 20 30 3\n" END,
			NULL,
			{ { "SELECT lost_events FROM source", "1" } },
	},
	{
			"a count of exactly 2^63 lost events does no harm",
			"trace t\nstream s t " CONTEXT " lossclocks\n" CLASSES "begin s\n"
			"discarded-events s 10 20 9223372036854775808\n" END,
			NULL,
			{ { "SELECT count(*) FROM lost_interval", "1" } },
	},
	{
			"processes of two traces of two hosts are two runtimes",
			"trace a\nenv a hostname \"one\"\ntrace b\nenv b hostname \"two\"\n"
			"stream s a " CONTEXT "\nstream z b " CONTEXT "\n" CREATE_CLASS
			"class other z \"org_erlang_otp:carrier_create\" {" HEAD "," COUNTERS "}\n"
			"begin s\nbegin z\n" FIRST "event other 1500 " WHO
			" {\"eheap_alloc\",1,262144,1,262144,0,0,0,0,0,0}\nend s\nend z\n",
			NULL,
			{ { "SELECT hostname, vpid FROM runtime", "one|7\ntwo|7" },
					{ "SELECT runtime_id, allocator_id, number FROM instance",
							"1|1|1\n2|1|1" },
					{ "SELECT footprint_bytes FROM carrier_event",
							"262144\n524288" },
					{ "SELECT provider, event, events FROM event_count",
							"org_erlang_otp|carrier_create|2" } },
	},
	{
			"without a vpid context the trace's vpid counts, and its procname",
			"trace t\nenv t vpid 42\nenv t procname \"beam.smp\"\n"
			"env t tracer_buffering_scheme \"pid\"\nstream s t {vtid:i32}\n" CREATE_CLASS
			"begin s\nevent create 1000 {43} "
			"{\"eheap_alloc\",1,262144,1,262144,0,0,0,0,0,0}\n" END,
			NULL,
			{ { "SELECT vpid, procname FROM runtime", "42|beam.smp" },
					{ PROBLEMS, "context_missing_procname|info|1" },
					{ "SELECT available FROM source_capability WHERE capability = "
					  "'runtime'",
							"1" } },
	},
	{
			"without contexts there is one unknown runtime, and it is told what to add",
			"trace t\nstream s t -\n" CREATE_CLASS "begin s\nevent create 1000 - "
			"{\"eheap_alloc\",1,262144,1,262144,0,0,0,0,0,0}\n" END,
			NULL,
			{ { "SELECT hostname, vpid, procname FROM runtime", "NULL|NULL|NULL" },
					{ "SELECT thread_id FROM carrier_event", "NULL" },
					{ PROBLEMS,
							"context_missing_vpid|notice|1\n"
							"context_missing_vtid|info|1\n"
							"context_missing_procname|info|1" },
					{ "SELECT instr(sentence, 'lttng add-context -u -t vpid') > 0 FROM "
					  "load_problem WHERE name = 'context_missing_vpid'",
							"1" },
					{ "SELECT group_concat(available) FROM source_capability WHERE "
					  "capability IN ('runtime', 'thread', 'thread_name')",
							"0,0,0" } },
	},
	{
			"contexts of unexpected types are contexts that are not there",
			"trace t\nstream s t {vpid:str,vtid:f64,procname:u8}\n" CREATE_CLASS
			"begin s\nevent create 1000 {\"x\",1.5,3} "
			"{\"eheap_alloc\",1,262144,1,262144,0,0,0,0,0,0}\n" END,
			NULL,
			{ { "SELECT vpid FROM runtime", "NULL" },
					{ "SELECT count(*) FROM load_problem WHERE name LIKE 'context%'",
							"3" } },
	},
	{
			"the main thread names its runtime",
			BEGIN FIRST "event create 1500 {7,7,\"beam.smp\"} "
				    "{\"ets_alloc\",1,262144,1,262144,0,0,0,0,0,0}\n" END,
			NULL,
			{ { "SELECT procname FROM runtime", "beam.smp" },
					{ "SELECT count(*) FROM thread", "2" } },
	},
	{
			"a thread name longer than the cache is told from its beginning",
			BEGIN
			"event create 1000 {7,8,\"0123456789012345678901234567890123456789\"} "
			"{\"eheap_alloc\",1,262144,1,262144,0,0,0,0,0,0}\n"
			"event create 1001 {7,8,\"0123456789012345678901234567890\"} "
			"{\"ets_alloc\",1,262144,1,262144,0,0,0,0,0,0}\n" END,
			NULL,
			{ { "SELECT count(*), count(DISTINCT procname) FROM thread", "2|2" },
					{ "SELECT group_concat(thread_id) FROM carrier_event",
							"1,2" } },
	},
	{
			"an allocator name longer than the cache is told from its beginning",
			BEGIN
			"event create 1000 " WHO
			" {\"0123456789012345678901234567890123456789\",1,262144,1,262144,0,0,0,"
			"0,0,0}\n"
			"event create 1001 " WHO
			" {\"0123456789012345678901234567890\",1,262144,1,262144,0,0,0,0,0,0}\n" END,
			NULL,
			{ { "SELECT count(*) FROM allocator", "2" },
					{ "SELECT group_concat(instance_id) FROM carrier_event",
							"1,2" } },
	},
	{
			"an allocator with an empty name is an allocator",
			BEGIN "event create 1000 " WHO
			      " {\"\",1,262144,1,262144,0,0,0,0,0,0}\n" END,
			NULL,
			{ { "SELECT length(name) FROM allocator", "0" },
					{ "SELECT count(*) FROM instance", "1" } },
	},
	{
			"both names of the provider are one vocabulary",
			"trace t\n" STREAM "class old s \"com_ericsson_otp:carrier_create\" {" HEAD
			"," COUNTERS "}\n"
			"begin s\nevent old 1000 " WHO
			" {\"eheap_alloc\",1,262144,1,262144,0,0,0,0,0,0}\n" END,
			NULL,
			{ { "SELECT count(*) FROM carrier_event", "1" },
					{ "SELECT provider FROM event_count",
							"com_ericsson_otp" } },
	},
	{
			"events of other providers are counted and nothing more",
			BEGIN
			"class x s \"lttng_ust_tracef:event\" {msg:str}\nclass y s \"plain\" -\n"
			"class z s \":odd\" -\nclass w s \"odd\" -\n"
			"event x 10 " WHO " {\"hello\"}\nevent y 20 " WHO " -\n"
			"event z 30 " WHO " -\nevent w 40 " WHO " -\n" END,
			NULL,
			{ { "SELECT provider, event, events FROM event_count ORDER BY event",
					  "|:odd|1\nlttng_ust_tracef|event|1\n|odd|1\n|plain|1" },
					{ "SELECT events, first_ts_ns, last_ts_ns FROM source",
							"4|10|40" },
					{ "SELECT count(*) FROM otp_event", "0" },
					{ PROBLEMS, "" } },
	},
	{
			"an unknown event of OTP is kept field by field",
			BEGIN "class x s \"org_erlang_otp:carrier_moved\" {size:u64,why:str}\n"
			      "event x 10 " WHO " {5,\"because\"}\nevent x 20 " WHO
			      " {6,\"\"}\n" END,
			NULL,
			{ { "SELECT event, provider, runtime_id, thread_id FROM otp_event",
					  "carrier_moved|org_erlang_otp|1|1\n"
					  "carrier_moved|org_erlang_otp|1|1" },
					{ "SELECT event_table, event_id, field, value, typeof(value) FROM "
					  "extra_field",
							"otp_event|1|size|5|integer\notp_event|1|why|because|text\n"
							"otp_event|2|size|6|integer\notp_event|2|why||text" },
					{ PROBLEMS, "event_unknown|notice|1" } },
	},
	{
			"an event of OTP with an empty name and no fields is kept",
			BEGIN "class x s \"org_erlang_otp:\" -\nevent x 10 " WHO " -\n" END,
			NULL,
			{ { "SELECT typeof(event), length(event) FROM otp_event", "text|0" } },
	},
	{
			"unknown fields of a carrier event are kept whatever their type",
			"trace t\n" STREAM "class c s \"org_erlang_otp:carrier_create\" {" HEAD
			"," COUNTERS
			",in:{a:u8,b:{c:str}},list:[3xi16],any:[xu64],none:[xu8],f:f32,d:f64,yes:bool,"
			"e:e8,bits:bits8,maybe:?u8,not:?u8,either:<u8|str>,big:u64,low:i64}\n"
			"begin s\nevent c 1000 " WHO
			" {\"eheap_alloc\",1,262144,1,262144,0,0,0,0,0,0,{1,{\"x\"}},[-1,0,1],"
			"[18446744073709551615],[],1.5,-2.25,1,3,255,9,-,1:\"text\","
			"9223372036854775808,-9223372036854775808}\n" END,
			NULL,
			{ { "SELECT count(*), class FROM carrier_event", "1|0" },
					{ "SELECT field, value, typeof(value) FROM extra_field WHERE "
					  "event_table = 'carrier_event' AND event_id = 1",
							"in.a|1|integer\nin.b.c|x|text\nlist[0]|-1|integer\n"
							"list[1]|0|integer\nlist[2]|1|integer\n"
							"any[0]|18446744073709551615|text\nf|1.5|real\n"
							"d|-2.25|real\nyes|1|integer\ne|3|integer\n"
							"bits|0xff|text\nmaybe|9|integer\neither|text|text\n"
							"big|9223372036854775808|text\n"
							"low|-9223372036854775808|text" },
					{ PROBLEMS, "field_unknown|notice|1" } },
	},
	{
			"a carrier event without a field is kept field by field",
			"trace t\n" STREAM
			"class c s \"org_erlang_otp:carrier_create\" {type:str,instance:i32}\n"
			"begin s\nevent c 1000 " WHO " {\"eheap_alloc\",1}\n" END,
			NULL,
			{ { "SELECT count(*) FROM carrier_event", "0" },
					{ "SELECT event, runtime_id FROM otp_event",
							"carrier_create|1" },
					{ "SELECT field, value FROM extra_field",
							"type|eheap_alloc\ninstance|1" },
					{ PROBLEMS, "field_missing|data_loss|9" } },
	},
	{
			"a carrier event without payload is kept",
			"trace t\n" STREAM "class c s \"org_erlang_otp:carrier_pool_get\" -\n"
			"begin s\nevent c 1000 " WHO " -\n" END,
			NULL,
			{ { "SELECT event FROM otp_event", "carrier_pool_get" },
					{ PROBLEMS, "field_missing|data_loss|3" } },
	},
	{
			"a retyped field is a problem, and its event is kept field by field",
			"trace t\n" STREAM
			"class c s \"org_erlang_otp:carrier_pool_put\" {type:u8,instance:str,size:f64}\n"
			"begin s\nevent c 1000 " WHO " {3,\"one\",1.5}\n" END,
			NULL,
			{ { "SELECT count(*) FROM carrier_event", "0" },
					{ "SELECT field, value FROM extra_field",
							"type|3\ninstance|one\nsize|1.5" },
					{ PROBLEMS, "field_retyped|data_loss|3" } },
	},
	{
			"fields in another order are found by name",
			"trace t\n" STREAM "class c s \"org_erlang_otp:carrier_pool_put\" "
			"{size:u64,type:str,instance:i32}\n"
			"begin s\nevent c 1000 " WHO " {77,\"eheap_alloc\",3}\n" END,
			NULL,
			{ { "SELECT size, number FROM carrier_event JOIN instance ON instance.id = "
			    "instance_id",
					  "77|3" },
					{ PROBLEMS, "" } },
	},
	{
			"a value of 2^63 is rejected, 2^63 - 1 is kept",
			BEGIN "event put 1000 " WHO " {\"eheap_alloc\",1,9223372036854775808}\n"
			      "event put 2000 " WHO " {\"eheap_alloc\",1,9223372036854775807}\n"
			      "event put 3000 " WHO
			      " {\"eheap_alloc\",1,18446744073709551615}\n" END,
			NULL,
			{ { "SELECT id, ts_ns, size FROM carrier_event",
					  "1|2000|9223372036854775807" },
					{ "SELECT events FROM source", "3" },
					{ PROBLEMS, "value_out_of_range|data_loss|2" },
					{ "SELECT instr(sentence, '9223372036854775808') > 0 FROM "
					  "load_problem",
							"1" } },
	},
	{
			"a negative instance is rejected with its sign",
			BEGIN "event put 1000 " WHO " {\"eheap_alloc\",-1,5}\n" END,
			NULL,
			{ { "SELECT count(*) FROM carrier_event", "0" },
					{ "SELECT instr(sentence, 'has the value -1,') > 0 FROM "
					  "load_problem",
							"1" } },
	},
	{
			"the least integer is rejected with its sign",
			"trace t\n" STREAM "class c s \"org_erlang_otp:carrier_pool_put\" "
			"{type:str,instance:i64,size:i64}\nbegin s\n"
			"event c 1000 " WHO " {\"eheap_alloc\",1,-9223372036854775808}\n"
			"event c 1000 " WHO " {\"eheap_alloc\",4294967297,5}\n" END,
			NULL,
			{ { "SELECT count(*) FROM carrier_event", "0" },
					{ "SELECT count, instr(sentence, '-9223372036854775808') > 0 FROM "
					  "load_problem",
							"2|1" } },
	},
	{
			"counters whose sums overflow do no harm",
			BEGIN
			"event create 1000 " WHO
			" {\"eheap_alloc\",1,4611686018427387904,1,4611686018427387904,0,0,0,0,0,"
			"0}\n"
			"event create 2000 " WHO
			" {\"ets_alloc\",1,4611686018427387904,1,4611686018427387904,0,0,1,"
			"9223372036854775807,0,0}\n"
			"event put 3000 " WHO " {\"ets_alloc\",1,9223372036854775807}\n"
			"event put 4000 " WHO " {\"ets_alloc\",1,9223372036854775807}\n"
			"event destroy 5000 " WHO
			" {\"ets_alloc\",1,9223372036854775807,0,0,0,0,0,0,0,0}\n" END,
			NULL,
			{ { "SELECT count(*) FROM carrier_event", "5" } },
	},
	{
			"an integer of a known event that is too large is text in extra_field",
			BEGIN "class x s \"org_erlang_otp:driver_output\" "
			      "{pid:str,port:str,driver:str,bytes:u64}\n"
			      "event x 10 " WHO " {\"p\",\"q\",\"d\",9223372036854775808}\n" END,
			NULL,
			{ { "SELECT pid, port, driver, bytes FROM otp_event", "p|q|d|NULL" },
					{ "SELECT field, value FROM extra_field",
							"bytes|9223372036854775808" },
					{ PROBLEMS, "field_out_of_range|data_loss|1" } },
	},
	{
			"a long array is cut and said to be",
			BEGIN "class x s \"org_erlang_otp:new\" {a:[300xu8]}\n"
			      "event x 10 " WHO " {[" /* 300 zeroes */
#define TEN "0,0,0,0,0,0,0,0,0,0,"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
			HUNDRED HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN
			      "0,0,0,0,0,0,0,0,0,0]}\n" END,
			NULL,
			{ { "SELECT count(*) FROM extra_field", "256" },
					{ PROBLEMS, "event_unknown|notice|1\nfield_cut|notice|1" } },
	},
	{
			"a deep structure is cut and said to be",
			BEGIN "class x s \"org_erlang_otp:new\" "
			      "{a:{a:{a:{a:{a:{a:{a:{a:{a:{a:u8}}}}}}}}}}\n"
			      "event x 10 " WHO " {{{{{{{{{{7}}}}}}}}}}\n" END,
			NULL,
			{ { "SELECT field, value FROM extra_field", "a.a.a.a.a.a.a.a.a|NULL" },
					{ PROBLEMS, "event_unknown|notice|1\nfield_cut|notice|1" } },
	},
	{
			"a trace without a clock is refused",
			"trace t\nstream s t " CONTEXT " noclock\nname s \"/x/ch_0\"\n" CLASSES
			"begin s\n" FIRST END,
			"stream '/x/ch_0' has no clock",
			{ { NULL, NULL } },
	},
	{
			"an unknown word width is refused",
			"trace t\nenv t architecture_bit_width 16\n" STREAM CLASSES
			"begin s\n" FIRST END,
			"architecture_bit_width = 16",
			{ { NULL, NULL } },
	},
	{
			"a word width that the fields contradict is refused",
			"trace t\nenv t architecture_bit_width 32\n" STREAM CLASSES
			"begin s\n" FIRST END,
			"field 'size' of event 'org_erlang_otp:carrier_create' has 64 bits",
			{ { NULL, NULL } },
	},
	{
			"a 32-bit trace is read",
			"trace t\nenv t architecture_bit_width 32\n" STREAM
			"class c s \"org_erlang_otp:carrier_pool_put\" {type:str,instance:i32,size:u32}\n"
			"begin s\nevent c 1000 " WHO " {\"eheap_alloc\",1,4294967295}\n" END,
			NULL,
			{ { "SELECT size FROM carrier_event", "4294967295" },
					{ "SELECT word_bits FROM trace", "32" } },
	},
	{
			"a failing source leaves no file",
			BEGIN FIRST "error \"the disk is gone\"\n",
			"the disk is gone",
			{ { NULL, NULL } },
	},
	{
			"a source that fails at once leaves no file",
			"error \"nothing to read\"\n",
			"nothing to read",
			{ { NULL, NULL } },
	},
	{
			"a time that does not fit is an error that names the stream",
			"trace t\n" STREAM CLASSES "name s \"/x/ch_1\"\nbegin s\n"
			"event put -1 " WHO " {\"eheap_alloc\",1,5}\n" END,
			"an event of '/x/ch_1' has a time that does not fit 64 bits",
			{ { NULL, NULL } },
	},
	{
			"time that runs back is taken as it comes",
			BEGIN SECOND "event create 1000 " WHO
				     " {\"eheap_alloc\",1,262144,3,786432,0,0,0,0,0,0}\n" END,
			NULL,
			{ { "SELECT group_concat(ts_ns) FROM carrier_event", "2000,1000" },
					{ "SELECT weighted_time_ns FROM scope_total WHERE scope = 'source'",
							"0" } },
	},
	{
			"blocks of the C library are rows and sums",
			BEGIN
			"class m s \"lttng_ust_libc:malloc\" {size:u64,ptr:u64}\n"
			"class f s \"lttng_ust_libc:free\" {ptr:u64}\n"
			"class c s \"lttng_ust_libc:calloc\" {nmemb:u64,size:u64,ptr:u64}\n"
			"class r s \"lttng_ust_libc:realloc\" {in_ptr:u64,size:u64,ptr:u64}\n"
			"class a s \"lttng_ust_libc:memalign\" {alignment:u64,size:u64,ptr:u64}\n"
			"class p s \"lttng_ust_libc:posix_memalign\" "
			"{out_ptr:u64,alignment:u64,size:u64,result:i32}\n"
			"event m 10 " WHO " {100,4096}\nevent c 20 " WHO " {3,7,8192}\n"
			"event r 30 " WHO " {4096,200,12288}\nevent a 40 " WHO
			" {64,10,16384}\nevent p 50 " WHO " {20480,64,11,0}\nevent p 60 " WHO
			" {0,64,11,12}\nevent f 70 " WHO " {8192}\nevent f 80 " WHO
			" {0}\nevent c 90 " WHO
			" {9223372036854775807,9223372036854775807,1}\n" END,
			NULL,
			{ { "SELECT op, address, size, type_id FROM block_event",
					  "0|4096|100|NULL\n0|8192|21|NULL\n1|4096|NULL|NULL\n"
					  "2|12288|200|NULL\n0|16384|10|NULL\n0|20480|11|NULL\n"
					  "0|0|11|NULL\n1|8192|NULL|NULL\n1|0|NULL|NULL" },
					{ "SELECT allocations, allocated_bytes, frees_known, frees_null, "
					  "failed, live_blocks, live_bytes FROM libc_total",
							"5|342|1|1|1|3|221" },
					{ PROBLEMS, "value_out_of_range|data_loss|1" } },
	},
	{
			"blocks of our own provider are rows",
			BEGIN "class a s \"carrierscope:block_alloc\" {address:u64,size_bytes:u64,"
			      "type_id:u16,allocator_id:u8,instance:u16}\n"
			      "class f s \"carrierscope:block_free\" {address:u64,size_bytes:u64,"
			      "type_id:u16,allocator_id:u8,instance:u16}\n"
			      "event a 10 " WHO " {4096,100,3,2,1}\nevent f 20 " WHO
			      " {4096,100,3,2,1}\n" END,
			NULL,
			{ { "SELECT op, thread_id, address, size, type_id, allocator_id, instance FROM "
			    "block_event",
					  "0|1|4096|100|3|2|1\n1|1|4096|100|3|2|1" },
					{ "SELECT count(*) FROM libc_total", "0" } },
	},
};

static void test_script(void **state)
{
	struct fixture *fixture = *state;
	const struct script_case *this_case = current_case;
	bool is_ok = load(fixture, this_case->script, NULL);

	if (this_case->error) {
		assert_false(is_ok);
		if (!strstr(fixture->error, this_case->error)) {
			print_error("no '%s' in: %s\n", this_case->error, fixture->error);
		}

		assert_non_null(strstr(fixture->error, this_case->error));
		assert_int_equal(count_files(fixture), 0);
		return;
	}

	if (!is_ok) {
		print_error("%s\n", fixture->error);
	}

	assert_true(is_ok);
	assert_int_equal(count_files(fixture), 1);
	for (size_t i = 0; i < COUNT_OF(this_case->checks) && this_case->checks[i].sql; i++) {
		assert_string_equal(
				ask(fixture, this_case->checks[i].sql), this_case->checks[i].rows);
	}

	assert_string_equal(ask(fixture, "SELECT complete FROM source"), "1");
	assert_string_equal(ask(fixture, "PRAGMA integrity_check"), "ok");
}

/* The cases of a table, one test each; the setup knows which comes next. */
static size_t next_case;

static int open_case(void **state)
{
	current_case = &script_cases[next_case++];
	return open_fixture(state);
}

#define VALID "valid: path (string, required), force (boolean), append (boolean)"

static void test_wrong_parameters_are_refused_with_a_list_of_the_right_ones(void **state)
{
	static const struct {
		const char *key;
		char type;
		const char *error;
	} wrong[] = {
		{ "colour", 's', "unknown parameter 'colour'; " VALID },
		{ "path", 'i', "parameter 'path' is not a string; " VALID },
		{ "force", 's', "parameter 'force' is not a boolean; " VALID },
		{ "append", 'i', "parameter 'append' is not a boolean; " VALID },
		{ "path", '0', "parameter 'path' is missing; " VALID },
		{ "path", '-', "parameter 'path' is missing; " VALID },
		{ "append", 'b', "parameters 'force' and 'append' exclude each other" },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		bt_value *params =
				make_params(fixture->path, wrong[i].type == 'b' ? "force" : NULL);
		bool is_ok;

		if (wrong[i].type == 's' || wrong[i].type == '0') {
			(void)bt_value_map_insert_string_entry(
					params, wrong[i].key, wrong[i].type == 's' ? "x" : "");
		} else if (wrong[i].type == 'i') {
			(void)bt_value_map_insert_signed_integer_entry(params, wrong[i].key, 1);
		} else if (wrong[i].type == 'b') {
			(void)bt_value_map_insert_bool_entry(params, wrong[i].key, BT_TRUE);
		} else {
			bt_value_put_ref(params);
			params = bt_value_map_create();
		}

		fixture->error[0] = '\0';
		is_ok = configure(fixture, "", params);
		bt_value_put_ref(params);
		bt_graph_put_ref(fixture->graph);
		fixture->graph = NULL;
		assert_false(is_ok);
		assert_non_null(strstr(fixture->error, wrong[i].error));
		assert_int_equal(count_files(fixture), 0);
	}
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
}

static void test_a_file_that_exists_is_replaced_by_force_only(void **state)
{
	struct fixture *fixture = *state;

	write_file(fixture->path, "precious");
	assert_false(load(fixture, BEGIN FIRST END, NULL));
	assert_non_null(strstr(fixture->error, "it exists; use force to replace it or append"));
	assert_int_equal(count_files(fixture), 1);
	assert_false(load(fixture, BEGIN FIRST "error \"gone\"\n", "force"));
	assert_int_equal(count_files(fixture), 1);
	assert_false(load(fixture, BEGIN FIRST END, "append"));
	assert_non_null(strstr(fixture->error, "not a database"));
	assert_true(load(fixture, BEGIN FIRST END, "force"));
	assert_string_equal(ask(fixture, "SELECT count(*) FROM carrier_event"), "1");
	assert_int_equal(count_files(fixture), 1);
}

static void test_append_refuses_a_database_of_others(void **state)
{
	struct fixture *fixture = *state;

	assert_string_equal(ask(fixture, "CREATE TABLE mine(x)"), "");
	close_database(fixture);
	assert_false(load(fixture, BEGIN FIRST END, "append"));
	assert_non_null(strstr(fixture->error, "not a carrierscope database"));
	assert_string_equal(ask(fixture, "PRAGMA application_id = 1129530192"), "");
	assert_string_equal(ask(fixture, "PRAGMA user_version = 99"), "");
	close_database(fixture);
	assert_false(load(fixture, BEGIN FIRST END, "append"));
	assert_non_null(strstr(fixture->error, "its schema has version 99, not 1"));
	assert_string_equal(ask(fixture, "SELECT count(*) FROM mine"), "0");
}

static void test_append_adds_a_source_with_ids_that_continue(void **state)
{
	static const char second[] = BEGIN
			"event create 5000 {9,9,\"beam.smp\"} "
			"{\"ets_alloc\",2,262144,1,262144,0,0,0,0,0,0}\n"
			"event create 6000 {9,9,\"beam.smp\"} "
			"{\"eheap_alloc\",2,262144,1,262144,0,0,0,0,0,0}\n"
			"class x s \"org_erlang_otp:new\" {a:u8}\nevent x 7000 {9,9,\"\"} {1}\n" END;
	struct fixture *fixture = *state;

	assert_true(load(fixture, BEGIN FIRST SECOND END, "append"));
	assert_true(load(fixture, second, "append"));
	assert_false(load(fixture, BEGIN FIRST "error \"gone\"\n", "append"));
	assert_true(load(fixture, second, "append"));
	assert_string_equal(ask(fixture,
					    "SELECT id, events, complete, first_carrier_event_id, "
					    "last_carrier_event_id FROM source"),
			"1|2|1|1|2\n2|3|1|3|4\n3|3|1|5|6");
	assert_string_equal(ask(fixture, "SELECT id, name FROM allocator"),
			"1|eheap_alloc\n2|ets_alloc");
	assert_string_equal(ask(fixture, "SELECT id, runtime_id, allocator_id FROM instance"),
			"1|1|1\n2|2|2\n3|2|1\n4|3|2\n5|3|1");
	assert_string_equal(
			ask(fixture,
					"SELECT id, instance_id, thread_id, footprint_bytes FROM "
					"carrier_event"),
			"1|1|1|262144\n2|1|1|524288\n3|2|2|262144\n4|3|2|524288\n5|4|4|262144\n"
			"6|5|4|524288");
	assert_string_equal(ask(fixture, "SELECT source_id, id, vpid FROM runtime"),
			"1|1|7\n2|2|9\n3|3|9");
	assert_string_equal(ask(fixture,
					    "SELECT event_id, event, runtime_id FROM extra_field "
					    "JOIN otp_event ON otp_event.id = event_id"),
			"1|new|2\n2|new|3");
	assert_string_equal(
			ask(fixture, "SELECT source_id, count(*) FROM footprint_sample GROUP BY 1"),
			"1|100\n2|100\n3|100");
	assert_string_equal(ask(fixture, "PRAGMA integrity_check"), "ok");
}

/* Runs the graph until the source has nothing to say. */
static void run_until_again(struct fixture *fixture)
{
	bt_graph_run_once_status status;

	do {
		status = bt_graph_run_once(fixture->graph);
	} while (status == BT_GRAPH_RUN_ONCE_STATUS_OK);

	assert_int_equal(status, BT_GRAPH_RUN_ONCE_STATUS_AGAIN);
}

static void begin_load(struct fixture *fixture, const char *script, const char *flag)
{
	bt_value *params = make_params(fixture->path, flag);
	bool is_ok = configure(fixture, script, params);

	bt_value_put_ref(params);
	assert_true(is_ok);
}

static void test_a_live_source_is_readable_while_it_grows(void **state)
{
	struct fixture *fixture = *state;

	begin_load(fixture, BEGIN FIRST "again\n" SECOND "again\nagain\n" END, NULL);
	assert_int_equal(access(fixture->path, F_OK), -1);
	run_until_again(fixture);
	assert_string_equal(ask(fixture, "PRAGMA journal_mode"), "wal");
	assert_string_equal(ask(fixture, "SELECT complete, events FROM source"), "0|1");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM carrier_event"), "1");
	run_until_again(fixture);
	(void)usleep(1100000);
	run_until_again(fixture);
	assert_string_equal(ask(fixture, "SELECT complete, events FROM source"), "0|2");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM carrier_event"), "2");
	close_database(fixture);
	assert_int_equal(bt_graph_run(fixture->graph), BT_GRAPH_RUN_STATUS_OK);
	assert_string_equal(ask(fixture, "SELECT complete, events FROM source"), "1|2");
	assert_string_equal(ask(fixture, "PRAGMA journal_mode"), "delete");
	assert_string_equal(ask(fixture, "PRAGMA integrity_check"), "ok");
	assert_int_equal(count_files(fixture), 1);
}

static void test_a_live_source_that_breaks_off_keeps_what_came(void **state)
{
	struct fixture *fixture = *state;

	begin_load(fixture, BEGIN FIRST "again\n" SECOND "error \"gone\"\n", NULL);
	run_until_again(fixture);
	assert_int_not_equal(bt_graph_run(fixture->graph), BT_GRAPH_RUN_STATUS_OK);
	take_error(fixture);
	bt_graph_put_ref(fixture->graph);
	fixture->graph = NULL;
	assert_string_equal(ask(fixture, "SELECT complete, events FROM source"), "0|2");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM carrier_event"), "2");
	assert_int_equal(count_files(fixture), 1);
}

static void test_a_live_source_appended_ends_complete(void **state)
{
	struct fixture *fixture = *state;

	assert_true(load(fixture, BEGIN FIRST END, NULL));
	begin_load(fixture, BEGIN FIRST "again\n" SECOND END, "append");
	run_until_again(fixture);
	assert_string_equal(
			ask(fixture, "SELECT id, complete, events FROM source"), "1|1|1\n2|0|1");
	close_database(fixture);
	assert_int_equal(bt_graph_run(fixture->graph), BT_GRAPH_RUN_STATUS_OK);
	assert_string_equal(
			ask(fixture, "SELECT id, complete, events FROM source"), "1|1|1\n2|1|2");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM scope_total WHERE scope = 'source'"),
			"2");
	assert_string_equal(ask(fixture, "PRAGMA integrity_check"), "ok");
}

static void test_an_interrupted_load_says_that_it_is_incomplete(void **state)
{
	struct fixture *fixture = *state;

	begin_load(fixture,
			BEGIN FIRST SECOND FIRST SECOND FIRST SECOND FIRST SECOND FIRST SECOND FIRST
					SECOND FIRST SECOND FIRST SECOND FIRST SECOND END,
			NULL);
	assert_int_equal(bt_graph_run_once(fixture->graph), BT_GRAPH_RUN_ONCE_STATUS_OK);
	bt_graph_put_ref(fixture->graph);
	fixture->graph = NULL;
	assert_string_equal(ask(fixture, "SELECT complete, events FROM source"), "0|14");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM carrier_event"), "14");
	assert_int_equal(count_files(fixture), 1);
}

static void test_a_graph_that_never_ran_leaves_nothing(void **state)
{
	struct fixture *fixture = *state;

	begin_load(fixture, BEGIN FIRST END, NULL);
	bt_graph_put_ref(fixture->graph);
	fixture->graph = NULL;
	assert_int_equal(count_files(fixture), 0);
}

static void test_two_loads_of_one_name_in_one_process_do_not_mix(void **state)
{
	struct fixture *fixture = *state;
	struct fixture other = *fixture;

	begin_load(fixture, BEGIN FIRST SECOND END, NULL);
	begin_load(&other, BEGIN FIRST END, NULL);
	assert_int_equal(bt_graph_run(fixture->graph), BT_GRAPH_RUN_STATUS_OK);
	assert_int_not_equal(bt_graph_run(other.graph), BT_GRAPH_RUN_STATUS_OK);
	take_error(&other);
	bt_graph_put_ref(other.graph);
	assert_non_null(strstr(other.error, "cannot give"));
	assert_string_equal(ask(fixture, "SELECT complete, events FROM source"), "1|2");
	assert_string_equal(ask(fixture, "PRAGMA integrity_check"), "ok");
	assert_int_equal(count_files(fixture), 1);
}

static void test_journals_of_a_former_file_do_not_spoil_the_new_one(void **state)
{
	struct fixture *fixture = *state;
	char journal[512];

	/* A database in WAL mode that was killed: its -wal is left. */
	begin_load(fixture, BEGIN FIRST "again\n" SECOND END, NULL);
	run_until_again(fixture);
	(void)snprintf(journal, sizeof(journal), "cp %s-wal %s/kept; cp %s-shm %s/kept-shm",
			fixture->path, fixture->folder, fixture->path, fixture->folder);
	assert_int_equal(system(journal), 0);
	bt_graph_put_ref(fixture->graph);
	fixture->graph = NULL;
	(void)snprintf(journal, sizeof(journal), "mv %s/kept %s-wal; mv %s/kept-shm %s-shm",
			fixture->folder, fixture->path, fixture->folder, fixture->path);
	assert_int_equal(system(journal), 0);
	assert_true(load(fixture, BEGIN FIRST SECOND END, "force"));
	assert_int_equal(count_files(fixture), 1);
	assert_string_equal(ask(fixture, "PRAGMA integrity_check"), "ok");
	assert_string_equal(ask(fixture, "SELECT complete, events FROM source"), "1|2");
}

static void test_ten_thousand_instances_are_kept_apart(void **state)
{
	struct fixture *fixture = *state;
	size_t size;
	FILE *out = open_memstream(&fixture->script, &size);

	assert_non_null(out);
	(void)fputs(BEGIN, out);
	for (int round = 1; round <= 3; round++) {
		for (int i = 0; i < 10000; i++) {
			(void)fprintf(out,
					"event create %d " WHO
					" {\"eheap_alloc\",%d,262144,%d,%d,0,0,0,0,0,0}\n",
					round * 10000000 + i, i, round, round * 262144);
		}
	}

	(void)fputs(END, out);
	(void)fclose(out);
	assert_true(load(fixture, fixture->script, NULL));
	assert_string_equal(ask(fixture, "SELECT count(*), min(number), max(number) FROM instance"),
			"10000|0|9999");
	assert_string_equal(
			ask(fixture,
					"SELECT count(*), sum(mbc_creates), sum(last_mbc_carriers) "
					"FROM scope_total WHERE scope = 'instance'"),
			"10000|30000|30000");
	assert_string_equal(
			ask(fixture,
					"SELECT sum(mbc_creates) FROM scope_bucket WHERE scope = "
					"'instance'"),
			"30000");
	assert_string_equal(ask(fixture,
					    "SELECT footprint_bytes FROM carrier_event WHERE id = "
					    "30000"),
			"7864320000");
}

static void test_events_of_64_streams_with_equal_times_are_all_kept(void **state)
{
	struct fixture *fixture = *state;
	size_t size;
	FILE *out = open_memstream(&fixture->script, &size);

	assert_non_null(out);
	(void)fputs("trace t\n", out);
	for (int i = 0; i < 64; i++) {
		(void)fprintf(out,
				"stream s%d t " CONTEXT "\nname s%d \"/trace/ch_%d\"\n"
				"class c%d s%d \"org_erlang_otp:carrier_create\" {" HEAD
				"," COUNTERS "}\nbegin s%d\n",
				i, i, i, i, i, i);
	}

	for (int round = 1; round <= 20; round++) {
		for (int i = 0; i < 64; i++) {
			(void)fprintf(out,
					"event c%d %d {7,%d,\"x\"} "
					"{\"eheap_alloc\",%d,262144,%d,%d,0,0,0,0,0,0}\n",
					i, round * 1000, 100 + i, i, round, round * 262144);
		}
	}

	(void)fclose(out);
	assert_true(load(fixture, fixture->script, NULL));
	assert_string_equal(ask(fixture, "SELECT count(*), sum(events) FROM stream"), "64|1280");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM thread"), "64");
	assert_string_equal(ask(fixture, "SELECT sum(inconsistent) FROM instance"), "0");
	assert_string_equal(ask(fixture, "SELECT path FROM source"), "/trace");
}

static void test_long_texts_are_kept_whole(void **state)
{
	enum { LENGTH = 3000000 };
	struct fixture *fixture = *state;
	size_t size;
	FILE *out = open_memstream(&fixture->script, &size);
	const char head[] = BEGIN "class x s \"org_erlang_otp:new\" {a:str}\n";

	assert_non_null(out);
	(void)fputs(head, out);
	for (int k = 0; k < 4; k++) {
		(void)fprintf(out, "event x %d " WHO " {\"", k);
		for (int i = 0; i < LENGTH; i++) {
			(void)fputc('a' + (i + k) % 26, out);
		}

		(void)fputs("\"}\n", out);
	}

	(void)fclose(out);
	assert_true(load(fixture, fixture->script, NULL));
	assert_string_equal(ask(fixture,
					    "SELECT length(value), substr(value, 1, 3), "
					    "substr(value, -2) FROM extra_field"),
			"3000000|abc|op\n3000000|bcd|pq\n3000000|cde|qr\n3000000|def|rs");
}

static void test_an_event_with_more_values_than_a_batch_takes_is_cut(void **state)
{
	struct fixture *fixture = *state;
	size_t size;
	FILE *out = open_memstream(&fixture->script, &size);

	assert_non_null(out);
	(void)fputs(BEGIN "class x s \"org_erlang_otp:new\" {a:[20x[250xu8]]}\n", out);
	for (int k = 0; k < 3; k++) {
		(void)fprintf(out, "event x %d " WHO " {[", k);
		for (int i = 0; i < 20; i++) {
			(void)fputs(i ? ",[0" : "[0", out);
			for (int j = 1; j < 250; j++) {
				(void)fputs(",1", out);
			}

			(void)fputs("]", out);
		}

		(void)fputs("]}\n", out);
	}

	(void)fclose(out);
	assert_true(load(fixture, fixture->script, NULL));
	assert_string_equal(ask(fixture, "SELECT count(*) FROM otp_event"), "3");
	assert_string_equal(ask(fixture, "SELECT event_id, count(*) FROM extra_field GROUP BY 1"),
			"1|4096\n2|4096\n3|4096");
	assert_string_equal(ask(fixture, "SELECT count FROM load_problem WHERE name = 'field_cut'"),
			"2712");
}

static void test_reallocs_across_batches_are_two_rows_each(void **state)
{
	enum { EVENTS = 40001 };
	struct fixture *fixture = *state;
	size_t size;
	FILE *out = open_memstream(&fixture->script, &size);

	assert_non_null(out);
	(void)fputs("trace t\n" STREAM
		    "class r s \"lttng_ust_libc:realloc\" {in_ptr:u64,size:u64,ptr:u64}\n"
		    "begin s\nevent r 1 " WHO " {0,1,1}\n",
			out);
	for (int i = 1; i < EVENTS; i++) {
		(void)fprintf(out, "event r %d " WHO " {%d,%d,%d}\n", i, i, i, i + 1);
	}

	(void)fclose(out);
	assert_true(load(fixture, fixture->script, NULL));
	assert_string_equal(
			ask(fixture, "SELECT count(*), max(id) FROM block_event"), "80001|80001");
	assert_string_equal(ask(fixture,
					    "SELECT allocations, reallocs_moved, live_blocks FROM "
					    "libc_total"),
			"40001|40001|1");
}

static void test_more_events_than_a_batch_takes_are_all_kept(void **state)
{
	enum { EVENTS = 70000 };
	struct fixture *fixture = *state;
	size_t size;
	FILE *out = open_memstream(&fixture->script, &size);

	assert_non_null(out);
	(void)fputs(BEGIN "class x s \"org_erlang_otp:driver_stop_select\" {driver:str}\n", out);
	for (int i = 0; i < EVENTS; i++) {
		(void)fprintf(out, "event put %d " WHO " {\"eheap_alloc\",1,%d}\n", i, i);
		if (i % 10 == 0) {
			(void)fprintf(out, "event x %d " WHO " {\"%d\"}\n", i, i);
		}
	}

	(void)fclose(out);
	assert_true(load(fixture, fixture->script, NULL));
	assert_string_equal(ask(fixture,
					    "SELECT count(*), min(size), max(size), sum(size) FROM "
					    "carrier_event"),
			"70000|0|69999|2449965000");
	assert_string_equal(
			ask(fixture,
					"SELECT count(*) FROM carrier_event WHERE ts_ns <> size "
					"OR id <> size + 1"),
			"0");
	assert_string_equal(ask(fixture, "SELECT count(*), sum(driver) FROM otp_event"),
			"7000|244965000");
	assert_string_equal(ask(fixture, "SELECT count(*), max(carrier_event_id) FROM keyframe"),
			"18|69633");
}

/* The documented events, read from the lists once more, with the types of their fields. */
struct listed_field {
	const char *name;

	/* 0: a text; else the bits, negative if signed. */
	int bits;
};

struct listed_event {
	const char *name;
	const struct listed_field *fields;
	size_t field_count;
};

#define LTTNG_UST_TP_FIELDS(...) __VA_ARGS__
#define lttng_ust_field_string(name, source) { #name, 0 },
#define lttng_ust_field_integer(type, name, source) \
	{ #name, (type)-1 < (type)1 ? -(int)sizeof(type) * 8 : (int)sizeof(type) * 8 },
#define LTTNG_UST_TRACEPOINT_EVENT(provider, name, args, fields) \
	static const struct listed_field fields_of_##name[] = { fields };
#include "otp_dyntrace_events.inc"
#include "otp_events.inc"
#undef LTTNG_UST_TRACEPOINT_EVENT
#define LTTNG_UST_TRACEPOINT_EVENT(provider, name, args, fields) \
	{ #name, fields_of_##name, COUNT_OF(fields_of_##name) },
static const struct listed_event otp_list[] = {
#include "otp_events.inc"
};
static const struct listed_event dyntrace_list[] = {
#include "otp_dyntrace_events.inc"
};
#undef LTTNG_UST_TRACEPOINT_EVENT

static void script_listed(
		FILE *out, const char *provider, const struct listed_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct listed_event *event = &events[i];

		(void)fprintf(out, "class %c%zu s \"%s:%s\" {", provider[0], i, provider,
				event->name);
		for (size_t k = 0; k < event->field_count; k++) {
			int bits = event->fields[k].bits;

			(void)fprintf(out, "%s:%s", event->fields[k].name,
					bits == 0		     ? "str,"
							: bits < 0   ? "i32,"
							: bits == 64 ? "u64,"
								     : "u32,");
		}

		(void)fprintf(out, "}\nevent %c%zu %zu " WHO " {", provider[0], i, i);
		for (size_t k = 0; k < event->field_count; k++) {
			int bits = event->fields[k].bits;

			(void)fprintf(out,
					bits == 0		   ? "%s\"%zu.%zu\""
							: bits < 0 ? "%s-1%zu%zu"
								   : "%s1%zu%zu",
					k ? "," : "", i, k);
		}

		(void)fputs("}\n", out);
	}
}

static void check_listed(struct fixture *fixture, const char *provider,
		const struct listed_event *events, size_t count)
{
	char sql[512];
	char expected[64];

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < events[i].field_count; k++) {
			int bits = events[i].fields[k].bits;

			(void)snprintf(expected, sizeof(expected),
					bits == 0		   ? "%zu.%zu"
							: bits < 0 ? "-1%zu%zu"
								   : "1%zu%zu",
					i, k);
			(void)snprintf(sql, sizeof(sql),
					"SELECT \"%s\" FROM otp_event WHERE event = '%s' AND "
					"provider = '%s'",
					events[i].fields[k].name, events[i].name, provider);
			assert_string_equal(ask(fixture, sql), expected);
		}
	}
}

static void load_listed(struct fixture *fixture, const char *otp, const char *dyntrace)
{
	size_t size;
	FILE *out = open_memstream(&fixture->script, &size);

	assert_non_null(out);
	(void)fputs("trace t\n" STREAM "begin s\n", out);
	script_listed(out, otp, otp_list, COUNT_OF(otp_list));
	/* Classes are named by the first letter: providers must differ there. */
	script_listed(out, dyntrace, dyntrace_list, COUNT_OF(dyntrace_list));
	(void)fclose(out);
	assert_true(load(fixture, fixture->script, NULL));
	check_listed(fixture, otp, otp_list, COUNT_OF(otp_list));
	check_listed(fixture, dyntrace, dyntrace_list, COUNT_OF(dyntrace_list));
	assert_string_equal(ask(fixture, "SELECT count(*) FROM otp_event"), "38");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM extra_field"), "0");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM load_problem"), "0");
	assert_string_equal(
			ask(fixture,
					"SELECT count(*) FROM otp_event WHERE event = "
					"'driver_stop_select' AND pid IS NULL AND bytes IS NULL AND "
					"driver IS NOT NULL AND \"from\" IS NULL"),
			"1");
}

static void test_every_documented_event_has_its_fields_in_columns(void **state)
{
	load_listed(*state, "org_erlang_otp", "com_ericsson_dyntrace");
}

static void test_every_documented_event_is_read_under_its_other_name(void **state)
{
	load_listed(*state, "com_ericsson_otp", "org_erlang_dyntrace");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void)
{
	static const struct CMUnitTest others[] = {
		CASE(test_wrong_parameters_are_refused_with_a_list_of_the_right_ones),
		CASE(test_a_file_that_exists_is_replaced_by_force_only),
		CASE(test_append_refuses_a_database_of_others),
		CASE(test_append_adds_a_source_with_ids_that_continue),
		CASE(test_a_live_source_is_readable_while_it_grows),
		CASE(test_a_live_source_that_breaks_off_keeps_what_came),
		CASE(test_a_live_source_appended_ends_complete),
		CASE(test_an_interrupted_load_says_that_it_is_incomplete),
		CASE(test_a_graph_that_never_ran_leaves_nothing),
		CASE(test_two_loads_of_one_name_in_one_process_do_not_mix),
		CASE(test_journals_of_a_former_file_do_not_spoil_the_new_one),
		CASE(test_ten_thousand_instances_are_kept_apart),
		CASE(test_events_of_64_streams_with_equal_times_are_all_kept),
		CASE(test_long_texts_are_kept_whole),
		CASE(test_an_event_with_more_values_than_a_batch_takes_is_cut),
		CASE(test_reallocs_across_batches_are_two_rows_each),
		CASE(test_more_events_than_a_batch_takes_are_all_kept),
		CASE(test_every_documented_event_has_its_fields_in_columns),
		CASE(test_every_documented_event_is_read_under_its_other_name),
	};
	struct CMUnitTest tests[COUNT_OF(script_cases) + COUNT_OF(others)];
	int failed;

	for (size_t i = 0; i < COUNT_OF(script_cases); i++) {
		tests[i] = (struct CMUnitTest){ script_cases[i].name, test_script, open_case,
			close_fixture, NULL };
	}

	memcpy(&tests[COUNT_OF(script_cases)], others, sizeof(others));
	source_class = scripted_source_create();
	sink_class = bt_component_class_sink_create("sqlite", sink_consume);
	if (!source_class || !sink_class ||
			bt_component_class_sink_set_initialize_method(
					sink_class, sink_initialize) ||
			bt_component_class_sink_set_finalize_method(sink_class, sink_finalize) ||
			bt_component_class_sink_set_graph_is_configured_method(
					sink_class, sink_graph_is_configured)) {
		return 2;
	}

	failed = cmocka_run_group_tests_name("sink", tests, NULL, NULL);
	bt_component_class_source_put_ref(source_class);
	bt_component_class_sink_put_ref(sink_class);
	return failed;
}
