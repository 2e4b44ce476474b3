/*
 * SPDX-License-Identifier: MIT
 *
 * The answers of two recordings as one sentence, and how long both lasted.
 */
#include "difference_sentence.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "judge.h"

/* Seconds from the first to the last event of a file; 0: it was read at one moment. */
static enum csc_status read_length(const char *path, double *ret_seconds, struct diag *diag)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *row = NULL;
	enum csc_status status = database_open(path, &db, diag);

	if (status == CSC_OK) {
		status = database_prepare(db,
				sqlite3_mprintf("SELECT (max(last_ts_ns) - min(first_ts_ns)) / 1e9 FROM source"),
				&row, diag);
	}
	if (status == CSC_OK && sqlite3_step(row) == SQLITE_ROW) {
		*ret_seconds = sqlite3_column_double(row, 0);
	}

	(void)sqlite3_finalize(row);
	(void)sqlite3_close(db);
	return status;
}

enum csc_status lengths_read(const char *const paths[2], double tolerance,
		struct lengths *ret_lengths, struct diag *diag)
{
	double *seconds = ret_lengths->seconds;
	enum csc_status status = read_length(paths[0], &seconds[0], diag);

	if (status == CSC_OK) {
		status = read_length(paths[1], &seconds[1], diag);
	}
	ret_lengths->is_apart = seconds[0] > 0 && seconds[1] > 0 &&
			fabs(seconds[1] - seconds[0]) > tolerance * fmax(seconds[0], seconds[1]);
	return status;
}

/* What the answers of both begin with; NULL where one has none. */
struct ends {
	char *headline;
	bool is_unknown;
	double bytes[3];
	bool has_bytes[3];
};

static enum csc_status read_ends(const char *path, struct ends *ret_ends, struct diag *diag)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *row = NULL;
	enum csc_status status = database_open(path, &db, diag);

	if (status == CSC_OK) {
		status = judge_prepare(db, "answer", diag);
	}
	if (status == CSC_OK) {
		status = database_prepare(db,
				sqlite3_mprintf("SELECT upper(json ->> '$.headline'), json ->> '$.verdict' = 'unknown', "
						"json ->> '$.memory.resident.likely', json ->> '$.memory.carriers.likely', "
						"json ->> '$.memory.used.likely' FROM answer WHERE rank = 1"),
				&row, diag);
	}
	if (status == CSC_OK && sqlite3_step(row) == SQLITE_ROW) {
		ret_ends->headline = strdup(database_text(row, 0));
		ret_ends->is_unknown = sqlite3_column_int(row, 1);
		for (int i = 0; i < 3; i++) {
			ret_ends->bytes[i] = sqlite3_column_double(row, 2 + i);
			ret_ends->has_bytes[i] = sqlite3_column_type(row, 2 + i) != SQLITE_NULL;
		}
	}

	(void)sqlite3_finalize(row);
	(void)sqlite3_close(db);
	return status;
}

enum csc_status difference_sentence(const char *const paths[2], const struct lengths *lengths,
		char **ret_sentence, struct diag *diag)
{
	static const char *const names[] = { "resident", "carriers", "in use" };
	struct ends old = { 0 };
	struct ends new = { 0 };
	sqlite3_str *text = sqlite3_str_new(NULL);
	const char *before = ": ";
	enum csc_status status = read_ends(paths[0], &old, diag);

	if (status == CSC_OK) {
		status = read_ends(paths[1], &new, diag);
	}
	sqlite3_str_appendf(text, "%s before, %s now", old.headline ? old.headline : "UNKNOWN",
			new.headline ? new.headline : "UNKNOWN");
	for (int i = 0; i < 3; i++) {
		if (old.has_bytes[i] && new.has_bytes[i]) {
			sqlite3_str_appendf(text, "%s%s %.1f to %.1f MiB", before, names[i],
					old.bytes[i] / 1048576, new.bytes[i] / 1048576);
			before = ", ";
		}
	}
	sqlite3_str_appendall(text,
			new.is_unknown ? ".  The new recording does not decide whether it is better."
				       : ".");
	if (lengths->is_apart) {
		sqlite3_str_appendf(text,
				"  The old recording lasted %.3g s, the new one %.3g s: what adds up is compared by the second.",
				lengths->seconds[0], lengths->seconds[1]);
	}
	free(old.headline);
	free(new.headline);
	*ret_sentence = sqlite3_str_finish(text);
	return status == CSC_OK && !*ret_sentence ? DIAG_NO_MEMORY(diag) : status;
}
