/*
 * SPDX-License-Identifier: MIT
 *
 * Each query is read to its end while what it yields is written: memory does not grow with the
 * trace.
 */
#include "export_times.h"

#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "perfetto.h"
#include "table.h"

/* The number in a column; -1: NULL. */
static int64_t number_of(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL ? -1
							       : sqlite3_column_int64(row, column);
}

/* The text of a column that a note may have; NULL: none. */
static const char *note_of(sqlite3_stmt *row, int column)
{
	return (const char *)sqlite3_column_text(row, column);
}

/* The first three columns of all queries here: runtime_id, node, vpid. */
static uint64_t process_of(struct perfetto *trace, sqlite3_stmt *row)
{
	const char *node = database_text(row, 1);

	return perfetto_process(
			trace, number_of(row, 0), *node ? node : "unknown node", number_of(row, 2));
}

static void take_level(struct perfetto *trace, sqlite3_stmt *row)
{
	static const char *const figures[] = { "carriers", "blocks", "live" };
	uint64_t process = process_of(trace, row);

	for (int i = 0; i < 3; i++) {
		char *name = NULL;

		if (sqlite3_column_type(row, 6 + i) == SQLITE_NULL) {
			continue;
		}
		if (asprintf(&name, "%s %s%s", database_text(row, 3), figures[i],
				    database_text(row, 4)) < 0) {
			trace->has_failed = true;
			return;
		}

		perfetto_set(trace, perfetto_counter(trace, process, name),
				sqlite3_column_int64(row, 5), sqlite3_column_int64(row, 6 + i));
		free(name);
	}
}

/* What a thread did is on its track; without ids of the system, on one with its name. */
static uint64_t thread_of(struct perfetto *trace, uint64_t process, sqlite3_stmt *row)
{
	const char *name = database_text(row, 4);

	if (number_of(row, 2) >= 0 && number_of(row, 3) >= 0) {
		return perfetto_thread(trace, number_of(row, 2), number_of(row, 3), name);
	}

	return perfetto_track(trace, process, *name ? name : "unknown thread");
}

static void take_phase(struct perfetto *trace, sqlite3_stmt *row)
{
	uint64_t process = process_of(trace, row);
	const char *track = note_of(row, 5);
	const struct perfetto_note notes[] = { { "about", note_of(row, 7) }, { 0 } };

	perfetto_slice(trace,
			track ? perfetto_track(trace, process, track)
			      : thread_of(trace, process, row),
			sqlite3_column_int64(row, 8), sqlite3_column_int64(row, 9),
			database_text(row, 6), notes);
}

static void take_instant(struct perfetto *trace, sqlite3_stmt *row)
{
	uint64_t track = perfetto_track(trace, process_of(trace, row), database_text(row, 3));
	const struct perfetto_note notes[] = {
		{ "rule", note_of(row, 6) },
		{ "severity", note_of(row, 7) },
		{ "allocator", note_of(row, 8) },
		{ "sentence", note_of(row, 9) },
		{ 0 },
	};

	perfetto_instant(trace, track, sqlite3_column_int64(row, 5), database_text(row, 4), notes);
}

static const struct {
	const char *sql;
	void (*take)(struct perfetto *trace, sqlite3_stmt *row);
} parts[] = {
	{ "SELECT runtime_id, node, vpid, allocator, CASE evidence WHEN 'reading' THEN ' (reading)' "
	  "WHEN 'samples' THEN ' (estimate)' ELSE '' END, ts_ns, carriers_bytes, blocks_bytes, live_bytes "
	  "FROM export_level WHERE instance IS NULL AND ts_ns IS NOT NULL ORDER BY ts_ns",
			take_level },
	{ "SELECT runtime_id, node, vpid, vtid, thread, track, name, note, begin_ns, end_ns "
	  "FROM export_phase",
			take_phase },
	{ "SELECT runtime_id, node, vpid, track, name, ts_ns, rule, severity, allocator, sentence "
	  "FROM export_instant",
			take_instant },
};

static enum csc_status write_part(
		sqlite3 *db, size_t part, struct perfetto *trace, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	enum csc_status status =
			database_prepare(db, sqlite3_mprintf("%s", parts[part].sql), &rows, diag);

	while (status == CSC_OK && !ferror(trace->stream) &&
			(result = sqlite3_step(rows)) == SQLITE_ROW) {
		parts[part].take(trace, rows);
	}

	if (status == CSC_OK && !ferror(trace->stream)) {
		status = database_check(db, result, diag);
	}

	(void)sqlite3_finalize(rows);
	return status;
}

/* What was made by the time of its end. */
static struct perfetto_made made_of(sqlite3_stmt *row)
{
	int64_t blocks = sqlite3_column_int64(row, 4);
	int64_t bytes = sqlite3_column_int64(row, 5);
	int64_t freed_blocks = blocks - sqlite3_column_int64(row, 6);
	int64_t freed_bytes = bytes - sqlite3_column_int64(row, 7);

	return (struct perfetto_made){ (uint64_t)blocks, (uint64_t)bytes,
		freed_blocks > 0 ? (uint64_t)freed_blocks : 0,
		freed_bytes > 0 ? (uint64_t)freed_bytes : 0 };
}

/* A heap profile of each node whose samples have stacks. */
static enum csc_status write_profiles(sqlite3 *db, struct perfetto *trace, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	int64_t runtime = -1;
	int64_t pid = -1;
	int64_t end_ns = 0;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT s.runtime_id, r.vpid, max(o.last_ts_ns), "
					"ifnull(s.function, 'no stack was read'), max(0, sum(s.alloc_blocks)), "
					"max(0, sum(s.alloc_bytes)), max(0, sum(s.made_live_blocks)), max(0, sum(s.made_live_bytes)) "
					"FROM export_stack AS s JOIN runtime AS r ON r.id = s.runtime_id "
					"JOIN source AS o ON o.id = s.source_id "
					"WHERE s.made_live_blocks IS NOT NULL AND s.evidence = 'samples' "
					"AND r.vpid >= 0 AND EXISTS (SELECT 1 FROM stack_frame) "
					"GROUP BY s.runtime_id, 4 ORDER BY s.runtime_id, 4"),
			&rows, diag);

	while (status == CSC_OK && !ferror(trace->stream) &&
			(result = sqlite3_step(rows)) == SQLITE_ROW) {
		char *functions = strdup(database_text(rows, 3));
		const struct perfetto_made made = made_of(rows);

		if (!functions) {
			trace->has_failed = true;
			break;
		}
		if (runtime >= 0 && runtime != sqlite3_column_int64(rows, 0)) {
			perfetto_profile(trace, pid, end_ns);
		}
		runtime = sqlite3_column_int64(rows, 0);
		pid = sqlite3_column_int64(rows, 1);
		end_ns = sqlite3_column_int64(rows, 2);
		perfetto_sample(trace, functions, &made);
		free(functions);
	}
	if (status == CSC_OK && runtime >= 0) {
		perfetto_profile(trace, pid, end_ns);
	}
	if (status == CSC_OK && !ferror(trace->stream) && !trace->has_failed) {
		status = database_check(db, result, diag);
	}

	(void)sqlite3_finalize(rows);
	return status;
}

/* A number of one row. */
static enum csc_status read_number(sqlite3 *db, char *sql, int64_t *ret_number, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	enum csc_status status = database_prepare(db, sql, &row, diag);
	int result = status == CSC_OK ? sqlite3_step(row) : SQLITE_DONE;

	if (status == CSC_OK && result == SQLITE_ROW) {
		*ret_number = sqlite3_column_int64(row, 0);
	} else if (status == CSC_OK) {
		status = database_check(db, result, diag);
		*ret_number = 0;
	}

	(void)sqlite3_finalize(row);
	return status;
}

enum csc_status export_times_perfetto(sqlite3 *db, FILE *stream, struct diag *diag)
{
	struct perfetto trace;
	int64_t first_ns = 0;
	enum csc_status closed;
	enum csc_status status = read_number(db,
			sqlite3_mprintf("SELECT ifnull(min(first_ts_ns), 0) FROM source"),
			&first_ns, diag);

	perfetto_open(&trace, stream, first_ns);
	for (size_t i = 0; status == CSC_OK && i < sizeof(parts) / sizeof(parts[0]); i++) {
		status = write_part(db, i, &trace, diag);
	}
	if (status == CSC_OK) {
		status = write_profiles(db, &trace, diag);
	}

	closed = perfetto_close(&trace, diag);
	return status == CSC_OK ? closed : status;
}

enum csc_status export_times_csv(
		sqlite3 *db, bool has_instances, bool is_raw, FILE *stream, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT ts_ns AS time_ns, node, vpid AS os_pid, allocator, instance, "
					"carriers_bytes, blocks_bytes, mbc_carriers_bytes, mbc_blocks_bytes, "
					"sbc_carriers_bytes, sbc_blocks_bytes, live_blocks, live_bytes, evidence "
					"FROM export_level WHERE (instance IS NOT NULL) = %d "
					"ORDER BY ts_ns, node, runtime_id, snapshot_id, allocator, instance",
					has_instances),
			&rows, diag);

	if (status == CSC_OK) {
		status = table_print_csv(stream, db, rows, is_raw, diag);
	}

	(void)sqlite3_finalize(rows);
	return status;
}

enum csc_status export_times_check(
		sqlite3 *db, const char *database, bool needs_time, struct diag *diag)
{
	int64_t is_there = 0;
	enum csc_status status = read_number(db,
			sqlite3_mprintf("SELECT EXISTS (SELECT 1 FROM export_level WHERE ts_ns IS NOT NULL "
					"OR NOT %d)",
					needs_time),
			&is_there, diag);

	if (status == CSC_OK && !is_there) {
		status = DIAG_FAIL(diag,
				"'%s' has no figures of allocators%s: record a node, or load a crash dump or snapshot",
				database, needs_time ? " at a known time" : "");
	}

	return status;
}
