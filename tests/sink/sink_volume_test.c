/*
 * SPDX-License-Identifier: MIT
 *
 * More of something than a batch, a stream or a text usually has.
 */
#include "sink_board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_ten_thousand_instances_are_kept_apart(void **state)
{
	struct fixture *fixture = *state;
	FILE *out = open_script(fixture);

	(void)fputs(BEGIN, out);
	for (int round = 1; round <= 3; round++) {
		for (int i = 0; i < 10000; i++) {
			(void)fprintf(out,
					"event create %d " WHO
					" {\"eheap_alloc\",%d,262144,%d,%d,0,0,0,0,0,0}\n",
					round * 10000000 + i, i, round, round * 262144);
		}
	}

	(void)fputs(END, out);
	load_script(fixture, out);
	assert_string_equal(ask(fixture, "SELECT count(*), min(number), max(number) FROM instance"),
			"10000|0|9999");
	assert_string_equal(
			ask(fixture,
					"SELECT count(*), sum(mbc_creates), sum(last_mbc_carriers) "
					"FROM scope_total WHERE scope = 'instance'"),
			"10000|30000|30000");
	assert_string_equal(
			ask(fixture,
					"SELECT sum(mbc_creates) FROM scope_bucket WHERE scope = "
					"'instance'"),
			"30000");
	assert_string_equal(ask(fixture,
					    "SELECT footprint_bytes FROM carrier_event WHERE id = "
					    "30000"),
			"7864320000");
}

static void test_events_of_64_streams_with_equal_times_are_all_kept(void **state)
{
	struct fixture *fixture = *state;
	FILE *out = open_script(fixture);

	(void)fputs("trace t\n", out);
	for (int i = 0; i < 64; i++) {
		(void)fprintf(out,
				"stream s%d t " CONTEXT "\nname s%d \"/trace/ch_%d\"\n"
				"class c%d s%d \"org_erlang_otp:carrier_create\" {" HEAD
				"," COUNTERS "}\nbegin s%d\n",
				i, i, i, i, i, i);
	}

	for (int round = 1; round <= 20; round++) {
		for (int i = 0; i < 64; i++) {
			(void)fprintf(out,
					"event c%d %d {7,%d,\"x\"} "
					"{\"eheap_alloc\",%d,262144,%d,%d,0,0,0,0,0,0}\n",
					i, round * 1000, 100 + i, i, round, round * 262144);
		}
	}

	load_script(fixture, out);
	assert_string_equal(ask(fixture, "SELECT count(*), sum(events) FROM stream"), "64|1280");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM thread"), "64");
	assert_string_equal(ask(fixture, "SELECT sum(inconsistent) FROM instance"), "0");
	assert_string_equal(ask(fixture, "SELECT path FROM source"), "/trace");
}

static void test_long_texts_are_kept_whole(void **state)
{
	enum { LENGTH = 3000000 };
	struct fixture *fixture = *state;
	FILE *out = open_script(fixture);
	const char head[] = BEGIN "class x s \"org_erlang_otp:new\" {a:str}\n";

	(void)fputs(head, out);
	for (int k = 0; k < 4; k++) {
		(void)fprintf(out, "event x %d " WHO " {\"", k);
		for (int i = 0; i < LENGTH; i++) {
			(void)fputc('a' + (i + k) % 26, out);
		}

		(void)fputs("\"}\n", out);
	}

	load_script(fixture, out);
	assert_string_equal(ask(fixture,
					    "SELECT length(value), substr(value, 1, 3), "
					    "substr(value, -2) FROM extra_field"),
			"3000000|abc|op\n3000000|bcd|pq\n3000000|cde|qr\n3000000|def|rs");
}

static void test_an_event_with_more_values_than_a_batch_takes_is_cut(void **state)
{
	struct fixture *fixture = *state;
	FILE *out = open_script(fixture);

	(void)fputs(BEGIN "class x s \"org_erlang_otp:new\" {a:[20x[250xu8]]}\n", out);
	for (int k = 0; k < 3; k++) {
		(void)fprintf(out, "event x %d " WHO " {[", k);
		for (int i = 0; i < 20; i++) {
			(void)fputs(i ? ",[0" : "[0", out);
			for (int j = 1; j < 250; j++) {
				(void)fputs(",1", out);
			}

			(void)fputs("]", out);
		}

		(void)fputs("]}\n", out);
	}

	load_script(fixture, out);
	assert_string_equal(ask(fixture, "SELECT count(*) FROM otp_event"), "3");
	assert_string_equal(ask(fixture, "SELECT event_id, count(*) FROM extra_field GROUP BY 1"),
			"1|4096\n2|4096\n3|4096");
	assert_string_equal(ask(fixture, "SELECT count FROM load_problem WHERE name = 'field_cut'"),
			"2712");
}

static void test_reallocs_across_batches_are_two_rows_each(void **state)
{
	enum { EVENTS = 40001 };
	struct fixture *fixture = *state;
	FILE *out = open_script(fixture);

	(void)fputs("trace t\n" STREAM
		    "class r s \"lttng_ust_libc:realloc\" {in_ptr:u64,size:u64,ptr:u64}\n"
		    "begin s\nevent r 1 " WHO " {0,1,1}\n",
			out);
	for (int i = 1; i < EVENTS; i++) {
		(void)fprintf(out, "event r %d " WHO " {%d,%d,%d}\n", i, i, i, i + 1);
	}

	load_script(fixture, out);
	assert_string_equal(
			ask(fixture, "SELECT count(*), max(id) FROM block_event"), "80001|80001");
	assert_string_equal(ask(fixture,
					    "SELECT allocations, reallocs_moved, live_blocks FROM "
					    "libc_total"),
			"40001|40001|1");
}

static void test_more_events_than_a_batch_takes_are_all_kept(void **state)
{
	enum { EVENTS = 70000 };
	struct fixture *fixture = *state;
	FILE *out = open_script(fixture);

	(void)fputs(BEGIN "class x s \"org_erlang_otp:driver_stop_select\" {driver:str}\n", out);
	for (int i = 0; i < EVENTS; i++) {
		(void)fprintf(out, "event put %d " WHO " {\"eheap_alloc\",1,%d}\n", i, i);
		if (i % 10 == 0) {
			(void)fprintf(out, "event x %d " WHO " {\"%d\"}\n", i, i);
		}
	}

	load_script(fixture, out);
	assert_string_equal(ask(fixture,
					    "SELECT count(*), min(size), max(size), sum(size) FROM "
					    "carrier_event"),
			"70000|0|69999|2449965000");
	assert_string_equal(
			ask(fixture,
					"SELECT count(*) FROM carrier_event WHERE ts_ns <> size "
					"OR id <> size + 1"),
			"0");
	assert_string_equal(ask(fixture, "SELECT count(*), sum(driver) FROM otp_event"),
			"7000|244965000");
	assert_string_equal(ask(fixture, "SELECT count(*), max(carrier_event_id) FROM keyframe"),
			"18|69633");
}

int sink_volume_tests(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_ten_thousand_instances_are_kept_apart),
		CASE(test_events_of_64_streams_with_equal_times_are_all_kept),
		CASE(test_long_texts_are_kept_whole),
		CASE(test_an_event_with_more_values_than_a_batch_takes_is_cut),
		CASE(test_reallocs_across_batches_are_two_rows_each),
		CASE(test_more_events_than_a_batch_takes_are_all_kept),
	};

	return cmocka_run_group_tests_name("sink: volume", tests, NULL, NULL);
}
