/* SPDX-License-Identifier: MIT */
/* Table sweep_replay: whole results, which the next search does not repeat. */
#include <stdlib.h>

#include "pack.h"
#include "sweep_file.h"

static enum csc_status write_replay(struct sweep_file *file, const struct sweep_job *job,
		const struct sweep_result *result)
{
	size_t count = 0;
	unsigned char *bytes = pack_result(result, &count);
	sqlite3_stmt *row = NULL;
	enum csc_status status = CSC_ERROR;

	if (bytes &&
			sqlite3_prepare_v2(file->db,
					"INSERT OR REPLACE INTO sweep_replay (runtime_id, flags, is_part, "
					"result) VALUES (?, ?, ?, ?)",
					-1, &row, NULL) == SQLITE_OK) {
		(void)sqlite3_bind_int64(row, 1, file->runtime);
		(void)sqlite3_bind_text(row, 2, job->flags, -1, SQLITE_STATIC);
		(void)sqlite3_bind_int(row, 3, job->is_part);
		(void)sqlite3_bind_blob64(row, 4, bytes, count, SQLITE_STATIC);
		status = sqlite3_step(row) == SQLITE_DONE ? CSC_OK : CSC_ERROR;
	}
	sqlite3_finalize(row);
	free(bytes);
	return status;
}

enum csc_status sweep_file_keep(struct sweep_file *file, const struct sweep_job *jobs,
		const struct sweep_result *results, size_t count, struct diag *diag)
{
	enum csc_status status = sweep_file_begin(file, diag);

	if (status != CSC_OK) {
		return status;
	}
	for (size_t i = 0; status == CSC_OK && i < count; i++) {
		const struct sweep_rows rows = { .flags = jobs[i].flags,
			.is_part = jobs[i].is_part,
			.schedules = 1,
			.result = &results[i] };

		if (results[i].is_done) {
			status = sweep_file_put(file, &rows);
		}
		if (results[i].is_done && status == CSC_OK) {
			status = write_replay(file, &jobs[i], &results[i]);
		}
	}
	return sweep_file_end(file, status, diag);
}

bool sweep_file_find(struct sweep_file *file, const struct sweep_job *job,
		struct sweep_result *ret_result)
{
	sqlite3_stmt *row = NULL;
	bool is_found = false;

	if (job->schedule != 0 ||
			sqlite3_prepare_v2(file->db,
					"SELECT result FROM sweep_replay WHERE runtime_id = ? AND "
					"flags = ? AND is_part = ?",
					-1, &row, NULL) != SQLITE_OK) {
		return false;
	}
	(void)sqlite3_bind_int64(row, 1, file->runtime);
	(void)sqlite3_bind_text(row, 2, job->flags, -1, SQLITE_STATIC);
	(void)sqlite3_bind_int(row, 3, job->is_part);
	if (sqlite3_step(row) == SQLITE_ROW) {
		const unsigned char *bytes = sqlite3_column_blob(row, 0);
		int count = sqlite3_column_bytes(row, 0);

		is_found = bytes && count > 0 && pack_read(bytes, (size_t)count, ret_result);
	}
	sqlite3_finalize(row);
	return is_found;
}

enum csc_status sweep_file_forget(struct sweep_file *file, struct diag *diag)
{
	static const char *const scripts[] = { "DELETE FROM sweep_replay WHERE runtime_id = ?",
		"DELETE FROM sweep_result WHERE runtime_id = ?" };
	enum csc_status status = sweep_file_begin(file, diag);

	if (status != CSC_OK) {
		return status;
	}
	for (size_t i = 0; status == CSC_OK && i < (file->has_only_replays ? 1 : 2); i++) {
		sqlite3_stmt *row = NULL;

		if (sqlite3_prepare_v2(file->db, scripts[i], -1, &row, NULL) != SQLITE_OK ||
				sqlite3_bind_int64(row, 1, file->runtime) != SQLITE_OK ||
				sqlite3_step(row) != SQLITE_DONE) {
			status = CSC_ERROR;
		}
		sqlite3_finalize(row);
	}
	return sweep_file_end(file, status, diag);
}
