/*
 * SPDX-License-Identifier: MIT
 */
#include "sink_board.h"

#include <stdlib.h>
#include <string.h>

#include "scripted_graph.h"

int open_fixture(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	*state = fixture;
	return fixture && scratch_open(&fixture->scratch, "sink") ? 0 : -1;
}

void close_database(struct fixture *fixture)
{
	(void)sqlite3_finalize(fixture->rows);
	(void)sqlite3_close(fixture->db);
	fixture->rows = NULL;
	fixture->db = NULL;
}

int close_fixture(void **state)
{
	struct fixture *fixture = *state;

	close_database(fixture);
	bt_graph_put_ref(fixture->graph);
	scratch_close(&fixture->scratch);
	free(fixture->script);
	free(fixture->got);
	free(fixture);
	return 0;
}

void take_error(struct fixture *fixture)
{
	const bt_error *error = bt_current_thread_take_error();
	size_t length = strlen(fixture->error);

	for (uint64_t i = 0; error && i < bt_error_get_cause_count(error); i++) {
		const bt_error_cause *cause = bt_error_borrow_cause_by_index(error, i);

		length += (size_t)snprintf(fixture->error + length, sizeof(fixture->error) - length,
				"%s\n", bt_error_cause_get_message(cause));
	}

	if (error) {
		bt_error_release(error);
	}
}

bool configure(struct fixture *fixture, const char *script, const bt_value *params)
{
	fixture->graph = scripted_graph_create(script, params);
	if (!fixture->graph) {
		take_error(fixture);
	}

	return fixture->graph;
}

bt_value *make_params(const char *path, const char *flag)
{
	bt_value *params = bt_value_map_create();

	assert_int_equal(bt_value_map_insert_string_entry(params, "path", path), 0);
	if (flag) {
		assert_int_equal(bt_value_map_insert_bool_entry(params, flag, BT_TRUE), 0);
	}

	return params;
}

void begin_load(struct fixture *fixture, const char *script, const char *flag)
{
	bt_value *params = make_params(fixture->scratch.path, flag);
	bool is_ok = configure(fixture, script, params);

	bt_value_put_ref(params);
	assert_true(is_ok);
}

void drop_graph(struct fixture *fixture)
{
	bt_graph_put_ref(fixture->graph);
	fixture->graph = NULL;
}

bool load(struct fixture *fixture, const char *script, const char *flag)
{
	bt_value *params = make_params(fixture->scratch.path, flag);
	bool is_ok;

	fixture->error[0] = '\0';
	is_ok = configure(fixture, script, params);
	bt_value_put_ref(params);
	if (is_ok && bt_graph_run(fixture->graph) != BT_GRAPH_RUN_STATUS_OK) {
		take_error(fixture);
		is_ok = false;
	}

	bt_graph_put_ref(fixture->graph);
	fixture->graph = NULL;
	return is_ok;
}

FILE *open_script(struct fixture *fixture)
{
	static size_t size;
	FILE *out = open_memstream(&fixture->script, &size);

	assert_non_null(out);
	return out;
}

void load_script(struct fixture *fixture, FILE *out)
{
	(void)fclose(out);
	assert_true(load(fixture, fixture->script, NULL));
}

const char *ask(struct fixture *fixture, const char *sql)
{
	size_t size = 0;
	FILE *out;
	int status;

	if (!fixture->db) {
		assert_int_equal(sqlite3_open(fixture->scratch.path, &fixture->db), SQLITE_OK);
	}

	free(fixture->got);
	fixture->got = NULL;
	status = sqlite3_prepare_v2(fixture->db, sql, -1, &fixture->rows, NULL);
	if (status != SQLITE_OK) {
		print_error("%s: %s\n", sql, sqlite3_errmsg(fixture->db));
	}

	assert_int_equal(status, SQLITE_OK);
	out = open_memstream(&fixture->got, &size);
	assert_non_null(out);
	while ((status = sqlite3_step(fixture->rows)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(fixture->rows); i++) {
			const char *text = (const char *)sqlite3_column_text(fixture->rows, i);

			(void)fprintf(out, "%s%s", i > 0 ? "|" : "", text ? text : "NULL");
		}

		(void)fputc('\n', out);
	}

	(void)fclose(out);
	if (fixture->got[0]) {
		fixture->got[strlen(fixture->got) - 1] = '\0';
	}

	(void)sqlite3_finalize(fixture->rows);
	fixture->rows = NULL;
	assert_int_equal(status, SQLITE_DONE);
	return fixture->got;
}
