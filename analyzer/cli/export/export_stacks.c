/*
 * SPDX-License-Identifier: MIT
 *
 * Rows to stacks, stacks to formats.
 */
#include "export_stacks.h"

#include <assert.h>
#include <string.h>

#include "command.h"
#include "database.h"
#include "folded.h"
#include "pprof.h"
#include "speedscope.h"

/* Columns of temp.stack. */
enum column {
	COLUMN_NODE,
	COLUMN_ALLOCATOR,
	COLUMN_TYPE,
	COLUMN_PROCESS,
	COLUMN_FUNCTION,
	COLUMN_PID,
	COLUMN_INSTANCE,
	COLUMN_SOURCE_LINES,
	COLUMN_VALUES
};

/* Runs a query that has one row, and has it taken. */
static enum csc_status read_row(struct export_stacks *stacks, const char *sql,
		enum csc_status (*take)(
				struct export_stacks *stacks, sqlite3_stmt *row, struct diag *diag),
		struct diag *diag)
{
	sqlite3 *db = stacks->db;
	sqlite3_stmt *row = NULL;
	enum csc_status status = database_prepare(db, sqlite3_mprintf("%s", sql), &row, diag);
	int result = status == CSC_OK ? sqlite3_step(row) : SQLITE_DONE;

	if (status == CSC_OK && result != SQLITE_ROW) {
		status = database_check(db, result, diag);
		if (status == CSC_OK) {
			status = DIAG_FAIL(diag, "cannot read '%s': a row is missing",
					sqlite3_db_filename(db, NULL));
		}
	}

	status = status == CSC_OK ? take(stacks, row, diag) : status;
	(void)sqlite3_finalize(row);
	return status;
}

/* Nodes that have nothing but readings are named before these are deleted. */
static enum csc_status take_left_out(
		struct export_stacks *stacks, sqlite3_stmt *row, struct diag *diag)
{
	int left_out = sqlite3_column_int(row, 0);

	(void)diag;
	if (left_out > 0) {
		command_print("warning: '%s': %d %s that only readings are of %s left out, since others have recorded blocks",
				stacks->database, left_out, left_out == 1 ? "node" : "nodes",
				left_out == 1 ? "is" : "are");
	}

	return CSC_OK;
}

/* Readings are of other moments than recorded blocks, so they are not added to them. */
static enum csc_status keep_best(struct export_stacks *stacks, struct diag *diag)
{
	enum csc_status status = read_row(stacks,
			"SELECT count(DISTINCT node) FROM temp.stack WHERE evidence = 'reading' "
			"AND EXISTS (SELECT 1 FROM temp.stack WHERE evidence <> 'reading') "
			"AND node NOT IN (SELECT node FROM temp.stack WHERE evidence <> 'reading')",
			take_left_out, diag);

	return status == CSC_OK
			? database_run(stacks->db,
					  sqlite3_mprintf("DELETE FROM temp.stack WHERE evidence = 'reading' AND "
							  "EXISTS (SELECT 1 FROM temp.stack WHERE evidence <> 'reading')"),
					  diag)
			: status;
}

/* Reports that there is no stack; `is_early`: blocks were recorded, but later than the moment. */
static enum csc_status fail_without(
		const struct export_stacks *stacks, bool is_early, struct diag *diag)
{
	if (is_early) {
		return DIAG_FAIL(diag,
				"'%s' shows no block that was allocated by this time; try a later one",
				stacks->database);
	}

	return DIAG_FAIL(diag,
			"'%s' does not show what blocks hold: record blocks (carrierscope:start() in the node) or load "
			"a crash dump or snapshot; carriers alone can be exported by --to csv or perfetto",
			stacks->database);
}

static const char values_sql[] =
		"SELECT count(*) > 0, min(alloc_blocks IS NOT NULL), min(alloc_bytes IS NOT NULL), "
		"min(live_blocks IS NOT NULL), min(live_bytes IS NOT NULL), count(DISTINCT node) > 1, "
		"iif(sum(live_blocks IS NULL) > 0, 'in use of heaps, binaries and tables: by who holds them, "
		"at the last list of holders; all else: ', '') || "
		"CASE WHEN sum(evidence = 'reading') > 0 THEN 'readings of nodes, which count all blocks' "
		"WHEN sum(evidence = 'samples') > 0 THEN 'estimates from samples; blocks from before the "
		"recording are not in them' ELSE 'exact for recorded blocks; those from before the "
		"recording are not among them' END || ifnull('; ' || (SELECT nullif(sum(lost_events), 0) "
		"FROM source) || ' events were lost', ''), "
		"(SELECT at_ns IS NOT NULL AND (EXISTS (SELECT 1 FROM block_span) OR EXISTS (SELECT 1 FROM "
		"sample_block)) FROM question) FROM temp.stack";

/* Which values there are.  Errors: no stack. */
static enum csc_status take_values(
		struct export_stacks *stacks, sqlite3_stmt *row, struct diag *diag)
{
	struct stack_profile *profile = &stacks->profile;

	if (sqlite3_column_int(row, 0) == 0) {
		return fail_without(stacks, sqlite3_column_int(row, 3 + STACK_VALUES) != 0, diag);
	}

	for (int value = 0; value < STACK_VALUES; value++) {
		profile->has[value] = sqlite3_column_int(row, 1 + value) != 0;
	}

	stacks->has_nodes = sqlite3_column_int(row, 1 + STACK_VALUES) != 0;
	profile->comment = sqlite3_mprintf("%s", database_text(row, 2 + STACK_VALUES));
	return profile->comment ? CSC_OK : DIAG_NO_MEMORY(diag);
}

static const char times_sql[] =
		"WITH used AS (SELECT DISTINCT source_id, snapshot_id, reading_ns FROM temp.stack), "
		"span AS (SELECT min(s.first_ts_ns) AS first_ns, max(s.last_ts_ns) AS last_ns, "
		"max(u.reading_ns) AS read_ns, max(u.snapshot_id) IS NOT NULL AS is_read FROM used AS u "
		"JOIN source AS s ON s.id = u.source_id), "
		"moment AS (SELECT iif(is_read, read_ns, min(ifnull(q.at_ns, last_ns), last_ns)) AS ts_ns, "
		"iif(is_read, NULL, first_ns) AS first_ns FROM span JOIN question AS q), "
		"every AS (SELECT DISTINCT sample_by, sample_every FROM hook_begin WHERE EXISTS "
		"(SELECT 1 FROM temp.stack WHERE evidence = 'samples')) "
		"SELECT ifnull(ts_ns, 0), ifnull(max(ts_ns - first_ns, 0), 0), "
		"(SELECT iif(count(*) = 1, max(sample_every), 0) FROM every), "
		"(SELECT ifnull(max(sample_by) = 1, 0) FROM every) FROM moment";

/* The moment, and the distance of samples if all have the same. */
static enum csc_status take_times(
		struct export_stacks *stacks, sqlite3_stmt *row, struct diag *diag)
{
	(void)diag;
	stacks->profile.time_ns = sqlite3_column_int64(row, 0);
	stacks->profile.duration_ns = sqlite3_column_int64(row, 1);
	stacks->profile.period = sqlite3_column_int64(row, 2);
	stacks->profile.is_period_bytes = sqlite3_column_int(row, 3) != 0;
	return CSC_OK;
}

/* What is live counts for those that made it. */
static const char code_sql[] =
		"CREATE TEMP TABLE stack AS SELECT evidence, node, source_id, runtime_id, snapshot_id, "
		"allocator, instance, type, pid, process, ifnull(function, 'no stack was read') AS function, "
		"alloc_blocks, alloc_bytes, made_live_blocks AS live_blocks, made_live_bytes AS live_bytes, "
		"reading_ns, source_lines FROM export_stack "
		"WHERE made_live_blocks IS NOT NULL AND evidence = 'samples'";

static enum csc_status check_code(
		struct export_stacks *stacks, sqlite3_stmt *row, struct diag *diag)
{
	return sqlite3_column_int(row, 0) > 0
			? CSC_OK
			: DIAG_FAIL(diag,
					  "'%s' does not show which functions made blocks: record samples (carrierscope record) "
					  "on a node whose stacks can be read",
					  stacks->database);
}

enum csc_status export_stacks_prepare(sqlite3 *db, const char *database, bool is_by_code,
		struct export_stacks *ret_stacks, struct diag *diag)
{
	struct export_stacks stacks = { .db = db, .database = database };
	enum csc_status status = database_run(db,
			sqlite3_mprintf("%s",
					is_by_code ? code_sql
						   : "CREATE TEMP TABLE stack AS SELECT * FROM export_stack"),
			diag);

	if (status == CSC_OK && is_by_code) {
		status = read_row(&stacks, "SELECT count(*) FROM stack_frame", check_code, diag);
	}
	if (status == CSC_OK) {
		status = keep_best(&stacks, diag);
	}
	if (status == CSC_OK) {
		status = read_row(&stacks, values_sql, take_values, diag);
	}
	if (status == CSC_OK) {
		status = read_row(&stacks, times_sql, take_times, diag);
	}

	*ret_stacks = stacks;
	return status;
}

void export_stacks_finish(struct export_stacks *stacks)
{
	sqlite3_free(stacks->profile.comment);
	*stacks = (struct export_stacks){ 0 };
}

static const char *text_or_null(sqlite3_stmt *row, int column)
{
	return (const char *)sqlite3_column_text(row, column);
}

/* What is separated as export_stack has it, one for each frame of code; TEXT is changed. */
static void split(char *text, const char *frames[STACK_FRAMES])
{
	char *rest = NULL;
	char *part = text ? strtok_r(text, STACK_SEPARATOR, &rest) : NULL;

	for (int frame = STACK_FUNCTION; frame < STACK_FRAMES && part; frame++) {
		frames[frame] = part;
		part = strtok_r(NULL, STACK_SEPARATOR, &rest);
	}
}

/* FUNCTIONS, SOURCE_LINES: of the row, to be changed; the stack borrows them. */
static struct stack stack_of(const struct export_stacks *stacks, sqlite3_stmt *row, char *functions,
		char *source_lines)
{
	struct stack stack = {
		.node = text_or_null(row, COLUMN_NODE),
		.pid = text_or_null(row, COLUMN_PID),
		.instance = sqlite3_column_type(row, COLUMN_INSTANCE) == SQLITE_NULL
				? -1
				: sqlite3_column_int64(row, COLUMN_INSTANCE),
	};

	for (int frame = STACK_ALLOCATOR; frame < STACK_FUNCTION; frame++) {
		stack.frames[frame] = text_or_null(row, frame);
	}
	split(functions, stack.frames);
	split(source_lines, stack.source_lines);
	if (stacks->has_nodes) {
		stack.frames[STACK_NODE] = stack.node ? stack.node : "unknown node";
	}
	for (int value = 0; value < STACK_VALUES; value++) {
		stack.values[value] = sqlite3_column_int64(row, COLUMN_VALUES + value);
	}

	return stack;
}

/* Each stack with the labels of its own; merged: of equal frames one, and no labels but the node.
 */
static const char plain_rows[] =
		"SELECT node, allocator, type, process, function, pid, instance, source_lines, "
		"alloc_blocks, alloc_bytes, live_blocks, live_bytes "
		"FROM temp.stack ORDER BY rowid";
static const char merged_rows[] =
		"SELECT node, allocator, type, process, function, NULL, NULL, NULL, sum(alloc_blocks), "
		"sum(alloc_bytes), sum(live_blocks), sum(live_bytes) FROM temp.stack "
		"GROUP BY node, allocator, type, process, function ORDER BY 1, 2, 3, 4, 5";

/* Hands each stack to a function, always in the same order. */
static enum csc_status for_each(const struct export_stacks *stacks, const char *sql, FILE *stream,
		void (*take)(void *data, const struct stack *stack), void *data, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	enum csc_status status =
			database_prepare(stacks->db, sqlite3_mprintf("%s", sql), &rows, diag);

	while (status == CSC_OK && !ferror(stream) && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		char *functions = sqlite3_mprintf("%s", text_or_null(rows, COLUMN_FUNCTION));
		char *lines = sqlite3_mprintf("%s", text_or_null(rows, COLUMN_SOURCE_LINES));
		struct stack stack = stack_of(stacks, rows, functions, lines);

		take(data, &stack);
		sqlite3_free(functions);
		sqlite3_free(lines);
	}

	if (status == CSC_OK && !ferror(stream)) {
		status = database_check(stacks->db, result, diag);
	}

	(void)sqlite3_finalize(rows);
	return status;
}

static void take_pprof(void *data, const struct stack *stack)
{
	pprof_add(data, stack);
}

enum csc_status export_stacks_pprof(
		const struct export_stacks *stacks, FILE *stream, struct diag *diag)
{
	struct pprof pprof;
	enum csc_status status = pprof_open(&pprof, stream, &stacks->profile, diag);

	if (status == CSC_OK) {
		enum csc_status closed;

		status = for_each(stacks, plain_rows, stream, take_pprof, &pprof, diag);
		closed = pprof_close(&pprof, diag);
		status = status == CSC_OK ? closed : status;
	}

	return status;
}

static void take_stack(void *data, const struct stack *stack)
{
	speedscope_add_stack(data, stack);
}

static void take_weight(void *data, const struct stack *stack)
{
	speedscope_add_weight(data, stack);
}

enum csc_status export_stacks_speedscope(
		const struct export_stacks *stacks, FILE *stream, struct diag *diag)
{
	struct speedscope file;
	enum csc_status status = CSC_OK;
	enum csc_status closed;

	speedscope_open(&file, stream);
	for (enum stack_value value = 0; status == CSC_OK && value < STACK_VALUES; value++) {
		if (!stacks->profile.has[value]) {
			continue;
		}

		speedscope_begin(&file, value);
		status = for_each(stacks, merged_rows, stream, take_stack, &file, diag);
		speedscope_begin_weights(&file);
		if (status == CSC_OK) {
			status = for_each(stacks, merged_rows, stream, take_weight, &file, diag);
		}
		speedscope_end(&file);
	}

	closed = speedscope_close(&file, diag);
	return status == CSC_OK ? closed : status;
}

/* What take_folded() needs. */
struct folded {
	FILE *stream;
	enum stack_value value;
};

static void take_folded(void *data, const struct stack *stack)
{
	const struct folded *folded = data;

	folded_add(folded->stream, stack, folded->value);
}

enum csc_status export_stacks_folded(const struct export_stacks *stacks, enum stack_value value,
		FILE *stream, struct diag *diag)
{
	struct folded folded = { stream, value };

	return for_each(stacks, merged_rows, stream, take_folded, &folded, diag);
}

enum csc_status export_stacks_check(
		const struct export_stacks *stacks, enum stack_value value, struct diag *diag)
{
	if (stacks->profile.has[value]) {
		return CSC_OK;
	}

	return DIAG_FAIL(diag,
			"%s is unknown for '%s': its readings do not have it; record blocks for it",
			stack_value_name(value), stacks->database);
}
