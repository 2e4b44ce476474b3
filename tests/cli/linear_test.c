/*
 * SPDX-License-Identifier: MIT
 *
 * What a report computes grows with the number of runtimes, and no faster; the answer does not
 * grow with that of live blocks.
 *
 *	linear_test                     the tests
 *	linear_test KIND RUNTIMES FILE  only writes the database: of carrier events that have
 *	                                counters, or addresses; or of so many live blocks
 *
 * Counted are the steps of SQLite's virtual machine, which are the same on every machine and
 * however busy it is.
 */
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

#include "answer_text.h"
#include "command.h"
#include "database.h"
#include "judge.h"
#include "page.h"
#include "scratch.h"
#include "scripted_graph.h"

#define CONTEXT "{vpid:i32,vtid:i32,procname:str}"
#define COUNTERS                                                                     \
	"mbc_carriers:u64,mbc_carriers_size:u64,mbc_blocks:u64,mbc_blocks_size:u64," \
	"sbc_carriers:u64,sbc_carriers_size:u64,sbc_blocks:u64,sbc_blocks_size:u64"
#define OTP_CLASS(name, rest)                             \
	"class " name " s \"org_erlang_otp:carrier_" name \
	"\" {type:str,instance:i32,size:u64" rest "}\n"
#define PLACE "size_bytes:u64,allocator_id:u8,instance:u16"
#define OWN_CLASS(name, fields) "class " name " s \"carrierscope:" name "\" {" fields "}\n"

enum {
	EVENTS = 12, /* of each runtime */
	FEW = 100,
	MANY = 400,
	STRIDE = 100, /* steps of the machine between two counts */
};

struct fixture {
	struct scratch scratch;
};

/* What the command says beside its results. */
void command_print(const char *format, ...)
{
	(void)format;
}

/* Instances with counters: each has carriers that come, go to the pool and back, and stay. */
static void print_counters(FILE *out, unsigned long runtimes)
{
	(void)fputs(OTP_CLASS("create", "," COUNTERS) OTP_CLASS("destroy", "," COUNTERS)
					OTP_CLASS("pool_put", "") OTP_CLASS("pool_get", ""),
			out);
	(void)fputs("begin s\n", out);
	for (unsigned long step = 0; step < EVENTS; step++) {
		for (unsigned long i = 0; i < runtimes; i++) {
			const char *type = step % 2 ? "eheap_alloc" : "binary_alloc";
			unsigned long ns = 1000000 * (1 + step) + 10 * i;
			unsigned long mbcs = 1 + step / 2;

			(void)fprintf(out, "event %s %lu {%lu,%lu,\"1_scheduler\"} ",
					step == 8		     ? "pool_put"
							: step == 10 ? "pool_get"
							: step == 11 ? "destroy"
								     : "create",
					ns, 1000 + i, 1000 + i);
			if (step == 8 || step == 10) {
				(void)fprintf(out, "{\"%s\",1,4194304}\n", type);
			} else {
				(void)fprintf(out, "{\"%s\",1,4194304,%lu,%lu,9,%lu,0,0,0,0}\n",
						type, mbcs, 4194304 * mbcs, 1048576 * mbcs);
			}
		}
	}
}

/* Cores that record carriers and blocks with their addresses. */
static void print_addresses(FILE *out, unsigned long runtimes)
{
	(void)fputs(OWN_CLASS("name_allocator", "allocator_id:u8,name:str") OWN_CLASS(
				    "carrier_alloc",
				    "address:u64," PLACE
				    ",kind:u8,source:u8,reason:u8") OWN_CLASS("carrier_free",
				    "address:u64," PLACE
				    ",kind:u8,source:u8,reason:u8") OWN_CLASS("carrier_realloc",
				    "address:u64,old_address:u64," PLACE
				    ",kind:u8,source:u8,reason:u8") OWN_CLASS("carrier_moved",
				    "address:u64," PLACE
				    ",origin:u16,place:u8") OWN_CLASS("block_alloc",
				    "address:u64,size_bytes:u64,type_id:u16,allocator_id:u8,instance:u16")
					OWN_CLASS("block_free",
							"address:u64,size_bytes:u64,type_id:u16,allocator_id:u8,instance:u16")
							OWN_CLASS("block_realloc",
									"address:u64,old_address:u64,size_bytes:u64,type_id:u16,"
									"allocator_id:u8,instance:u16"),
			out);
	(void)fputs("begin s\n", out);
	for (unsigned long step = 0; step < EVENTS; step++) {
		for (unsigned long i = 0; i < runtimes; i++) {
			static const char *const events[EVENTS] = {
				"name_allocator %s {2,\"eheap_alloc\"}",
				"carrier_alloc %s {4194304,4194304,2,1,1,0,1}",
				"carrier_alloc %s {16777216,33554432,2,1,2,0,2}",
				"block_alloc %s {4194368,100000,7,2,1}",
				"block_alloc %s {16777280,33000000,7,2,1}",
				"carrier_moved %s {4194304,4194304,2,1,1,1}",
				"carrier_realloc %s {16777216,16777216,34603008,2,1,2,0,4}",
				"block_realloc %s {16777280,16777280,34000000,7,2,1}",
				"block_alloc %s {16777290,8,7,2,1}",
				"block_free %s {16777290,8,7,2,1}",
				"carrier_moved %s {4194304,4194304,2,1,1,0}",
				"carrier_free %s {4194304,4194304,2,1,1,0,5}",
			};
			char head[96];

			(void)snprintf(head, sizeof(head), "%lu {%lu,%lu,\"core\"}",
					1000000 * (1 + step) + 10 * i, 1000 + i, 1000 + i);
			(void)fputs("event ", out);
			(void)fprintf(out, events[step], head);
			(void)fputc('\n', out);
		}
	}
}

/* As many blocks that stay live, of one runtime. */
static void print_live(FILE *out, unsigned long blocks)
{
	(void)fputs(OWN_CLASS("name_allocator", "allocator_id:u8,name:str") OWN_CLASS("block_alloc",
				    "address:u64,size_bytes:u64,type_id:u16,allocator_id:u8,instance:u16"),
			out);
	(void)fputs("begin s\nevent name_allocator 1000 {100,100,\"core\"} {2,\"binary_alloc\"}\n",
			out);
	for (unsigned long i = 0; i < blocks; i++) {
		(void)fprintf(out, "event block_alloc %lu {100,100,\"core\"} {%lu,100,7,2,1}\n",
				2000 + 10 * i, 4096 + 128 * i);
	}
}

static void load(const char *path, const char *kind, unsigned long runtimes)
{
	bt_graph *graph;
	bt_value *params = bt_value_map_create();
	char *script = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&script, &size);

	assert_non_null(out);
	(void)fputs("trace t\nstream s t " CONTEXT "\n", out);
	if (strcmp(kind, "counters") == 0) {
		print_counters(out, runtimes);
	} else if (strcmp(kind, "live") == 0) {
		print_live(out, runtimes);
	} else {
		print_addresses(out, runtimes);
	}
	(void)fputs("end s\n", out);
	assert_int_equal(fclose(out), 0);

	assert_int_equal(bt_value_map_insert_string_entry(params, "path", path), 0);
	assert_int_equal(bt_value_map_insert_bool_entry(params, "force", BT_TRUE), 0);
	graph = scripted_graph_create(script, params);
	assert_non_null(graph);
	assert_int_equal(bt_graph_run(graph), BT_GRAPH_RUN_STATUS_OK);
	bt_graph_put_ref(graph);
	bt_value_put_ref(params);
	free(script);
}

/* A list of more holders than the answer prints. */
static void add_reading(const char *path)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
			sqlite3_exec(db,
					"INSERT INTO snapshot_holders SELECT 1, last_ts_ns, 1, NULL, 1, 20, 20, 0, 0, 0, 0, 0, 0, 0 FROM source;"
					"INSERT INTO snapshot_process(id, ts_ns, runtime_id, thread_id, snapshot_id, pid, memory_bytes, "
					"heap_bytes, messages, binaries, binary_bytes, binaries_by) SELECT j.key + 1, s.last_ts_ns, 1, NULL, 1, "
					"format('<0.%d.0>', j.key + 1), 9000, 8000 + j.key, 0, 0, 0, 1 FROM source AS s "
					"JOIN json_each('[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]') AS j",
					NULL, NULL, NULL),
			SQLITE_OK);
	(void)sqlite3_close(db);
}

static int open_fixture(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	if (!fixture) {
		return -1;
	}

	*state = fixture;
	return scratch_open(&fixture->scratch, "linear") ? 0 : -1;
}

static int close_fixture(void **state)
{
	struct fixture *fixture = *state;

	scratch_close(&fixture->scratch);
	free(fixture);
	return 0;
}

static int count_steps(void *context)
{
	uint64_t *steps = context;

	*steps += STRIDE;
	return 0;
}

/* What is computed: the figures anew, the texts of `report`, what `check` reads, the page. */
enum work {
	WORK_FIGURES,
	WORK_ANSWER,
	WORK_METRICS,
	WORK_PAGE,
	WORKS,
};

static const char *const work_names[] = { "figures", "answer", "metrics", "page" };

/* `is_anew`: what was stored when the file was loaded is not used. */
static void do_work(sqlite3 *db, enum work work, bool is_anew, const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct diag diag = { 0 };
	enum csc_status status;

	if (is_anew) {
		assert_int_equal(
				sqlite3_exec(db,
						"CREATE TEMP TABLE question AS SELECT * FROM main.question",
						NULL, NULL, NULL),
				SQLITE_OK);
	}
	status = judge_prepare(db,
			work == WORK_FIGURES		       ? "figure"
					: work == WORK_METRICS ? "metric"
							       : NULL,
			&diag);

	assert_non_null(out);
	if (status == CSC_OK && work == WORK_ANSWER) {
		status = answer_text_print(out, db, &(struct answer_style){ .path = path }, &diag);
	} else if (status == CSC_OK && work == WORK_PAGE) {
		status = page_print(out, db, path, NULL, &diag);
	} else if (status == CSC_OK && work == WORK_METRICS) {
		assert_int_equal(sqlite3_exec(db, "SELECT * FROM metric", NULL, NULL, NULL),
				SQLITE_OK);
	}
	if (status != CSC_OK) {
		print_error("%s: %s\n", work_names[work], diag.text);
	}

	assert_int_equal(status, CSC_OK);
	(void)fclose(out);
	assert_true(work == WORK_FIGURES || work == WORK_METRICS || size > 0);
	free(text);
}

static uint64_t steps_of(const char *path, enum work work, bool is_anew)
{
	struct diag diag = { 0 };
	uint64_t steps = 0;
	sqlite3 *db = NULL;

	assert_int_equal(database_open(path, &db, &diag), CSC_OK);
	sqlite3_progress_handler(db, STRIDE, count_steps, &steps);
	do_work(db, work, is_anew, path);
	sqlite3_progress_handler(db, 0, NULL, NULL);
	(void)sqlite3_close(db);
	return steps;
}

/* Four times the runtimes take at most five times the steps; were it quadratic, sixteen times. */
static void check_kind(const struct fixture *fixture, const char *kind)
{
	struct diag diag = { 0 };
	int works = page_check(&diag) == CSC_OK ? WORKS : WORK_PAGE;
	uint64_t few[WORKS];
	int failed = 0;

	if (works < WORKS) {
		print_message("without the page: %s\n", diag.text);
	}

	load(fixture->scratch.path, kind, FEW);
	for (int i = 0; i < works; i++) {
		few[i] = steps_of(fixture->scratch.path, (enum work)i, true);
	}

	load(fixture->scratch.path, kind, MANY);
	for (int i = 0; i < works; i++) {
		uint64_t many = steps_of(fixture->scratch.path, (enum work)i, true);
		/* Sorts and look-ups cost a little more among more. */
		bool is_linear = 3 * many < 4 * few[i] * (MANY / FEW);

		print_message("%s, %s: %.0f steps for each of %d runtimes, %.0f of %d%s\n", kind,
				work_names[i], (double)few[i] / FEW, FEW, (double)many / MANY, MANY,
				is_linear ? "" : ": not linear");
		failed += !is_linear;
	}

	assert_int_equal(failed, 0);
}

static void test_runtimes_with_counters(void **state)
{
	check_kind(*state, "counters");
}

static void test_runtimes_with_addresses(void **state)
{
	check_kind(*state, "addresses");
}

/* What the answer prints was judged when the file was loaded: live blocks are not read for it. */
static void test_live_blocks(void **state)
{
	const struct fixture *fixture = *state;
	uint64_t steps[2];

	for (int i = 0; i < 2; i++) {
		load(fixture->scratch.path, "live", i == 0 ? 1000 : 20000);
		add_reading(fixture->scratch.path);
		steps[i] = steps_of(fixture->scratch.path, WORK_ANSWER, false);
	}

	print_message("overview: %.0f steps with 1000 live blocks, %.0f with 20000\n",
			(double)steps[0], (double)steps[1]);
	/* Were each read, three steps at least. */
	assert_true(steps[1] < steps[0] + 19000);
}

/*
 * In any program that reads a file, a view takes fewer steps than 0.3 s of CPU have, or view_doc
 * says that it reads all rows.
 */
static void test_views_are_fast_or_say_that_they_are_not(void **state)
{
	enum { MOST_STEPS = 3000000 };
	const struct fixture *fixture = *state;
	sqlite3 *db = NULL;
	sqlite3_stmt *views = NULL;
	int failed = 0;
	int count = 0;

	load(fixture->scratch.path, "live", 50000);
	assert_int_equal(sqlite3_open(fixture->scratch.path, &db), SQLITE_OK);
	assert_int_equal(
			sqlite3_prepare_v2(db,
					"SELECT m.name, format('SELECT * FROM main.%Q', m.name) FROM main.sqlite_schema AS m "
					"JOIN view_doc AS d ON d.view = m.name AND d.column = '' "
					"WHERE m.type = 'view' AND d.quality = 'fast'",
					-1, &views, NULL),
			SQLITE_OK);
	while (sqlite3_step(views) == SQLITE_ROW) {
		const char *query = (const char *)sqlite3_column_text(views, 1);
		uint64_t steps = 0;

		sqlite3_progress_handler(db, STRIDE, count_steps, &steps);
		assert_int_equal(sqlite3_exec(db, query, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_progress_handler(db, 0, NULL, NULL);
		count++;
		if (steps > MOST_STEPS) {
			print_error("%s: %.0f steps, and view_doc says fast\n",
					(const char *)sqlite3_column_text(views, 0), (double)steps);
			failed++;
		}
	}

	sqlite3_finalize(views);
	(void)sqlite3_close(db);
	assert_true(count > 30);
	assert_int_equal(failed, 0);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
				test_runtimes_with_counters, open_fixture, close_fixture),
		cmocka_unit_test_setup_teardown(
				test_runtimes_with_addresses, open_fixture, close_fixture),
		cmocka_unit_test_setup_teardown(test_live_blocks, open_fixture, close_fixture),
		cmocka_unit_test_setup_teardown(test_views_are_fast_or_say_that_they_are_not,
				open_fixture, close_fixture),
	};
	int failed = 0;

	if (!scripted_graph_begin()) {
		return 2;
	}

	if (argc == 4) {
		load(argv[3], argv[1], strtoul(argv[2], NULL, 10));
	} else {
		failed = cmocka_run_group_tests_name("linear", tests, NULL, NULL);
	}

	scripted_graph_end();
	return failed;
}
