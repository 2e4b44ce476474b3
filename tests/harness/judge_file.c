/*
 * SPDX-License-Identifier: MIT
 *
 *	judge_file DATABASE
 *
 * Judges rows that a test put into a database, as the end of a load does.  Figures that are there
 *stay.
 */
#include <stdio.h>
#include <stdlib.h>

#include "judge.h"

static const char keep_figures[] = "CREATE TEMP TABLE figure AS SELECT * FROM main.figure";

static int has_figures(void *found, int count, char **values, char **names)
{
	(void)count;
	(void)values;
	(void)names;
	*(int *)found = 1;
	return 0;
}

int main(int argc, char **argv)
{
	struct diag diag = { 0 };
	sqlite3 *db = NULL;
	int found = 0;

	if (argc != 2 || sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
			sqlite3_exec(db, "SELECT 1 FROM main.figure LIMIT 1", has_figures, &found,
					NULL) != SQLITE_OK ||
			(found && sqlite3_exec(db, keep_figures, NULL, NULL, NULL) != SQLITE_OK) ||
			sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK ||
			judge_store(db, true, &diag) != CSC_OK ||
			sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
		fprintf(stderr, "judge_file: %s: %s\n", diag.text, db ? sqlite3_errmsg(db) : "");
		return EXIT_FAILURE;
	}

	return sqlite3_close(db) == SQLITE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
