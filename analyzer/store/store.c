/*
 * SPDX-License-Identifier: MIT
 *
 * The life of a database being filled, and the rows it hands out.
 */
#include "store.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema_sql.h"
#include "store_db.h"
#include "store_stage.h"

enum { LIVE_COMMIT_S = 1 };

void store_hold_size_signal(sigset_t *ret_before)
{
	sigset_t size_signal;

	(void)sigemptyset(&size_signal);
	(void)sigaddset(&size_signal, SIGXFSZ);
	(void)pthread_sigmask(SIG_BLOCK, &size_signal, ret_before);
}

void store_release_size_signal(const sigset_t *before)
{
	static const struct timespec at_once = { 0, 0 };
	sigset_t size_signal;

	(void)sigemptyset(&size_signal);
	(void)sigaddset(&size_signal, SIGXFSZ);
	if (!sigismember(before, SIGXFSZ)) {
		while (sigtimedwait(&size_signal, NULL, &at_once) > 0) {
		}
	}

	(void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

static double seconds_since(const struct timespec *then)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

enum csc_status store_execute(struct store *store, const char *sql, struct diag *diag)
{
	if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK) {
		return DIAG_FAIL(diag, "cannot write '%s': %s", store->path,
				sqlite3_errmsg(store->db));
	}

	return CSC_OK;
}

enum csc_status store_query_integer(
		struct store *store, const char *sql, int64_t *ret_value, struct diag *diag)
{
	sqlite3_stmt *statement = NULL;
	enum csc_status status = CSC_OK;

	if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) == SQLITE_OK &&
			sqlite3_step(statement) == SQLITE_ROW) {
		*ret_value = sqlite3_column_int64(statement, 0);
	} else {
		status = DIAG_FAIL(diag, "cannot read '%s': %s", store->path,
				sqlite3_errmsg(store->db));
	}

	(void)sqlite3_finalize(statement);
	return status;
}

/* A file to append to must be ours, of this version. */
static enum csc_status check_identity(struct store *store, struct diag *diag)
{
	int64_t application_id = 0;
	int64_t version = 0;
	enum csc_status status =
			store_query_integer(store, "PRAGMA application_id", &application_id, diag);

	if (status == CSC_OK) {
		status = store_query_integer(store, "PRAGMA user_version", &version, diag);
	}

	if (status != CSC_OK) {
		return status;
	}

	if (application_id != STORE_APPLICATION_ID) {
		return DIAG_FAIL(diag, "cannot append to '%s': not a carrierscope database",
				store->path);
	}

	if (version != STORE_SCHEMA_VERSION) {
		return DIAG_FAIL(diag, "cannot append to '%s': its schema has version %lld, not %d",
				store->path, (long long)version, STORE_SCHEMA_VERSION);
	}

	return CSC_OK;
}

static enum csc_status create_schema(struct store *store, struct diag *diag)
{
	/*
	 * First of all: nothing may be written with a journal, which could be left behind.
	 * The file is ours alone without a lock: no other has its name.
	 */
	char *sql = sqlite3_mprintf("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
				    "PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN",
			STORE_APPLICATION_ID, STORE_SCHEMA_VERSION);
	enum csc_status status;

	if (!sql) {
		return DIAG_NO_MEMORY(diag);
	}

	status = store_execute(store, sql, diag);
	sqlite3_free(sql);
	return status == CSC_OK ? store_execute(store, schema_sql, diag) : status;
}

enum csc_status store_find_bases(struct store *store, struct diag *diag)
{
	const struct {
		const char *sql;
		int64_t *base;
	} bases[] = {
		{ "SELECT coalesce(max(id), 0) FROM source", &store->bases.source },
		{ "SELECT coalesce(max(id), 0) FROM trace", &store->bases.trace },
		{ "SELECT coalesce(max(id), 0) FROM stream", &store->bases.stream },
		{ "SELECT coalesce(max(id), 0) FROM runtime", &store->bases.runtime },
		{ "SELECT coalesce(max(id), 0) FROM thread", &store->bases.thread },
		{ "SELECT coalesce(max(id), 0) FROM instance", &store->bases.instance },
		{ "SELECT coalesce(max(id), 0) FROM allocator_use", &store->bases.use },
		{ "SELECT coalesce(max(id), 0) FROM carrier_event", &store->bases.carrier_event },
		{ "SELECT coalesce(max(id), 0) FROM block_event", &store->bases.block_event },
		{ "SELECT coalesce(max(id), 0) FROM block_account", &store->bases.block_account },
		{ "SELECT coalesce(max(id), 0) FROM otp_event", &store->bases.otp_event },
		{ "SELECT coalesce(max(id), 0) FROM ledger", &store->bases.ledger },
		{ "SELECT coalesce(max(id), 0) FROM lost_interval", &store->bases.lost },
		{ "SELECT coalesce(max(id), 0) FROM load_problem", &store->bases.problem },
	};
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]) && status == CSC_OK; i++) {
		status = store_query_integer(store, bases[i].sql, bases[i].base, diag);
	}

	for (size_t i = 0; event_model_own(i) && status == CSC_OK; i++) {
		const struct feed_shape *shape = shape_own(i);
		char sql[128];

		if (shape) {
			(void)snprintf(sql, sizeof(sql), "SELECT coalesce(max(id), 0) FROM %s",
					shape->table);
			status = store_query_integer(store, sql, &store->bases.own[i], diag);
		}
	}

	return status;
}

static enum csc_status open_database(struct store *store, struct diag *diag)
{
	const char *path = store->working_path;
	char *plain = NULL;
	int result;

	/* SQLite would take it for a URI. */
	if (strncmp(path, "file:", 5) == 0 && asprintf(&plain, "./%s", path) < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	result = sqlite3_open_v2(plain ? plain : path, &store->db,
			SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
			store->vfs);
	free(plain);
	if (result != SQLITE_OK) {
		return DIAG_FAIL(diag, "cannot write '%s': %s", store->path,
				store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(result));
	}

	(void)sqlite3_busy_timeout(store->db, 5000);
	return CSC_OK;
}

/* For sqlite3_commit_hook(): anything but 0 makes it roll back. */
static int refuse_commit(void *data)
{
	const struct store *store = data;

	return !store->may_commit;
}

/*
 * SQLite ends a transaction by itself when the disk is full; what is still inserted would
 * then be kept row by row.
 */
static void guard_transaction(struct store *store)
{
	(void)sqlite3_commit_hook(store->db, refuse_commit, store);
}

static enum csc_status allocate_batches(struct store *store, struct diag *diag)
{
	store->ledger = malloc(LEDGER_ROWS * sizeof(*store->ledger));
	if (!store->ledger) {
		return DIAG_NO_MEMORY(diag);
	}

	for (size_t i = 0; i < BATCHES; i++) {
		struct batch *batch = &store->batches[i];

		/* Only what is used of these costs memory. */
		batch->carriers = malloc(BATCH_CARRIERS * sizeof(*batch->carriers));
		batch->blocks = malloc(BATCH_BLOCKS * sizeof(*batch->blocks));
		batch->processes = malloc(BATCH_PROCESSES * sizeof(*batch->processes));
		batch->otps = malloc(BATCH_OTPS * sizeof(*batch->otps));
		batch->owns = malloc(BATCH_OWNS * sizeof(*batch->owns));
		batch->extras = malloc(BATCH_EXTRAS * sizeof(*batch->extras));
		batch->losts = malloc(BATCH_LOSTS * sizeof(*batch->losts));
		if (!batch->carriers || !batch->blocks || !batch->processes || !batch->otps ||
				!batch->owns || !batch->extras || !batch->losts) {
			return DIAG_NO_MEMORY(diag);
		}
	}

	return CSC_OK;
}

static enum csc_status start(struct store *store, struct diag *diag)
{
	enum csc_status status = store_file_prepare(store, diag);

	if (status == CSC_OK) {
		status = open_database(store, diag);
	}

	if (status == CSC_OK && store->is_appending) {
		status = check_identity(store, diag);
		if (status == CSC_OK) {
			status = store_execute(store, "BEGIN IMMEDIATE", diag);
			store->has_begun = status == CSC_OK;
			guard_transaction(store);
		}
	} else if (status == CSC_OK) {
		status = create_schema(store, diag);
	}

	if (status == CSC_OK) {
		status = store_find_bases(store, diag);
	}
	if (status == CSC_OK) {
		status = store_feeds_open(store, diag);
	}
	if (status == CSC_OK && !store->is_appending) {
		feed_use_pages(&store->carrier_feed, store->db, store->path);
		feed_use_pages(&store->block_feed, store->db, store->path);
	}
	if (status == CSC_OK) {
		status = allocate_batches(store, diag);
	}

	return status == CSC_OK ? store_writer_start(store, diag) : status;
}

enum csc_status store_open(
		const struct store_options *options, struct store **ret_store, struct diag *diag)
{
	struct store *store = calloc(1, sizeof(*store));
	enum csc_status status;
	sigset_t before;

	if (!store) {
		return DIAG_NO_MEMORY(diag);
	}

	(void)pthread_mutex_init(&store->lock, NULL);
	(void)pthread_cond_init(&store->changed, NULL);
	(void)clock_gettime(CLOCK_MONOTONIC, &store->opened);
	store->path = strdup(options->path);
	store->reader = strdup(options->reader);
	store->vfs = options->vfs ? strdup(options->vfs) : NULL;
	store->is_forced = options->is_forced;
	store->is_appending = options->is_appending;
	store_hold_size_signal(&before);
	if (!store->path || !store->reader || (options->vfs && !store->vfs)) {
		status = DIAG_NO_MEMORY(diag);
	} else {
		status = start(store, diag);
	}

	if (status == CSC_OK) {
		*ret_store = store;
	} else {
		store_destroy(store);
	}

	store_release_size_signal(&before);
	return status;
}

struct catalog *store_catalog(struct store *store)
{
	return &store->catalog;
}

struct store_phase store_elapsed(const struct store *store)
{
	struct timespec cpu;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	return (struct store_phase){
		.wall_s = seconds_since(&store->opened),
		.cpu_s = (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec,
	};
}

static struct batch *current_batch(struct store *store)
{
	return &store->batches[store->filled % BATCHES];
}

enum csc_status store_begin_event(struct store *store, struct diag *diag)
{
	const struct batch *batch = current_batch(store);

	if (batch->carrier_count < BATCH_CARRIERS && batch->block_count + 1 < BATCH_BLOCKS &&
			batch->process_count < BATCH_PROCESSES && batch->otp_count < BATCH_OTPS &&
			batch->own_count < BATCH_OWNS && batch->extra_count < BATCH_EXTRAS / 2 &&
			batch->lost_count < BATCH_LOSTS &&
			batch->arena_length < BATCH_ARENA_BYTES) {
		return CSC_OK;
	}

	return store_writer_submit(store, diag);
}

struct carrier_row *store_carrier_row(struct store *store)
{
	struct batch *batch = current_batch(store);
	struct carrier_row *row;

	row = &batch->carriers[batch->carrier_count++];
	row->id = store->bases.carrier_event + ++store->carrier_ids;
	return row;
}

struct block_row *store_block_row(struct store *store)
{
	struct batch *batch = current_batch(store);
	struct block_row *row;

	row = &batch->blocks[batch->block_count++];
	row->id = store->bases.block_event + ++store->block_ids;
	return row;
}

struct process_row *store_process_row(struct store *store)
{
	struct batch *batch = current_batch(store);

	return &batch->processes[batch->process_count++];
}

struct otp_row *store_otp_row(struct store *store)
{
	struct batch *batch = current_batch(store);
	struct otp_row *row;

	row = &batch->otps[batch->otp_count++];
	*row = (struct otp_row){ .id = store->bases.otp_event + ++store->otp_ids };
	return row;
}

struct own_row *store_own_row(struct store *store, unsigned int event)
{
	struct batch *batch = current_batch(store);
	struct own_row *row;

	row = &batch->owns[batch->own_count++];
	*row = (struct own_row){
		.id = store->bases.own[event] + ++store->own_ids[event],
		.event = (int32_t)event,
	};
	return row;
}

struct extra_row *store_extra_row(struct store *store)
{
	struct batch *batch = current_batch(store);
	struct extra_row *row;

	if (batch->extra_count == BATCH_EXTRAS) {
		return NULL;
	}

	row = &batch->extras[batch->extra_count++];
	*row = (struct extra_row){ 0 };
	return row;
}

struct lost_row *store_lost_row(struct store *store, int32_t stream)
{
	struct batch *batch = current_batch(store);
	struct lost_row *row;

	row = &batch->losts[batch->lost_count++];
	*row = (struct lost_row){
		.id = store->bases.lost + ++store->lost_ids,
		.source_id = store->bases.source + 1,
		.stream_id = stream < 0 ? ROW_NULL : store->bases.stream + stream + 1,
		.begin_ns = ROW_NULL,
		.end_ns = ROW_NULL,
		.events = ROW_NULL,
		.packets = ROW_NULL,
		.file = { ROW_NO_TEXT, 0 },
		.offset_bytes = ROW_NULL,
		.length_bytes = ROW_NULL,
	};
	return row;
}

bool store_text(struct store *store, const char *text, struct row_text *ret_text)
{
	struct batch *batch = current_batch(store);
	size_t length = strlen(text);

	if (!batch->arena || batch->arena_length + length > batch->arena_capacity) {
		size_t capacity = batch->arena_capacity ? batch->arena_capacity : 1 << 16;
		char *arena;

		while (capacity < batch->arena_length + length) {
			capacity *= 2;
		}

		arena = realloc(batch->arena, capacity);
		if (!arena) {
			return false;
		}
		batch->arena = arena;
		batch->arena_capacity = capacity;
	}

	memcpy(batch->arena + batch->arena_length, text, length);
	*ret_text = (struct row_text){ (uint32_t)batch->arena_length, (uint32_t)length };
	batch->arena_length += length;
	return true;
}

enum csc_status store_settle(struct store *store, bool is_complete, bool is_last, struct diag *diag)
{
	enum csc_status status = store_rows_close(store, diag);

	if (status == CSC_OK) {
		status = store_writer_submit(store, diag);
	}
	if (status == CSC_OK) {
		status = store_writer_drain(store, diag);
	}
	if (status == CSC_OK) {
		status = feed_settle(&store->carrier_feed, diag);
	}
	if (status == CSC_OK) {
		status = feed_settle(&store->block_feed, diag);
	}
	if (status == CSC_OK && store->analysis.history.has_overflowed) {
		status = store_problem(store, "sum_overflow", SEVERITY_ERROR, 1, diag,
				"a sum of bytes went beyond 2^63 - 1: values in this trace are "
				"damaged, and sums over them mean nothing");
	}
	if (status == CSC_OK) {
		status = store_settle_blocks(store, is_last, diag);
	}
	if (status == CSC_OK) {
		status = store_write_summary(store, is_complete, diag);
	}
	return status;
}

/* What is known of every quantity, for all that was loaded. */
static enum csc_status write_figures(struct store *store, struct diag *diag)
{
	enum csc_status status = stage_views(store->db, "figure", diag);

	if (status == CSC_OK) {
		status = store_execute(
				store, "INSERT INTO figure SELECT * FROM temp._figure", diag);
	}
	if (status == CSC_OK) {
		status = stage_drop(store->db, "figure", diag);
	}

	return status;
}

/* The same, and commits. */
static enum csc_status settle_and_commit(
		struct store *store, bool is_complete, bool is_last, struct diag *diag)
{
	enum csc_status status = store_settle(store, is_complete, is_last, diag);

	/* While a live source grows, who reads the figures computes them. */
	if (status == CSC_OK) {
		status = store_execute(store, "DELETE FROM figure", diag);
	}
	if (status == CSC_OK && is_last) {
		status = write_figures(store, diag);
	}
	if (status == CSC_OK) {
		store->may_commit = true;
		status = store_execute(store, "COMMIT", diag);
		store->may_commit = false;
	}
	if (status == CSC_OK) {
		store->has_begun = false;
	}

	return status;
}

static enum csc_status close_database(struct store *store, struct diag *diag)
{
	int result;

	store_feeds_close(store);
	result = sqlite3_close(store->db);
	store->db = NULL;
	return result == SQLITE_OK ? CSC_OK
				   : DIAG_FAIL(diag, "cannot close '%s': %s", store->path,
						     sqlite3_errstr(result));
}

/* From a private file to one under its final name that others may read. */
static enum csc_status become_live(struct store *store, struct diag *diag)
{
	enum csc_status status = close_database(store, diag);

	if (status == CSC_OK) {
		status = store_file_publish(store, diag);
	}
	if (status == CSC_OK) {
		store->is_live = true;
		status = open_database(store, diag);
	}
	if (status == CSC_OK) {
		status = store_execute(store,
				"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", diag);
		guard_transaction(store);
	}
	return status == CSC_OK ? store_feeds_open(store, diag) : status;
}

enum csc_status store_go_live(struct store *store, struct diag *diag)
{
	enum csc_status status;
	sigset_t before;

	if (store->is_live && seconds_since(&store->committed) < LIVE_COMMIT_S) {
		return CSC_OK;
	}

	store_hold_size_signal(&before);
	status = settle_and_commit(store, false, false, diag);
	if (status == CSC_OK && !store->is_live) {
		status = become_live(store, diag);
	}
	if (status == CSC_OK) {
		status = store_execute(store, "BEGIN IMMEDIATE", diag);
	}

	(void)clock_gettime(CLOCK_MONOTONIC, &store->committed);
	store_release_size_signal(&before);
	return status;
}

enum csc_status store_close(struct store *store, bool is_complete, struct diag *diag)
{
	enum csc_status status;
	sigset_t before;

	store_hold_size_signal(&before);
	status = settle_and_commit(store, is_complete, true, diag);
	store_writer_stop(store);
	if (status == CSC_OK && store->is_live) {
		(void)sqlite3_commit_hook(store->db, NULL, NULL);
		status = store_execute(store, "PRAGMA journal_mode = DELETE", diag);
	}
	if (status == CSC_OK) {
		status = close_database(store, diag);
	}
	if (status == CSC_OK && !store->is_live) {
		status = store_file_publish(store, diag);
		store->is_live = status == CSC_OK;
	}

	store_destroy(store);
	store_release_size_signal(&before);
	return status;
}

void store_destroy(struct store *store)
{
	if (!store) {
		return;
	}

	store_writer_stop(store);
	(void)store_rows_close(store, &(struct diag){ 0 });
	store_feeds_close(store);
	(void)sqlite3_close(store->db);
	store->db = NULL;
	if (store->working_path && !store->is_appending && !store->is_live) {
		(void)unlink(store->working_path);
	}

	/* A connection that met an error of the disk closes without rolling back. */
	if (store->is_appending && store->has_begun && !store->is_live) {
		(void)store_recover(store->working_path, store->vfs, &(struct diag){ 0 });
	}

	for (size_t i = 0; i < BATCHES; i++) {
		free(store->batches[i].carriers);
		free(store->batches[i].blocks);
		free(store->batches[i].processes);
		free(store->batches[i].otps);
		free(store->batches[i].owns);
		free(store->batches[i].extras);
		free(store->batches[i].losts);
		free(store->batches[i].arena);
	}

	store_forget_source(store);
	free(store->ledger);
	free(store->path);
	free(store->working_path);
	free(store->reader);
	free(store->vfs);
	(void)pthread_cond_destroy(&store->changed);
	(void)pthread_mutex_destroy(&store->lock);
	free(store);
}
