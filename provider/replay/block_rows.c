/* SPDX-License-Identifier: MIT */
/* The rows of one runtime's allocators among those of a source. */
#include "block_rows.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "packed_block.h"
#include "recording_internal.h"
#include "table_pages.h"

/* Columns of block_event. */
enum { ID, TS_NS, OP, THREAD, ADDRESS, SIZE, TYPE, ALLOCATOR, INSTANCE, ENDED };
#define COLUMNS                                                                             \
	"SELECT id, ts_ns, op, thread_id, address, size, type_id, allocator_id, instance, " \
	"ended_id FROM block_event "

/* Those of packed_block. */
enum { WORD, PLACE, PACKED_COLUMNS };
static const char *const packed_columns[] = { "word", "place" };
_Static_assert(sizeof(packed_columns) / sizeof(packed_columns[0]) == PACKED_COLUMNS &&
				PACKED_COLUMNS <= TABLE_COLUMNS,
		"a name for each");

/* Threads whose answer is kept. */
#define KNOWN_THREADS 64

/* Rows whose sizes are kept at most: those of a damaged range need no memory. */
#define SIZES_MOST (INT64_C(1) << 31)

/* A row, and whose it is. */
struct found {
	struct block_row row;
	int64_t thread;
	bool has_thread;
	bool has_allocator;
};

struct block_rows {
	/* Borrowed. */
	const struct recording *recording;
	int64_t last;

	/* Stands in the middle of its rows: the file stays as it is. */
	sqlite3_stmt *holder;

	/* NULL: what is left comes from the statement. */
	struct table_pages *pages;
	struct packed_blocks *packed;
	sqlite3_stmt *statement;

	/* One row by its id; NULL: not asked for yet. */
	sqlite3_stmt *one;

	/* By row from the first on: 1 + size of the block that it made, 0: not known.  NULL: of
	 * none. */
	uint32_t *sizes;
	int64_t first;

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
	rows->statement = recording_ask(
			rows->recording, COLUMNS "WHERE id > ?1 AND id <= ?2 ORDER BY id", diag);
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
			rows->recording, "SELECT word FROM packed_block ORDER BY rowid", diag);
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
	rows->packed = is_held ? packed_blocks_open(recording->db) : NULL;
	rows->pages = !rows->packed ? NULL
				    : table_pages_open(recording->db, "packed_block",
						      packed_columns, PACKED_COLUMNS, first, last);
	rows->first = first;
	if (rows->pages && last >= first && last - first < SIZES_MOST) {
		rows->sizes = calloc((size_t)(last - first) + 1, sizeof(*rows->sizes));
	}
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
		packed_blocks_close(rows->packed);
		free(rows->sizes);
		sqlite3_finalize(rows->one);
		sqlite3_finalize(rows->statement);
		sqlite3_finalize(rows->holder);
		free(rows->others);
		free(rows);
	}
}

/* A column that is 0 where it is NULL; *has: it is not. */
static int64_t get(sqlite3_stmt *statement, int column, bool *has)
{
	int64_t value = sqlite3_column_int64(statement, column);

	*has = value != 0 || sqlite3_column_type(statement, column) != SQLITE_NULL;
	return value;
}

static void read_row(sqlite3_stmt *statement, struct found *ret_found)
{
	struct block_row *row = &ret_found->row;

	row->id = sqlite3_column_int64(statement, ID);
	row->ts_ns = sqlite3_column_int64(statement, TS_NS);
	row->op = (int32_t)sqlite3_column_int64(statement, OP);
	row->address = sqlite3_column_int64(statement, ADDRESS);
	row->size = get(statement, SIZE, &row->has_size);
	row->type = (uint32_t)sqlite3_column_int64(statement, TYPE);
	row->allocator = get(statement, ALLOCATOR, &ret_found->has_allocator);
	row->instance = (uint32_t)sqlite3_column_int64(statement, INSTANCE);
	row->ended = sqlite3_column_int64(statement, ENDED);
	ret_found->thread = get(statement, THREAD, &ret_found->has_thread);
}

static bool step(struct block_rows *rows, struct found *ret_found, struct diag *diag)
{
	if (!recording_step_row(rows->recording, rows->statement, diag)) {
		return false;
	}
	read_row(rows->statement, ret_found);
	if (ret_found->row.id <= rows->given || ret_found->row.id > rows->last) {
		return DIAG_FAIL(diag,
				       "cannot read '%s': the ids of block_event are not in order, so "
				       "the database is damaged",
				       rows->recording->path) == CSC_OK;
	}
	return true;
}

/* One row, by the view. */
static bool ask_one(struct block_rows *rows, int64_t id, struct found *ret_found, struct diag *diag)
{
	bool is_there;

	if (!rows->one) {
		rows->one = recording_ask(rows->recording, COLUMNS "WHERE id = ?1", diag);
	}
	if (!rows->one) {
		return false;
	}
	(void)sqlite3_bind_int64(rows->one, 1, id);
	is_there = recording_step_row(rows->recording, rows->one, diag);
	if (is_there) {
		read_row(rows->one, ret_found);
	}
	(void)sqlite3_reset(rows->one);
	return is_there;
}

/* The size of a row that ends a block: so much more than that.  False: reading failed. */
static bool add_size(
		struct block_rows *rows, int64_t more, struct block_row *row, struct diag *diag)
{
	uint32_t known = rows->sizes && row->ended >= rows->first
			? rows->sizes[row->ended - rows->first]
			: 0;
	struct found maker = { 0 };

	if (known > 0) {
		row->size = (int64_t)known - 1 + more;
		return true;
	}
	if (ask_one(rows, row->ended, &maker, diag)) {
		row->size = maker.row.size + more;
	}
	row->has_size = maker.row.has_size;
	return !diag_is_set(diag);
}

/* *ret_is_plain: the row was unpacked. */
static bool unpack(struct block_rows *rows, const struct table_row *packed, struct found *ret_found,
		bool *ret_is_plain, struct diag *diag)
{
	struct unpacked_row row;

	*ret_is_plain = true;
	if (packed->nulls == (1U << WORD | 1U << PLACE)) {
		return ask_one(rows, packed->id, ret_found, diag);
	}
	*ret_is_plain = packed->nulls == 0 &&
			packed_blocks_unpack(rows->packed, packed->id, packed->values[WORD],
					packed->values[PLACE], &row);
	if (!*ret_is_plain) {
		return false;
	}
	*ret_found = (struct found){
		.row = {
			.id = packed->id,
			.ts_ns = row.ts_ns,
			/* Of a block that ends any but 0 will do. */
			.address = row.ended ? 1 : row.address,
			.size = row.size,
			.ended = row.ended,
			.allocator = row.kind->allocator,
			.op = row.op,
			.type = (uint32_t)row.kind->type,
			.instance = (uint32_t)row.kind->instance,
			.has_size = row.has_size,
		},
		.thread = row.kind->thread,
		.has_thread = !(row.kind->nulls & PACKED_NULL_THREAD),
		.has_allocator = !(row.kind->nulls & PACKED_NULL_ALLOCATOR),
	};
	if (row.is_more) {
		return add_size(rows, row.more, &ret_found->row, diag);
	}
	return true;
}

static bool next_row(struct block_rows *rows, struct found *ret_found, struct diag *diag)
{
	if (rows->pages) {
		struct table_row packed;
		bool is_plain = false;

		if (table_pages_next(rows->pages, &packed)) {
			bool is_there = unpack(rows, &packed, ret_found, &is_plain, diag);

			if (is_there || diag_is_set(diag)) {
				return is_there;
			}
		}
		table_pages_close(rows->pages);
		rows->pages = NULL;
		if (ask_rest(rows, diag) != CSC_OK) {
			return false;
		}
	}
	return step(rows, ret_found, diag);
}

bool block_rows_next(struct block_rows *rows, struct block_row *ret_row, struct diag *diag)
{
	struct found found;

	while (next_row(rows, &found, diag)) {
		const struct block_row *row = &found.row;

		rows->given = row->id;
		if (rows->sizes && row->has_size && row->op != OP_FREE && row->size >= 0 &&
				row->size < UINT32_MAX) {
			rows->sizes[row->id - rows->first] = (uint32_t)row->size + 1;
		}
		if (!found.has_allocator ||
				(rows->other_count > 0 && found.has_thread &&
						is_other(rows, found.thread))) {
			continue;
		}
		*ret_row = *row;
		return true;
	}
	return false;
}
