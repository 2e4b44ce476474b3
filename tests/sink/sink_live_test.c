/*
 * SPDX-License-Identifier: MIT
 *
 * A source that is live, and loads that are left before their end.
 */
#include "sink_board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Runs the graph until the source has nothing to say. */
static void run_until_again(struct fixture *fixture)
{
	bt_graph_run_once_status status;

	do {
		status = bt_graph_run_once(fixture->graph);
	} while (status == BT_GRAPH_RUN_ONCE_STATUS_OK);

	assert_int_equal(status, BT_GRAPH_RUN_ONCE_STATUS_AGAIN);
}

static void test_a_live_source_is_readable_while_it_grows(void **state)
{
	struct fixture *fixture = *state;

	begin_load(fixture, BEGIN FIRST "again\n" SECOND "again\nagain\n" END, NULL);
	assert_int_equal(access(fixture->scratch.path, F_OK), -1);
	run_until_again(fixture);
	assert_string_equal(ask(fixture, "PRAGMA journal_mode"), "wal");
	assert_string_equal(ask(fixture, "SELECT complete, events FROM source"), "0|1");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM carrier_event"), "1");
	run_until_again(fixture);
	(void)usleep(1100000);
	run_until_again(fixture);
	assert_string_equal(ask(fixture, "SELECT complete, events FROM source"), "0|2");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM carrier_event"), "2");
	close_database(fixture);
	assert_int_equal(bt_graph_run(fixture->graph), BT_GRAPH_RUN_STATUS_OK);
	assert_string_equal(ask(fixture, "SELECT complete, events FROM source"), "1|2");
	assert_string_equal(ask(fixture, "PRAGMA journal_mode"), "delete");
	assert_string_equal(ask(fixture, "PRAGMA integrity_check"), "ok");
	assert_int_equal(scratch_count(&fixture->scratch), 1);
}

/* Without its graph the file is there, alone, with the events that came. */
static void drop_incomplete(struct fixture *fixture, const char *source, const char *events)
{
	drop_graph(fixture);
	assert_string_equal(ask(fixture, "SELECT complete, events FROM source"), source);
	assert_string_equal(ask(fixture, "SELECT count(*) FROM carrier_event"), events);
	assert_int_equal(scratch_count(&fixture->scratch), 1);
}

static void test_a_live_source_that_breaks_off_keeps_what_came(void **state)
{
	struct fixture *fixture = *state;

	begin_load(fixture, BEGIN FIRST "again\n" SECOND "error \"gone\"\n", NULL);
	run_until_again(fixture);
	assert_int_not_equal(bt_graph_run(fixture->graph), BT_GRAPH_RUN_STATUS_OK);
	take_error(fixture);
	drop_incomplete(fixture, "0|2", "2");
}

static void test_a_live_source_appended_ends_complete(void **state)
{
	struct fixture *fixture = *state;

	assert_true(load(fixture, BEGIN FIRST END, NULL));
	begin_load(fixture, BEGIN FIRST "again\n" SECOND END, "append");
	run_until_again(fixture);
	assert_string_equal(
			ask(fixture, "SELECT id, complete, events FROM source"), "1|1|1\n2|0|1");
	close_database(fixture);
	assert_int_equal(bt_graph_run(fixture->graph), BT_GRAPH_RUN_STATUS_OK);
	assert_string_equal(
			ask(fixture, "SELECT id, complete, events FROM source"), "1|1|1\n2|1|2");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM scope_total WHERE scope = 'source'"),
			"2");
	assert_string_equal(ask(fixture, "PRAGMA integrity_check"), "ok");
}

static void test_an_interrupted_load_says_that_it_is_incomplete(void **state)
{
	struct fixture *fixture = *state;

	begin_load(fixture,
			BEGIN FIRST SECOND FIRST SECOND FIRST SECOND FIRST SECOND FIRST SECOND FIRST
					SECOND FIRST SECOND FIRST SECOND FIRST SECOND END,
			NULL);
	assert_int_equal(bt_graph_run_once(fixture->graph), BT_GRAPH_RUN_ONCE_STATUS_OK);
	drop_incomplete(fixture, "0|14", "14");
}

static void test_a_graph_that_never_ran_leaves_nothing(void **state)
{
	struct fixture *fixture = *state;

	begin_load(fixture, BEGIN FIRST END, NULL);
	drop_graph(fixture);
	assert_int_equal(scratch_count(&fixture->scratch), 0);
}

static void test_two_loads_of_one_name_in_one_process_do_not_mix(void **state)
{
	struct fixture *fixture = *state;
	struct fixture other = *fixture;

	begin_load(fixture, BEGIN FIRST SECOND END, NULL);
	begin_load(&other, BEGIN FIRST END, NULL);
	assert_int_equal(bt_graph_run(fixture->graph), BT_GRAPH_RUN_STATUS_OK);
	assert_int_not_equal(bt_graph_run(other.graph), BT_GRAPH_RUN_STATUS_OK);
	take_error(&other);
	bt_graph_put_ref(other.graph);
	assert_non_null(strstr(other.error, "cannot give"));
	assert_string_equal(ask(fixture, "SELECT complete, events FROM source"), "1|2");
	assert_string_equal(ask(fixture, "PRAGMA integrity_check"), "ok");
	assert_int_equal(scratch_count(&fixture->scratch), 1);
}

static void test_journals_of_a_former_file_do_not_spoil_the_new_one(void **state)
{
	struct fixture *fixture = *state;
	char journal[512];

	/* A database in WAL mode that was killed: its -wal is left. */
	begin_load(fixture, BEGIN FIRST "again\n" SECOND END, NULL);
	run_until_again(fixture);
	(void)snprintf(journal, sizeof(journal), "cp %s-wal %s/kept; cp %s-shm %s/kept-shm",
			fixture->scratch.path, fixture->scratch.folder, fixture->scratch.path,
			fixture->scratch.folder);
	assert_int_equal(system(journal), 0);
	drop_graph(fixture);
	(void)snprintf(journal, sizeof(journal), "mv %s/kept %s-wal; mv %s/kept-shm %s-shm",
			fixture->scratch.folder, fixture->scratch.path, fixture->scratch.folder,
			fixture->scratch.path);
	assert_int_equal(system(journal), 0);
	assert_true(load(fixture, BEGIN FIRST SECOND END, "force"));
	assert_int_equal(scratch_count(&fixture->scratch), 1);
	assert_string_equal(ask(fixture, "PRAGMA integrity_check"), "ok");
	assert_string_equal(ask(fixture, "SELECT complete, events FROM source"), "1|2");
}

int sink_live_tests(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_a_live_source_is_readable_while_it_grows),
		CASE(test_a_live_source_that_breaks_off_keeps_what_came),
		CASE(test_a_live_source_appended_ends_complete),
		CASE(test_an_interrupted_load_says_that_it_is_incomplete),
		CASE(test_a_graph_that_never_ran_leaves_nothing),
		CASE(test_two_loads_of_one_name_in_one_process_do_not_mix),
		CASE(test_journals_of_a_former_file_do_not_spoil_the_new_one),
	};

	return cmocka_run_group_tests_name("sink: live and left", tests, NULL, NULL);
}
