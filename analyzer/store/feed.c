/*
 * SPDX-License-Identifier: MIT
 *
 * An eponymous virtual table that walks an array.
 */
#include "feed.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "feed_pages.h"
#include "rows.h"

struct feed_table {
	sqlite3_vtab base;
	struct feed *feed;
};

struct feed_cursor {
	sqlite3_vtab_cursor base;
	const struct feed *feed;
	size_t row;
};

static int feed_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
		sqlite3_vtab **ret_table, char **ret_error)
{
	struct feed *feed = data;
	struct feed_table *table;
	sqlite3_str *sql = sqlite3_str_new(db);
	char *text;
	int result;

	(void)argc;
	(void)argv;
	(void)ret_error;
	sqlite3_str_appendall(sql, "CREATE TABLE feed(");
	for (size_t i = 0; i < feed->shape->column_count; i++) {
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? ", " : "", feed->shape->columns[i].name);
	}

	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	if (!text) {
		return SQLITE_NOMEM;
	}

	result = sqlite3_declare_vtab(db, text);
	sqlite3_free(text);
	if (result != SQLITE_OK) {
		return result;
	}

	table = sqlite3_malloc64(sizeof(*table));
	if (!table) {
		return SQLITE_NOMEM;
	}

	*table = (struct feed_table){ .feed = feed };
	*ret_table = &table->base;
	return SQLITE_OK;
}

static int feed_disconnect(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

static int feed_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	info->estimatedCost = 1e6;
	return SQLITE_OK;
}

static int feed_cursor_open(sqlite3_vtab *table, sqlite3_vtab_cursor **ret_cursor)
{
	struct feed_cursor *cursor = sqlite3_malloc64(sizeof(*cursor));

	if (!cursor) {
		return SQLITE_NOMEM;
	}

	*cursor = (struct feed_cursor){ .feed = ((struct feed_table *)table)->feed };
	*ret_cursor = &cursor->base;
	return SQLITE_OK;
}

static int feed_cursor_close(sqlite3_vtab_cursor *cursor)
{
	sqlite3_free(cursor);
	return SQLITE_OK;
}

static int feed_filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc,
		sqlite3_value **argv)
{
	(void)number;
	(void)text;
	(void)argc;
	(void)argv;
	((struct feed_cursor *)cursor)->row = 0;
	return SQLITE_OK;
}

static int feed_next(sqlite3_vtab_cursor *cursor)
{
	((struct feed_cursor *)cursor)->row++;
	return SQLITE_OK;
}

static int feed_eof(sqlite3_vtab_cursor *base)
{
	const struct feed_cursor *cursor = (const struct feed_cursor *)base;

	return cursor->row >= cursor->feed->row_count;
}

static void put_integer(sqlite3_context *context, int64_t value)
{
	if (value == ROW_NULL) {
		sqlite3_result_null(context);
	} else {
		sqlite3_result_int64(context, value);
	}
}

static void put_text(sqlite3_context *context, const char *arena, struct row_text text)
{
	if (text.offset == ROW_NO_TEXT) {
		sqlite3_result_null(context);
	} else {
		sqlite3_result_text(context, arena + text.offset, (int)text.length, SQLITE_STATIC);
	}
}

static void put_any(sqlite3_context *context, const char *arena, const struct row_any *value)
{
	switch (value->kind) {
	case ANY_NULL:
		sqlite3_result_null(context);
		break;
	case ANY_INTEGER:
		put_integer(context, value->as.integer);
		break;
	case ANY_REAL:
		sqlite3_result_double(context, value->as.real);
		break;
	case ANY_TEXT:
		put_text(context, arena, value->as.text);
		break;
	}
}

static int feed_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct feed_cursor *cursor = (const struct feed_cursor *)base;
	const struct feed *feed = cursor->feed;
	const struct feed_column *column = &feed->shape->columns[number];
	const char *at = feed->rows + cursor->row * feed->shape->row_size + column->offset;
	int32_t small;

	switch (column->kind) {
	case FEED_INT64:
		put_integer(context, *(const int64_t *)(const void *)at);
		break;
	case FEED_INT32:
		sqlite3_result_int(context, *(const int32_t *)(const void *)at);
		break;
	case FEED_ID:
		small = *(const int32_t *)(const void *)at;
		put_integer(context, small ? small : ROW_NULL);
		break;
	case FEED_TEXT:
		put_text(context, feed->arena, *(const struct row_text *)(const void *)at);
		break;
	case FEED_ANY:
		put_any(context, feed->arena, (const struct row_any *)(const void *)at);
		break;
	}

	return SQLITE_OK;
}

static int feed_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *ret_rowid)
{
	*ret_rowid = (sqlite3_int64)((struct feed_cursor *)cursor)->row;
	return SQLITE_OK;
}

/* No xCreate: the table needs no CREATE VIRTUAL TABLE and leaves nothing in the file. */
static const sqlite3_module feed_module = {
	.xConnect = feed_connect,
	.xBestIndex = feed_best_index,
	.xDisconnect = feed_disconnect,
	.xOpen = feed_cursor_open,
	.xClose = feed_cursor_close,
	.xFilter = feed_filter,
	.xNext = feed_next,
	.xEof = feed_eof,
	.xColumn = feed_column,
	.xRowid = feed_rowid,
};

/*
 * The statement.  An id is left to SQLite, which gives the rows of a growing
 * table consecutive ones as we do, and need not look first whether it is taken.
 */
static char *insert_sql(sqlite3 *db, const struct feed_shape *shape, const char *feed_name)
{
	bool has_id = strcmp(shape->columns[0].name, "id") == 0;
	sqlite3_str *sql = sqlite3_str_new(db);

	for (int part = 0; part < 2; part++) {
		sqlite3_str_appendf(sql, part ? " SELECT " : "INSERT INTO main.%s (", shape->table);
		for (size_t i = has_id; i < shape->column_count; i++) {
			sqlite3_str_appendf(sql, "%s\"%w\"", i > has_id ? ", " : "",
					shape->columns[i].name);
		}
		sqlite3_str_appendf(sql, part ? " FROM %s" : ")", feed_name);
	}

	return sqlite3_str_finish(sql);
}

enum csc_status feed_open(
		struct feed *feed, sqlite3 *db, const struct feed_shape *shape, struct diag *diag)
{
	char name[64];
	char *sql;
	bool is_ready;

	*feed = (struct feed){ .shape = shape };
	(void)snprintf(name, sizeof(name), "csc_feed_%s", shape->table);
	sql = insert_sql(db, shape, name);
	if (!sql) {
		return DIAG_NO_MEMORY(diag);
	}

	is_ready = sqlite3_create_module_v2(db, name, &feed_module, feed, NULL) == SQLITE_OK &&
			sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &feed->insert,
					NULL) == SQLITE_OK;
	sqlite3_free(sql);
	return is_ready ? CSC_OK
			: DIAG_FAIL(diag, "cannot prepare rows of '%s': %s", shape->table,
					  sqlite3_errmsg(db));
}

void feed_use_pages(struct feed *feed, sqlite3 *db, const char *path)
{
	feed->path = path;
	feed->fresh_db = db;
}

/* Puts rows into pages if they may go there; `*ret_is_done`: they did. */
static enum csc_status add_to_pages(struct feed *feed, const void *rows, size_t row_count,
		bool *ret_is_done, struct diag *diag)
{
	if (feed->fresh_db && !feed->pages) {
		enum csc_status status = feed_pages_begin(
				feed->fresh_db, feed->path, feed->shape, &feed->pages, diag);

		feed->fresh_db = NULL;
		if (status != CSC_OK) {
			return status;
		}
	}

	*ret_is_done = feed->pages != NULL;
	return feed->pages ? feed_pages_add(feed->pages, rows, row_count, diag) : CSC_OK;
}

enum csc_status feed_insert(struct feed *feed, const void *rows, size_t row_count,
		const char *arena, struct diag *diag)
{
	bool is_done;
	int result;

	assert(feed->insert);
	if (row_count == 0) {
		return CSC_OK;
	}

	if (add_to_pages(feed, rows, row_count, &is_done, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	if (is_done) {
		return CSC_OK;
	}

	feed->rows = rows;
	feed->row_count = row_count;
	feed->arena = arena;
	(void)sqlite3_step(feed->insert);
	result = sqlite3_reset(feed->insert);
	feed->row_count = 0;
	if (result != SQLITE_OK) {
		return DIAG_FAIL(diag, "cannot write rows of '%s': %s", feed->shape->table,
				sqlite3_errmsg(sqlite3_db_handle(feed->insert)));
	}

	return CSC_OK;
}

enum csc_status feed_settle(struct feed *feed, struct diag *diag)
{
	struct feed_pages *pages = feed->pages;

	feed->fresh_db = NULL;
	feed->pages = NULL;
	return pages ? feed_pages_end(pages, diag) : CSC_OK;
}

void feed_close(struct feed *feed)
{
	feed_pages_drop(feed->pages);
	feed->pages = NULL;
	(void)sqlite3_finalize(feed->insert);
	feed->insert = NULL;
}
