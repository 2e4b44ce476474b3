/*
 * SPDX-License-Identifier: MIT
 *
 * Leaves as rows come, the pages above them as leaves get their numbers.
 */
#include "feed_pages.h"

#include <assert.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "feed_cell.h"

enum {
	/* Leaves that are written at once. */
	RUN_LEAVES = 64,

	/* Levels above the leaves: 300 children each, so three are for 2.7 * 10^7 leaves. */
	LEVELS = 6,

	/* The most inner pages that come of one run and of the end. */
	RUN_INNER = 2 * LEVELS,

	/* Bytes written at once: SQLite's unix file takes less than 128 KiB. */
	WRITE_MOST = UINT16_MAX + 1,

	/* Bytes after which the disk is to begin: what it has then, nobody waits for at the end. */
	DISK_BYTES = 16 << 20,
};

/* The page of a level that is being filled, and the child that is not in it yet. */
struct level {
	uint8_t *page;
	size_t cells;
	size_t content;

	/* Of its last cell. */
	size_t last_size;
	uint32_t last_child;
	int64_t last_key;

	bool has_child;
	uint32_t child;
	int64_t key;
};

struct feed_pages {
	/* Borrowed. */
	sqlite3 *db;
	const struct feed_shape *shape;
	const char *path;

	uint32_t root;
	size_t page_size;
	uint32_t pending_page;

	/* Leaves that wait, and their last ids; behind them the inner pages that come of them. */
	uint8_t *run;
	int64_t keys[RUN_LEAVES];
	size_t leaf_count;
	size_t page_count;
	uint32_t numbers[RUN_LEAVES + RUN_INNER];
	uint32_t last_number;
	bool is_written;

	/* The file once more, -1: none, and up to where the disk was told to write it. */
	int file;
	off_t begun;

	/* In the leaf being filled: run[leaf_count]. */
	size_t cells;
	size_t content;
	int64_t last_id;

	struct level levels[LEVELS];
};

static enum csc_status fail(const struct feed_pages *pages, int result, struct diag *diag)
{
	return DIAG_FAIL(diag, "cannot write '%s': %s", pages->path, sqlite3_errstr(result));
}

static void begin_leaf(struct feed_pages *pages)
{
	uint8_t *leaf = pages->run + pages->leaf_count * pages->page_size;

	memset(leaf, 0, pages->page_size);
	leaf[0] = LEAF;
	pages->cells = 0;
	pages->content = pages->page_size;
}

static void begin_inner(const struct feed_pages *pages, struct level *level)
{
	memset(level->page, 0, pages->page_size);
	level->page[0] = INNER;
	level->cells = 0;
	level->content = pages->page_size;
}

static void end_page(uint8_t *page, size_t cells, size_t content)
{
	page_set_16(page + AT_CELL_COUNT, cells);
	/* 65536 is written as 0. */
	page_set_16(page + AT_CONTENT, content & UINT16_MAX);
}

static uint32_t next_number(struct feed_pages *pages)
{
	pages->last_number++;
	if (pages->last_number == pages->pending_page) {
		pages->last_number++;
	}

	return pages->last_number;
}

/* Puts the child that waits into the page of its level.  False: it is full. */
static bool put_child(struct level *level)
{
	uint8_t cell[CHILD_NUMBER + VARINT_MOST];
	size_t size = (size_t)(page_set_varint(cell + CHILD_NUMBER, (uint64_t)level->key) - cell);
	size_t pointers = INNER_HEADER + level->cells * CELL_POINTER;

	if (pointers + CELL_POINTER + size > level->content) {
		return false;
	}

	page_set_32(cell, level->child);
	level->content -= size;
	memcpy(level->page + level->content, cell, size);
	page_set_16(level->page + pointers, level->content);
	level->cells++;
	level->last_size = size;
	level->last_child = level->child;
	level->last_key = level->key;
	return true;
}

/*
 * Ends the page of a level, which is full, and begins the next with the child that waits.
 * The child of the last cell gets the place to the right, so that the next page has a
 * cell as well: one without is no page to SQLite.
 */
static void turn_page(struct feed_pages *pages, struct level *level)
{
	uint8_t *done = pages->run + pages->page_count * pages->page_size;

	level->cells--;
	level->content += level->last_size;
	page_set_32(level->page + AT_RIGHT, level->last_child);
	end_page(level->page, level->cells, level->content);
	memcpy(done, level->page, pages->page_size);
	pages->numbers[pages->page_count++] = next_number(pages);
	begin_inner(pages, level);
	(void)put_child(level);
}

/* Adds a page, whose greatest id is `key`, to the level above it. */
static enum csc_status add_child(struct feed_pages *pages, size_t above, uint32_t child,
		int64_t key, struct diag *diag)
{
	for (; above < LEVELS; above++) {
		struct level *level = &pages->levels[above];
		int64_t greatest;

		if (!level->page) {
			level->page = malloc(pages->page_size);
			if (!level->page) {
				return DIAG_NO_MEMORY(diag);
			}
			begin_inner(pages, level);
		}

		greatest = level->last_key;
		if (!level->has_child || put_child(level)) {
			level->has_child = true;
			level->child = child;
			level->key = key;
			return CSC_OK;
		}

		turn_page(pages, level);
		level->child = child;
		level->key = key;
		child = pages->numbers[pages->page_count - 1];
		key = greatest;
	}

	return fail(pages, SQLITE_FULL, diag);
}

static sqlite3_file *file_of(const struct feed_pages *pages)
{
	sqlite3_file *file = NULL;

	(void)sqlite3_file_control(pages->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	return file;
}

static int write_page(
		const struct feed_pages *pages, const uint8_t *image, size_t count, uint32_t number)
{
	sqlite3_file *file = file_of(pages);

	return file->pMethods->xWrite(file, image, (int)(count * pages->page_size),
			(sqlite3_int64)(number - 1) * (sqlite3_int64)pages->page_size);
}

/*
 * Writes the run, pages with consecutive numbers at once; the page that SQLite locks
 * may lie in between.
 */
static int write_run(const struct feed_pages *pages)
{
	size_t most = WRITE_MOST / pages->page_size;
	int result = SQLITE_OK;
	size_t first = 0;

	for (size_t i = 1; i <= pages->page_count && result == SQLITE_OK; i++) {
		if (i == pages->page_count || i - first == most ||
				pages->numbers[i] != pages->numbers[i - 1] + 1) {
			result = write_page(pages, pages->run + first * pages->page_size, i - first,
					pages->numbers[first]);
			first = i;
		}
	}

	return result;
}

/* Gives the waiting leaves their numbers, and what comes of that. */
static enum csc_status number_leaves(struct feed_pages *pages, struct diag *diag)
{
	for (size_t i = 0; i < pages->leaf_count; i++) {
		pages->numbers[i] = next_number(pages);
	}

	pages->page_count = pages->leaf_count;
	for (size_t i = 0; i < pages->leaf_count; i++) {
		enum csc_status status =
				add_child(pages, 0, pages->numbers[i], pages->keys[i], diag);

		if (status != CSC_OK) {
			return status;
		}
	}

	return CSC_OK;
}

/* Ends the open page of each level; the uppermost becomes the root, `*ret_root`. */
static enum csc_status number_levels(
		struct feed_pages *pages, const uint8_t **ret_root, struct diag *diag)
{
	for (size_t i = 0; i < LEVELS && pages->levels[i].page; i++) {
		struct level *level = &pages->levels[i];
		enum csc_status status;

		page_set_32(level->page + AT_RIGHT, level->child);
		end_page(level->page, level->cells, level->content);
		if (i + 1 == LEVELS || !pages->levels[i + 1].page) {
			*ret_root = level->page;
			break;
		}

		memcpy(pages->run + pages->page_count * pages->page_size, level->page,
				pages->page_size);
		pages->numbers[pages->page_count++] = next_number(pages);
		status = add_child(pages, i + 1, pages->last_number, level->key, diag);
		if (status != CSC_OK) {
			return status;
		}
	}

	return CSC_OK;
}

/* Appends what waits to the file, while no transaction is open. */
static enum csc_status append(struct feed_pages *pages, bool is_last, struct diag *diag)
{
	uint8_t header[FILE_HEADER];
	const uint8_t *root = NULL;
	sqlite3_file *file = file_of(pages);
	int result = file->pMethods->xRead(file, header, sizeof(header), 0);
	enum csc_status status = CSC_OK;

	if (result != SQLITE_OK) {
		return fail(pages, result, diag);
	}

	if (page_get_32(header + AT_CHANGES) != page_get_32(header + AT_CHANGES_OF_COUNT)) {
		return fail(pages, SQLITE_CORRUPT, diag);
	}

	pages->last_number = page_get_32(header + AT_PAGE_COUNT);
	if (is_last && !pages->is_written && pages->leaf_count <= 1) {
		/* One leaf is the whole table. */
		pages->page_count = 0;
		root = pages->leaf_count == 1 ? pages->run : NULL;
	} else {
		status = number_leaves(pages, diag);
		if (status == CSC_OK && is_last) {
			status = number_levels(pages, &root, diag);
		}
	}

	if (status != CSC_OK) {
		return status;
	}

	if (pages->last_number > PAGES_MOST) {
		return fail(pages, SQLITE_FULL, diag);
	}

	result = write_run(pages);
	if (result == SQLITE_OK && root) {
		result = write_page(pages, root, 1, pages->root);
	}

	page_set_32(header + AT_PAGE_COUNT, pages->last_number);
	page_set_32(header + AT_CHANGES, page_get_32(header + AT_CHANGES) + 1);
	memcpy(header + AT_CHANGES_OF_COUNT, header + AT_CHANGES, CHILD_NUMBER);
	if (result == SQLITE_OK) {
		result = file->pMethods->xWrite(file, header, sizeof(header), 0);
	}

	pages->is_written = true;
	return result == SQLITE_OK ? CSC_OK : fail(pages, result, diag);
}

/* Has the disk begin with what was appended. */
static void begin_writing(struct feed_pages *pages)
{
	off_t end = (off_t)pages->last_number * (off_t)pages->page_size;

	if (pages->file >= 0 && end - pages->begun >= DISK_BYTES) {
		(void)sync_file_range(pages->file, pages->begun, end - pages->begun,
				SYNC_FILE_RANGE_WRITE);
		pages->begun = end;
	}
}

static enum csc_status execute(const struct feed_pages *pages, const char *sql, struct diag *diag)
{
	return sqlite3_exec(pages->db, sql, NULL, NULL, NULL) == SQLITE_OK
			? CSC_OK
			: DIAG_FAIL(diag, "cannot write '%s': %s", pages->path,
					  sqlite3_errmsg(pages->db));
}

static enum csc_status flush(struct feed_pages *pages, bool is_last, struct diag *diag)
{
	enum csc_status status = execute(pages, "COMMIT", diag);

	if (status == CSC_OK) {
		status = append(pages, is_last, diag);
	}

	begin_writing(pages);
	pages->leaf_count = 0;
	pages->page_count = 0;
	begin_leaf(pages);
	return status == CSC_OK ? execute(pages, "BEGIN", diag) : status;
}

/* Ends the leaf that is being filled. */
static void end_leaf(struct feed_pages *pages, int64_t last_id)
{
	end_page(pages->run + pages->leaf_count * pages->page_size, pages->cells, pages->content);
	pages->keys[pages->leaf_count++] = last_id;
}

enum csc_status feed_pages_add(
		struct feed_pages *pages, const void *rows, size_t row_count, struct diag *diag)
{
	const struct feed_shape *shape = pages->shape;
	const char *row = rows;
	uint8_t room[FEED_CELL_MOST];

	for (size_t i = 0; i < row_count; i++, row += shape->row_size) {
		int64_t id = *(const int64_t *)(const void *)(row + shape->columns[0].offset);
		size_t length;
		const uint8_t *cell = feed_print_cell(shape, row, id, room, &length);
		size_t pointers = LEAF_HEADER + pages->cells * CELL_POINTER;
		uint8_t *leaf;

		assert(id > pages->last_id && length <= FEED_CELL_MOST);
		if (pointers + CELL_POINTER + length > pages->content) {
			end_leaf(pages, pages->last_id);
			if (pages->leaf_count < RUN_LEAVES) {
				begin_leaf(pages);
			} else if (flush(pages, false, diag) != CSC_OK) {
				return CSC_ERROR;
			}
			pointers = LEAF_HEADER;
		}

		leaf = pages->run + pages->leaf_count * pages->page_size;
		pages->content -= length;
		memcpy(leaf + pages->content, cell, length);
		page_set_16(leaf + pointers, pages->content);
		pages->cells++;
		pages->last_id = id;
	}

	return CSC_OK;
}

enum csc_status feed_pages_end(struct feed_pages *pages, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	if (pages->cells > 0) {
		end_leaf(pages, pages->last_id);
	}
	if (pages->leaf_count > 0 || pages->is_written) {
		status = flush(pages, true, diag);
	}

	feed_pages_drop(pages);
	return status;
}

void feed_pages_drop(struct feed_pages *pages)
{
	if (!pages) {
		return;
	}

	for (size_t i = 0; i < LEVELS; i++) {
		free(pages->levels[i].page);
	}

	if (pages->file >= 0) {
		(void)close(pages->file);
	}

	free(pages->run);
	free(pages);
}

/* The number of the table's root page; 0: it has rows. */
static enum csc_status find_root(
		sqlite3 *db, const char *table, uint32_t *ret_root, struct diag *diag)
{
	char *sql = sqlite3_mprintf("SELECT iif(EXISTS (SELECT 1 FROM main.%s), 0, rootpage) "
				    "FROM main.sqlite_schema WHERE name = %Q",
			table, table);
	sqlite3_stmt *statement = NULL;
	enum csc_status status = CSC_OK;

	if (!sql) {
		return DIAG_NO_MEMORY(diag);
	}

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
			sqlite3_step(statement) == SQLITE_ROW) {
		*ret_root = (uint32_t)sqlite3_column_int64(statement, 0);
	} else {
		status = DIAG_FAIL(diag, "cannot read table '%s': %s", table, sqlite3_errmsg(db));
	}

	(void)sqlite3_finalize(statement);
	sqlite3_free(sql);
	return status;
}

/* Where the byte is; tests of SQLite, and of ours, move it. */
static size_t pending_byte(void)
{
	int pending = sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, 0);

	return pending > 0 ? (size_t)pending : PENDING_BYTE;
}

/* Reads the size of pages, and whether the file is as we know it, while no transaction is open. */
static enum csc_status read_header(struct feed_pages *pages, bool *ret_is_known, struct diag *diag)
{
	uint8_t header[FILE_HEADER];
	sqlite3_file *file = file_of(pages);
	int result = file->pMethods->xRead(file, header, sizeof(header), 0);

	if (result != SQLITE_OK) {
		return fail(pages, result, diag);
	}

	pages->page_size = page_format_size(header);
	*ret_is_known = pages->page_size > 2 * (size_t)FEED_CELL_MOST && header[AT_RESERVED] == 0 &&
			page_get_32(header + AT_FORMAT) == FORMAT &&
			page_get_32(header + AT_VACUUM_ROOT) == 0;
	pages->pending_page = (uint32_t)(pending_byte() / pages->page_size + 1);
	return CSC_OK;
}

enum csc_status feed_pages_begin(sqlite3 *db, const char *path, const struct feed_shape *shape,
		struct feed_pages **ret_pages, struct diag *diag)
{
	struct feed_pages *pages;
	bool is_known = false;
	enum csc_status status;

	*ret_pages = NULL;
	if (!page_format_is_used()) {
		return CSC_OK;
	}
	pages = calloc(1, sizeof(*pages));
	if (!pages) {
		return DIAG_NO_MEMORY(diag);
	}

	*pages = (struct feed_pages){
		.db = db,
		.path = path,
		.shape = shape,
		.file = open(sqlite3_db_filename(db, "main"), O_WRONLY | O_CLOEXEC),
	};
	status = find_root(db, shape->table, &pages->root, diag);
	if (status == CSC_OK) {
		/* What is not committed may not be in the file. */
		status = execute(pages, "COMMIT", diag);
	}
	if (status == CSC_OK) {
		status = read_header(pages, &is_known, diag);
	}
	if (status == CSC_OK) {
		status = execute(pages, "BEGIN", diag);
	}
	if (status == CSC_OK && is_known && pages->root > 1 &&
			shape->column_count <= FEED_COLUMNS_MOST) {
		pages->run = malloc((RUN_LEAVES + RUN_INNER) * pages->page_size);
		status = pages->run ? CSC_OK : DIAG_NO_MEMORY(diag);
	}

	if (status == CSC_OK && pages->run) {
		begin_leaf(pages);
		*ret_pages = pages;
	} else {
		feed_pages_drop(pages);
	}

	return status;
}
