/* SPDX-License-Identifier: MIT */
/* Rows of sweep_result. */
#include "sweep_file.h"

#include <stdlib.h>
#include <string.h>

#include "guard.h"

enum csc_status sweep_file_fail(const struct sweep_file *file, struct diag *diag)
{
	return DIAG_FAIL(diag, "cannot write '%s': %s", file->path, sqlite3_errmsg(file->db));
}

static bool has_table(const struct sweep_file *file)
{
	sqlite3_stmt *row = NULL;
	bool found = sqlite3_prepare_v2(file->db,
				     "SELECT 1 FROM sqlite_schema WHERE name = 'sweep_replay'", -1,
				     &row, NULL) == SQLITE_OK &&
			sqlite3_step(row) == SQLITE_ROW;

	sqlite3_finalize(row);
	return found;
}

struct sweep_file *sweep_file_open(const char *path, int64_t runtime, struct diag *diag)
{
	struct sweep_file *file = calloc(1, sizeof(*file));
	enum csc_status status;

	if (!file) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}

	file->path = path;
	file->runtime = runtime;
	status = guard_open(path, GUARD_WRITE, &file->db, diag);
	if (status == CSC_OK && !has_table(file)) {
		status = DIAG_FAIL(diag,
				"'%s' has no table sweep_replay; load the recording again with this version",
				path);
	}
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
static enum csc_status write_row(sqlite3_stmt *row, int at, const struct sweep_result *result,
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

enum csc_status sweep_file_put(struct sweep_file *file, const struct sweep_rows *rows)
{
	static const char sql[] =
			"INSERT OR REPLACE INTO sweep_result (runtime_id, flags, is_part, is_advised, "
			"allocator, peak_bytes, end_bytes, average_bytes, calls, copied_bytes, mappings, "
			"peak_low_bytes, peak_high_bytes, end_low_bytes, end_high_bytes, "
			"average_low_bytes, average_high_bytes, schedules) VALUES "
			"(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";
	sqlite3_stmt *row = NULL;
	enum csc_status status = CSC_OK;

	if (file->has_only_replays) {
		return CSC_OK;
	}
	if (sqlite3_prepare_v2(file->db, sql, -1, &row, NULL) != SQLITE_OK) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(row, 1, file->runtime);
	(void)sqlite3_bind_text(row, 2, rows->flags, -1, SQLITE_STATIC);
	(void)sqlite3_bind_int(row, 3, rows->is_part);
	(void)sqlite3_bind_int(row, 4, rows->is_advised);
	(void)sqlite3_bind_int64(row, 18, rows->schedules);
	for (int i = 0; status == CSC_OK && i < SWEEP_ROWS; i++) {
		if (i == SWEEP_ALL || rows->result->figures[i].peak_bytes > 0) {
			status = write_row(row, i, rows->result, rows->prediction);
		}
	}
	sqlite3_finalize(row);
	return status;
}

enum csc_status sweep_file_begin(struct sweep_file *file, struct diag *diag)
{
	return sqlite3_exec(file->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK
			? CSC_OK
			: sweep_file_fail(file, diag);
}

enum csc_status sweep_file_end(struct sweep_file *file, enum csc_status status, struct diag *diag)
{
	if (status == CSC_OK && sqlite3_exec(file->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK) {
		return CSC_OK;
	}
	(void)sweep_file_fail(file, diag);
	(void)sqlite3_exec(file->db, "ROLLBACK", NULL, NULL, NULL);
	return CSC_ERROR;
}

static void read_range(sqlite3_stmt *row, int at, struct sweep_range *ret_range)
{
	ret_range->likely = sqlite3_column_double(row, at);
	ret_range->low = sqlite3_column_double(row, at + 1);
	ret_range->high = sqlite3_column_double(row, at + 2);
}

/* Whether flags were searched, with the answer that none is advised. */
static bool has_none_advised(const struct sweep_file *file)
{
	sqlite3_stmt *row = NULL;
	bool is_so = false;

	if (sqlite3_prepare_v2(file->db,
			    "SELECT 1 FROM sweep_advice WHERE runtime_id = ? AND flags IS NULL", -1,
			    &row, NULL) == SQLITE_OK) {
		(void)sqlite3_bind_int64(row, 1, file->runtime);
		is_so = sqlite3_step(row) == SQLITE_ROW;
	}
	sqlite3_finalize(row);
	return is_so;
}

enum csc_status sweep_file_promise(
		struct sweep_file *file, struct sweep_promise *ret_promise, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	enum csc_status status = CSC_ERROR;

	if (sqlite3_prepare_v2(file->db,
			    "SELECT r.flags, r.peak_bytes, r.peak_low_bytes, r.peak_high_bytes, "
			    "r.end_bytes, r.end_low_bytes, r.end_high_bytes, r.average_bytes, "
			    "r.average_low_bytes, r.average_high_bytes, p.peak_bytes, p.end_bytes, "
			    "p.average_bytes, a.objective FROM sweep_result AS r "
			    "JOIN sweep_result AS p ON p.runtime_id = r.runtime_id AND p.flags = '' "
			    "AND NOT p.is_part AND p.allocator = 'all' "
			    "LEFT JOIN sweep_advice AS a ON a.runtime_id = r.runtime_id "
			    "WHERE r.runtime_id = ? AND r.is_advised AND r.allocator = 'all' "
			    "ORDER BY r.id DESC LIMIT 1",
			    -1, &row, NULL) != SQLITE_OK) {
		return sweep_file_fail(file, diag);
	}
	(void)sqlite3_bind_int64(row, 1, file->runtime);
	if (sqlite3_step(row) == SQLITE_ROW) {
		const char *flags = (const char *)sqlite3_column_text(row, 0);

		ret_promise->flags = strdup(flags ? flags : "");
		read_range(row, 1, &ret_promise->peak);
		read_range(row, 4, &ret_promise->end);
		read_range(row, 7, &ret_promise->average);
		ret_promise->peak_before = sqlite3_column_double(row, 10);
		ret_promise->end_before = sqlite3_column_double(row, 11);
		ret_promise->average_before = sqlite3_column_double(row, 12);
		ret_promise->objective =
				compose_objective_of((const char *)sqlite3_column_text(row, 13));
		status = ret_promise->flags ? CSC_OK : DIAG_NO_MEMORY(diag);
	} else if (has_none_advised(file)) {
		status = DIAG_FAIL(diag,
				"no flag was advised for '%s', so there is none to verify: carrierscope diff shows how two recordings differ",
				file->path);
	} else {
		status = DIAG_FAIL(diag,
				"'%s' has no advised flags: run carrierscope advise on it first",
				file->path);
	}
	sqlite3_finalize(row);
	return status;
}
