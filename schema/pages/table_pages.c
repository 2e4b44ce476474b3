/* SPDX-License-Identifier: MIT */
/* Leaves of a table's b-tree from the left to the right, and the cells in them. */
#include "table_pages.h"

#include <stdlib.h>
#include <string.h>

#include "page_format.h"

enum {
	/* Pages that are read at once. */
	RUN_PAGES = 16,

	/* Levels above the leaves. */
	LEVELS = 20,

	/* Bytes behind a page that may be looked at before it is known that they are none of it. */
	SLACK = 256,
};

/* By type: bytes of a column. */
static const uint8_t bytes_of[TYPE_ONE + 1] = { 0, 1, 2, 3, 4, 6, 8, 0, 0, 0 };

/* How an integer is made of the 8 bytes from its first on. */
static const uint8_t shift_of[TYPE_ONE + 1] = { 0, 56, 48, 40, 32, 16, 0, 0, 0, 0 };
static const int64_t mask_of[TYPE_ONE + 1] = { 0, -1, -1, -1, -1, -1, -1, 0, 0, 0 };

/* An inner page and its next child. */
struct level {
	uint8_t *page;
	uint32_t cells;
	uint32_t next;
};

struct table_pages {
	/* Borrowed. */
	sqlite3_file *file;
	uint32_t columns;
	int64_t from_id;
	int64_t to_id;

	uint32_t page_size;
	uint32_t usable;

	/* Some pages from `run_first` on; 0: none. */
	uint8_t *run;
	uint32_t run_first;

	/* The path to the leaf. */
	struct level levels[LEVELS];
	uint32_t depth;

	/* Within the run; NULL: there is none any more. */
	const uint8_t *leaf;
	uint32_t cells;
	uint32_t next;
	int64_t last_id;
};

/* NULL: it cannot be read.  Valid until the next call. */
static const uint8_t *page_at(struct table_pages *pages, uint32_t number)
{
	uint32_t place = number - pages->run_first;

	if (number < 2) {
		return NULL;
	}
	if (pages->run_first == 0 || number < pages->run_first || place >= RUN_PAGES) {
		int result = pages->file->pMethods->xRead(pages->file, pages->run,
				(int)(RUN_PAGES * pages->page_size),
				(sqlite3_int64)(number - 1) * (sqlite3_int64)pages->page_size);

		/* What is behind the end of the file is zeroes then: no page of a table. */
		if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) {
			return NULL;
		}
		pages->run_first = number;
		place = 0;
	}
	return pages->run + (size_t)place * pages->page_size;
}

/* An inner page becomes the lowest level.  False: it is none. */
static bool push(struct table_pages *pages, const uint8_t *page)
{
	struct level *level = &pages->levels[pages->depth];
	uint32_t cells = page_get_16(page + AT_CELL_COUNT);

	if (pages->depth == LEVELS || cells == 0 ||
			INNER_HEADER + cells * CELL_POINTER > pages->usable) {
		return false;
	}
	if (!level->page) {
		level->page = calloc(1, pages->page_size + SLACK);
	}
	if (!level->page) {
		return false;
	}
	memcpy(level->page, page, pages->page_size);
	level->cells = cells;
	level->next = 0;
	pages->depth++;
	return true;
}

/* The next child of a level; 0: it makes no sense. */
static uint32_t next_child(const struct table_pages *pages, struct level *level)
{
	while (level->next < level->cells) {
		uint32_t at = page_get_16(
				level->page + INNER_HEADER + (size_t)level->next * CELL_POINTER);
		uint64_t key;

		level->next++;
		if (at < INNER_HEADER || at >= pages->usable) {
			return 0;
		}
		(void)page_get_varint(level->page + at + CHILD_NUMBER, &key);
		if ((int64_t)key >= pages->from_id) {
			return page_get_32(level->page + at);
		}
	}
	level->next++;
	return page_get_32(level->page + AT_RIGHT);
}

/* A page that was come to: a leaf, or a level above it.  False: it is neither. */
static bool enter(struct table_pages *pages, uint32_t number)
{
	const uint8_t *page = page_at(pages, number);

	if (!page || page[0] != LEAF) {
		return page && page[0] == INNER && push(pages, page);
	}
	pages->cells = page_get_16(page + AT_CELL_COUNT);
	pages->next = 0;
	if (pages->cells == 0 || LEAF_HEADER + pages->cells * CELL_POINTER > pages->usable) {
		return false;
	}
	pages->leaf = page;
	return true;
}

/* Goes to the next leaf.  False: there is none, or something is wrong. */
static bool next_leaf(struct table_pages *pages)
{
	pages->leaf = NULL;
	while (pages->depth > 0 && !pages->leaf) {
		struct level *level = &pages->levels[pages->depth - 1];

		if (level->next > level->cells) {
			pages->depth--;
		} else if (!enter(pages, next_child(pages, level))) {
			pages->depth = 0;
		}
	}
	return pages->leaf != NULL;
}

static int64_t get_integer(const uint8_t *at, uint32_t type)
{
	uint64_t image;

	memcpy(&image, at, sizeof(image));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	image = __builtin_bswap64(image);
#endif
	/* Without a branch: types change from column to column. */
	return ((int64_t)image >> shift_of[type] & mask_of[type]) + (type == TYPE_ONE);
}

/*
 * The values of a record, of which there are `end - at` bytes.  Columns at the end that are not
 * stored are NULL.  False: it is not plain.
 */
static bool get_record(const struct table_pages *pages, const uint8_t *at, const uint8_t *end,
		struct table_row *row)
{
	/* The length of the types has one byte, and so does each type. */
	const uint8_t *value = at + at[0];
	const uint8_t *types = at + 1;
	uint32_t stored = at[0] - 1U;
	uint32_t nulls = 0;

	if (at[0] < 1 || at[0] >= 0x80 || value > end) {
		return false;
	}
	for (uint32_t i = 0; i < pages->columns; i++) {
		uint32_t type = i < stored ? types[i] : TYPE_NULL;

		if (type > TYPE_ONE || type == TYPE_REAL) {
			return false;
		}
		nulls |= (uint32_t)(type == TYPE_NULL) << i;
		row->values[i] = get_integer(value, type);
		value += bytes_of[type];
	}
	row->nulls = nulls;
	return value <= end;
}

/* The next cell of the leaf.  False: it is not plain. */
static bool get_cell(struct table_pages *pages, struct table_row *row)
{
	uint32_t offset =
			page_get_16(pages->leaf + LEAF_HEADER + (size_t)pages->next * CELL_POINTER);
	const uint8_t *end = pages->leaf + pages->usable;
	const uint8_t *at = pages->leaf + offset;
	uint64_t length;
	uint64_t id;

	if (offset < LEAF_HEADER || offset >= pages->usable) {
		return false;
	}
	at = page_get_varint(at, &length);
	at = page_get_varint(at, &id);
	/* Otherwise it goes on in other pages. */
	if (length == 0 || length > pages->usable - LEAF_OVERHEAD || at > end ||
			length > (uint64_t)(end - at) || (int64_t)id <= pages->last_id) {
		return false;
	}
	row->id = (int64_t)id;
	pages->last_id = row->id;
	pages->next++;
	return get_record(pages, at, at + length, row);
}

bool table_pages_next(struct table_pages *pages, struct table_row *ret_row)
{
	while (pages->leaf) {
		if (pages->next == pages->cells) {
			(void)next_leaf(pages);
			continue;
		}
		if (!get_cell(pages, ret_row) || ret_row->id > pages->to_id) {
			pages->leaf = NULL;
			break;
		}
		if (ret_row->id >= pages->from_id) {
			return true;
		}
	}
	return false;
}

/* The page where the table begins; 0: it has none of its own. */
static uint32_t find_root(sqlite3 *db, const char *table)
{
	sqlite3_stmt *rows = NULL;
	sqlite3_int64 root = 0;

	if (sqlite3_prepare_v2(db,
			    "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?",
			    -1, &rows, NULL) == SQLITE_OK) {
		(void)sqlite3_bind_text(rows, 1, table, -1, SQLITE_STATIC);
		if (sqlite3_step(rows) == SQLITE_ROW) {
			root = sqlite3_column_int64(rows, 0);
		}
	}
	sqlite3_finalize(rows);
	return root > 0 && root <= UINT32_MAX ? (uint32_t)root : 0;
}

/* Its columns are ours, none is computed or a key, and what is not stored is NULL. */
static bool has_columns(sqlite3 *db, const char *table, const char *const *columns, uint32_t count)
{
	sqlite3_stmt *rows = NULL;
	uint32_t found = 0;
	bool is_plain = true;

	if (sqlite3_prepare_v2(db,
			    "SELECT name, pk, hidden, dflt_value IS NULL FROM pragma_table_xinfo(?) "
			    "ORDER BY cid",
			    -1, &rows, NULL) == SQLITE_OK) {
		(void)sqlite3_bind_text(rows, 1, table, -1, SQLITE_STATIC);
		while (is_plain && sqlite3_step(rows) == SQLITE_ROW) {
			const char *name = (const char *)sqlite3_column_text(rows, 0);

			is_plain = name && sqlite3_column_int(rows, 2) == 0 &&
					sqlite3_column_int(rows, 1) == 0 &&
					sqlite3_column_int(rows, 3) != 0 &&
					(found >= count || strcmp(name, columns[found]) == 0);
			found++;
		}
	}
	sqlite3_finalize(rows);
	return is_plain && found >= count;
}

/* What the file says of its pages.  False: they cannot be read so. */
static bool read_header(struct table_pages *pages)
{
	uint8_t header[FILE_HEADER];

	if (pages->file->pMethods->xRead(pages->file, header, sizeof(header), 0) != SQLITE_OK) {
		return false;
	}
	pages->page_size = page_format_size(header);
	if (header[AT_WRITE_VERSION] != VERSION_PLAIN || header[AT_READ_VERSION] != VERSION_PLAIN ||
			pages->page_size < PAGE_SIZE_LEAST ||
			(pages->page_size & (pages->page_size - 1)) != 0 ||
			header[AT_RESERVED] > pages->page_size - USABLE_LEAST) {
		return false;
	}
	pages->usable = pages->page_size - header[AT_RESERVED];
	pages->run = calloc(1, (size_t)RUN_PAGES * pages->page_size + SLACK);
	return pages->run != NULL;
}

struct table_pages *table_pages_open(sqlite3 *db, const char *table, const char *const *columns,
		uint32_t count, int64_t from_id, int64_t to_id)
{
	struct table_pages *pages = page_format_is_used() ? calloc(1, sizeof(*pages)) : NULL;
	uint32_t root;

	if (!pages) {
		return NULL;
	}
	pages->columns = count;
	pages->from_id = from_id;
	pages->to_id = to_id;
	pages->last_id = INT64_MIN;
	root = find_root(db, table);
	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &pages->file) !=
					SQLITE_OK ||
			!pages->file || !pages->file->pMethods ||
			!has_columns(db, table, columns, count) || !read_header(pages) ||
			!enter(pages, root) || (!pages->leaf && !next_leaf(pages))) {
		table_pages_close(pages);
		return NULL;
	}
	return pages;
}

void table_pages_close(struct table_pages *pages)
{
	if (pages) {
		for (uint32_t i = 0; i < LEVELS; i++) {
			free(pages->levels[i].page);
		}
		free(pages->run);
		free(pages);
	}
}
