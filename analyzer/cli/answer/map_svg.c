/*
 * SPDX-License-Identifier: MIT
 *
 * Cells of one allocator and level of use are one path, so that 100,000 of them are 3 MB.
 */
#include "map_svg.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "database.h"
#include "html.h"

/* In pixels; levels of use; allocators with a colour of their own, the others share one. */
enum { WIDTH = 1000, HEAD = 34, LEVELS = 10, LEAST_CELL = 3, MOST_CELL = 32, COLORS = 8 };

static const char *const colors[COLORS] = { "#2f6db3", "#2e8b57", "#b8860b", "#b3261e", "#7b4fb0",
	"#2a9d9d", "#a0522d", "#6b7378" };

struct map {
	FILE *stream;
	sqlite3 *db;
	long long cells;
	int cell;
	int columns;
};

static enum csc_status count_cells(struct map *map, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	enum csc_status status = database_run(map->db,
			sqlite3_mprintf("CREATE TEMP TABLE map_cell AS SELECT row_number() OVER (ORDER BY runtime_id, address) - 1 AS "
					"place, runtime_id, ifnull(allocator, 'not known') AS allocator, basis, size_bytes, used_bytes, used_max_bytes, blocks, "
					"min(10, 10 * used_bytes / size_bytes) AS level FROM report_map"),
			diag);

	if (status == CSC_OK) {
		status = database_prepare(map->db,
				sqlite3_mprintf("SELECT count(*) FROM temp.map_cell"), &row, diag);
	}
	if (status == CSC_OK && sqlite3_step(row) == SQLITE_ROW) {
		map->cells = sqlite3_column_int64(row, 0);
	}
	(void)sqlite3_finalize(row);
	return status;
}

static void choose_size(struct map *map)
{
	/* As large as fits into twice as high as wide. */
	int cell = (int)sqrt(2.0 * WIDTH * WIDTH / (double)(map->cells > 0 ? map->cells : 1));

	cell = cell < LEAST_CELL ? LEAST_CELL : cell;
	map->cell = cell > MOST_CELL ? MOST_CELL : cell;
	map->columns = WIDTH / map->cell;
}

/* Runs a query and hands over each row. */
static enum csc_status for_each(struct map *map, const char *sql,
		void (*take)(struct map *map, sqlite3_stmt *row), struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(map->db, sqlite3_mprintf("%s", sql), &rows, diag);

	while (status == CSC_OK && !ferror(map->stream) &&
			(result = sqlite3_step(rows)) == SQLITE_ROW) {
		take(map, rows);
	}
	if (status == CSC_OK && !ferror(map->stream)) {
		status = database_check(map->db, result, diag);
	}
	(void)sqlite3_finalize(rows);
	return status;
}

/* title, allocators with their colours */
static void put_title(struct map *map, sqlite3_stmt *row)
{
	fputs("<title>", map->stream);
	html_text(map->stream, database_text(row, 0));
	fputs("</title><text x=\"0\" y=\"13\">", map->stream);
	html_text(map->stream, database_text(row, 0));
	fputs("</text>\n", map->stream);
}

/* number, name, share */
static void put_legend(struct map *map, sqlite3_stmt *row)
{
	int number = sqlite3_column_int(row, 0);

	(void)fprintf(map->stream,
			"<rect x=\"%d\" y=\"20\" width=\"9\" height=\"9\" fill=\"%s\"/><text x=\"%d\" y=\"29\">",
			number * WIDTH / COLORS, colors[number], number * WIDTH / COLORS + 13);
	html_text(map->stream, database_text(row, 1));
	fputs("</text>\n", map->stream);
}

/* place, level */
static void put_outline(struct map *map, sqlite3_stmt *row)
{
	long long place = sqlite3_column_int64(row, 0);

	(void)fprintf(map->stream, "M%lld %lldh%dv%dh-%dz", place % map->columns * map->cell,
			HEAD + place / map->columns * map->cell, map->cell - 1, map->cell - 1,
			map->cell - 1);
}

static void put_filling(struct map *map, sqlite3_stmt *row)
{
	long long place = sqlite3_column_int64(row, 0);
	int size = map->cell - 1;
	int high = (sqlite3_column_int(row, 1) * size + LEVELS - 1) / LEVELS;

	(void)fprintf(map->stream, "M%lld %lldh%dv-%dh-%dz", place % map->columns * map->cell,
			HEAD + place / map->columns * map->cell + size, size, high, size);
}

static enum csc_status put_paths(struct map *map, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (int color = 0; status == CSC_OK && color < COLORS; color++) {
		char *all = sqlite3_mprintf(
				"SELECT place, level FROM temp.map_cell JOIN temp.map_color USING (allocator) WHERE color = %d ORDER BY place",
				color);
		char *used = sqlite3_mprintf(
				"SELECT place, level FROM temp.map_cell JOIN temp.map_color USING (allocator) WHERE color = %d AND blocks > 0 ORDER BY place",
				color);

		if (!all || !used) {
			status = DIAG_NO_MEMORY(diag);
		}
		if (status == CSC_OK) {
			(void)fprintf(map->stream, "<path fill=\"%s\" opacity=\".25\" d=\"",
					colors[color]);
			status = for_each(map, all, put_outline, diag);
		}
		if (status == CSC_OK) {
			(void)fprintf(map->stream, "\"/>\n<path fill=\"%s\" d=\"", colors[color]);
			status = for_each(map, used, put_filling, diag);
			fputs("\"/>\n", map->stream);
		}
		sqlite3_free(all);
		sqlite3_free(used);
	}
	return status;
}

/* Where the recording has not every block the share in use is not known, and nothing is framed. */
static const char title_sql[] =
		"SELECT format('%s%,d %s, %.1f MiB, ', iif(count(DISTINCT runtime_id) > 1, "
		"format('%d nodes: ', count(DISTINCT runtime_id)), ifnull((SELECT max(json ->> '$.place') || ': ' FROM answer "
		"WHERE runtime_id = (SELECT runtime_id FROM temp.map_cell)), '')), "
		"count(*), iif(max(basis = 'addresses'), 'pieces of 256 KiB and large blocks', 'carriers'), "
		"sum(size_bytes) / 1048576.0) || iif(sum(used_bytes) = sum(used_max_bytes), "
		"format('%.0f %% in use; framed: less than 10 %%, pinned by their blocks', 100.0 * sum(used_bytes) / sum(size_bytes)), "
		"format('with %.1f MiB of blocks in the events recorded, which are not all', sum(used_bytes) / 1048576.0)) "
		"FROM temp.map_cell";

static enum csc_status draw(struct map *map, struct diag *diag)
{
	long long rows = (map->cells + map->columns - 1) / map->columns;
	enum csc_status status = database_run(map->db,
			sqlite3_mprintf("CREATE TEMP TABLE map_color AS SELECT allocator, min(%d, row_number() OVER (ORDER BY "
					"sum(size_bytes) DESC, allocator) - 1) AS color FROM temp.map_cell GROUP BY allocator",
					COLORS - 1),
			diag);

	(void)fprintf(map->stream,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %lld\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n"
			"<style>text{fill:#1d2327}@media(prefers-color-scheme:dark){text{fill:#e6e8e6}}</style>\n",
			WIDTH, HEAD + rows * map->cell);
	if (status == CSC_OK) {
		status = for_each(map, title_sql, put_title, diag);
	}
	if (status == CSC_OK) {
		status = for_each(map,
				"SELECT color, iif(count(*) = 1, max(allocator), 'others') FROM temp.map_color GROUP BY color ORDER BY color",
				put_legend, diag);
	}
	if (status == CSC_OK) {
		status = put_paths(map, diag);
	}
	if (status == CSC_OK) {
		fputs("<path fill=\"none\" stroke=\"#d0021b\" stroke-width=\"1\" d=\"",
				map->stream);
		status = for_each(map,
				"SELECT place, level FROM temp.map_cell WHERE blocks > 0 AND 10 * used_max_bytes < size_bytes ORDER BY place",
				put_outline, diag);
		fputs("\"/>\n", map->stream);
	}
	fputs("</svg>\n", map->stream);
	return status;
}

enum csc_status map_svg_print(FILE *stream, sqlite3 *db, const char *path, struct diag *diag)
{
	struct map map = { .stream = stream, .db = db };
	enum csc_status status = count_cells(&map, diag);

	if (status == CSC_OK && map.cells == 0) {
		return DIAG_FAIL(diag,
				"'%s' has neither carriers nor blocks with their addresses: record every block (carrierscope record --every-block)",
				path);
	}
	choose_size(&map);
	return status == CSC_OK ? draw(&map, diag) : status;
}
