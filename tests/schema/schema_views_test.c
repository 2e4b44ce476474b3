/*
 * SPDX-License-Identifier: MIT
 *
 * The views answer their worked examples.
 *
 *	schema_views_test tests/views [PREFIX]
 *
 * For each X.example in the first folder there is a test X.  The file has two sections:
 *
 *	-- given
 *	SQL
 *	-- expect
 *	columns, and rows as CSV
 *
 * The schema, then fixture.sql, then the given rows (of block_event as of a table:
 * ../harness/block_event.sql) are put into an empty database, and the view
 * must give what is expected.  The view is named by X up to the first dot.  Rows are in the view's
 * own order when it is a report, else ordered by all of the columns that the first line lists.
 *
 * Where the given rows are evidence that table figure is to be computed from, they have a line
 *
 *	-- stage: figure
 *
 * and it is computed as well.  A first line
 *
 *	-- as: NAME
 *
 * puts the given rows of NAME there first.  What a load judges is judged as for a command
 * (judge_prepare()).  A view that reads no results of that is also asked as a user's file has it.
 * With PREFIX only tests whose names begin so run.
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

#include "judge.h"
#include "judge_steps.h"
#include "schema_sql.h"
#include "text_file.h"

/* Most of the time is spent on plans: many small pieces of memory. */
enum { SLOT_BYTES = 1200, SLOTS = 2000 };

static const char example_suffix[] = ".example";

/* The lines before the sections of an example. */
static const char given_line[] = "-- given\n";
static const char expect_line[] = "-- expect\n";

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

static int is_example(const struct dirent *entry)
{
	return has_suffix(entry->d_name, example_suffix) &&
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

/* The step of a name. */
static const struct judge_step *find_step(const char *name)
{
	for (size_t i = 0; i < judge_step_count; i++) {
		if (strcmp(judge_steps[i].name, name) == 0) {
			return &judge_steps[i];
		}
	}

	return NULL;
}

/* Whether a step reads, or is, what a file stores. */
static bool is_reading_results(const struct judge_step *step)
{
	if (step->kind == JUDGE_RESULT) {
		return true;
	}
	for (const short *read = step->reads; *read >= 0; read++) {
		if (is_reading_results(&judge_steps[*read])) {
			return true;
		}
	}

	return false;
}

/*
 * Judges what was given, as far as the view needs it.  Figures that were given are those of the
 * file; what the view yields must fit into the table of a file that stores it.
 */
static int judge(sqlite3 *db, const char *name, const char *view, bool is_figure_computed)
{
	const struct judge_step *step = find_step(view);
	struct diag diag = { 0 };
	char *store = NULL;
	int status = SQLITE_OK;

	if (!is_figure_computed) {
		status = execute(db, name, "CREATE TEMP TABLE figure AS SELECT * FROM main.figure");
	}
	if (status == SQLITE_OK && judge_prepare(db, view, &diag) != CSC_OK) {
		print_error("%s: %s\n", name, diag.text);
		return -1;
	}
	if (status == SQLITE_OK && step && step->kind == JUDGE_RESULT) {
		store = sqlite3_mprintf(
				"INSERT OR REPLACE INTO main.\"%w\" SELECT * FROM temp.\"%w\"",
				view, view);
		status = store ? execute(db, name, store) : SQLITE_NOMEM;
		sqlite3_free(store);
	}

	return status;
}

/* Returns where the section after `line` begins in an example; NULL when there is none. */
static char *find_section(char *text, const char *line)
{
	bool is_first = strncmp(text, line, strlen(line)) == 0;
	char *found = is_first ? text : strstr(text, line);

	return found && (is_first || found[-1] == '\n') ? found + strlen(line) : NULL;
}

/* Returns a section of NAME's example, to be freed; NULL when it cannot be read. */
static char *read_section(const char *name, const char *line)
{
	char *file = NULL;
	char *text = NULL;
	char *given = NULL;
	char *expect = NULL;
	char *section = NULL;

	if (asprintf(&file, "%s%s", name, example_suffix) < 0) {
		return NULL;
	}

	text = read_file(views_dir, file);
	if (text) {
		given = find_section(text, given_line);
		expect = find_section(text, expect_line);
	}

	if (given && expect && given < expect) {
		section = strdup(line == expect_line ? expect : given);
	}

	if (section && line == given_line) {
		section[expect - strlen(expect_line) - given] = '\0';
	}

	if (!section) {
		print_error("cannot read the sections of %s/%s\n", views_dir, file);
	}

	free(text);
	free(file);
	return section;
}

/* Executes given rows, those that their first line names before them; *ret_is_computed: figures are
 * to be computed of them. */
static int give(sqlite3 *db, const char *name, const char *given, bool *ret_is_computed)
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

		text = read_section(other, given_line);
		status = text ? give(db, other, text, ret_is_computed) : SQLITE_CANTOPEN;
		free(text);
		free(other);
	}

	*ret_is_computed = *ret_is_computed || strstr(given, figure_line) != NULL;
	return status == SQLITE_OK ? execute(db, name, given) : status;
}

static int open_example(void **state)
{
	struct fixture *fixture = *state;
	bool is_computed = false;
	char view[128];
	char *triggers;
	char *rows;
	int failed;

	if (open_copy(&fixture->db) != 0) {
		return -1;
	}

	fixture->given = read_section(fixture->name, given_line);
	fixture->expect = read_section(fixture->name, expect_line);
	if (!fixture->given || !fixture->expect) {
		return -1;
	}

	rows = read_file(views_dir, "fixture.sql");
	triggers = read_file(views_dir, "../harness/block_event.sql");
	failed = !rows || !triggers ||
			execute(fixture->db, "block_event.sql", triggers) != SQLITE_OK ||
			execute(fixture->db, "fixture.sql", rows) != SQLITE_OK ||
			give(fixture->db, fixture->name, fixture->given, &is_computed) != SQLITE_OK;
	free(rows);
	free(triggers);
	snprintf(view, sizeof(view), "%.*s", (int)strcspn(fixture->name, "."), fixture->name);
	return failed || judge(fixture->db, fixture->name, view, is_computed) != 0 ? -1 : 0;
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
static char *query_of(const struct fixture *fixture, const char *database)
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

	fprintf(out, "SELECT %.*s FROM %s%.*s", header_length, fixture->expect, database,
			view_length, fixture->name);
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

/* The view of that database ("" or "main.") yields the expected rows. */
static void assert_rows(struct fixture *fixture, const char *database)
{
	char *query = query_of(fixture, database);
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

	free(fixture->got);
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
	sqlite3_finalize(fixture->rows);
	fixture->rows = NULL;
	assert_int_equal(status, SQLITE_DONE);
	assert_string_equal(fixture->got, fixture->expect);
}

static void test_view_answers_its_example(void **state)
{
	struct fixture *fixture = *state;
	char view[128];
	const struct judge_step *step;

	snprintf(view, sizeof(view), "%.*s", (int)strcspn(fixture->name, "."), fixture->name);
	step = find_step(view);
	assert_rows(fixture, "");
	if (step && step->kind == JUDGE_PUBLIC && !is_reading_results(step)) {
		assert_rows(fixture, "main.");
	}
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

	/* As the command has it; no test needs locks. */
	(void)sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	(void)sqlite3_config(SQLITE_CONFIG_LOOKASIDE, (int)SLOT_BYTES, (int)SLOTS);

	views_dir = argv[1];
	only = argc > 2 ? argv[2] : "";
	found = scandir(views_dir, &files, is_example, alphasort);
	if (found <= 0) {
		fprintf(stderr, "schema_views_test: no %s file in '%s'\n", example_suffix,
				views_dir);
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

		name[strlen(name) - strlen(example_suffix)] = '\0';
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
