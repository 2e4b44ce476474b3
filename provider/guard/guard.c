/*
 * SPDX-License-Identifier: MIT
 *
 * What lies beside a database is looked at before SQLite does.
 */
#include "guard.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "guard_vfs.h"
#include "schema_version.h"

enum {
	BUSY_WAIT_MS = 2000,

	/* Instructions of SQLite between two looks at the clock. */
	STEPS_PER_LOOK = 1000,

	/* Longest text, and pattern of LIKE, in bytes: ours have less than a hundredth. */
	MOST_TEXT = 64 << 20,
	MOST_PATTERN = 1000,

	/* Of one query's plan; the largest of ours, view finding, has 300 thousand. */
	MOST_INSTRUCTIONS = 3000000,

	HEADER_BYTES = 100,
	APPLICATION_ID_AT = 68,
	WRITE_VERSION_AT = 18,
	READ_VERSION_AT = 19,
	VERSION_WAL = 2,
};

/* A recording of 4 MiB takes 0.3 s for what any command reads: a thirtieth. */
static const double allowed_s_at_least = 5;
static const double allowed_s_per_mib = 1;

/* The bound of one connection. */
struct bound {
	double allowed_s;
	double begun_cpu_s;
	struct timespec begun;
};

static atomic_bool has_ended;

static double cpu_s(void)
{
	struct timespec time = { 0 };

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* For sqlite3_progress_handler(): anything but 0 ends the query. */
static int look_at_clock(void *data)
{
	const struct bound *bound = data;
	struct timespec now;

	/* A thread has no more processor time than time, which costs less to ask. */
	(void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if ((double)(now.tv_sec - bound->begun.tv_sec) < bound->allowed_s ||
			cpu_s() - bound->begun_cpu_s < bound->allowed_s) {
		return 0;
	}

	atomic_store(&has_ended, true);
	return 1;
}

static void begin_bound(struct bound *bound)
{
	bound->begun_cpu_s = cpu_s();
	(void)clock_gettime(CLOCK_MONOTONIC_COARSE, &bound->begun);
}

/* Limits of the process without a bound; cur 0: nothing is ended by a signal. */
static struct rlimit usual;
static atomic_int watchers;
static _Atomic double largest_allowed_s;

static void limit_process(void)
{
	struct rlimit limit = usual;
	struct rusage used;

	if (usual.rlim_cur == 0 || atomic_load(&watchers) == 0 ||
			getrusage(RUSAGE_SELF, &used) != 0) {
		return;
	}

	limit.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1) +
			(rlim_t)(2 * atomic_load(&largest_allowed_s));
	if (usual.rlim_cur == RLIM_INFINITY || limit.rlim_cur < usual.rlim_cur) {
		(void)setrlimit(RLIMIT_CPU, &limit);
	}
}

void guard_end_by(void (*end)(int signal))
{
	if (getrlimit(RLIMIT_CPU, &usual) == 0) {
		(void)signal(SIGXCPU, end);
	}
}

void guard_watch(void)
{
	(void)atomic_fetch_add(&watchers, 1);
	limit_process();
}

void guard_rest(void)
{
	if (atomic_fetch_sub(&watchers, 1) == 1 && usual.rlim_cur > 0) {
		(void)setrlimit(RLIMIT_CPU, &usual);
	}
}

/* An SQL function that carries the bound: it begins anew. */
static void restart(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	(void)values;
	begin_bound(sqlite3_user_data(context));
	limit_process();
}

double guard_allowed_s(sqlite3_int64 file_bytes)
{
	return allowed_s_at_least + allowed_s_per_mib * (double)file_bytes / (1 << 20);
}

/* Bounds time and memory of a connection; it ends with it. */
static void bind_work(sqlite3 *db, sqlite3_int64 file_bytes)
{
	struct bound *bound = calloc(1, sizeof(*bound));

	if (!bound) {
		return;
	}

	bound->allowed_s = guard_allowed_s(file_bytes);
	if (bound->allowed_s > atomic_load(&largest_allowed_s)) {
		atomic_store(&largest_allowed_s, bound->allowed_s);
	}
	limit_process();
	begin_bound(bound);
	if (sqlite3_create_function_v2(db, "carrierscope_restart", 0,
			    SQLITE_UTF8 | SQLITE_DIRECTONLY, bound, restart, NULL, NULL,
			    free) != SQLITE_OK) {
		/* It has freed the bound. */
		return;
	}

	sqlite3_progress_handler(db, STEPS_PER_LOOK, look_at_clock, bound);
	(void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MOST_TEXT);
	(void)sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MOST_PATTERN);
	(void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	(void)sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
	(void)sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, MOST_INSTRUCTIONS);
}

void guard_restart(sqlite3 *db)
{
	(void)sqlite3_exec(db, "SELECT carrierscope_restart()", NULL, NULL, NULL);
}

const char *guard_why(sqlite3 *db)
{
	return sqlite3_errcode(db) == SQLITE_INTERRUPT ? GUARD_ENDED : sqlite3_errmsg(db);
}

bool guard_has_ended(void)
{
	return atomic_load(&has_ended);
}

const char *guard_vfs_for_writing(void)
{
	return guard_vfs_write();
}

/* Why what lies beside a database is not used: see guard_open(); NULL: it may be. */
static const char *why_foreign(const struct stat *beside, const struct stat *database)
{
	if (S_ISLNK(beside->st_mode)) {
		return "is a link";
	}
	if (!S_ISREG(beside->st_mode)) {
		return "is not a regular file";
	}
	if (beside->st_uid != database->st_uid) {
		return "belongs to another user than the database";
	}

	return beside->st_nlink > 1 ? "has a second name (a hard link)" : NULL;
}

/* *ret_log_bytes: of the log of a database in WAL mode. */
static enum csc_status check_beside(const char *whole_path, const char *path,
		const struct stat *database, off_t *ret_log_bytes, struct diag *diag)
{
	static const char *const suffixes[] = { "-journal", "-shm", "-wal" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char *name = NULL;
		struct stat beside;
		const char *why = NULL;
		bool is_there;

		if (asprintf(&name, "%s%s", whole_path, suffixes[i]) < 0) {
			return DIAG_NO_MEMORY(diag);
		}

		is_there = lstat(name, &beside) == 0;
		free(name);
		if (is_there) {
			why = why_foreign(&beside, database);
		}
		if (why) {
			return DIAG_FAIL(diag,
					"cannot open '%s': '%s%s' beside it %s: no load of carrierscope left it there; remove it, or copy '%s' to a folder of its own",
					path, path, suffixes[i], why, path);
		}

		*ret_log_bytes = is_there ? beside.st_size : 0;
	}

	return CSC_OK;
}

/* "file:/…?PARAMETER" of an absolute path; sqlite3_free() frees it. */
static char *make_uri(const char *whole_path, const char *parameter)
{
	sqlite3_str *uri = sqlite3_str_new(NULL);

	sqlite3_str_appendall(uri, "file:");
	for (const char *at = whole_path; *at; at++) {
		if (strchr("%?#", *at)) {
			sqlite3_str_appendf(uri, "%%%02X", (unsigned int)*at);
		} else {
			sqlite3_str_appendchar(uri, 1, *at);
		}
	}

	sqlite3_str_appendf(uri, "?%s", parameter);
	return sqlite3_str_finish(uri);
}

static enum csc_status connect(const char *whole_path, const char *path, enum guard_use use,
		const char *parameter, sqlite3 **ret_db, struct diag *diag)
{
	char *uri = make_uri(whole_path, parameter);
	sqlite3 *db = NULL;
	int result;

	if (!uri) {
		return DIAG_NO_MEMORY(diag);
	}

	result = sqlite3_open_v2(uri, &db,
			SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
					(use == GUARD_READ ? SQLITE_OPEN_READONLY
							   : SQLITE_OPEN_READWRITE),
			use == GUARD_READ ? guard_vfs_read() : guard_vfs_write());
	sqlite3_free(uri);
	if (result != SQLITE_OK) {
		int error = db ? sqlite3_system_errno(db) : 0;

		(void)DIAG_FAIL(diag, "cannot open '%s': %s", path,
				error ? strerror(error) : sqlite3_errstr(result));
		(void)sqlite3_close(db);
		return CSC_ERROR;
	}

	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	/* Whatever a file brings along, nothing else happens when it is written. */
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	(void)sqlite3_busy_timeout(db, BUSY_WAIT_MS);
	(void)sqlite3_exec(db, "PRAGMA cell_size_check = 1", NULL, NULL, NULL);
	/* At once: temporary tables that are there when it changes are gone. */
	(void)sqlite3_exec(db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
	*ret_db = db;
	return CSC_OK;
}

/* Of SQLite's own descriptor: closing another one would take its locks along. */
static bool read_header(sqlite3 *db, unsigned char *ret_header)
{
	sqlite3_file *file = NULL;

	return sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK &&
			file && file->pMethods &&
			file->pMethods->xRead(file, ret_header, HEADER_BYTES, 0) == SQLITE_OK;
}

static bool is_wal(sqlite3 *db)
{
	unsigned char header[HEADER_BYTES];

	return read_header(db, header) && header[WRITE_VERSION_AT] == VERSION_WAL &&
			header[READ_VERSION_AT] == VERSION_WAL;
}

/* By its header, which no load changes: nothing is said of what others left beside theirs. */
static bool is_application(sqlite3 *db, uint32_t application_id)
{
	unsigned char header[HEADER_BYTES];
	const unsigned char *id = header + APPLICATION_ID_AT;

	return read_header(db, header) &&
			((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 |
					id[3]) == application_id;
}

/* What the first look at the file says. */
enum state {
	STATE_READABLE,

	/* A journal must be played back. */
	STATE_UNDO,

	/* A log must be played in. */
	STATE_FINISH,

	/* In WAL mode with nothing in a log: nobody writes to it. */
	STATE_AT_REST,
};

static enum state look(sqlite3 *db, off_t log_bytes)
{
	int result = sqlite3_exec(db, "PRAGMA schema_version", NULL, NULL, NULL);

	if (result == SQLITE_OK) {
		return STATE_READABLE;
	}
	if (sqlite3_extended_errcode(db) == SQLITE_READONLY_ROLLBACK) {
		return STATE_UNDO;
	}
	if ((result & 0xff) != SQLITE_CANTOPEN && (result & 0xff) != SQLITE_READONLY) {
		return STATE_READABLE;
	}
	if (log_bytes > 0) {
		return STATE_FINISH;
	}

	return is_wal(db) ? STATE_AT_REST : STATE_READABLE;
}

static enum csc_status open_to_read(const char *whole_path, const char *path, off_t log_bytes,
		sqlite3 **ret_db, struct diag *diag)
{
	enum state state;
	sqlite3 *db = NULL;
	enum csc_status status = connect(whole_path, path, GUARD_READ, "readonly_shm=1", &db, diag);

	if (status != CSC_OK) {
		return status;
	}

	state = look(db, log_bytes);
	if (state != STATE_READABLE && !is_application(db, SCHEMA_APPLICATION_ID)) {
		(void)sqlite3_close(db);
		return DIAG_FAIL(diag, "'%s' is not a carrierscope database", path);
	}

	switch (state) {
	case STATE_READABLE:
		*ret_db = db;
		return CSC_OK;
	case STATE_UNDO:
		status = DIAG_FAIL(diag,
				"cannot read '%s': a load that was appending to it broke off; 'carrierscope load --recover %s' undoes what it had written",
				path, path);
		break;
	case STATE_FINISH:
		status = DIAG_FAIL(diag,
				"cannot read '%s': part of it is in '%s-wal', of a load that broke off; 'carrierscope load --recover %s' puts it in",
				path, path, path);
		break;
	case STATE_AT_REST:
		break;
	}

	(void)sqlite3_close(db);
	return status == CSC_OK ? connect(whole_path, path, GUARD_READ, "immutable=1", ret_db, diag)
				: status;
}

enum csc_status guard_open(
		const char *path, enum guard_use use, sqlite3 **ret_db, struct diag *diag)
{
	char *whole_path = realpath(path, NULL);
	sqlite3 *db = NULL;
	struct stat file;
	off_t log_bytes = 0;
	enum csc_status status = CSC_OK;

	if (!whole_path || stat(whole_path, &file) != 0) {
		status = DIAG_FAIL(diag, "cannot open '%s': %s", path, strerror(errno));
	} else if (!S_ISREG(file.st_mode)) {
		status = DIAG_FAIL(diag, "'%s' is not a carrierscope database", path);
	} else {
		status = check_beside(whole_path, path, &file, &log_bytes, diag);
	}

	if (status == CSC_OK && use != GUARD_RECOVER) {
		status = open_to_read(whole_path, path, log_bytes, &db, diag);
	}
	if (status == CSC_OK && use == GUARD_WRITE) {
		/* It may be written to: nothing waits to be undone. */
		(void)sqlite3_close(db);
		db = NULL;
	}
	if (status == CSC_OK && use != GUARD_READ) {
		status = connect(whole_path, path, use, "cache=private", &db, diag);
	}
	if (status == CSC_OK && use == GUARD_READ) {
		bind_work(db, file.st_size + log_bytes);
	}

	free(whole_path);
	if (status == CSC_OK) {
		*ret_db = db;
	}

	return status;
}
