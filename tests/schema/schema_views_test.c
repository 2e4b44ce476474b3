/*
 * SPDX-License-Identifier: MIT
 *
 * The views answer their worked examples.
 *
 *	schema_views_test tests/views [PREFIX]
 *
 * For each X.given.sql in the first folder there is a test X: the schema, then
 * fixture.sql, then the given rows are put into an empty database, and the view
 * must give X.expect.  The view is named by X up to the first dot.  The first line
 * of X.expect lists the columns to select, the others are the rows as CSV: in
 * the view's own order when it is a report, else ordered by all of these columns.
 *
 * Where the given rows are evidence that table figure is to be computed from, they have a line
 *
 *	-- stage: figure
 *
 * and it is filled as at the end of a load.  A first line
 *
 *	-- as: NAME
 *
 * puts the given rows of NAME there first.  Views that verdicts and findings are made of are
 *computed once and in the order of table `stage`, as the command does: SQLite would plan them again
 *for each view that reads them.  With PREFIX only tests whose names begin so run.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "schema_sql.h"
#include "store_stage.h"
#include "text_file.h"

static const char given_suffix[] = ".given.sql";

static const char figure_line[] = "\n-- stage: figure\n";

static const char *views_dir;

/* How names of tests that run begin. */
static const char *only = "";

/* The schema as the bytes of a database: each test has a copy. */
static unsigned char *prepared;
static sqlite3_int64 prepared_size;

/* What a test opened; closed in teardown, since a failing assertion jumps out. */
struct fixture {
	const char *name;
	sqlite3 *db;
	sqlite3_stmt *rows;
	char *given;
	char *expect;
	char *got;
};

static bool has_suffix(const char *name, const char *suffix)
{
	size_t length = strlen(name);
	size_t suffix_length = strlen(suffix);

	return length > suffix_length && strcmp(name + length - suffix_length, suffix) == 0;
}

/* Returns the file as a string, to be freed; NULL when it cannot be read. */
static char *read_file(const char *dir, const char *name)
{
	char *path = NULL;
	char *text;

	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		return NULL;
	}

	text = text_file_read(path);
	free(path);
	return text;
}

/* Says what is wrong with the SQL, since cmocka would only say where it was asked. */
static int execute(sqlite3 *db, const char *name, const char *sql)
{
	int status = sqlite3_exec(db, sql, NULL, NULL, NULL);

	if (status != SQLITE_OK) {
		print_error("%s: %s\n", name, sqlite3_errmsg(db));
	}

	return status;
}

static int is_given(const struct dirent *entry)
{
	return has_suffix(entry->d_name, given_suffix) &&
			strncmp(entry->d_name, only, strlen(only)) == 0;
}

static int prepare_schema(void **state)
{
	sqlite3 *db;

	(void)state;
	if (sqlite3_open(":memory:", &db) != SQLITE_OK) {
		return -1;
	}

	if (execute(db, "the schema", schema_sql) == SQLITE_OK) {
		prepared = sqlite3_serialize(db, "main", &prepared_size, 0);
	}

	sqlite3_close(db);
	return prepared ? 0 : -1;
}

static int forget_schema(void **state)
{
	(void)state;
	sqlite3_free(prepared);
	return 0;
}

static int open_copy(sqlite3 **ret_db)
{
	unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)prepared_size);

	if (!copy || sqlite3_open(":memory:", ret_db) != SQLITE_OK) {
		return -1;
	}

	memcpy(copy, prepared, (size_t)prepared_size);
	return sqlite3_deserialize(*ret_db, "main", copy, prepared_size, prepared_size,
			       SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) ==
					SQLITE_OK
			? 0
			: -1;
}

static int close_example(void **state)
{
	struct fixture *fixture = *state;

	sqlite3_finalize(fixture->rows);
	sqlite3_close(fixture->db);
	free(fixture->given);
	free(fixture->expect);
	free(fixture->got);
	return 0;
}

/* Fills table figure from what else is there. */
static int compute_figures(sqlite3 *db, const char *name)
{
	struct diag diag = { 0 };

	if (stage_views(db, "figure", &diag) != CSC_OK ||
			execute(db, name, "INSERT INTO figure SELECT * FROM temp._figure") !=
					SQLITE_OK ||
			stage_drop(db, "figure", &diag) != CSC_OK) {
		print_error("%s: %s\n", name, diag.text);
		return -1;
	}

	return 0;
}

/*
 * Puts tables in the place of those views that verdicts and findings are made of, when the view
 * reads some of them: what it reads is found by the names in its text.
 */
static int stage_judgement(sqlite3 *db, const char *name)
{
	static const char sql[] =
			"WITH RECURSIVE word(name, words) AS MATERIALIZED (SELECT name, "
			"' ' || replace(replace(replace(sql, char(10), ' '), ')', ' '), ',', ' ') || ' ' "
			"FROM sqlite_schema WHERE type = 'view'), "
			"needed(name) AS (VALUES (%Q) UNION SELECT m.name FROM needed AS n "
			"JOIN word AS s ON s.name = n.name "
			"JOIN word AS m ON instr(s.words, ' ' || m.name || ' ') > 0) "
			"SELECT format('DROP VIEW \"%%w\"; CREATE TABLE \"%%w\" AS %%s;', s.view, s.view, "
			"substr(m.sql, instr(m.sql, ' AS') + 3)) "
			"FROM stage AS s JOIN sqlite_schema AS m ON m.name = s.view "
			"WHERE (s.\"set\" = 'judge' AND EXISTS (SELECT 1 FROM needed WHERE name = '_class')) "
			"OR (s.\"set\" = 'page' AND EXISTS (SELECT 1 FROM needed WHERE name = '_found')) "
			"ORDER BY s.\"set\", s.number";
	char *query = sqlite3_mprintf(sql, name);
	char **tables = NULL;
	int rows = 0;
	int status = query ? sqlite3_get_table(db, query, &tables, &rows, NULL, NULL)
			   : SQLITE_NOMEM;

	sqlite3_free(query);
	for (int i = 1; status == SQLITE_OK && i <= rows; i++) {
		status = execute(db, name, tables[i]);
	}

	sqlite3_free_table(tables);
	return status;
}

/* Returns NAME's file that ends in `suffix`, to be freed; NULL when it cannot be read. */
static char *read_part(const char *name, const char *suffix)
{
	char *file = NULL;
	char *text;

	if (asprintf(&file, "%s%s", name, suffix) < 0) {
		return NULL;
	}

	text = read_file(views_dir, file);
	if (!text) {
		print_error("cannot read %s/%s\n", views_dir, file);
	}

	free(file);
	return text;
}

/* Executes given rows, those that their first line names before them. */
static int give(sqlite3 *db, const char *name, const char *given)
{
	static const char as_line[] = "-- as: ";
	char *other = NULL;
	int status = SQLITE_OK;

	if (strncmp(given, as_line, sizeof(as_line) - 1) == 0) {
		const char *begin = given + sizeof(as_line) - 1;
		char *text;

		if (asprintf(&other, "%.*s", (int)strcspn(begin, "\n"), begin) < 0) {
			return SQLITE_NOMEM;
		}

		text = read_part(other, given_suffix);
		status = text ? give(db, other, text) : SQLITE_CANTOPEN;
		free(text);
		free(other);
	}

	return status == SQLITE_OK ? execute(db, name, given) : status;
}

static int open_example(void **state)
{
	struct fixture *fixture = *state;
	char view[128];
	char *rows;
	int failed;

	if (open_copy(&fixture->db) != 0) {
		return -1;
	}

	fixture->given = read_part(fixture->name, given_suffix);
	fixture->expect = read_part(fixture->name, ".expect");
	if (!fixture->given || !fixture->expect) {
		return -1;
	}

	rows = read_file(views_dir, "fixture.sql");
	failed = !rows || execute(fixture->db, "fixture.sql", rows) != SQLITE_OK ||
			give(fixture->db, fixture->name, fixture->given) != SQLITE_OK;
	free(rows);
	if (!failed && strstr(fixture->given, figure_line)) {
		failed = compute_figures(fixture->db, fixture->name) != 0;
	}

	snprintf(view, sizeof(view), "%.*s", (int)strcspn(fixture->name, "."), fixture->name);
	return failed || stage_judgement(fixture->db, view) != SQLITE_OK ? -1 : 0;
}

static void write_cell(FILE *out, const char *text)
{
	if (!text) {
		return;
	}

	if (!strpbrk(text, ",\"\n")) {
		fputs(text, out);
		return;
	}

	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"') {
			fputc('"', out);
		}

		fputc(*text, out);
	}

	fputc('"', out);
}

/* Returns the query that the first line of the expected rows asks for, to be freed. */
static char *query_of(const struct fixture *fixture)
{
	int view_length = (int)strcspn(fixture->name, ".");
	int header_length = (int)strcspn(fixture->expect, "\n");
	bool is_report = strncmp(fixture->name, "report_", strlen("report_")) == 0;
	char *query = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&query, &size);

	if (!out) {
		return NULL;
	}

	fprintf(out, "SELECT %.*s FROM %.*s", header_length, fixture->expect, view_length,
			fixture->name);
	if (!is_report) {
		fputs(" ORDER BY 1", out);
		for (int i = 0, column = 2; i < header_length; i++) {
			if (fixture->expect[i] == ',') {
				fprintf(out, ", %d", column++);
			}
		}
	}

	fclose(out);
	return query;
}

static void test_view_answers_its_example(void **state)
{
	struct fixture *fixture = *state;
	char *query = query_of(fixture);
	size_t size = 0;
	FILE *out;
	int status;

	assert_non_null(query);
	status = sqlite3_prepare_v2(fixture->db, query, -1, &fixture->rows, NULL);
	if (status != SQLITE_OK) {
		print_error("%s: %s\n", query, sqlite3_errmsg(fixture->db));
	}

	free(query);
	assert_int_equal(status, SQLITE_OK);

	out = open_memstream(&fixture->got, &size);
	assert_non_null(out);
	fprintf(out, "%.*s\n", (int)strcspn(fixture->expect, "\n"), fixture->expect);
	while ((status = sqlite3_step(fixture->rows)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(fixture->rows); i++) {
			if (i > 0) {
				fputc(',', out);
			}

			write_cell(out, (const char *)sqlite3_column_text(fixture->rows, i));
		}

		fputc('\n', out);
	}

	fclose(out);
	assert_int_equal(status, SQLITE_DONE);
	assert_string_equal(fixture->got, fixture->expect);
}

int main(int argc, char **argv)
{
	struct dirent **files;
	struct fixture *fixtures;
	struct CMUnitTest *tests;
	size_t count;
	int found;
	int status;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: schema_views_test VIEWS_DIR [PREFIX]\n");
		return 2;
	}

	views_dir = argv[1];
	only = argc > 2 ? argv[2] : "";
	found = scandir(views_dir, &files, is_given, alphasort);
	if (found <= 0) {
		fprintf(stderr, "schema_views_test: no %s file in '%s'\n", given_suffix, views_dir);
		return 2;
	}

	count = (size_t)found;
	fixtures = calloc(count, sizeof(*fixtures));
	tests = calloc(count, sizeof(*tests));
	if (!fixtures || !tests) {
		abort();
	}

	for (size_t i = 0; i < count; i++) {
		char *name = files[i]->d_name;

		name[strlen(name) - strlen(given_suffix)] = '\0';
		fixtures[i].name = name;
		tests[i] = (struct CMUnitTest){
			.name = name,
			.test_func = test_view_answers_its_example,
			.setup_func = open_example,
			.teardown_func = close_example,
			.initial_state = &fixtures[i],
		};
	}

	/* The macro around it wants an array whose length is known when compiling. */
	status = _cmocka_run_group_tests(
			"schema_views", tests, count, prepare_schema, forget_schema);

	for (size_t i = 0; i < count; i++) {
		free(files[i]);
	}

	free(files);
	free(fixtures);
	free(tests);
	return status;
}
