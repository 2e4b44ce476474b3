/*
 * SPDX-License-Identifier: MIT
 *
 *	judge_file DATABASE          judges rows that a test put into it, as the end of a load does;
 *	                             figures that are there stay
 *	judge_file DATABASE SQL      judges it anew for this query and prints what that yields, as
 *	                             sqlite3 does: it may read the steps of the judge, named _...
 */
#include <stdio.h>
#include <stdlib.h>

#include "judge.h"

static int print_row(void *context, int count, char **values, char **names)
{
	(void)context;
	(void)names;
	for (int i = 0; i < count; i++) {
		printf("%s%s", i > 0 ? "|" : "", values[i] ? values[i] : "");
	}
	printf("\n");
	return 0;
}

static int note_row(void *found, int count, char **values, char **names)
{
	(void)count;
	(void)values;
	(void)names;
	*(int *)found = 1;
	return 0;
}

static bool execute(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, print_row, NULL, NULL) == SQLITE_OK;
}

static bool store(sqlite3 *db, struct diag *diag)
{
	int found = 0;

	return sqlite3_exec(db, "SELECT 1 FROM main.figure LIMIT 1", note_row, &found, NULL) ==
			SQLITE_OK &&
			(!found || execute(db, "CREATE TEMP TABLE figure AS SELECT * FROM main.figure")) &&
			execute(db, "BEGIN") && judge_store(db, true, diag) == CSC_OK &&
			execute(db, "COMMIT");
}

/* Asked about a moment, even if it is the end, it does not take what is stored. */
static bool ask(sqlite3 *db, const char *sql, struct diag *diag)
{
	return execute(db, "CREATE TEMP TABLE question AS SELECT * FROM main.question") &&
			judge_prepare(db, sql, diag) == CSC_OK && execute(db, sql);
}

int main(int argc, char **argv)
{
	struct diag diag = { 0 };
	sqlite3 *db = NULL;
	bool is_done = (argc == 2 || argc == 3) && sqlite3_open(argv[1], &db) == SQLITE_OK &&
			execute(db, "PRAGMA temp_store = MEMORY") &&
			(argc == 2 ? store(db, &diag) : ask(db, argv[2], &diag));

	if (!is_done) {
		fprintf(stderr, "judge_file: %s: %s\n", diag.text, db ? sqlite3_errmsg(db) : "");
	}
	(void)sqlite3_close(db);
	return is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}
