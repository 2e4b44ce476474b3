/*
 * SPDX-License-Identifier: MIT
 *
 * Parameters, files that exist, and appending.
 */
#include "sink_board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema_version.h"

#define TEXT_OF_(number) #number
#define TEXT_OF(number) TEXT_OF_(number)

#define VALID "valid: path (string, required), force (boolean), append (boolean)"

static void test_wrong_parameters_are_refused_with_a_list_of_the_right_ones(void **state)
{
	static const struct {
		const char *key;
		char type;
		const char *error;
	} wrong[] = {
		{ "colour", 's', "unknown parameter 'colour'; " VALID },
		{ "path", 'i', "parameter 'path' is not a string; " VALID },
		{ "force", 's', "parameter 'force' is not a boolean; " VALID },
		{ "append", 'i', "parameter 'append' is not a boolean; " VALID },
		{ "path", '0', "parameter 'path' is missing; " VALID },
		{ "path", '-', "parameter 'path' is missing; " VALID },
		{ "append", 'b', "parameters 'force' and 'append' exclude each other" },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		bt_value *params = make_params(
				fixture->scratch.path, wrong[i].type == 'b' ? "force" : NULL);
		bool is_ok;

		if (wrong[i].type == 's' || wrong[i].type == '0') {
			(void)bt_value_map_insert_string_entry(
					params, wrong[i].key, wrong[i].type == 's' ? "x" : "");
		} else if (wrong[i].type == 'i') {
			(void)bt_value_map_insert_signed_integer_entry(params, wrong[i].key, 1);
		} else if (wrong[i].type == 'b') {
			(void)bt_value_map_insert_bool_entry(params, wrong[i].key, BT_TRUE);
		} else {
			bt_value_put_ref(params);
			params = bt_value_map_create();
		}

		fixture->error[0] = '\0';
		is_ok = configure(fixture, "", params);
		bt_value_put_ref(params);
		drop_graph(fixture);
		assert_false(is_ok);
		assert_non_null(strstr(fixture->error, wrong[i].error));
		assert_int_equal(scratch_count(&fixture->scratch), 0);
	}
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
}

static void test_a_file_that_exists_is_replaced_by_force_only(void **state)
{
	struct fixture *fixture = *state;

	write_file(fixture->scratch.path, "precious");
	assert_false(load(fixture, BEGIN FIRST END, NULL));
	assert_non_null(strstr(fixture->error, "it exists; use force to replace it or append"));
	assert_int_equal(scratch_count(&fixture->scratch), 1);
	assert_false(load(fixture, BEGIN FIRST "error \"gone\"\n", "force"));
	assert_int_equal(scratch_count(&fixture->scratch), 1);
	assert_false(load(fixture, BEGIN FIRST END, "append"));
	assert_non_null(strstr(fixture->error, "not a database"));
	assert_true(load(fixture, BEGIN FIRST END, "force"));
	assert_string_equal(ask(fixture, "SELECT count(*) FROM carrier_event"), "1");
	assert_int_equal(scratch_count(&fixture->scratch), 1);
}

static void test_append_refuses_a_database_of_others(void **state)
{
	struct fixture *fixture = *state;

	assert_string_equal(ask(fixture, "CREATE TABLE mine(x)"), "");
	close_database(fixture);
	assert_false(load(fixture, BEGIN FIRST END, "append"));
	assert_non_null(strstr(fixture->error, "not a carrierscope database"));
	assert_string_equal(ask(fixture, "PRAGMA application_id = 1129530192"), "");
	assert_string_equal(ask(fixture, "PRAGMA user_version = 99"), "");
	close_database(fixture);
	assert_false(load(fixture, BEGIN FIRST END, "append"));
	assert_non_null(strstr(
			fixture->error, "its schema has version 99, not " TEXT_OF(SCHEMA_VERSION)));
	assert_string_equal(ask(fixture, "SELECT count(*) FROM mine"), "0");
}

static void test_a_stream_that_goes_back_in_time_is_refused(void **state)
{
	struct fixture *fixture = *state;

	/* Packets may touch. */
	assert_true(load(fixture,
			"trace t\nstream s t - packets\nname s \"first\"\nbegin s\n"
			"packet s 10\nendpacket s 20\npacket s 20\nendpacket s 30\nend s\n",
			"force"));
	assert_string_equal(ask(fixture, "SELECT packets FROM stream"), "2");
	close_database(fixture);
	assert_false(load(fixture,
			"trace t\nstream s t - packets\nname s \"first\"\nbegin s\n"
			"packet s 10\nendpacket s 20\npacket s 19\nendpacket s 30\nend s\n",
			"force"));
	assert_non_null(strstr(
			fixture->error, "stream 'first' goes back in time from 20 ns to 19 ns"));
}

static void test_append_adds_a_source_with_ids_that_continue(void **state)
{
	static const char second[] = BEGIN
			"event create 5000 {9,9,\"beam.smp\"} "
			"{\"ets_alloc\",2,262144,1,262144,0,0,0,0,0,0}\n"
			"event create 6000 {9,9,\"beam.smp\"} "
			"{\"eheap_alloc\",2,262144,1,262144,0,0,0,0,0,0}\n"
			"class x s \"org_erlang_otp:new\" {a:u8}\nevent x 7000 {9,9,\"\"} {1}\n" END;
	struct fixture *fixture = *state;

	assert_true(load(fixture, BEGIN FIRST SECOND END, "append"));
	assert_true(load(fixture, second, "append"));
	assert_false(load(fixture, BEGIN FIRST "error \"gone\"\n", "append"));
	assert_true(load(fixture, second, "append"));
	assert_string_equal(ask(fixture,
					    "SELECT id, events, complete, first_carrier_event_id, "
					    "last_carrier_event_id FROM source"),
			"1|2|1|1|2\n2|3|1|3|4\n3|3|1|5|6");
	assert_string_equal(ask(fixture, "SELECT id, name FROM allocator"),
			"1|eheap_alloc\n2|ets_alloc");
	assert_string_equal(ask(fixture, "SELECT id, runtime_id, allocator_id FROM instance"),
			"1|1|1\n2|2|2\n3|2|1\n4|3|2\n5|3|1");
	assert_string_equal(
			ask(fixture,
					"SELECT id, instance_id, thread_id, footprint_bytes FROM "
					"carrier_event"),
			"1|1|1|262144\n2|1|1|524288\n3|2|2|262144\n4|3|2|524288\n5|4|4|262144\n"
			"6|5|4|524288");
	assert_string_equal(ask(fixture, "SELECT source_id, id, vpid FROM runtime"),
			"1|1|7\n2|2|9\n3|3|9");
	assert_string_equal(ask(fixture,
					    "SELECT event_id, event, runtime_id FROM extra_field "
					    "JOIN otp_event ON otp_event.id = event_id"),
			"1|new|2\n2|new|3");
	assert_string_equal(
			ask(fixture, "SELECT source_id, count(*) FROM footprint_sample GROUP BY 1"),
			"1|100\n2|100\n3|100");
	assert_string_equal(ask(fixture, "PRAGMA integrity_check"), "ok");
}

int sink_files_tests(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_wrong_parameters_are_refused_with_a_list_of_the_right_ones),
		CASE(test_a_file_that_exists_is_replaced_by_force_only),
		CASE(test_append_refuses_a_database_of_others),
		CASE(test_a_stream_that_goes_back_in_time_is_refused),
		CASE(test_append_adds_a_source_with_ids_that_continue),
	};

	return cmocka_run_group_tests_name("sink: parameters and files", tests, NULL, NULL);
}
