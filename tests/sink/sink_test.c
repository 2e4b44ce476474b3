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

#include "schema_version.h"
#include "scripted_source.h"
#include "sink.h"

#define TEXT_OF_(number) #number
#define TEXT_OF(number) TEXT_OF_(number)
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
#include "script_cases.inc"
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
	assert_non_null(strstr(
			fixture->error, "its schema has version 99, not " TEXT_OF(SCHEMA_VERSION)));
	assert_string_equal(ask(fixture, "SELECT count(*) FROM mine"), "0");
}

static void test_a_stream_that_goes_back_in_time_is_refused(void **state)
{
	struct fixture *fixture = *state;

	/* Packets may touch. */
	assert_true(load(fixture,
			"trace t\nstream s t - packets\nname s \"first\"\nbegin s\n"
			"packet s 10\nendpacket s 20\npacket s 20\nendpacket s 30\nend s\n",
			"force"));
	assert_string_equal(ask(fixture, "SELECT packets FROM stream"), "2");
	close_database(fixture);
	assert_false(load(fixture,
			"trace t\nstream s t - packets\nname s \"first\"\nbegin s\n"
			"packet s 10\nendpacket s 20\npacket s 19\nendpacket s 30\nend s\n",
			"force"));
	assert_non_null(strstr(
			fixture->error, "stream 'first' goes back in time from 20 ns to 19 ns"));
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
		CASE(test_a_stream_that_goes_back_in_time_is_refused),
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
