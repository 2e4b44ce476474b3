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
 * and it is filled as at the end of a load.  Views that verdicts and findings are made of are computed
 * once and in the order of table `stage`, as the command does: SQLite would plan them again for each
 * view that reads them.  With PREFIX only tests whose names begin so run.
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

static const char given_suffix[] = ".given.sql";

static const char figure_line[] = "\n-- stage: figure\n";

static const char *views_dir;

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
	char *text = NULL;
	size_t size = 0;
	FILE *out;
	FILE *in;
	int c;

	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		return NULL;
	}

	in = fopen(path, "r");
	free(path);
	if (!in) {
		return NULL;
	}

	out = open_memstream(&text, &size);
	if (!out) {
		fclose(in);
		return NULL;
	}

	while ((c = fgetc(in)) != EOF) {
		fputc(c, out);
	}

	fclose(out);
	fclose(in);
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
	return has_suffix(entry->d_name, given_suffix);
}

static int open_schema(void **state)
{
	struct fixture *fixture = *state;

	if (sqlite3_open(":memory:", &fixture->db) != SQLITE_OK) {
		return -1;
	}

	return execute(fixture->db, "the schema", schema_sql) == SQLITE_OK ? 0 : -1;
}

static int close_schema(void **state)
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

static int open_example(void **state)
{
	struct fixture *fixture = *state;
	char *rows;
	char *file = NULL;
	int failed;

	if (open_schema(state) != 0) {
		return -1;
	}

	rows = read_file(views_dir, "fixture.sql");
	failed = !rows || execute(fixture->db, "fixture.sql", rows) != SQLITE_OK;
	free(rows);

	if (asprintf(&file, "%s%s", fixture->name, given_suffix) < 0) {
		return -1;
	}

	fixture->given = read_file(views_dir, file);
	failed |= !fixture->given || execute(fixture->db, file, fixture->given) != SQLITE_OK;
	free(file);
	if (!failed && strstr(fixture->given, figure_line)) {
		failed = compute_figures(fixture->db, fixture->name) != 0;
	}

	if (asprintf(&file, "%s.expect", fixture->name) < 0) {
		return -1;
	}

	fixture->expect = read_file(views_dir, file);
	if (!fixture->expect) {
		print_error("cannot read %s/%s\n", views_dir, file);
	}

	free(file);
	return failed || !fixture->expect ? -1 : 0;
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

/* A view that names a missing column is accepted, and fails only when it is read. */
static void test_every_view_can_be_read(void **state)
{
	struct fixture *fixture = *state;
	int views = 0;
	int status;

	assert_int_equal(sqlite3_prepare_v2(fixture->db,
					 "SELECT name, format('SELECT * FROM %Q', name) "
					 "FROM sqlite_schema WHERE type = 'view' ORDER BY name",
					 -1, &fixture->rows, NULL),
			SQLITE_OK);
	while ((status = sqlite3_step(fixture->rows)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(fixture->rows, 0);
		const char *sql = (const char *)sqlite3_column_text(fixture->rows, 1);

		assert_int_equal(execute(fixture->db, name, sql), SQLITE_OK);
		views++;
	}

	assert_int_equal(status, SQLITE_DONE);
	assert_true(views > 0);
}

int main(int argc, char **argv)
{
	struct dirent **files;
	struct fixture *fixtures;
	struct CMUnitTest *tests;
	size_t count;
	int found;
	int status;

	if (argc != 2) {
		fprintf(stderr, "usage: schema_views_test VIEWS_DIR\n");
		return 2;
	}

	views_dir = argv[1];
	found = scandir(views_dir, &files, is_given, alphasort);
	if (found <= 0) {
		fprintf(stderr, "schema_views_test: no %s file in '%s'\n", given_suffix, views_dir);
		return 2;
	}

	count = (size_t)found;
	fixtures = calloc(count + 1, sizeof(*fixtures));
	tests = calloc(count + 1, sizeof(*tests));
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
			.teardown_func = close_schema,
			.initial_state = &fixtures[i],
		};
	}

	tests[count] = (struct CMUnitTest){
		.name = "every_view_can_be_read",
		.test_func = test_every_view_can_be_read,
		.setup_func = open_schema,
		.teardown_func = close_schema,
		.initial_state = &fixtures[count],
	};

	/* The macro around it wants an array whose length is known when compiling. */
	status = _cmocka_run_group_tests("schema_views", tests, count + 1, NULL, NULL);

	for (size_t i = 0; i < count; i++) {
		free(files[i]);
	}

	free(files);
	free(fixtures);
	free(tests);
	return status;
}
