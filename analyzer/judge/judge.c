/*
 * SPDX-License-Identifier: MIT
 *
 * Steps of SQL in the order of their files; a hash says which steps and thresholds a result is of.
 */
#include "judge.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "interval.h"
#include "judge_sql.h"
#include "judge_steps.h"
#include "maker_sums.h"
#include "trend_rows.h"

enum {
	NAME_BYTES = 128,
	/* So few rows are scanned as fast as found. */
	FEW_ROWS = 32,
	/* Columns of an index. */
	IDS_MAX = 2,
};

/* The first column of the first row of a query, to be freed by sqlite3_free(); NULL: no row. */
static enum csc_status read_text(sqlite3 *db, char *sql, char **ret_text, struct diag *diag)
{
	sqlite3_stmt *statement = NULL;
	char *text = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = judge_sql_prepare(db, sql, &statement, diag);

	if (status == CSC_OK) {
		result = sqlite3_step(statement);
	}
	if (result != SQLITE_ROW) {
		status = status == CSC_OK ? judge_sql_check(db, result, diag) : status;
	} else if (sqlite3_column_type(statement, 0) != SQLITE_NULL) {
		text = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
		status = text ? CSC_OK : DIAG_NO_MEMORY(diag);
	}

	(void)sqlite3_finalize(statement);
	*ret_text = text;
	return status;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	do {
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3U;
	} while (*text++);

	return hash;
}

/* Adds all values that a query yields. */
static enum csc_status hash_rows(sqlite3 *db, const char *sql, uint64_t *hash, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = judge_sql_prepare(db, sqlite3_mprintf("%s", sql), &rows, diag);

	while (status == CSC_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(rows); i++) {
			const char *text = (const char *)sqlite3_column_text(rows, i);

			*hash = hash_text(*hash, text ? text : "");
		}
	}

	(void)sqlite3_finalize(rows);
	return status == CSC_OK ? judge_sql_check(db, result, diag) : status;
}

/*
 * Of what a judgement is made of and may change later: the steps, the thresholds, what replays
 * found.  A text to be freed by sqlite3_free().
 */
static enum csc_status hash_rules(sqlite3 *db, char **ret_hash, struct diag *diag)
{
	static const char *const inputs[] = {
		"SELECT name, value FROM main.finding_threshold ORDER BY name",
		"SELECT * FROM main.sweep_advice",
		"SELECT * FROM main.sweep_result",
	};
	uint64_t hash = 0xcbf29ce484222325U;
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < judge_step_count; i++) {
		hash = hash_text(hash_text(hash, judge_steps[i].name), judge_steps[i].query);
	}
	for (size_t i = 0; status == CSC_OK && i < sizeof(inputs) / sizeof(inputs[0]); i++) {
		status = hash_rows(db, inputs[i], &hash, diag);
	}

	*ret_hash = status == CSC_OK ? sqlite3_mprintf("%016" PRIx64, hash) : NULL;
	return status == CSC_OK && !*ret_hash ? DIAG_NO_MEMORY(diag) : status;
}

/* Whether what is stored is of these rules and of no other moment, and all of it is there. */
static enum csc_status find_stored(sqlite3 *db, bool *ret_is_stored, struct diag *diag)
{
	char *hash = NULL;
	char *found = NULL;
	sqlite3_str *names = sqlite3_str_new(db);
	size_t results = 0;
	enum csc_status status = hash_rules(db, &hash, diag);

	sqlite3_str_appendall(names, "''");
	for (size_t i = 0; i < judge_step_count; i++) {
		if (judge_steps[i].kind == JUDGE_RESULT) {
			sqlite3_str_appendf(names, ", %Q", judge_steps[i].name);
			results++;
		}
	}

	/* Table judgement may be missing as well: then there is no row. */
	if (status == CSC_OK) {
		status = read_text(db,
				sqlite3_mprintf("SELECT 1 WHERE (SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name IN (%s)) = %d "
						"AND NOT EXISTS (SELECT 1 FROM sqlite_temp_schema WHERE name = 'question') "
						"AND EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'judgement')",
						sqlite3_str_value(names), (int)results),
				&found, diag);
	}
	*ret_is_stored = found != NULL;
	sqlite3_free(found);
	found = NULL;
	if (status == CSC_OK && *ret_is_stored) {
		status = read_text(db,
				sqlite3_mprintf("SELECT 1 FROM main.judgement WHERE rules = %Q",
						hash),
				&found, diag);
		*ret_is_stored = found != NULL;
		sqlite3_free(found);
	}

	sqlite3_free(sqlite3_str_finish(names));
	sqlite3_free(hash);
	return status;
}

/* Which steps the connection has as temporary tables or views. */
static enum csc_status find_made(sqlite3 *db, bool *made, struct diag *diag)
{
	sqlite3_stmt *names = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = judge_sql_prepare(db,
			sqlite3_mprintf("SELECT name FROM sqlite_temp_schema WHERE type <> 'index'"),
			&names, diag);

	while (status == CSC_OK && (result = sqlite3_step(names)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(names, 0);

		for (size_t i = 0; name && i < judge_step_count; i++) {
			made[i] = made[i] || strcmp(judge_steps[i].name, name) == 0;
		}
	}

	(void)sqlite3_finalize(names);
	return status == CSC_OK ? judge_sql_check(db, result, diag) : status;
}

/*
 * Marks what a query reads by the words in it, and what these steps read, but for what those that
 * are made read; `is_stored`: but for the results and what they read.
 */
static void mark_asked(const char *asked, bool is_stored, const bool *made, bool *marks)
{
	const char *at = asked;

	while (at && *at) {
		size_t length = 0;

		while (isalnum((unsigned char)at[length]) || at[length] == '_') {
			length++;
		}
		for (size_t i = 0; length > 0 && i < judge_step_count; i++) {
			marks[i] = marks[i] ||
					(strlen(judge_steps[i].name) == length &&
							memcmp(judge_steps[i].name, at, length) ==
									0);
		}
		at += length > 0 ? length : 1;
	}

	for (size_t i = judge_step_count; i-- > 0;) {
		marks[i] = (marks[i] || !asked) &&
				!(is_stored && judge_steps[i].kind == JUDGE_RESULT);
		for (const short *read = judge_steps[i].reads; marks[i] && !made[i] && *read >= 0;
				read++) {
			marks[*read] = true;
		}
	}
}

/*
 * An index over the ids that come first in a table, if it begins with one: others look it up by
 * these, and SQLite, which does not know how large it is, would scan it for each.
 */
static enum csc_status index_ids(sqlite3 *db, const char *table, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	sqlite3_str *columns = sqlite3_str_new(db);
	enum csc_status status = judge_sql_prepare(db,
			sqlite3_mprintf("SELECT * FROM temp.\"%w\" LIMIT 1 OFFSET %d", table,
					FEW_ROWS),
			&row, diag);

	if (status == CSC_OK && sqlite3_step(row) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(row) && i < IDS_MAX; i++) {
			const char *name = sqlite3_column_name(row, i);

			if (!name || strlen(name) < 3 ||
					strcmp(name + strlen(name) - 3, "_id") != 0) {
				break;
			}
			sqlite3_str_appendf(columns, "%s\"%w\"", i > 0 ? ", " : "", name);
		}
	}

	(void)sqlite3_finalize(row);
	if (status == CSC_OK && sqlite3_str_length(columns) > 0) {
		status = judge_sql_run(db,
				sqlite3_mprintf("CREATE INDEX temp.\"%w:id\" ON \"%w\" (%s)", table,
						table, sqlite3_str_value(columns)),
				diag);
	}

	sqlite3_free(sqlite3_str_finish(columns));
	return status;
}

/* Whether the connection has a temporary table or view of this name. */
static enum csc_status find_temporary(
		sqlite3 *db, const char *name, bool *ret_is_there, struct diag *diag)
{
	char *found = NULL;
	enum csc_status status = read_text(db,
			sqlite3_mprintf("SELECT 1 FROM sqlite_temp_schema WHERE name = %Q AND type <> 'index'",
					name),
			&found, diag);

	*ret_is_there = found != NULL;
	sqlite3_free(found);
	return status;
}

/* Steps in C, whose SQL is too slow; that says what they yield. */
static const struct step_in_c {
	const char *name;
	enum csc_status (*make)(sqlite3 *db, struct diag *diag);
} steps_in_c[] = {
	{ "_interval", interval_make },
	{ "_page_block_sum", maker_sums_make_changes },
	{ "_live_peak_sum", maker_sums_make_peak },
	{ "_trend", trend_rows_make },
};

/* NULL: it is none of them. */
static const struct step_in_c *find_step_in_c(const struct judge_step *step)
{
	for (size_t i = 0; i < sizeof(steps_in_c) / sizeof(steps_in_c[0]); i++) {
		if (strcmp(steps_in_c[i].name, step->name) == 0) {
			return &steps_in_c[i];
		}
	}

	return NULL;
}

static enum csc_status run_step(sqlite3 *db, const struct judge_step *step, struct diag *diag)
{
	bool is_table = step->kind == JUDGE_TABLE || step->kind == JUDGE_RESULT;
	const struct step_in_c *in_c = find_step_in_c(step);
	bool is_there = false;
	enum csc_status status = in_c ? in_c->make(db, diag) : CSC_OK;

	if (status == CSC_OK && in_c) {
		status = find_temporary(db, step->name, &is_there, diag);
	}
	if (status == CSC_OK && !is_there) {
		status = judge_sql_run(db,
				sqlite3_mprintf("CREATE TEMP %s \"%w\" AS %s",
						is_table ? "TABLE" : "VIEW", step->name,
						step->query),
				diag);
	}

	return status == CSC_OK && is_table ? index_ids(db, step->name, diag) : status;
}

/* Runs the marked steps that the connection has not run before. */
static enum csc_status run_steps(sqlite3 *db, const bool *marks, struct diag *diag)
{
	bool made[JUDGE_STEPS_MAX] = { false };
	enum csc_status status = find_made(db, made, diag);

	for (size_t i = 0; status == CSC_OK && i < judge_step_count; i++) {
		if (marks[i] && !made[i]) {
			status = run_step(db, &judge_steps[i], diag);
		}
	}

	return status;
}

/* Drops what run_steps() made of the marked steps. */
static enum csc_status drop_steps(sqlite3 *db, const bool *marks, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (size_t i = judge_step_count; status == CSC_OK && i-- > 0;) {
		const struct judge_step *step = &judge_steps[i];
		bool is_table = step->kind == JUDGE_TABLE || step->kind == JUDGE_RESULT;

		if (marks[i]) {
			status = judge_sql_run(db,
					sqlite3_mprintf("DROP %s IF EXISTS temp.\"%w\"",
							is_table ? "TABLE" : "VIEW", step->name),
					diag);
		}
	}

	return status;
}

/* A threshold that is missing or no number: verdicts would be silently wrong. */
static enum csc_status check_thresholds(sqlite3 *db, struct diag *diag)
{
	bool marks[JUDGE_STEPS_MAX] = { false };
	bool made[JUDGE_STEPS_MAX] = { false };
	char *fault = NULL;
	enum csc_status status;

	mark_asked("_threshold_fault", false, made, marks);
	status = run_steps(db, marks, diag);
	if (status == CSC_OK) {
		status = read_text(db, sqlite3_mprintf("SELECT fault FROM _threshold_fault"),
				&fault, diag);
	}
	if (status == CSC_OK && fault) {
		status = DIAG_FAIL(diag, "cannot judge '%s': %s", sqlite3_db_filename(db, "main"),
				fault);
	}

	sqlite3_free(fault);
	return status;
}

/* Empties what is stored. */
static enum csc_status clear_results(sqlite3 *db, struct diag *diag)
{
	enum csc_status status =
			judge_sql_run(db, sqlite3_mprintf("DELETE FROM main.judgement"), diag);

	for (size_t i = 0; status == CSC_OK && i < judge_step_count; i++) {
		if (judge_steps[i].kind == JUDGE_RESULT) {
			status = judge_sql_run(db,
					sqlite3_mprintf("DELETE FROM main.\"%w\"",
							judge_steps[i].name),
					diag);
		}
	}

	return status;
}

/* Stores the temporary results. */
static enum csc_status write_results(sqlite3 *db, struct diag *diag)
{
	char *hash = NULL;
	enum csc_status status = hash_rules(db, &hash, diag);

	for (size_t i = 0; status == CSC_OK && i < judge_step_count; i++) {
		const char *name = judge_steps[i].name;

		if (judge_steps[i].kind == JUDGE_RESULT) {
			status = judge_sql_run(db,
					sqlite3_mprintf("INSERT INTO main.\"%w\" SELECT * FROM temp.\"%w\"",
							name, name),
					diag);
		}
	}

	if (status == CSC_OK) {
		status = judge_sql_run(db,
				sqlite3_mprintf("INSERT INTO main.judgement VALUES (1, %Q)", hash),
				diag);
	}
	sqlite3_free(hash);
	return status;
}

static enum csc_status compute_and_write(sqlite3 *db, struct diag *diag)
{
	bool marks[JUDGE_STEPS_MAX] = { false };
	bool made[JUDGE_STEPS_MAX] = { false };
	struct diag ignored = { 0 };
	enum csc_status status;

	/* What a result is made of, not the views that read results. */
	for (size_t i = 0; i < judge_step_count; i++) {
		if (judge_steps[i].kind == JUDGE_RESULT) {
			mark_asked(judge_steps[i].name, false, made, marks);
		}
	}
	mark_asked("_threshold_fault", false, made, marks);

	status = run_steps(db, marks, diag);
	if (status == CSC_OK) {
		status = write_results(db, diag);
	}
	/* After an error the load is given up, and its connection closed. */
	return drop_steps(db, marks, status == CSC_OK ? diag : &ignored) == CSC_OK ? status
										   : CSC_ERROR;
}

enum csc_status judge_store(sqlite3 *db, bool is_last, struct diag *diag)
{
	enum csc_status status;

	/* The triggers of the results are for others who change them. */
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	status = clear_results(db, diag);
	if (status == CSC_OK && is_last) {
		status = check_thresholds(db, diag);
	}
	if (status == CSC_OK && is_last) {
		status = compute_and_write(db, diag);
	}
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, NULL);
	return status;
}

/* Whether a marked step is one in C. */
static bool has_step_in_c(const bool *marks)
{
	for (size_t i = 0; i < judge_step_count; i++) {
		if (marks[i] && find_step_in_c(&judge_steps[i])) {
			return true;
		}
	}

	return false;
}

enum csc_status judge_prepare(sqlite3 *db, const char *asked, struct diag *diag)
{
	bool marks[JUDGE_STEPS_MAX] = { false };
	bool made[JUDGE_STEPS_MAX] = { false };
	bool is_stored = false;
	enum csc_status status = find_stored(db, &is_stored, diag);

	if (status != CSC_OK || (is_stored && !asked)) {
		return status;
	}

	if (!is_stored) {
		status = check_thresholds(db, diag);
	}
	if (status == CSC_OK) {
		status = find_made(db, made, diag);
	}

	mark_asked(asked, is_stored, made, marks);
	return status == CSC_OK && (!is_stored || has_step_in_c(marks)) ? run_steps(db, marks, diag)
									: status;
}

bool judge_is_of_moment(const char *view)
{
	/* Its figures are those of the moment; what else reads them is about the end. */
	bool is = strcmp(view, "report_figures") == 0;

	for (size_t i = 0; !is && i < judge_step_count; i++) {
		is = judge_steps[i].is_of_moment && strcmp(judge_steps[i].name, view) == 0;
	}

	return is;
}
