/*
 * SPDX-License-Identifier: MIT
 *
 * The life of a database being filled.
 */
#include "store.h"

#include <assert.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guard.h"
#include "schema_image.h"
#include "store_block_sums.h"
#include "store_db.h"
#include "store_recover.h"
#include "store_rows.h"
#include "store_summary.h"
#include "store_writer.h"

enum {
	LIVE_COMMIT_S = 1,

	/* Bytes written at once: SQLite's unix file takes less than 128 KiB. */
	WRITE_MOST = 1 << 16,
};

static double seconds_since(const struct timespec *then)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
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

/* Writes the database without rows of events into the file, which is empty and was not read yet. */
static enum csc_status write_image(struct store *store, struct diag *diag)
{
	sqlite3_file *file = NULL;
	int result = SQLITE_OK;

	(void)sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	for (size_t at = 0; at < schema_image_bytes && result == SQLITE_OK; at += WRITE_MOST) {
		size_t rest = schema_image_bytes - at;

		result = file->pMethods->xWrite(file, schema_image + at,
				(int)(rest < WRITE_MOST ? rest : WRITE_MOST), (sqlite3_int64)at);
	}

	return result == SQLITE_OK ? CSC_OK
				   : DIAG_FAIL(diag, "cannot write '%s': %s", store->path,
						     sqlite3_errstr(result));
}

static enum csc_status create_schema(struct store *store, struct diag *diag)
{
	/*
	 * First of all: nothing may be written with a journal, which could be left behind.
	 * The file is ours alone without a lock: no other has its name.
	 */
	static const char sql[] = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN";

	return write_image(store, diag) == CSC_OK ? store_execute(store, sql, diag) : CSC_ERROR;
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
			SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			store->vfs ? store->vfs : guard_vfs_for_writing());
	free(plain);
	if (result != SQLITE_OK) {
		return DIAG_FAIL(diag, "cannot write '%s': %s", store->path,
				store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(result));
	}

	(void)sqlite3_busy_timeout(store->db, 5000);
	/* What is computed to judge is small, and read often. */
	(void)sqlite3_exec(store->db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
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
		status = store_batches_allocate(store, diag);
	}

	return status == CSC_OK ? store_writer_start(store, diag) : status;
}

enum csc_status store_open(
		const struct store_options *options, struct store **ret_store, struct diag *diag)
{
	struct store *store = calloc(1, sizeof(*store));
	enum csc_status status;
	sigset_t before;

	assert(options->path && options->loader_name);
	if (!store) {
		return DIAG_NO_MEMORY(diag);
	}

	(void)pthread_mutex_init(&store->lock, NULL);
	(void)pthread_cond_init(&store->changed, NULL);
	(void)clock_gettime(CLOCK_MONOTONIC, &store->opened);
	store->working_fd = -1;
	store->path = strdup(options->path);
	store->loader_name = strdup(options->loader_name);
	store->vfs = options->vfs ? strdup(options->vfs) : NULL;
	store->judge = options->judge;
	store->is_forced = options->is_forced;
	store->is_appending = options->is_appending;
	store_hold_size_signal(&before);
	if (!store->path || !store->loader_name || (options->vfs && !store->vfs)) {
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

static double seconds_of(clockid_t clock)
{
	struct timespec time = { 0 };

	(void)clock_gettime(clock, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct store_phase store_elapsed(const struct store *store)
{
	clockid_t writer;

	return (struct store_phase){
		.wall_s = seconds_since(&store->opened),
		.cpu_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID),
		.writer_cpu_s = store->has_writer &&
						pthread_getcpuclockid(store->writer, &writer) == 0
				? seconds_of(writer)
				: 0,
	};
}

/* Writes what is queued and the summary; `is_last`: nothing comes after it. */
static enum csc_status settle(
		struct store *store, bool is_complete, bool is_last, struct diag *diag)
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

/* The same, and commits. */
static enum csc_status settle_and_commit(
		struct store *store, bool is_complete, bool is_last, struct diag *diag)
{
	enum csc_status status = settle(store, is_complete, is_last, diag);

	if (status == CSC_OK && store->judge) {
		status = store->judge(store->db, is_last, diag);
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

/* No connection may be open: a descriptor that is closed takes SQLite's locks along. */
static void release_working(struct store *store)
{
	if (store->working_fd >= 0) {
		(void)close(store->working_fd);
		store->working_fd = -1;
	}
}

static enum csc_status close_database(struct store *store, struct diag *diag)
{
	int result;

	store_feeds_close(store);
	result = sqlite3_close(store->db);
	store->db = NULL;
	release_working(store);
	return result == SQLITE_OK ? CSC_OK
				   : DIAG_FAIL(diag, "cannot close '%s': %s", store->path,
						     sqlite3_errstr(result));
}

/* From a private file to one under its final name that others may read. */
static enum csc_status become_live(struct store *store, struct diag *diag)
{
	enum csc_status status = close_database(store, diag);

	assert(!store->is_live);
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

/* Frees what is of one source. */
static void forget_source(struct store *store)
{
	analysis_finish(&store->analysis);
	block_lives_finish(&store->block_lives);
	libc_use_finish(&store->libc_use);
	catalog_finish(&store->catalog);
	store_problems_forget(store);
	free(store->keyframes);
}

enum csc_status store_next_source(struct store *store, bool is_complete, struct diag *diag)
{
	enum csc_status status;
	sigset_t before;

	store_hold_size_signal(&before);
	status = settle(store, is_complete, true, diag);
	if (status == CSC_OK) {
		forget_source(store);
		memset(&store->analysis, 0, sizeof(store->analysis));
		memset(&store->block_lives, 0, sizeof(store->block_lives));
		memset(&store->libc_use, 0, sizeof(store->libc_use));
		memset(&store->catalog, 0, sizeof(store->catalog));
		memset(store->core_event_ids, 0, sizeof(store->core_event_ids));
		store->keyframes = NULL;
		store->keyframe_count = 0;
		store->keyframe_capacity = 0;
		store->carrier_ids = 0;
		store->block_ids = 0;
		store->process_rows = 0;
		store->otp_ids = 0;
		store->lost_ids = 0;
		store->ledger_ids = 0;
		store->reported_lost_frees = 0;
		store->has_reported_folding = false;
		store->content_hash = 0;
		status = store_find_bases(store, diag);
	}

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
	release_working(store);
	if (store->working_path && !store->is_appending && !store->is_live) {
		(void)unlink(store->working_path);
	}

	/* A connection that met an error of the disk closes without rolling back. */
	if (store->is_appending && store->has_begun && !store->is_live) {
		store_roll_back(store->working_path, store->vfs);
	}

	store_batches_free(store);
	forget_source(store);
	free(store->path);
	free(store->working_path);
	free(store->loader_name);
	free(store->vfs);
	(void)pthread_cond_destroy(&store->changed);
	(void)pthread_mutex_destroy(&store->lock);
	free(store);
}
