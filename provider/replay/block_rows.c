/* SPDX-License-Identifier: MIT */
/* The rows of one runtime's allocators among those of a source. */
#include "block_rows.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "recording_internal.h"
#include "table_pages.h"

/* The first columns of block_event. */
enum { ID, TS_NS, OP, THREAD, ADDRESS, SIZE, TYPE, ALLOCATOR, INSTANCE, ENDED, COLUMNS };
static const char *const columns[] = { "id", "ts_ns", "op", "thread_id", "address", "size",
	"type_id", "allocator_id", "instance", "ended_id" };
_Static_assert(sizeof(columns) / sizeof(columns[0]) == COLUMNS && COLUMNS <= TABLE_COLUMNS,
		"a name for each");

/* Threads whose answer is kept. */
#define KNOWN_THREADS 64

struct block_rows {
	/* Borrowed. */
	const struct recording *recording;
	int64_t last;

	/* Stands in the middle of its rows: the file stays as it is. */
	sqlite3_stmt *holder;

	/* NULL: what is left comes from the statement. */
	struct table_pages *pages;
	sqlite3_stmt *statement;

	/* The row that was given last. */
	int64_t given;

	/* Threads of other runtimes, sorted, and whether some are among them. */
	int64_t *others;
	size_t other_count;
	struct {
		int64_t thread;
		bool is_known;
		bool is_other;
	} known[KNOWN_THREADS];
};

/* Of a source with one runtime threads need not be recorded. */
static enum csc_status find_others(struct block_rows *rows, struct diag *diag)
{
	sqlite3_stmt *threads = recording_ask(rows->recording,
			"SELECT id FROM thread WHERE runtime_id IS NOT ? ORDER BY id", diag);
	size_t room = 0;

	if (!threads) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(threads, 1, rows->recording->facts.runtime);
	while (recording_step_row(rows->recording, threads, diag)) {
		if (rows->other_count == room) {
			int64_t *grown;

			room = room ? 2 * room : KNOWN_THREADS;
			grown = realloc(rows->others, room * sizeof(*grown));
			if (!grown) {
				(void)DIAG_NO_MEMORY(diag);
				break;
			}
			rows->others = grown;
		}
		rows->others[rows->other_count++] = sqlite3_column_int64(threads, 0);
	}
	sqlite3_finalize(threads);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

static int compare_ids(const void *one, const void *other)
{
	int64_t a = *(const int64_t *)one;
	int64_t b = *(const int64_t *)other;

	return (a > b) - (a < b);
}

static bool is_other(struct block_rows *rows, int64_t thread)
{
	size_t place = (uint64_t)thread % KNOWN_THREADS;

	if (!rows->known[place].is_known || rows->known[place].thread != thread) {
		rows->known[place].thread = thread;
		rows->known[place].is_known = true;
		rows->known[place].is_other = bsearch(&thread, rows->others, rows->other_count,
							      sizeof(thread), compare_ids) != NULL;
	}
	return rows->known[place].is_other;
}

/* Reads on by a statement, behind what was given. */
static enum csc_status ask_rest(struct block_rows *rows, struct diag *diag)
{
	rows->statement = recording_ask(rows->recording,
			"SELECT id, ts_ns, op, thread_id, address, size, type_id, allocator_id, instance, "
			"ended_id FROM block_event WHERE id > ?1 AND id <= ?2 ORDER BY id",
			diag);
	if (!rows->statement) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(rows->statement, 1, rows->given);
	(void)sqlite3_bind_int64(rows->statement, 2, rows->last);
	return CSC_OK;
}

/* Without a row nothing holds the file. */
static enum csc_status hold(struct block_rows *rows, bool *ret_is_held, struct diag *diag)
{
	rows->holder = recording_ask(
			rows->recording, "SELECT id FROM block_event ORDER BY id", diag);
	if (!rows->holder) {
		return CSC_ERROR;
	}
	*ret_is_held = recording_step_row(rows->recording, rows->holder, diag);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

struct block_rows *block_rows_open(
		const struct recording *recording, int64_t first, int64_t last, struct diag *diag)
{
	struct block_rows *rows = calloc(1, sizeof(*rows));
	bool is_held = false;

	if (!rows) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	rows->recording = recording;
	rows->last = last;
	rows->given = first - 1;
	if (find_others(rows, diag) != CSC_OK || hold(rows, &is_held, diag) != CSC_OK) {
		block_rows_close(rows);
		return NULL;
	}
	rows->pages = !is_held ? NULL
			       : table_pages_open(recording->db, "block_event", columns, COLUMNS,
						 first, last);
	if (!rows->pages && ask_rest(rows, diag) != CSC_OK) {
		block_rows_close(rows);
		return NULL;
	}
	return rows;
}

void block_rows_close(struct block_rows *rows)
{
	if (rows) {
		table_pages_close(rows->pages);
		sqlite3_finalize(rows->statement);
		sqlite3_finalize(rows->holder);
		free(rows->others);
		free(rows);
	}
}

/* A row of the statement, as the pages have it. */
static bool step(struct block_rows *rows, struct table_row *row, struct diag *diag)
{
	if (!recording_step_row(rows->recording, rows->statement, diag)) {
		return false;
	}
	row->id = sqlite3_column_int64(rows->statement, ID);
	if (row->id <= rows->given || row->id > rows->last) {
		(void)DIAG_FAIL(diag,
				"cannot read '%s': the ids of block_event are not in order, so the "
				"database is damaged",
				rows->recording->path);
		return false;
	}
	row->nulls = 0;
	for (int i = TS_NS; i < COLUMNS; i++) {
		row->values[i] = sqlite3_column_int64(rows->statement, i);
		if (row->values[i] == 0 && sqlite3_column_type(rows->statement, i) == SQLITE_NULL) {
			row->nulls |= UINT32_C(1) << i;
		}
	}
	return true;
}

static bool next_row(struct block_rows *rows, struct table_row *row, struct diag *diag)
{
	if (rows->pages) {
		if (table_pages_next(rows->pages, row)) {
			return true;
		}
		table_pages_close(rows->pages);
		rows->pages = NULL;
		if (ask_rest(rows, diag) != CSC_OK) {
			return false;
		}
	}
	return step(rows, row, diag);
}

bool block_rows_next(struct block_rows *rows, struct block_row *ret_row, struct diag *diag)
{
	struct table_row row;

	while (next_row(rows, &row, diag)) {
		rows->given = row.id;
		if (row.nulls & UINT32_C(1) << ALLOCATOR ||
				(rows->other_count > 0 && !(row.nulls & UINT32_C(1) << THREAD) &&
						is_other(rows, row.values[THREAD]))) {
			continue;
		}
		*ret_row = (struct block_row){
			.id = row.id,
			.ts_ns = row.values[TS_NS],
			.address = row.values[ADDRESS],
			.size = row.values[SIZE],
			.ended = row.values[ENDED],
			.allocator = row.values[ALLOCATOR],
			.op = (int32_t)row.values[OP],
			.type = (uint32_t)row.values[TYPE],
			.instance = (uint32_t)row.values[INSTANCE],
			.has_size = !(row.nulls & UINT32_C(1) << SIZE),
		};
		return true;
	}
	return false;
}
