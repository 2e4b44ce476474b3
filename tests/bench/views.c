/*
 * SPDX-License-Identifier: MIT
 *
 * views DATABASE: times SELECT * of each view that view_doc names, warm, three
 * times after a first run that is not counted.  One line each, tab separated:
 * median in milliseconds, rows, 'full scan' or '-', name.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <sqlite3.h>

#define RUNS 3

static const char list_sql[] =
		"SELECT name, COALESCE((SELECT quality FROM view_doc "
		"                       WHERE view = name AND column = ''), '') "
		"FROM sqlite_schema WHERE type = 'view' AND name IN (SELECT view FROM view_doc) "
		"ORDER BY name";

static double ms_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Steps through every row; the columns are computed by the step. */
static int view_run(sqlite3 *database, const char *name, int64_t *ret_rows, double *ret_ms)
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
	sqlite3_stmt *statement = NULL;
	const double begin_ms = ms_now();
	int64_t rows = 0;
	int code = SQLITE_NOMEM;

	if (sql) {
		code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
	}
	if (code == SQLITE_OK) {
		while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
			rows++;
		}
	}
	if (code == SQLITE_DONE) {
		*ret_ms = ms_now() - begin_ms;
		*ret_rows = rows;
	}
	(void)sqlite3_finalize(statement);
	sqlite3_free(sql);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

static double median_of_three(const double *ms)
{
	const double low = ms[0] < ms[1] ? ms[0] : ms[1];
	const double high = ms[0] < ms[1] ? ms[1] : ms[0];

	if (ms[2] < low) {
		return low;
	}
	return ms[2] > high ? high : ms[2];
}

static int view_time(sqlite3 *database, const char *name, const char *quality)
{
	double ms[RUNS];
	int64_t rows = 0;

	for (int run = -1; run < RUNS; run++) {
		if (view_run(database, name, &rows, &ms[run < 0 ? 0 : run]) != SQLITE_OK) {
			(void)fprintf(stderr, "views: cannot read '%s': %s\n", name,
					sqlite3_errmsg(database));
			return 1;
		}
	}
	(void)printf("%.1f\t%" PRId64 "\t%s\t%s\n", median_of_three(ms), rows,
			strcmp(quality, "full scan") == 0 ? quality : "-", name);
	(void)fflush(stdout);
	return 0;
}

int main(int argc, char **argv)
{
	sqlite3 *database = NULL;
	sqlite3_stmt *list = NULL;
	int status = 0;

	if (argc != 2) {
		(void)fprintf(stderr, "usage: views DATABASE\n");
		return 2;
	}
	if (sqlite3_open_v2(argv[1], &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
			sqlite3_prepare_v2(database, list_sql, -1, &list, NULL) != SQLITE_OK) {
		(void)fprintf(stderr, "views: cannot read '%s': %s\n", argv[1],
				sqlite3_errmsg(database));
		status = 1;
	}
	while (list && sqlite3_step(list) == SQLITE_ROW) {
		status |= view_time(database, (const char *)sqlite3_column_text(list, 0),
				(const char *)sqlite3_column_text(list, 1));
	}
	(void)sqlite3_finalize(list);
	(void)sqlite3_close(database);
	return status;
}
