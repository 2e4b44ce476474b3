/*
 * SPDX-License-Identifier: MIT
 *
 * A moment is asked about on a connection of its own, whose views are about it: the rows are those
 * of `carrierscope report map --at`.
 */
#include "page_map.h"

#include <stdio.h>

#include "database.h"
#include "html.h"
#include "report_at.h"

/* Bounds of what is made and of the page's size: moments, fewer while a page is made again and
 * again; cells of all of them, and events of blocks that are read for them.
 */
enum { MOST_MOMENTS = 12, MOST_WHILE_GROWING = 3, MOST_CELLS = 8000, MOST_EVENTS = 400000 };

/* Of more cells than 10,000 only what is drawn is there, and 25,000 at most: 1.4 MB. */
#define MAP_SQL(cells)                                                                                    \
	"SELECT runtime_id, size_bytes, used_bytes, used_max_bytes, blocks, allocator, instance, place, " \
	"iif(cells <= 10000, type, NULL) AS type, iif(cells <= 10000, process, NULL) AS process, "        \
	"iif(cells <= 10000, (oldest_ts_ns - first_ns) / 1000000, NULL) AS oldest_ms, "                   \
	"iif(cells <= 10000, format('0x%x', address), NULL) AS address, basis\n"                          \
	"FROM (SELECT *, count(*) OVER () AS cells FROM " cells                                           \
	") AS c, page_time\nORDER BY c.runtime_id, c.address LIMIT 25000"

#define CELLS_SQL(cells)                                   \
	"SELECT runtime_id, count(*) AS cells FROM " cells \
	"\nGROUP BY runtime_id ORDER BY runtime_id"

/* The 50 largest of each cell, fewer where there are many cells: 5000 together.  Of very many
 * blocks none is listed. */
#define BLOCKS_SQL(cells)                                                                                                                                  \
	"WITH cell AS MATERIALIZED (SELECT runtime_id, address, size_bytes, sum(blocks) OVER () AS all_blocks FROM " cells                                 \
	"),\n"                                                                                                                                             \
	"item AS (\n"                                                                                                                                      \
	"SELECT runtime_id, address, 0 AS rank, size_bytes AS size, NULL AS type, NULL AS pid, NULL AS since_ns FROM cell\n"                               \
	"UNION ALL\n"                                                                                                                                      \
	"SELECT runtime_id, address, 1, size, type, pid, since_ns FROM block_at\n"                                                                         \
	"WHERE (SELECT max(all_blocks) FROM cell) <= 500000 AND allocator <> 'libc'),\n"                                                                   \
	"placed AS (SELECT *, max(iif(rank = 0, address, NULL)) OVER before AS cell FROM item\n"                                                           \
	"WINDOW before AS (PARTITION BY runtime_id ORDER BY address, rank ROWS UNBOUNDED PRECEDING)),\n"                                                   \
	"listed AS (SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY runtime_id, cell ORDER BY size DESC, address) AS number\n"                    \
	"FROM placed WHERE rank = 1 AND cell IS NOT NULL) WHERE number <= 50\n"                                                                            \
	"ORDER BY number, size DESC, runtime_id, address LIMIT 5000),\n"                                                                                   \
	"held AS (SELECT runtime_id, address, group_concat(pid, ', ') AS holders FROM block_holder_at\n"                                                   \
	"WHERE (SELECT count(*) FROM snapshot_binary) > 0 AND how = 'refers to it' GROUP BY runtime_id, address)\n"                                        \
	"SELECT l.runtime_id, format('0x%x', l.cell) AS cell, l.type, l.size, ifnull(n.text, l.pid) AS process,\n"                                         \
	"(l.since_ns - t.first_ns) / 1000000 AS since_ms, h.holders\n"                                                                                     \
	"FROM page_time AS t, listed AS l\n"                                                                                                               \
	"LEFT JOIN (SELECT runtime_id, pid, text FROM process_label WHERE runtime_id IS NOT NULL) AS n ON n.runtime_id = l.runtime_id AND n.pid = l.pid\n" \
	"LEFT JOIN held AS h ON h.runtime_id = l.runtime_id AND h.address = l.address\n"                                                                   \
	"ORDER BY l.runtime_id, l.cell, l.number"

/* The columns of MAP_SQL without `first_ns`, which a connection about a moment does not know. */
static const char moment_sql[] =
		"SELECT runtime_id, size_bytes, used_bytes, used_max_bytes, blocks, allocator, instance, place, type, process, "
		"oldest_ts_ns, address, basis FROM report_map ORDER BY runtime_id, address LIMIT %d";

struct moments {
	int count;

	/* Of all sources, since the epoch, and how long they are. */
	sqlite3_int64 first_ns;
	sqlite3_int64 span_ns;
};

/* As many as fit the bounds, if each is as large as the end. */
static enum csc_status choose_moments(sqlite3 *db, struct moments *ret_moments, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT min(iif((SELECT min(complete) FROM source), %d, %d), %d / max(1, count(*)), %d / max(1, (SELECT total(last_id - first_id + 1) FROM block_span))) * (count(*) > 0), first_ns, "
					"(SELECT max(last_ts_ns) FROM source) - first_ns FROM temp.map_end, page_time",
					MOST_MOMENTS, MOST_WHILE_GROWING, MOST_CELLS, MOST_EVENTS),
			&row, diag);

	if (status == CSC_OK && sqlite3_step(row) == SQLITE_ROW) {
		*ret_moments = (struct moments){ sqlite3_column_int(row, 0),
			sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2) };
	}
	(void)sqlite3_finalize(row);
	return status;
}

/* Copies the rows of one connection to the table of the other. */
static enum csc_status copy_rows(sqlite3 *db, sqlite3_stmt *rows, sqlite3 *of_moment,
		sqlite3_int64 at_ns, struct diag *diag)
{
	sqlite3_stmt *insert = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("INSERT INTO temp.map_then SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
					"(?11 - first_ns) / 1000000, format('0x%%x', ?12), ?13, %lld FROM page_time",
					at_ns),
			&insert, diag);

	while (status == CSC_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(rows); i++) {
			(void)sqlite3_bind_value(insert, i + 1, sqlite3_column_value(rows, i));
		}
		if (sqlite3_step(insert) != SQLITE_DONE) {
			status = database_check(db, sqlite3_errcode(db), diag);
		}
		(void)sqlite3_reset(insert);
	}
	(void)sqlite3_finalize(insert);
	return status == CSC_OK ? database_check(of_moment, result, diag) : status;
}

static enum csc_status add_moment(sqlite3 *db, const char *path, const struct moments *moments,
		int number, struct diag *diag)
{
	sqlite3_int64 at_ns =
			(sqlite3_int64)((double)moments->span_ns * number / (moments->count + 1));
	sqlite3 *of_moment = NULL;
	sqlite3_stmt *rows = NULL;
	char at[32];
	enum csc_status status = database_open(path, &of_moment, diag);

	if (status != CSC_OK) {
		return status;
	}
	(void)snprintf(at, sizeof(at), "%lld", moments->first_ns + at_ns);
	status = report_at_ask(of_moment, "report_map", at, NULL, diag);
	if (status == CSC_OK) {
		status = database_prepare(of_moment,
				sqlite3_mprintf(moment_sql, MOST_CELLS / moments->count), &rows,
				diag);
	}
	if (status == CSC_OK) {
		status = copy_rows(db, rows, of_moment, at_ns, diag);
	}
	(void)sqlite3_finalize(rows);
	database_close(of_moment);
	return status;
}

static enum csc_status make_tables(sqlite3 *db, const char *path, struct diag *diag)
{
	struct moments moments = { 0 };
	enum csc_status status = database_run(db,
			sqlite3_mprintf("CREATE TEMP TABLE map_end AS SELECT * FROM report_map"),
			diag);

	if (status == CSC_OK) {
		status = database_run(db,
				sqlite3_mprintf("CREATE TEMP TABLE map_then (runtime_id, size_bytes, used_bytes, used_max_bytes, blocks, "
						"allocator, instance, place, type, process, oldest_ms, address, basis, at_ns)"),
				diag);
	}
	if (status == CSC_OK) {
		status = choose_moments(db, &moments, diag);
	}
	for (int i = 1; status == CSC_OK && i <= moments.count; i++) {
		status = add_moment(db, path, &moments, i, diag);
	}
	return status;
}

static enum csc_status put(struct json_writer *json, sqlite3 *db, const char *name, const char *sql,
		const char *shown, struct diag *diag)
{
	json_break(json);
	json_key(json, name);
	return html_figure(json, db, sql, shown, diag);
}

enum csc_status page_map_put(
		struct json_writer *json, sqlite3 *db, const char *path, struct diag *diag)
{
	enum csc_status status = make_tables(db, path, diag);

	if (status == CSC_OK) {
		status = put(json, db, "map", MAP_SQL("temp.map_end"), MAP_SQL("report_map"), diag);
	}
	if (status == CSC_OK) {
		status = put(json, db, "map_cells", CELLS_SQL("temp.map_end"),
				CELLS_SQL("report_map"), diag);
	}
	if (status == CSC_OK) {
		status = put(json, db, "map_then", "SELECT * FROM temp.map_then ORDER BY rowid",
				"carrierscope report map --at +SECONDS FILE", diag);
	}
	if (status == CSC_OK) {
		status = put(json, db, "map_blocks", BLOCKS_SQL("temp.map_end"),
				BLOCKS_SQL("report_map"), diag);
	}
	return status;
}
