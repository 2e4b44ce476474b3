/* SPDX-License-Identifier: MIT */
/* Table flag_trial and view flag_candidate. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "trial.h"

struct trial_file {
	/* Weak. */
	const char *path;
	sqlite3 *db;
};

static enum csc_status fail_write(const struct trial_file *file, struct diag *diag)
{
	return DIAG_FAIL(diag, "cannot write '%s': %s", file->path, sqlite3_errmsg(file->db));
}

static bool has_thing(const struct trial_file *file, const char *name)
{
	sqlite3_stmt *rows = NULL;
	bool found = false;

	if (sqlite3_prepare_v2(file->db, "SELECT 1 FROM sqlite_schema WHERE name = ?", -1, &rows,
			    NULL) == SQLITE_OK) {
		(void)sqlite3_bind_text(rows, 1, name, -1, SQLITE_STATIC);
		found = sqlite3_step(rows) == SQLITE_ROW;
	}
	sqlite3_finalize(rows);
	return found;
}

struct trial_file *trial_open(const char *path, struct diag *diag)
{
	struct trial_file *file = calloc(1, sizeof(*file));

	if (!file) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}

	file->path = path;
	if (guard_open(path, GUARD_WRITE, &file->db, diag) != CSC_OK) {
		trial_close(file);
		return NULL;
	}
	if (sqlite3_db_readonly(file->db, "main") == 1) {
		(void)DIAG_FAIL(diag,
				"cannot write '%s': it is read-only; copy it to where you can write",
				path);
	} else if (!has_thing(file, "flag_trial")) {
		(void)DIAG_FAIL(diag,
				"cannot write '%s': it has no table flag_trial; load the recording again with this version",
				path);
	}
	if (diag_is_set(diag)) {
		trial_close(file);
		return NULL;
	}
	return file;
}

void trial_close(struct trial_file *file)
{
	if (file) {
		(void)sqlite3_close(file->db);
		free(file);
	}
}

static void bind_range(sqlite3_stmt *row, int place, const struct trial_range *range)
{
	(void)sqlite3_bind_int64(row, place, (int64_t)range->low);
	(void)sqlite3_bind_int64(row, place + 1, (int64_t)range->high);
}

static enum csc_status put_row(sqlite3_stmt *row, const struct trial_row *values)
{
	(void)sqlite3_bind_text(row, 4, values->allocator, -1, SQLITE_STATIC);
	if (values->coverage >= 0) {
		(void)sqlite3_bind_double(row, 5, values->coverage);
	} else {
		(void)sqlite3_bind_null(row, 5);
	}
	(void)sqlite3_bind_int64(row, 6, (int64_t)values->plain.end.first);
	(void)sqlite3_bind_int64(row, 7, (int64_t)values->plain.peak.first);
	bind_range(row, 8, &values->with.end);
	bind_range(row, 10, &values->with.peak);
	bind_range(row, 12, &values->plain.end);
	bind_range(row, 14, &values->plain.peak);
	if (sqlite3_step(row) != SQLITE_DONE) {
		return CSC_ERROR;
	}
	return sqlite3_reset(row) == SQLITE_OK ? CSC_OK : CSC_ERROR;
}

static enum csc_status put_rows(struct trial_file *file, int64_t runtime, const char *flags,
		int schedules, const struct trial_row *rows, size_t count)
{
	sqlite3_stmt *old = NULL;
	sqlite3_stmt *row = NULL;
	enum csc_status status = CSC_ERROR;
	/* What was judged without them no longer holds; triggers of the file do not run here. */
	bool is_prepared = sqlite3_exec(file->db, "DELETE FROM judgement", NULL, NULL, NULL) ==
					SQLITE_OK &&
			sqlite3_prepare_v2(file->db,
					"DELETE FROM flag_trial WHERE runtime_id = ?1 AND flags = ?2",
					-1, &old, NULL) == SQLITE_OK &&
			sqlite3_prepare_v2(file->db,
					"INSERT INTO flag_trial (runtime_id, flags, schedules, allocator, "
					"coverage, plain_end_bytes, plain_peak_bytes, end_low_bytes, "
					"end_high_bytes, peak_low_bytes, peak_high_bytes, "
					"plain_end_low_bytes, plain_end_high_bytes, "
					"plain_peak_low_bytes, plain_peak_high_bytes) VALUES "
					"(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
					"?15)",
					-1, &row, NULL) == SQLITE_OK;

	if (is_prepared) {
		(void)sqlite3_bind_int64(old, 1, runtime);
		(void)sqlite3_bind_text(old, 2, flags, -1, SQLITE_STATIC);
		status = sqlite3_step(old) == SQLITE_DONE ? CSC_OK : CSC_ERROR;
		(void)sqlite3_bind_int64(row, 1, runtime);
		(void)sqlite3_bind_text(row, 2, flags, -1, SQLITE_STATIC);
		(void)sqlite3_bind_int(row, 3, schedules);
	}
	for (size_t i = 0; status == CSC_OK && i < count; i++) {
		status = put_row(row, &rows[i]);
	}
	sqlite3_finalize(old);
	sqlite3_finalize(row);
	return status;
}

enum csc_status trial_write(struct trial_file *file, int64_t runtime, const char *flags,
		int schedules, const struct trial_row *rows, size_t count, struct diag *diag)
{
	if (sqlite3_exec(file->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) {
		return fail_write(file, diag);
	}
	if (put_rows(file, runtime, flags, schedules, rows, count) == CSC_OK &&
			sqlite3_exec(file->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK) {
		return CSC_OK;
	}
	fail_write(file, diag);
	(void)sqlite3_exec(file->db, "ROLLBACK", NULL, NULL, NULL);
	return CSC_ERROR;
}

static enum csc_status keep(char ***flags, size_t *count, const char *text, struct diag *diag)
{
	char **grown = realloc(*flags, (*count + 1) * sizeof(*grown));

	if (grown) {
		*flags = grown;
		grown[*count] = strdup(text);
	}
	if (!grown || !grown[*count]) {
		return DIAG_NO_MEMORY(diag);
	}
	*count += 1;
	return CSC_OK;
}

enum csc_status trial_candidates(struct trial_file *file, int64_t runtime, char ***ret_flags,
		size_t *ret_count, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	char **flags = NULL;
	size_t count = 0;
	int result = SQLITE_DONE;

	if (!has_thing(file, "flag_candidate")) {
		return DIAG_FAIL(diag,
				"'%s' names no flags to try: it has no view flag_candidate; say "
				"them with --save -- FLAGS",
				file->path);
	}
	if (sqlite3_prepare_v2(file->db,
			    "SELECT DISTINCT flags FROM flag_candidate WHERE runtime_id = ? "
			    "AND flags <> '' ORDER BY 1",
			    -1, &rows, NULL) != SQLITE_OK) {
		return DIAG_FAIL(
				diag, "cannot read '%s': %s", file->path, sqlite3_errmsg(file->db));
	}
	(void)sqlite3_bind_int64(rows, 1, runtime);
	while (!diag_is_set(diag) && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(rows, 0);

		(void)keep(&flags, &count, text ? text : "", diag);
	}
	if (result != SQLITE_DONE && result != SQLITE_ROW) {
		(void)DIAG_FAIL(diag, "cannot read '%s': %s", file->path, sqlite3_errmsg(file->db));
	}
	sqlite3_finalize(rows);
	if (!diag_is_set(diag) && count == 0) {
		(void)DIAG_FAIL(diag,
				"'%s' names no flags to try: view flag_candidate is empty; say them "
				"with --save -- FLAGS",
				file->path);
	}
	if (diag_is_set(diag)) {
		trial_forget(flags, count);
		return CSC_ERROR;
	}
	*ret_flags = flags;
	*ret_count = count;
	return CSC_OK;
}

void trial_forget(char **flags, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(flags[i]);
	}
	free((void *)flags);
}
