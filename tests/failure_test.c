/*
 * SPDX-License-Identifier: MIT
 *
 * Everything that can fail fails in turn, over a small load: our allocations
 * (link with --wrap, see below), SQLite's allocations, and the operations of
 * its files.  Each time the load ends in an error with a sentence, or with the
 * right result; never with a file under the final name that is neither.
 *
 *	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup
 *	-Wl,--wrap=strndup,--wrap=asprintf,--wrap=vasprintf
 *
 * Linked statically, only what is ours is wrapped.  The messages are made
 * beforehand, so that the source takes no part.
 *
 * SQLite allocates tens of thousands of times a load, so a sample is tried,
 * from CSC_FAILURE_FROM on.  CSC_FAILURE_STRIDE=1 tries them all.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <babeltrace2/babeltrace.h>
#include <cmocka.h>
#include <sqlite3.h>

#include "fault_vfs.h"
#include "intake.h"
#include "scripted_source.h"
#include "store.h"

enum { MAX_MESSAGES = 64 };

/* Allocations left until one fails; 0: none will. */
static atomic_long ours_left;
static atomic_bool ours_struck;
static atomic_long theirs_left;
static atomic_bool theirs_struck;

static bool is_turn(atomic_long *left, atomic_bool *struck)
{
	if (atomic_load(left) <= 0 || atomic_fetch_sub(left, 1) != 1) {
		return false;
	}

	atomic_store(struck, true);
	return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
int __real_vasprintf(char **ret_text, const char *format, va_list arguments);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);
int __wrap_vasprintf(char **ret_text, const char *format, va_list arguments);
int __wrap_asprintf(char **ret_text, const char *format, ...);

void *__wrap_malloc(size_t size)
{
	return is_turn(&ours_left, &ours_struck) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return is_turn(&ours_left, &ours_struck) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return is_turn(&ours_left, &ours_struck) ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
	return is_turn(&ours_left, &ours_struck) ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t length)
{
	return is_turn(&ours_left, &ours_struck) ? NULL : __real_strndup(text, length);
}

/* What a failing one leaves in `ret_text` is not defined. */
int __wrap_vasprintf(char **ret_text, const char *format, va_list arguments)
{
	if (is_turn(&ours_left, &ours_struck)) {
		*ret_text = (char *)(uintptr_t)1;
		return -1;
	}

	return __real_vasprintf(ret_text, format, arguments);
}

int __wrap_asprintf(char **ret_text, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = __wrap_vasprintf(ret_text, format, arguments);
	va_end(arguments);
	return length;
}

static sqlite3_mem_methods sqlite_memory;

static void *sqlite_allocate(int size)
{
	return is_turn(&theirs_left, &theirs_struck) ? NULL : sqlite_memory.xMalloc(size);
}

static void *sqlite_reallocate(void *old, int size)
{
	return is_turn(&theirs_left, &theirs_struck) ? NULL : sqlite_memory.xRealloc(old, size);
}

/* The messages of a source, made once. */
static bt_message_iterator *iterator;
static const bt_message *messages[MAX_MESSAGES];
static size_t message_count;

static const char script[] =
		"trace t\nenv t vpid 5\nenv t hostname \"node\"\nenv t procname \"beam.smp\"\n"
		"env t tracer_name \"lttng-ust\"\nenv t tracer_major 2\nenv t tracer_minor 13\n"
		"env t trace_name \"n\"\nenv t tracer_buffering_scheme \"uid\"\n"
		"env t trace_creation_datetime \"x\"\nuuid t 00112233445566778899aabbccddeeff\n"
		"stream s t {vpid:i32,vtid:i32,procname:str} packets losses lossclocks\n"
		"name s \"/x/y/ch_0\"\n"
		"class create s \"org_erlang_otp:carrier_create\" {type:str,instance:i32,size:u64,"
		"mbc_carriers:u64,mbc_carriers_size:u64,mbc_blocks:u64,mbc_blocks_size:u64,"
		"sbc_carriers:u64,sbc_carriers_size:u64,sbc_blocks:u64,sbc_blocks_size:u64,new:str}\n"
		"class put s \"org_erlang_otp:carrier_pool_put\" {type:str,instance:i32,size:u64}\n"
		"class get s \"org_erlang_otp:carrier_pool_get\" {type:str,instance:i32,size:u64}\n"
		"class out s \"org_erlang_otp:driver_output\" {pid:str,port:str,driver:str,bytes:u64}\n"
		"class new s \"org_erlang_otp:new\" {a:[2x{b:u8}]}\n"
		"class malloc s \"lttng_ust_libc:malloc\" {size:u64,ptr:u64}\n"
		"class other s \"x:y\" -\n"
		"begin s\npacket s 1\n"
		"event create 10 {7,7,\"beam.smp\"} {\"eheap_alloc\",1,100,1,100,0,0,0,0,0,0,\"n\"}\n"
		"event create 20 {7,8,\"one\"} {\"eheap_alloc\",1,200,2,300,0,0,0,0,0,0,\"n\"}\n"
		"event put 30 {7,8,\"one\"} {\"eheap_alloc\",1,200}\n"
		"event get 40 {7,8,\"two\"} {\"ets_alloc\",2,10}\n"
		"event create 50 {7,8,\"two\"} {\"ets_alloc\",2,200,1,200,0,0,1,600,0,0,\"n\"}\n"
		"event out 60 {7,8,\"two\"} {\"p\",\"q\",\"d\",18446744073709551615}\n"
		"event new 70 {7,8,\"two\"} {[{1},{2}]}\n"
		"event malloc 80 {9,9,\"three\"} {100,4096}\n"
		"event put 85 {7,8,\"one\"} {\"eheap_alloc\",1,18446744073709551615}\n"
		"event other 90 {7,8,\"two\"} -\n"
		"endpacket s 95\ndiscarded-events s 95 99 18446744073709551614\n"
		"discarded-packets s 95 99 2\nend s\n";

static bt_graph_simple_sink_component_initialize_func_status keep_iterator(
		bt_message_iterator *upstream, void *data)
{
	(void)data;
	iterator = upstream;
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_INITIALIZE_FUNC_STATUS_OK;
}

static bt_graph_simple_sink_component_consume_func_status keep_messages(
		bt_message_iterator *upstream, void *data)
{
	bt_message_array_const batch;
	uint64_t count;
	bt_message_iterator_next_status status = bt_message_iterator_next(upstream, &batch, &count);

	(void)data;
	if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
		return (bt_graph_simple_sink_component_consume_func_status)(int)status;
	}

	for (uint64_t i = 0; i < count; i++) {
		messages[message_count++] = batch[i];
	}

	return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

static bt_graph *graph;

static int make_messages(void **state)
{
	const bt_component_class_source *source_class = scripted_source_create();
	const bt_component_source *source;
	const bt_component_sink *sink;

	(void)state;
	graph = bt_graph_create(0);
	if (!source_class || !graph ||
			bt_graph_add_source_component_with_initialize_method_data(graph,
					source_class, "source", NULL, (void *)(uintptr_t)script,
					BT_LOGGING_LEVEL_NONE, &source) ||
			bt_graph_add_simple_sink_component(graph, "sink", keep_iterator,
					keep_messages, NULL, NULL, &sink) ||
			bt_graph_connect_ports(graph,
					bt_component_source_borrow_output_port_by_index_const(
							source, 0),
					bt_component_sink_borrow_input_port_by_index_const(sink, 0),
					NULL) ||
			bt_graph_run(graph)) {
		return -1;
	}

	bt_component_class_source_put_ref(source_class);
	return fault_vfs_install() ? 0 : -1;
}

static int put_messages(void **state)
{
	(void)state;
	for (size_t i = 0; i < message_count; i++) {
		bt_message_put_ref(messages[i]);
	}

	bt_graph_put_ref(graph);
	return 0;
}

enum situation {
	SITUATION_NEW,
	SITUATION_FORCE,
	SITUATION_APPEND,
	SITUATION_LIVE,
	SITUATIONS,
};

struct fixture {
	char folder[64];
	char path[96];
	char reason[DIAG_TEXT_BYTES];
	sqlite3 *db;

	/* The file that is there beforehand. */
	char *old;
	size_t old_size;
};

static enum csc_status load(const char *path, enum situation situation, struct diag *diag)
{
	const struct store_options options = {
		.path = path,
		.is_forced = situation == SITUATION_FORCE,
		.is_appending = situation == SITUATION_APPEND,
		.loader_name = "test",
		.vfs = FAULT_VFS,
	};
	struct store *store = NULL;
	struct intake *intake = NULL;
	enum csc_status status = store_open(&options, &store, diag);

	if (status == CSC_OK) {
		status = intake_create(store, NULL, 0, &intake, diag);
	}

	for (size_t i = 0; i < message_count && status == CSC_OK; i++) {
		status = intake_take(intake, messages[i], diag);
		if (i == message_count / 2 && situation == SITUATION_LIVE && status == CSC_OK) {
			status = store_go_live(store, diag);
		}
	}

	if (status == CSC_OK) {
		status = intake_end(intake, diag);
	}

	if (status == CSC_OK) {
		status = store_close(store, true, diag);
	} else {
		store_destroy(store);
	}

	intake_destroy(intake);
	return status;
}

static int open_fixture(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct diag diag = { 0 };
	struct stat status;
	FILE *file;

	if (!fixture) {
		return -1;
	}

	*state = fixture;
	(void)strcpy(fixture->folder, "/tmp/csc_failure_test_XXXXXX");
	if (!mkdtemp(fixture->folder)) {
		return -1;
	}

	(void)snprintf(fixture->path, sizeof(fixture->path), "%s/x.db", fixture->folder);
	if (load(fixture->path, SITUATION_NEW, &diag) != CSC_OK ||
			stat(fixture->path, &status) != 0) {
		print_error("%s\n", diag.text);
		return -1;
	}

	fixture->old_size = (size_t)status.st_size;
	fixture->old = malloc(fixture->old_size);
	file = fopen(fixture->path, "r");
	if (!file || fread(fixture->old, 1, fixture->old_size, file) != fixture->old_size) {
		return -1;
	}

	(void)fclose(file);
	return 0;
}

static void empty_folder(const struct fixture *fixture)
{
	DIR *folder = opendir(fixture->folder);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		(void)unlinkat(dirfd(folder), entry->d_name, 0);
	}

	(void)closedir(folder);
}

static int close_fixture(void **state)
{
	struct fixture *fixture = *state;

	(void)sqlite3_close(fixture->db);
	empty_folder(fixture);
	(void)rmdir(fixture->folder);
	free(fixture->old);
	free(fixture);
	return 0;
}

static void put_old_file(const struct fixture *fixture)
{
	FILE *file = fopen(fixture->path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(fixture->old, 1, fixture->old_size, file), fixture->old_size);
	(void)fclose(file);
}

/* Whether the folder holds nothing, or just the file under its final name. */
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

static bool is_old_file(const struct fixture *fixture)
{
	char *now = malloc(fixture->old_size + 1);
	FILE *file = fopen(fixture->path, "r");
	bool is_same = file && fread(now, 1, fixture->old_size + 1, file) == fixture->old_size &&
			memcmp(now, fixture->old, fixture->old_size) == 0;

	if (file) {
		(void)fclose(file);
	}

	free(now);
	return is_same;
}

static int64_t query(struct fixture *fixture, const char *sql)
{
	sqlite3_stmt *rows = NULL;
	int64_t value = -1;

	if (sqlite3_prepare_v2(fixture->db, sql, -1, &rows, NULL) == SQLITE_OK &&
			sqlite3_step(rows) == SQLITE_ROW) {
		value = sqlite3_column_int64(rows, 0);
	}

	(void)sqlite3_finalize(rows);
	return value;
}

/* Whether the file is sound and holds `sources`, all of them whole. */
static bool is_sound(struct fixture *fixture, int64_t sources, bool is_complete)
{
	bool is_right = sqlite3_open(fixture->path, &fixture->db) == SQLITE_OK &&
			query(fixture,
					"SELECT count(*) FROM pragma_integrity_check WHERE "
					"integrity_check = 'ok'") == 1 &&
			query(fixture, "SELECT count(*) FROM source") == sources;

	if (is_complete) {
		is_right = is_right &&
				query(fixture, "SELECT sum(complete) FROM source") == sources &&
				query(fixture, "SELECT sum(events) FROM source") == 10 * sources &&
				query(fixture, "SELECT count(*) FROM carrier_event") ==
						5 * sources &&
				query(fixture, "SELECT count(*) FROM otp_event") == 2 * sources &&
				query(fixture, "SELECT count(*) FROM extra_field") == 6 * sources &&
				query(fixture, "SELECT count(*) FROM lost_interval") ==
						2 * sources &&
				query(fixture, "SELECT count(*) FROM footprint_sample") ==
						100 * sources &&
				query(fixture, "SELECT count(*) FROM load_problem") == 7 * sources;
	}

	(void)sqlite3_close(fixture->db);
	fixture->db = NULL;
	return is_right;
}

/* What is wrong with the outcome of a load in which something failed; NULL: nothing. */
static const char *find_fault(struct fixture *fixture, enum situation situation,
		enum csc_status status, const struct diag *diag)
{
	int files = count_files(fixture);

	if (status == CSC_OK) {
		return is_sound(fixture, situation == SITUATION_APPEND ? 2 : 1, true)
				? NULL
				: "it went well, but the file is not right";
	}

	if (!diag->file || !*diag->text) {
		return "it failed without a sentence";
	}

	switch (situation) {
	case SITUATION_NEW:
		return files == 0 ? NULL : "it failed and left a file";
	case SITUATION_FORCE:
		return files == 1 && is_old_file(fixture) ? NULL
							  : "it failed and the old file is gone";
	case SITUATION_APPEND:
		/* A journal may be left: what is needed to undo. */
		return is_sound(fixture, 1, true) ? NULL : "it failed and the old file is spoilt";
	case SITUATION_LIVE:
		return files == 0 || is_sound(fixture, 1, false) || is_sound(fixture, 0, false)
				? NULL
				: "it failed and the live file is spoilt";
	case SITUATIONS:
		break;
	}

	return NULL;
}

static void disarm(void)
{
	atomic_store(&ours_left, 0);
	atomic_store(&theirs_left, 0);
	fault_vfs_arm(FAULT_READ, 0, false, 0);
}

/* One load in a given situation, armed before by the caller. */
static void try_load(struct fixture *fixture, enum situation situation, const char *what, long n)
{
	struct diag diag = { 0 };
	enum csc_status status = load(fixture->path, situation, &diag);
	const char *fault;

	disarm();
	fault = find_fault(fixture, situation, status, &diag);
	if (fault) {
		print_error("%s %ld, situation %d: %s ('%s')\n", what, n, (int)situation, fault,
				diag.text);
	}

	assert_null(fault);
}

static void prepare(struct fixture *fixture, enum situation situation)
{
	empty_folder(fixture);
	if (situation == SITUATION_FORCE || situation == SITUATION_APPEND) {
		put_old_file(fixture);
	}
}

static long from_environment(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : otherwise;
}

/* With sanitizers a load takes its time: fewer are tried there, and the build without tries all. */
static bool is_quick(void)
{
	return from_environment("CSC_FAILURE_QUICK", 0) != 0;
}

static void test_each_of_our_allocations_fails(void **state)
{
	struct fixture *fixture = *state;

	for (enum situation situation = 0; situation < SITUATIONS; situation++) {
		long n = 0;

		do {
			n += is_quick() ? 1 + n / 8 : 1;
			prepare(fixture, situation);
			atomic_store(&ours_struck, false);
			atomic_store(&ours_left, n);
			try_load(fixture, situation, "allocation", n);
		} while (atomic_load(&ours_struck));

		print_message("situation %d: %ld allocations\n", (int)situation, n - 1);
		assert_true(n > 50);
	}
}

static void test_allocations_of_sqlite_fail(void **state)
{
	struct fixture *fixture = *state;
	long stride = from_environment("CSC_FAILURE_STRIDE", 0);
	long from = from_environment("CSC_FAILURE_FROM", 1);

	for (enum situation situation = 0; situation < SITUATIONS; situation++) {
		long n = from - 1;

		do {
			/* Denser at the beginning, where they differ most. */
			n += stride > 0 ? stride : 1 + n / (is_quick() ? 2 : 5);
			prepare(fixture, situation);
			atomic_store(&theirs_struck, false);
			atomic_store(&theirs_left, n);
			try_load(fixture, situation, "allocation of SQLite", n);
		} while (atomic_load(&theirs_struck));

		print_message("situation %d: about %ld allocations\n", (int)situation, n);
		assert_true(n > 1000);
	}
}

static void fail_operations(struct fixture *fixture, enum fault_operation operation,
		const char *what, bool is_lasting, int result)
{
	bool is_each = from_environment("CSC_FAILURE_EACH", 0) != 0;
	long all = 0;

	for (enum situation situation = 0; situation < SITUATIONS; situation++) {
		long n = 0;

		do {
			/* Denser at the beginning; the many writes of the schema are alike. */
			n += is_each ? 1 : 1 + n / (is_quick() ? 3 : 24);
			prepare(fixture, situation);
			fault_vfs_arm(operation, n, is_lasting, result);
			try_load(fixture, situation, what, n);
			all++;
		} while (fault_vfs_has_struck());

		all--;
	}

	print_message("%s: %ld\n", what, all);
	assert_true(all > 0);
}

static void test_each_write_fails_once(void **state)
{
	fail_operations(*state, FAULT_WRITE, "write", false, SQLITE_IOERR_WRITE);
}

static void test_the_disk_is_full_from_each_write_on(void **state)
{
	fail_operations(*state, FAULT_WRITE, "write from", true, SQLITE_FULL);
}

/* Nothing stays of a load whose disk is full: no journal either, and each byte as it was. */
static void test_a_full_disk_is_undone(void **state)
{
	struct fixture *fixture = *state;
	long n = 0;

	for (;;) {
		struct diag diag = { 0 };
		enum csc_status status;

		n += is_quick() ? 1 + n / 3 : 1 + n / 24;
		prepare(fixture, SITUATION_APPEND);
		fault_vfs_arm(FAULT_GROW, n, true, SQLITE_FULL);
		status = load(fixture->path, SITUATION_APPEND, &diag);
		disarm();
		if (!fault_vfs_has_struck()) {
			assert_int_equal(status, CSC_OK);
			break;
		}

		if (status == CSC_OK || count_files(fixture) != 1 || !is_old_file(fixture)) {
			print_error("full from write %ld on: status %d, %d files, %s ('%s')\n", n,
					(int)status, count_files(fixture),
					is_old_file(fixture) ? "the old file" : "another file",
					diag.text);
		}

		assert_int_not_equal(status, CSC_OK);
		assert_int_equal(count_files(fixture), 1);
		assert_true(is_old_file(fixture));
	}

	print_message("writes that make a file longer: %ld\n", n - 1);
	assert_true(n > 3);
}

static void test_each_read_fails_once(void **state)
{
	fail_operations(*state, FAULT_READ, "read", false, SQLITE_IOERR_READ);
}

static void test_each_sync_fails_once(void **state)
{
	fail_operations(*state, FAULT_SYNC, "sync", false, SQLITE_IOERR_FSYNC);
}

static void test_each_truncation_fails_once(void **state)
{
	fail_operations(*state, FAULT_TRUNCATE, "truncation", false, SQLITE_IOERR_TRUNCATE);
}

static void test_each_opening_fails_once(void **state)
{
	fail_operations(*state, FAULT_OPEN, "opening", false, SQLITE_CANTOPEN);
}

static void test_each_removal_fails_once(void **state)
{
	fail_operations(*state, FAULT_DELETE, "removal", false, SQLITE_IOERR_DELETE);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_each_of_our_allocations_fails),
		CASE(test_allocations_of_sqlite_fail),
		CASE(test_each_write_fails_once),
		CASE(test_the_disk_is_full_from_each_write_on),
		CASE(test_a_full_disk_is_undone),
		CASE(test_each_read_fails_once),
		CASE(test_each_sync_fails_once),
		CASE(test_each_truncation_fails_once),
		CASE(test_each_opening_fails_once),
		CASE(test_each_removal_fails_once),
	};
	sqlite3_mem_methods ours;

	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_memory) != SQLITE_OK) {
		return 2;
	}

	ours = sqlite_memory;
	ours.xMalloc = sqlite_allocate;
	ours.xRealloc = sqlite_reallocate;
	if (sqlite3_config(SQLITE_CONFIG_MALLOC, &ours) != SQLITE_OK) {
		return 2;
	}

	/* Else small blocks would come from a pool of their own. */
	(void)sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
	return cmocka_run_group_tests_name("failure", tests, make_messages, put_messages);
}
