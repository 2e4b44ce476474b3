/*
 * SPDX-License-Identifier: MIT
 *
 * The sink, fed by a scripted source, writes the database it should.
 */
#include "sink_board.h"

#include <string.h>

#include "scripted_graph.h"

/* A script, what becomes of it, and what is then in the database. */
struct script_case {
	const char *name;
	const char *script;

	/* Part of the error's sentence; NULL: the load goes well. */
	const char *error;

	struct {
		const char *sql;
		const char *rows;
	} checks[10];
};

static const struct script_case *current_case;

#define PROBLEMS "SELECT name, severity, count FROM load_problem ORDER BY id"

static const struct script_case script_cases[] = {
#include "script_cases.inc"
};

static void test_script(void **state)
{
	struct fixture *fixture = *state;
	const struct script_case *this_case = current_case;
	bool is_ok = load(fixture, this_case->script, NULL);

	if (this_case->error) {
		assert_false(is_ok);
		if (!strstr(fixture->error, this_case->error)) {
			print_error("no '%s' in: %s\n", this_case->error, fixture->error);
		}

		assert_non_null(strstr(fixture->error, this_case->error));
		assert_int_equal(scratch_count(&fixture->scratch), 0);
		return;
	}

	if (!is_ok) {
		print_error("%s\n", fixture->error);
	}

	assert_true(is_ok);
	assert_int_equal(scratch_count(&fixture->scratch), 1);
	for (size_t i = 0; i < COUNT_OF(this_case->checks) && this_case->checks[i].sql; i++) {
		assert_string_equal(
				ask(fixture, this_case->checks[i].sql), this_case->checks[i].rows);
	}

	assert_string_equal(ask(fixture, "SELECT complete FROM source"), "1");
	assert_string_equal(ask(fixture, "PRAGMA integrity_check"), "ok");
}

/* The cases of a table, one test each; the setup knows which comes next. */
static size_t next_case;

static int open_case(void **state)
{
	current_case = &script_cases[next_case++];
	return open_fixture(state);
}

static int sink_script_tests(void)
{
	struct CMUnitTest tests[COUNT_OF(script_cases)];

	for (size_t i = 0; i < COUNT_OF(script_cases); i++) {
		tests[i] = (struct CMUnitTest){ script_cases[i].name, test_script, open_case,
			close_fixture, NULL };
	}

	return cmocka_run_group_tests_name("sink: scripts", tests, NULL, NULL);
}

int main(void)
{
	int failed;

	if (!scripted_graph_begin()) {
		return 2;
	}

	failed = sink_script_tests() + sink_files_tests() + sink_live_tests() +
			sink_volume_tests() + sink_listed_tests() + sink_batch_tests();
	scripted_graph_end();
	return failed;
}
