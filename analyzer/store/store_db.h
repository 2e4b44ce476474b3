/*
 * SPDX-License-Identifier: MIT
 *
 * A database being filled, as its parts see it: what is shared, and the statements
 * that all of them run.
 */
#ifndef CSC_STORE_DB_H
#define CSC_STORE_DB_H

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <time.h>

#include "analysis.h"
#include "block_lives.h"
#include "block_packer.h"
#include "catalog.h"
#include "diag.h"
#include "feed.h"
#include "insert.h"
#include "libc_use.h"
#include "rows.h"
#include "shapes.h"

/* Tables of one source that its reader fills value by value. */
enum { STORE_TABLES = 32 };

/* Rows of a batch, by kind. */
enum {
	BATCH_CARRIERS = 2048,
	BATCH_BLOCKS = 2048,
	BATCH_PROCESSES = 4096,
	BATCH_OTPS = 1024,
	BATCH_CORE_EVENTS = 4096,
	BATCH_EXTRAS = 4096,
	BATCH_LOSTS = 1024,
	BATCH_ARENA_BYTES = 1 << 20,
	BATCHES = 6,
	LEDGER_ROWS = 8192,
	KEYFRAME_EVERY = 4096,
};

struct batch {
	struct carrier_row *carriers;
	size_t carrier_count;
	struct block_row *blocks;
	size_t block_count;
	struct process_row *processes;
	size_t process_count;
	struct otp_row *otps;
	size_t otp_count;
	struct core_event_row *core_events;
	size_t core_event_count;
	struct extra_row *extras;
	size_t extra_count;
	struct lost_row *losts;
	size_t lost_count;

	/* Texts of the rows above, one behind the other. */
	char *arena;
	size_t arena_length;
	size_t arena_capacity;
};

/* Ids of this source's rows are those that were there before plus a number from 1. */
struct id_bases {
	int64_t source;
	int64_t trace;
	int64_t stream;
	int64_t runtime;
	int64_t thread;
	int64_t instance;
	int64_t use;
	int64_t carrier_event;
	int64_t block_event;
	int64_t packed_kind;
	int64_t block_account;
	int64_t otp_event;
	int64_t core_event[SHAPE_CORE_EVENT_MAX];
	int64_t ledger;
	int64_t lost;
	int64_t problem;
};

struct problem {
	char *name;
	enum severity severity;
	int64_t count;
	char *sentence;
};

struct keyframe {
	int64_t id;
	int64_t ts_ns;
};

struct store {
	/* Final name, and the one it grows under; the same when appending or live. */
	char *path;
	char *working_path;

	char *loader_name;
	char *vfs;

	/* Of struct store_options. */
	enum csc_status (*judge)(sqlite3 *db, bool is_last, struct diag *diag);

	/* Locked as long as the file has its working name; -1: no such file. */
	int working_fd;
	bool is_forced;
	bool is_appending;

	/* Rows of this load are in a transaction of a file that was there before. */
	bool has_begun;

	/* The transaction is whole: it may end now. */
	bool may_commit;
	struct timespec opened;
	struct timespec committed;

	sqlite3 *db;
	struct id_bases bases;
	struct catalog catalog;
	struct problem *problems;
	size_t problem_count;

	/* store_rows.c */
	struct insert tables[STORE_TABLES];
	size_t table_count;

	/* Ids handed out, counted from the bases. */
	int64_t carrier_ids;
	int64_t block_ids;
	int64_t otp_ids;
	int64_t core_event_ids[SHAPE_CORE_EVENT_MAX];
	int64_t lost_ids;

	/* The batch being filled is batches[filled % BATCHES]. */
	struct batch batches[BATCHES];

	/* The queue; everything up to `writer_diag` is guarded by `lock`. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t filled;
	uint64_t written;
	enum csc_status writer_status;
	bool is_stopping;
	struct diag writer_diag;

	pthread_t writer;
	bool has_writer;
	bool has_reported_folding;

	/* It grows under its own name while it is read. */
	bool is_live;

	/* The writer's, or the caller's while the queue is empty. */
	struct feed carrier_feed;
	struct feed block_feed;
	struct feed block_kind_feed;
	struct feed block_time_feed;
	struct feed unpacked_feed;
	struct block_packer packer;
	struct feed process_feed;

	/* Rows of block_process of this source. */
	int64_t process_rows;
	struct feed otp_feed;
	struct feed core_event_feeds[SHAPE_CORE_EVENT_MAX];
	struct feed extra_feed;
	struct feed lost_feed;
	struct feed ledger_feed;
	struct analysis analysis;
	struct block_lives block_lives;
	struct libc_use libc_use;

	/* Problems that were reported. */
	int64_t reported_lost_frees;
	struct ledger_row *ledger;
	size_t ledger_count;
	int64_t ledger_ids;
	struct keyframe *keyframes;
	size_t keyframe_count;
	size_t keyframe_capacity;
	uint64_t content_hash;
};

/* Runs statements without results. */
enum csc_status store_execute(struct store *store, const char *sql, struct diag *diag);

/* Runs a query for one integer. */
enum csc_status store_query_integer(
		struct store *store, const char *sql, int64_t *ret_value, struct diag *diag);

/*
 * A file that hits RLIMIT_FSIZE is an error like a full disk, not the end of
 * the process: SIGXFSZ waits while the calling thread writes, and is taken away.
 */
void store_hold_size_signal(sigset_t *ret_before);
void store_release_size_signal(const sigset_t *before);

/* Finds where the ids of this source begin. */
enum csc_status store_find_bases(struct store *store, struct diag *diag);

#endif
