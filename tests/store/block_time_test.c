/*
 * SPDX-License-Identifier: MIT
 *
 * What was live at any time, as the views say it of a loaded database, against an oracle
 * that plays the same events again up to that time.  The events pass several lists of live
 * blocks and thinned keyframes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "store.h"
#include "store_fixture.h"
#include "xorshift.h"

enum {
	EVENTS = 800000,
	SLOTS = 20000,
	PROCESSES = 2,
	TYPES = 40,
	MOMENTS = 7,
	NS_PER_EVENT = 3,
};

static uint64_t seed;

static int open_folder(void **state)
{
	return store_fixture_open(state, "block_time");
}

/* The events: a random slot of a random process is filled, or emptied. */
struct player {
	uint64_t random;

	/* 0: empty; else 1 + size. */
	int64_t held[PROCESSES][SLOTS];
	int64_t type[PROCESSES][SLOTS];
};

static struct block_row play(struct player *player)
{
	uint64_t slot = next_random(&player->random) % SLOTS;
	int32_t process = (int32_t)(next_random(&player->random) % PROCESSES);
	struct block_row row = {
		.address = (int64_t)(4096 + 16 * slot),
		.runtime = process,
		.allocator_id = 3,
		.instance = 1,
	};

	if (player->held[process][slot]) {
		row.op = BLOCK_FREE;
		row.size = player->held[process][slot] - 1;
		row.type_id = player->type[process][slot];
		player->held[process][slot] = 0;
	} else {
		row.op = BLOCK_ALLOC;
		row.size = (int64_t)(next_random(&player->random) % 3000);
		row.type_id = (int64_t)(next_random(&player->random) % TYPES);
		player->held[process][slot] = row.size + 1;
		player->type[process][slot] = row.type_id;
	}

	return row;
}

static bool load(struct fixture *fixture, struct player *player)
{
	const struct store_options options = { .path = fixture->scratch.path,
		.loader_name = "test" };
	struct catalog *catalog;
	struct store *store;
	int32_t threads[PROCESSES];

	if (store_open(&options, &fixture->store, &fixture->diag) != CSC_OK) {
		return false;
	}

	catalog = store_catalog(fixture->store);
	for (int i = 0; i < PROCESSES; i++) {
		threads[i] = catalog_thread(
				catalog, catalog_runtime(catalog, "node", 100 + i), 200 + i, "one");
	}

	for (int64_t i = 0; i < EVENTS; i++) {
		struct block_row filled = play(player);
		struct block_row *row;

		if (store_begin_event(fixture->store, &fixture->diag) != CSC_OK) {
			return false;
		}

		row = store_block_row(fixture->store);
		filled.id = row->id;
		filled.ts_ns = 1000 + NS_PER_EVENT * i;
		filled.thread = threads[filled.runtime];
		filled.process = i % 4 == 0 ? ROW_NULL : 1 + i % 3;
		*row = filled;
	}

	store = fixture->store;
	fixture->store = NULL;
	return store_close(store, true, &fixture->diag) == CSC_OK &&
			sqlite3_open(fixture->scratch.path, &fixture->db) == SQLITE_OK;
}

static int open_fixture(void **state)
{
	static struct player player;

	player.random = seed;
	return open_folder(state) == 0 && load(*state, &player) ? 0 : -1;
}

/* Runs a query that yields one row of numbers. */
static void ask(struct fixture *fixture, const char *sql, int64_t *ret_values, int count)
{
	sqlite3_stmt *rows = NULL;
	bool is_row = sqlite3_prepare_v2(fixture->db, sql, -1, &rows, NULL) == SQLITE_OK &&
			sqlite3_step(rows) == SQLITE_ROW;

	if (!is_row) {
		print_error("%s: %s\n", sql, sqlite3_errmsg(fixture->db));
	}

	for (int i = 0; i < count; i++) {
		ret_values[i] = is_row ? sqlite3_column_int64(rows, i) : INT64_MIN;
	}

	(void)sqlite3_finalize(rows);
}

static int64_t ask_one(struct fixture *fixture, const char *sql)
{
	int64_t value;

	ask(fixture, sql, &value, 1);
	return value;
}

/* Sums that differ between states: blocks, bytes, and each weighed with what it is. */
struct sums {
	int64_t blocks;
	int64_t bytes;
	int64_t by_type;
	int64_t by_size;
	int64_t by_address;
};

static int64_t power_of_two(int64_t size)
{
	int64_t power = 1;

	if (size == 0) {
		return 0;
	}

	while (power * 2 <= size) {
		power *= 2;
	}

	return power;
}

static struct sums sum_up(const struct player *player)
{
	struct sums sums = { 0 };

	for (int p = 0; p < PROCESSES; p++) {
		for (int64_t i = 0; i < SLOTS; i++) {
			int64_t size = player->held[p][i] - 1;

			if (size >= 0) {
				sums.blocks++;
				sums.bytes += size;
				sums.by_type += (player->type[p][i] + 1) * (100 + p) * size;
				sums.by_size += power_of_two(size) * (100 + p);
				sums.by_address += (4096 + 16 * i) * (100 + p) % 1000003;
			}
		}
	}

	return sums;
}

static void expect(struct fixture *fixture, const char *sql, const int64_t *values, int count)
{
	int64_t found[4];

	ask(fixture, sql, found, count);
	for (int i = 0; i < count; i++) {
		assert_int_equal(found[i], values[i]);
	}
}

static void compare(struct fixture *fixture, const struct sums *sums)
{
	expect(fixture,
			"SELECT coalesce(sum(live_blocks), 0), coalesce(sum(live_bytes), 0), "
			"coalesce(sum((substr(type, 6) + 1) * vpid * live_bytes), 0), "
			"coalesce(sum(size_from * vpid * live_blocks), 0) FROM block_size_at",
			(int64_t[]){ sums->blocks, sums->bytes, sums->by_type, sums->by_size }, 4);
	expect(fixture,
			"SELECT count(*), coalesce(sum(address * vpid % 1000003), 0), "
			"coalesce(sum(size), 0) FROM block_at",
			(int64_t[]){ sums->blocks, sums->by_address, sums->bytes }, 3);
	assert_int_equal(ask_one(fixture,
					 "SELECT coalesce(sum(current), 0) FROM "
					 "instrument_memory_status WHERE status_type = 'total' "
					 "AND info = 'sizes'"),
			sums->bytes);
}

static void test_what_is_live_at_any_time(void **state)
{
	static struct player player;
	struct fixture *fixture = *state;
	int64_t moments[MOMENTS];
	int64_t played = 0;

	assert_true(ask_one(fixture, "SELECT count(*) FROM live_block_keyframe") > 2);
	assert_true(ask_one(fixture, "SELECT count(*) FROM block_keyframe") > 20);
	/* In order, the ends among them. */
	for (int i = 0; i < MOMENTS; i++) {
		moments[i] = EVENTS / (MOMENTS - 1) * i + (i ? (int64_t)(seed >> 8) % 50000 : 0);
	}

	moments[MOMENTS - 1] = EVENTS;
	player.random = seed;
	for (int i = 0; i < MOMENTS; i++) {
		char sql[128];
		struct sums sums;

		for (; played < moments[i]; played++) {
			(void)play(&player);
		}

		/* Between this event and the next. */
		(void)snprintf(sql, sizeof(sql), "UPDATE question SET at_ns = %lld",
				(long long)(1000 + NS_PER_EVENT * (moments[i] - 1) + 1));
		assert_int_equal(sqlite3_exec(fixture->db, sql, NULL, NULL, NULL), SQLITE_OK);
		sums = sum_up(&player);
		compare(fixture, &sums);
	}

	assert_int_equal(sqlite3_exec(fixture->db, "UPDATE question SET at_ns = NULL", NULL, NULL,
					 NULL),
			SQLITE_OK);
	{
		struct sums sums = sum_up(&player);

		compare(fixture, &sums);
	}
}

static void test_the_peak_is_the_highest(void **state)
{
	static struct player player;
	struct fixture *fixture = *state;
	int64_t most[PROCESSES] = { 0 };
	int64_t bytes[PROCESSES] = { 0 };

	player.random = seed;
	for (int64_t i = 0; i < EVENTS; i++) {
		struct block_row row = play(&player);

		bytes[row.runtime] += row.op == BLOCK_FREE ? -row.size : row.size;
		if (bytes[row.runtime] > most[row.runtime]) {
			most[row.runtime] = bytes[row.runtime];
		}
	}

	assert_int_equal(ask_one(fixture,
					 "SELECT sum(live_bytes) FROM block_size_at_peak "
					 "WHERE vpid = 100"),
			most[0]);
	assert_int_equal(ask_one(fixture,
					 "SELECT sum(live_bytes) FROM block_size_at_peak "
					 "WHERE vpid = 101"),
			most[1]);
	assert_int_equal(ask_one(fixture,
					 "SELECT max(max_ever) FROM instrument_memory_status "
					 "WHERE status_type = 'total' AND info = 'sizes'"),
			most[0] > most[1] ? most[0] : most[1]);
}

/* What the loader summed by maker is what the rows say of each block that is live at the end. */
static void test_makers_are_those_of_the_rows(void **state)
{
	static const char sql[] =
			"WITH naive AS (SELECT b.thread_id, b.allocator_id, b.type_id, b.process, count(*) AS blocks, sum(b.size) AS bytes "
			"FROM live_block_list AS l JOIN json_each(l.ids) AS j JOIN block_event AS b ON b.id = j.value "
			"WHERE l.at_id = (SELECT max(id) FROM block_event) GROUP BY 1, 2, 3, 4), "
			"summed AS (SELECT thread_id, allocator_id, type_id, process, blocks, bytes FROM live_block_maker) "
			"SELECT (SELECT count(*) FROM naive), (SELECT count(*) FROM summed), "
			"(SELECT count(*) FROM (SELECT * FROM naive EXCEPT SELECT * FROM summed)), "
			"(SELECT count(DISTINCT ifnull(process, 0)) FROM summed)";
	int64_t values[4];

	ask(*state, sql, values, 4);
	assert_true(values[0] > 10);
	assert_int_equal(values[0], values[1]);
	assert_int_equal(values[2], 0);
	assert_int_equal(values[3], 4);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_live_at_any_time),
		cmocka_unit_test(test_the_peak_is_the_highest),
		cmocka_unit_test(test_makers_are_those_of_the_rows),
	};

	seed = first_seed();
	return cmocka_run_group_tests_name("block_time", tests, open_fixture, store_fixture_close);
}
