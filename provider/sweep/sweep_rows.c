/* SPDX-License-Identifier: MIT */
/* Rows of sweep_result. */
#include "sweep_rows.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { BUSY_WAIT_MS = 2000 };

struct sweep_file {
	/* Weak. */
	const char *path;
	sqlite3 *db;
	int64_t runtime;
};

static enum csc_status fail(const struct sweep_file *file, struct diag *diag)
{
	return DIAG_FAIL(diag, "cannot write '%s': %s", file->path, sqlite3_errmsg(file->db));
}

static bool has_table(const struct sweep_file *file)
{
	sqlite3_stmt *row = NULL;
	bool found = sqlite3_prepare_v2(file->db,
				     "SELECT 1 FROM sqlite_schema WHERE name = 'sweep_result'", -1,
				     &row, NULL) == SQLITE_OK &&
			sqlite3_step(row) == SQLITE_ROW;

	sqlite3_finalize(row);
	return found;
}

static enum csc_status open_db(struct sweep_file *file, const char *name, struct diag *diag)
{
	if (sqlite3_open_v2(name, &file->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
			SQLITE_OK) {
		return fail(file, diag);
	}
	(void)sqlite3_db_config(file->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(file->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	(void)sqlite3_db_config(file->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_busy_timeout(file->db, BUSY_WAIT_MS);
	if (!has_table(file)) {
		return DIAG_FAIL(diag,
				"'%s' has no table sweep_result; load the recording again with this "
				"version",
				file->path);
	}
	return CSC_OK;
}

struct sweep_file *sweep_file_open(const char *path, int64_t runtime, struct diag *diag)
{
	struct sweep_file *file = calloc(1, sizeof(*file));
	/* A name that begins with file: would be taken for a URI. */
	char *name = sqlite3_mprintf("%s%s", strncmp(path, "file:", 5) == 0 ? "./" : "", path);
	enum csc_status status = CSC_ERROR;

	if (!file || !name) {
		(void)DIAG_NO_MEMORY(diag);
	} else {
		file->path = path;
		file->runtime = runtime;
		status = open_db(file, name, diag);
	}
	sqlite3_free(name);
	if (status != CSC_OK) {
		sweep_file_close(file);
		return NULL;
	}
	return file;
}

void sweep_file_close(struct sweep_file *file)
{
	if (file) {
		(void)sqlite3_close(file->db);
		free(file);
	}
}

static void bind_range(sqlite3_stmt *row, int at, const struct sweep_range *range)
{
	(void)sqlite3_bind_int64(row, at, (int64_t)range->low);
	(void)sqlite3_bind_int64(row, at + 1, (int64_t)range->high);
}

/* `prediction` NULL: one replay. */
static enum csc_status put_row(sqlite3_stmt *row, int at, const struct sweep_result *result,
		const struct sweep_prediction *prediction)
{
	const struct sweep_figure *figure = &result->figures[at];

	(void)sqlite3_bind_text(row, 5, at == SWEEP_ALL ? "all" : csc_allocator_infos[at].name, -1,
			SQLITE_STATIC);
	(void)sqlite3_bind_int64(row, 6, (int64_t)figure->peak_bytes);
	(void)sqlite3_bind_int64(row, 7, (int64_t)figure->end_bytes);
	(void)sqlite3_bind_int64(row, 8, (int64_t)figure->average_bytes);
	(void)sqlite3_bind_int64(row, 9, (int64_t)figure->calls);
	(void)sqlite3_bind_int64(row, 10, (int64_t)figure->copied_bytes);
	(void)sqlite3_bind_int64(row, 11, (int64_t)figure->mappings);
	if (prediction) {
		bind_range(row, 12, &prediction->peak[at]);
		bind_range(row, 14, &prediction->end[at]);
		bind_range(row, 16, &prediction->average[at]);
	}
	return sqlite3_step(row) == SQLITE_DONE && sqlite3_reset(row) == SQLITE_OK ? CSC_OK
										   : CSC_ERROR;
}

static enum csc_status put_rows(struct sweep_file *file, const struct sweep_job *job,
		const struct sweep_result *result, const struct sweep_prediction *prediction)
{
	static const char sql[] =
			"INSERT OR REPLACE INTO sweep_result (runtime_id, flags, is_part, is_advised, "
			"allocator, peak_bytes, end_bytes, average_bytes, calls, copied_bytes, mappings, "
			"peak_low_bytes, peak_high_bytes, end_low_bytes, end_high_bytes, "
			"average_low_bytes, average_high_bytes) VALUES "
			"(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";
	sqlite3_stmt *row = NULL;
	enum csc_status status = CSC_OK;

	if (sqlite3_prepare_v2(file->db, sql, -1, &row, NULL) != SQLITE_OK) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(row, 1, file->runtime);
	(void)sqlite3_bind_text(row, 2, job->flags, -1, SQLITE_STATIC);
	(void)sqlite3_bind_int(row, 3, job->is_part);
	(void)sqlite3_bind_int(row, 4, prediction != NULL);
	for (int i = 0; status == CSC_OK && i < SWEEP_ROWS; i++) {
		if (i == SWEEP_ALL || result->figures[i].peak_bytes > 0) {
			status = put_row(row, i, result, prediction);
		}
	}
	sqlite3_finalize(row);
	return status;
}

static enum csc_status begin(struct sweep_file *file, struct diag *diag)
{
	return sqlite3_exec(file->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK
			? CSC_OK
			: fail(file, diag);
}

static enum csc_status end(struct sweep_file *file, enum csc_status status, struct diag *diag)
{
	if (status == CSC_OK && sqlite3_exec(file->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK) {
		return CSC_OK;
	}
	(void)fail(file, diag);
	(void)sqlite3_exec(file->db, "ROLLBACK", NULL, NULL, NULL);
	return CSC_ERROR;
}

enum csc_status sweep_file_keep(struct sweep_file *file, const struct sweep_job *jobs,
		const struct sweep_result *results, size_t count, struct diag *diag)
{
	enum csc_status status = begin(file, diag);

	if (status != CSC_OK) {
		return status;
	}
	for (size_t i = 0; status == CSC_OK && i < count; i++) {
		if (results[i].is_done) {
			status = put_rows(file, &jobs[i], &results[i], NULL);
		}
	}
	return end(file, status, diag);
}

enum csc_status sweep_file_advise(struct sweep_file *file, const char *flags,
		const struct sweep_prediction *prediction, struct diag *diag)
{
	const struct sweep_job job = { .flags = flags };
	enum csc_status status = begin(file, diag);

	if (status != CSC_OK) {
		return status;
	}
	if (sqlite3_exec(file->db, "UPDATE sweep_result SET is_advised = 0", NULL, NULL, NULL) !=
			SQLITE_OK) {
		status = CSC_ERROR;
	} else if (prediction) {
		status = put_rows(file, &job, &prediction->usual, prediction);
	}
	return end(file, status, diag);
}

static void read_range(sqlite3_stmt *row, int at, struct sweep_range *ret_range)
{
	ret_range->likely = sqlite3_column_double(row, at);
	ret_range->low = sqlite3_column_double(row, at + 1);
	ret_range->high = sqlite3_column_double(row, at + 2);
}

enum csc_status sweep_file_promise(
		struct sweep_file *file, struct sweep_promise *ret_promise, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	enum csc_status status = CSC_ERROR;

	if (sqlite3_prepare_v2(file->db,
			    "SELECT flags, peak_bytes, peak_low_bytes, peak_high_bytes, end_bytes, "
			    "end_low_bytes, end_high_bytes, average_bytes, average_low_bytes, "
			    "average_high_bytes FROM sweep_result WHERE runtime_id = ? AND is_advised "
			    "AND allocator = 'all' ORDER BY id DESC LIMIT 1",
			    -1, &row, NULL) != SQLITE_OK) {
		return fail(file, diag);
	}
	(void)sqlite3_bind_int64(row, 1, file->runtime);
	if (sqlite3_step(row) == SQLITE_ROW) {
		const char *flags = (const char *)sqlite3_column_text(row, 0);

		ret_promise->flags = strdup(flags ? flags : "");
		read_range(row, 1, &ret_promise->peak);
		read_range(row, 4, &ret_promise->end);
		read_range(row, 7, &ret_promise->average);
		status = ret_promise->flags ? CSC_OK : DIAG_NO_MEMORY(diag);
	} else {
		status = DIAG_FAIL(diag,
				"'%s' has no advised flags: run carrierscope advise on it first",
				file->path);
	}
	sqlite3_finalize(row);
	return status;
}
