/*
 * SPDX-License-Identifier: MIT
 *
 * Batches of block events: each record in its place, and what is not there is said.
 */
#include "sink_board.h"

#include <stdlib.h>
#include <string.h>

#include "block_batch.h"
#include "xorshift.h"

#define BATCH_CLASSES                                                                       \
	"class batch s \"carrierscope:block_batch\" {ring:u32,thread:u32,ordinal:u64,"      \
	"first_ns:u64,last_ns:u64,horizon_ns:u64,records:u32,lost:u64,payload:str}\n"       \
	"class free s \"carrierscope:block_free\" {address:u64,size_bytes:u64,type_id:u16," \
	"allocator_id:u8,instance:u16}\n"                                                   \
	"class p s \"org_erlang_dyntrace:process_scheduled\" {pid:str,entry:str,type:str}\n"
#define BATCH_BEGIN "trace t\n" STREAM BATCH_CLASSES "begin s\n"

/* A batch that is made for a script. */
struct made {
	FILE *out;
	struct batch_writer writer;
	int vpid;
	unsigned int ring;
	uint64_t ordinal;
	uint64_t lost;

	/* Bytes to be left out at its end, and records to be said more than there are. */
	size_t cut;
	int more;
};

static void add(struct made *made, enum batch_kind kind, uint64_t time_ns, uint64_t address)
{
	struct batch_record record = {
		.kind = (uint8_t)kind,
		.time_ns = time_ns,
		.address = address,
		.bytes = 100,
		.type = 7,
		.allocator = 3,
		.instance = 1,
	};

	assert_true(batch_add(&made->writer, &record));
}

static void begin(struct made *made)
{
	batch_begin(&made->writer);
}

/* Writes the batch as an event of thread 8, made by thread 20 + its ring. */
static void emit(struct made *made, uint64_t ts_ns, uint64_t horizon_ns)
{
	const char *payload;
	size_t bytes = batch_end(&made->writer, &payload);

	/* What the script cannot have in a text. */
	assert_null(strchr(payload, '"'));
	(void)fprintf(made->out,
			"event batch %llu {%d,8,\"drain\"} {%u,%u,%llu,%llu,%llu,%llu,%d,%llu,\"%.*s\"}\n",
			(unsigned long long)ts_ns, made->vpid, made->ring, 20 + made->ring,
			(unsigned long long)made->ordinal++,
			(unsigned long long)made->writer.first_ns,
			(unsigned long long)made->writer.state.time_ns,
			(unsigned long long)horizon_ns, (int)made->writer.record_count + made->more,
			(unsigned long long)made->lost, (int)(bytes - made->cut), payload);
	made->lost = 0;
	made->cut = 0;
	made->more = 0;
}

static void put_free(struct made *made, uint64_t ts_ns, uint64_t address)
{
	(void)fprintf(made->out, "event free %llu {%d,9,\"other\"} {%llu,100,7,3,1}\n",
			(unsigned long long)ts_ns, made->vpid, (unsigned long long)address);
}

/* Begins a script with an empty batch, as a process does that is to emit batches. */
static struct made made_begin(struct fixture *fixture)
{
	struct made made = { .out = open_script(fixture), .vpid = 7 };

	(void)fputs(BATCH_BEGIN, made.out);
	begin(&made);
	emit(&made, 1000, 1000);
	begin(&made);
	return made;
}

/* Says that the process emits no more. */
static void say_end(struct made *made, uint64_t ts_ns)
{
	begin(made);
	emit(made, ts_ns, UINT64_MAX);
}

static void made_load(struct fixture *fixture, struct made *made)
{
	(void)fputs(END, made->out);
	load_script(fixture, made->out);
	assert_string_equal(ask(fixture,
					    "SELECT count(*) FROM (SELECT ts_ns - lag(ts_ns) OVER "
					    "(ORDER BY id) AS d FROM block_event) WHERE d < 0"),
			"0");
	assert_string_equal(ask(fixture,
					    "SELECT (SELECT sum(events) FROM event_count) = events "
					    "FROM source"),
			"1");
}

#define ROWS "SELECT ts_ns, op, address FROM block_event ORDER BY id"

/* Of two rings and of plain events, in the order of time; the other ring's batch comes last. */
static void test_records_stand_in_the_order_of_time(void **state)
{
	struct fixture *fixture = *state;
	struct made made = made_begin(fixture);

	put_free(&made, 1450, 0x50);
	add(&made, BATCH_ALLOC, 1100, 0x10);
	add(&made, BATCH_ALLOC, 1400, 0x20);
	add(&made, BATCH_FREE, 1600, 0x10);
	emit(&made, 2000, 1200);
	put_free(&made, 2050, 0x60);
	made.ring = 1;
	made.ordinal = 0;
	begin(&made);
	add(&made, BATCH_ALLOC, 1300, 0x30);
	add(&made, BATCH_FREE, 1500, 0x30);
	add(&made, BATCH_FREE, 1700, 0x20);
	emit(&made, 2100, UINT64_MAX);
	put_free(&made, 2200, 0x70);
	made_load(fixture, &made);
	assert_string_equal(ask(fixture, ROWS),
			"1100|0|16\n1300|0|48\n1400|0|32\n1450|1|80\n1500|1|48\n1600|1|16\n"
			"1700|1|32\n2050|1|96\n2200|1|112");
	assert_string_equal(ask(fixture, "SELECT vtid, procname, events FROM thread ORDER BY vtid"),
			"9|other|3\n20|NULL|3\n21|NULL|3");
	assert_string_equal(
			ask(fixture,
					"SELECT event, events FROM event_count WHERE events > 0 "
					"ORDER BY event"),
			"block_alloc|3\nblock_batch|3\nblock_free|6");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM load_problem"), "0");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM lost_interval"), "0");
	/* The block at 0x10 is freed by the row that says so. */
	assert_string_equal(
			ask(fixture, "SELECT ended_id FROM block_event WHERE ts_ns = 1600"), "1");
}

static void test_records_of_one_time_keep_their_order(void **state)
{
	struct fixture *fixture = *state;
	struct made made = made_begin(fixture);

	for (uint64_t i = 0; i < 20; i++) {
		add(&made, i % 2 ? BATCH_FREE : BATCH_ALLOC, 1500, 0x10);
	}
	emit(&made, 1500, 1500);
	made_load(fixture, &made);
	assert_string_equal(ask(fixture,
					    "SELECT count(*), sum(op = (id - 1) % 2), "
					    "sum(op = 0 OR ended_id = id - 1) FROM block_event"),
			"20|20|20");
}

static void test_missing_and_dropped_records_are_said(void **state)
{
	struct fixture *fixture = *state;
	struct made made = made_begin(fixture);

	add(&made, BATCH_ALLOC, 1100, 0x10);
	emit(&made, 1150, 1100);
	made.ordinal += 2;
	begin(&made);
	add(&made, BATCH_ALLOC, 1300, 0x20);
	emit(&made, 1350, 1300);
	made.lost = 5;
	begin(&made);
	add(&made, BATCH_ALLOC, 1500, 0x30);
	emit(&made, 1550, 1500);
	/* Another ring begins anew: nothing is missing. */
	made.ring = 1;
	made.ordinal = 7;
	begin(&made);
	add(&made, BATCH_ALLOC, 1560, 0x40);
	emit(&made, 1600, 1500);
	say_end(&made, 1700);
	made_load(fixture, &made);
	assert_string_equal(ask(fixture,
					    "SELECT cause, begin_ns, end_ns, events, packets "
					    "FROM lost_interval ORDER BY begin_ns"),
			"missing_batches|1100|1300|NULL|NULL\ndropped_records|1300|1500|5|NULL");
	assert_string_equal(
			ask(fixture, "SELECT name, severity, count FROM load_problem ORDER BY name"),
			"dropped_records|data_loss|5\nmissing_batches|data_loss|2");
	assert_string_equal(ask(fixture, "SELECT lost_events FROM source"), "5");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM block_event"), "4");
}

/* Four records: the last is cut, more are said, fewer are said.  The good ones are there. */
static void test_a_damaged_batch_loses_only_what_is_damaged(void **state)
{
	struct fixture *fixture = *state;
	struct made made = made_begin(fixture);

	for (int kind = 0; kind < 3; kind++) {
		uint64_t at = 2000 + (uint64_t)kind * 1000;

		begin(&made);
		for (uint64_t i = 0; i < 4; i++) {
			add(&made, BATCH_ALLOC, at + 100 * i, 0x100000 + at * 64 + i * 8192);
		}
		made.cut = kind == 0;
		made.more = kind == 1 ? 2 : kind == 2 ? -1 : 0;
		emit(&made, at + 500, at + 400);
	}
	say_end(&made, 5000);
	made_load(fixture, &made);
	assert_string_equal(ask(fixture, "SELECT count(*) FROM block_event"), "10");
	assert_string_equal(
			ask(fixture,
					"SELECT cause, begin_ns, end_ns, events FROM lost_interval "
					"ORDER BY id"),
			"batch_damaged|2200|2500|1\nbatch_damaged|3300|3500|2\n"
			"batch_damaged|4200|4500|0");
	assert_string_equal(ask(fixture, "SELECT count, sentence FROM load_problem"),
			"3|batch 1 of ring 0 at 2500 ns in '' is damaged behind 3 of 4 records; those "
			"are loaded");
}

static void test_a_batch_that_is_none(void **state)
{
	struct fixture *fixture = *state;
	struct made made = made_begin(fixture);

	for (const char *const *payload = (const char *const[]){ "", "x", "\x01\x7f", NULL };
			*payload; payload++) {
		(void)fprintf(made.out,
				"event batch 2000 " WHO " {0,8,%llu,1500,1600,1600,9,0,\"%s\"}\n",
				(unsigned long long)made.ordinal++, *payload);
	}
	say_end(&made, 2000);
	made_load(fixture, &made);
	assert_string_equal(ask(fixture, "SELECT count(*) FROM block_event"), "0");
	assert_string_equal(ask(fixture, "SELECT cause, count(*), sum(events) FROM lost_interval"),
			"batch_damaged|3|27");
}

/* A record of next year would hold up all that comes. */
static void test_a_time_beyond_the_batch_is_damage(void **state)
{
	struct fixture *fixture = *state;
	struct made made = made_begin(fixture);

	add(&made, BATCH_ALLOC, 1100, 0x10);
	add(&made, BATCH_ALLOC, UINT64_C(40000000000000000), 0x20);
	emit(&made, 1150, 1100);
	put_free(&made, 1200, 0x10);
	say_end(&made, 1300);
	made_load(fixture, &made);
	assert_string_equal(ask(fixture, ROWS), "1100|0|16\n1200|1|16");
	assert_string_equal(ask(fixture, "SELECT name FROM load_problem"), "batch_damaged");
}

static void test_what_sqlite_cannot_hold_is_left_out(void **state)
{
	struct fixture *fixture = *state;
	struct made made = made_begin(fixture);

	add(&made, BATCH_ALLOC, 1100, UINT64_C(1) << 63);
	add(&made, BATCH_ALLOC, 1200, 0x20);
	emit(&made, 1250, 1200);
	say_end(&made, 1300);
	made_load(fixture, &made);
	assert_string_equal(ask(fixture, ROWS), "1200|0|32");
	assert_string_equal(ask(fixture, "SELECT name, count FROM load_problem"),
			"value_out_of_range|1");
}

/* Adds a record of a next moment, with any address; the script cannot have a quote in a text. */
static void add_random(struct made *made, uint64_t *now_ns, uint64_t *seed)
{
	struct batch_writer before = made->writer;
	const char *payload;

	do {
		made->writer = before;
		add(made, BATCH_ALLOC, ++*now_ns, next_random(seed) >> 20);
		(void)batch_end(&made->writer, &payload);
	} while (strchr(payload, '"'));
}

/* Many rings, each emitted whenever it likes, among plain events: all in the order of time, none
 * twice. */
static void test_many_rings_and_events_are_merged(void **state)
{
	enum { RINGS = 7, STEPS = 4000 };
	struct fixture *fixture = *state;
	struct made rings[RINGS];
	uint64_t seed = first_seed();
	uint64_t now_ns = 1000;
	int singles = 0;

	rings[0] = made_begin(fixture);
	for (unsigned int i = 1; i < RINGS; i++) {
		rings[i] = (struct made){ .out = rings[0].out, .vpid = 7, .ring = i };
		begin(&rings[i]);
	}
	for (int i = 0; i < STEPS; i++) {
		struct made *made = &rings[next_random(&seed) % RINGS];
		uint64_t horizon_ns = ++now_ns;

		if (next_random(&seed) % 8 == 0) {
			put_free(made, now_ns, 0x10);
			singles++;
		} else if (next_random(&seed) % 16 > 0 && i + RINGS < STEPS) {
			add_random(made, &now_ns, &seed);
		} else {
			made = i + RINGS < STEPS ? made : &rings[STEPS - 1 - i];
			for (int k = 0; k < RINGS; k++) {
				if (&rings[k] != made && rings[k].writer.record_count > 0 &&
						rings[k].writer.first_ns < horizon_ns) {
					horizon_ns = rings[k].writer.first_ns;
				}
			}
			emit(made, now_ns, horizon_ns);
			begin(made);
		}
	}
	for (int k = 0; k < RINGS; k++) {
		emit(&rings[k], ++now_ns, k + 1 < RINGS ? 1000 : UINT64_MAX);
	}
	made_load(fixture, &rings[0]);
	assert_string_equal(
			ask(fixture,
					"SELECT count(*) - count(DISTINCT ts_ns), min(b.ts_ns) > 1000, "
					"sum(vtid = 9) > 300, count(DISTINCT vtid) FROM block_event AS b "
					"JOIN thread AS t ON t.id = b.thread_id"),
			"0|1|1|8");
	assert_string_equal(
			ask(fixture,
					"SELECT (SELECT count(*) FROM block_event) = (SELECT sum(events) "
					"FROM event_count WHERE event IN ('block_alloc', 'block_free')), "
					"(SELECT count(*) FROM load_problem)"),
			"1|0");
	assert_true(singles > 300);
}

/* One is killed and says no more; the other is not held up for ever, and keeps its order. */
static void test_two_processes_of_which_one_ends(void **state)
{
	struct fixture *fixture = *state;
	struct made made = made_begin(fixture);
	struct made other = { .out = made.out, .vpid = 9, .ordinal = 4 };

	begin(&other);
	emit(&other, 1000, 1000);
	for (uint64_t i = 1; i <= 20; i++) {
		uint64_t at = i * UINT64_C(1000000000);

		begin(&other);
		add(&other, BATCH_ALLOC, at - 50, 0x1000 + i * 16);
		emit(&other, at, at - 10);
		if (i < 3) {
			begin(&made);
			add(&made, BATCH_ALLOC, at - 60, 0x8000 + i * 16);
			emit(&made, at + 10, at - 20);
		}
	}
	/* It was not dead, but slept: what it has is older than what was taken. */
	begin(&made);
	add(&made, BATCH_ALLOC, UINT64_C(4000000000), 0x9000);
	add(&made, BATCH_ALLOC, UINT64_C(20000000100), 0x9100);
	emit(&made, UINT64_C(20000000200), UINT64_C(20000000100));
	say_end(&made, UINT64_C(20000000300));
	say_end(&other, UINT64_C(20000000300));
	made_load(fixture, &made);
	assert_string_equal(ask(fixture, "SELECT count(*) FROM block_event"), "24");
	assert_string_equal(ask(fixture, "SELECT ts_ns FROM block_event WHERE address = 0x9000"),
			"14999999950");
	assert_string_equal(ask(fixture, "SELECT name, count FROM load_problem"), "records_late|1");
	assert_string_equal(
			ask(fixture,
					"SELECT vpid, (SELECT count(*) FROM block_event AS b JOIN "
					"thread AS t ON t.id = b.thread_id WHERE t.runtime_id = r.id) "
					"FROM runtime AS r ORDER BY vpid"),
			"7|4\n9|20");
}

/* A process that was killed: of what it recorded last others may be missing, so it ends where all
 * is there. */
static void test_a_process_that_does_not_end_ends_at_its_horizon(void **state)
{
	struct fixture *fixture = *state;
	struct made made = made_begin(fixture);

	add(&made, BATCH_ALLOC, 1100, 0x10);
	add(&made, BATCH_ALLOC, 1300, 0x20);
	add(&made, BATCH_ALLOC, 1450, 0x30);
	add(&made, BATCH_ALLOC, 1460, 0x40);
	emit(&made, 1500, 1400);
	put_free(&made, 1600, 0x10);
	made_load(fixture, &made);
	assert_string_equal(ask(fixture, ROWS), "1100|0|16\n1300|0|32\n1600|1|16");
	assert_string_equal(
			ask(fixture, "SELECT cause, begin_ns, end_ns, events FROM lost_interval"),
			"not_emitted|1400|1600|NULL");
	assert_string_equal(ask(fixture, "SELECT first_ts_ns, last_ts_ns FROM runtime_span"),
			"1100|1400");
	assert_string_equal(ask(fixture, "SELECT severity, sentence FROM load_problem"),
			"notice|a process was killed, or its session ended, before its last block events "
			"were emitted: it is judged as it was 0.000 s before the end, 2 later block "
			"events are left out, and the ring of each thread held up to 32768 more");
}

/* It was silent for so long that all was taken: then nothing is known of its end. */
static void test_a_process_that_was_silent_has_lost_its_end(void **state)
{
	struct fixture *fixture = *state;
	struct made made = made_begin(fixture);
	struct made other = { .out = made.out, .vpid = 9, .ordinal = 4 };

	add(&made, BATCH_ALLOC, 1100, 0x10);
	add(&made, BATCH_ALLOC, 1450, 0x30);
	emit(&made, 1500, 1400);
	for (uint64_t i = 1; i <= 8; i++) {
		begin(&other);
		emit(&other, i * UINT64_C(1000000000), i * UINT64_C(1000000000));
	}
	say_end(&other, UINT64_C(9000000000));
	made_load(fixture, &made);
	assert_string_equal(ask(fixture, ROWS), "1100|0|16\n1450|0|48");
	assert_string_equal(ask(fixture, "SELECT cause, begin_ns, end_ns FROM lost_interval"),
			"missing_batches|1400|9000000000");
}

/* The thread has its name as soon as it emits something itself, and is one thread. */
static void test_a_thread_gets_its_name(void **state)
{
	struct fixture *fixture = *state;
	struct made made = made_begin(fixture);

	add(&made, BATCH_ALLOC, 1100, 0x10);
	emit(&made, 1150, 1100);
	(void)fputs("event free 1200 {7,20,\"1_scheduler\"} {16,100,7,3,1}\n", made.out);
	made.ring = 5;
	made.ordinal = 0;
	(void)fputs("event free 1250 {7,25,\"2_scheduler\"} {16,100,7,3,1}\n", made.out);
	begin(&made);
	add(&made, BATCH_ALLOC, 1300, 0x10);
	emit(&made, 1350, 1300);
	made_load(fixture, &made);
	assert_string_equal(ask(fixture, "SELECT vtid, procname, events FROM thread ORDER BY vtid"),
			"20|1_scheduler|2\n25|2_scheduler|2");
}

/* The Erlang process of the time of the record, not of that of the batch. */
static void test_a_record_is_of_the_process_that_ran_then(void **state)
{
	struct fixture *fixture = *state;
	struct made made = made_begin(fixture);

	(void)fputs("event p 1100 {7,20,\"1_scheduler\"} {\"<0.1.0>\",\"m:f/1\",\"in\"}\n"
		    "event p 1200 {7,20,\"1_scheduler\"} {\"<0.2.0>\",\"m:f/1\",\"in\"}\n",
			made.out);
	add(&made, BATCH_ALLOC, 1150, 0x10);
	add(&made, BATCH_ALLOC, 1250, 0x20);
	emit(&made, 1300, 1250);
	made_load(fixture, &made);
	assert_string_equal(ask(fixture, "SELECT from_id, pid FROM block_process"),
			"1|<0.1.0>\n2|<0.2.0>");
}

int sink_batch_tests(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_records_stand_in_the_order_of_time),
		CASE(test_records_of_one_time_keep_their_order),
		CASE(test_missing_and_dropped_records_are_said),
		CASE(test_a_damaged_batch_loses_only_what_is_damaged),
		CASE(test_a_batch_that_is_none),
		CASE(test_a_time_beyond_the_batch_is_damage),
		CASE(test_what_sqlite_cannot_hold_is_left_out),
		CASE(test_many_rings_and_events_are_merged),
		CASE(test_two_processes_of_which_one_ends),
		CASE(test_a_process_that_does_not_end_ends_at_its_horizon),
		CASE(test_a_process_that_was_silent_has_lost_its_end),
		CASE(test_a_thread_gets_its_name),
		CASE(test_a_record_is_of_the_process_that_ran_then),
	};

	return cmocka_run_group_tests_name("sink: batches", tests, NULL, NULL);
}
