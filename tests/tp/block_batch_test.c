/*
 * SPDX-License-Identifier: MIT
 *
 * What is written into a batch is read from it, and what is no batch is said to be none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "block_batch.h"
#include "xorshift.h"

static struct batch_writer writer;

static void assert_record(const struct batch_record *record, const struct batch_record *expected)
{
	bool has_process = expected->has_process && expected->kind != BATCH_FREE;

	assert_int_equal(record->kind, expected->kind);
	assert_int_equal(record->time_ns, expected->time_ns);
	assert_int_equal(record->address, expected->address);
	assert_int_equal(record->old_address,
			expected->kind == BATCH_REALLOC ? expected->old_address : 0);
	assert_int_equal(record->bytes, expected->bytes);
	assert_int_equal(record->type, expected->type);
	assert_int_equal(record->allocator, expected->allocator);
	assert_int_equal(record->instance, expected->instance);
	assert_int_equal(record->has_process, has_process);
	assert_int_equal(record->process, has_process ? expected->process : 0);
}

/* Reads the batch from bytes of just its length, at an odd address. */
static void assert_batch(const struct batch_record *expected, size_t count)
{
	const char *payload;
	size_t bytes = batch_end(&writer, &payload);
	struct batch_record record;
	struct batch_reader reader;
	char *copy = malloc(bytes);

	assert_non_null(copy);
	assert_true(bytes < BATCH_BYTES);
	assert_int_equal(strlen(payload), bytes);
	memcpy(copy, payload, bytes);
	batch_open(&reader, copy, bytes);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(batch_next(&reader, &record), 1);
		assert_record(&record, &expected[i]);
	}
	assert_int_equal(batch_next(&reader, &record), 0);
	assert_int_equal(batch_next(&reader, &record), 0);
	free(copy);
}

static void test_the_documented_bytes(void **state)
{
	static const struct batch_record records[] = {
		{ .kind = BATCH_ALLOC,
				.time_ns = 126,
				.address = 0x1000,
				.bytes = 127,
				.type = 3,
				.allocator = 2,
				.instance = 1,
				.process = 9,
				.has_process = true },
		{ .kind = BATCH_FREE,
				.time_ns = 126,
				.address = 0xff8,
				.bytes = 127,
				.type = 3,
				.allocator = 2,
				.instance = 1 },
		{ .kind = BATCH_REALLOC,
				.time_ns = 127,
				.address = 0xff9,
				.old_address = 0xff9,
				.bytes = 0,
				.type = 3,
				.allocator = 2,
				.instance = 1 },
	};
	static const char expected[] = "\x01"
				       "\x08\x0a"
				       "\x01\x04\x03\x02\x7f\x81\x08\x80\x01"
				       "\x06\x01\x04"
				       "\x04\x03\x02\x81\x80\x80\x80\x80\x80\x80\x80\x20\x01\x01";
	const char *payload;

	(void)state;
	batch_begin(&writer);
	for (size_t i = 0; i < 3; i++) {
		assert_true(batch_add(&writer, &records[i]));
	}
	assert_int_equal(batch_end(&writer, &payload), sizeof(expected) - 1);
	assert_memory_equal(payload, expected, sizeof(expected));
	assert_batch(records, 3);
	assert_int_equal(writer.record_count, 3);
	assert_int_equal(writer.first_ns, 126);
	assert_int_equal(writer.state.time_ns, 127);
}

static void test_an_empty_batch_has_no_record(void **state)
{
	(void)state;
	batch_begin(&writer);
	assert_batch(NULL, 0);
}

/* A number of any magnitude; the greatest and the least are frequent. */
static uint64_t any_number(uint64_t *seed)
{
	uint64_t number = next_random(seed);
	unsigned int bits = (unsigned int)(next_random(seed) % 66);

	return bits == 65 ? UINT64_MAX : bits == 0 ? 0 : number >> (64 - (bits > 64 ? 64 : bits));
}

static struct batch_record any_record(uint64_t *seed, uint64_t time_ns)
{
	uint64_t bits = next_random(seed);

	return (struct batch_record){
		.kind = (uint8_t)(bits % 3),
		.time_ns = time_ns,
		.address = any_number(seed),
		.old_address = any_number(seed),
		.bytes = bits & 64 ? 24 : any_number(seed),
		.process = any_number(seed) % 3,
		.type = (uint16_t)(any_number(seed)),
		.allocator = (uint8_t)(bits >> 8),
		.instance = bits & 128 ? 0 : (uint16_t)(bits >> 16),
		.has_process = bits >> 32 & 1,
	};
}

static void test_any_records_are_read_as_written(void **state)
{
	enum { ROUNDS = 3000 };
	static struct batch_record records[BATCH_BYTES];
	uint64_t seed = first_seed();

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t time_ns = any_number(&seed);
		size_t count = 0;
		struct batch_record record = any_record(&seed, time_ns);

		batch_begin(&writer);
		while (batch_add(&writer, &record)) {
			records[count++] = record;
			time_ns += next_random(&seed) % 3 ? next_random(&seed) % 300
							  : any_number(&seed);
			time_ns = time_ns < record.time_ns ? UINT64_MAX : time_ns;
			record = next_random(&seed) % 2 ? records[next_random(&seed) % count]
							: any_record(&seed, 0);
			record.time_ns = time_ns;
		}
		assert_true(count > 0);
		assert_batch(records, count);
	}
}

static void test_extreme_records(void **state)
{
	static const uint64_t far[] = { 0, UINT64_MAX, UINT64_C(1) << 63, 7, 1, UINT64_MAX >> 1,
		8 };
	struct batch_record records[49];
	size_t count = 0;

	(void)state;
	batch_begin(&writer);
	for (size_t i = 0; i < 7; i++) {
		for (size_t k = 0; k < 7; k++) {
			records[count] = (struct batch_record){ .kind = BATCH_REALLOC,
				.time_ns = i < 6 ? i : UINT64_MAX,
				.address = far[i],
				.old_address = far[k],
				.bytes = far[k],
				.process = far[i],
				.has_process = k % 2,
				.type = UINT16_MAX,
				.allocator = UINT8_MAX,
				.instance = UINT16_MAX };
			assert_true(batch_add(&writer, &records[count]));
			count++;
		}
	}
	assert_batch(records, count);
}

static void test_a_record_older_than_the_last_begins_a_batch(void **state)
{
	struct batch_record record = { .kind = BATCH_FREE, .time_ns = 100 };

	(void)state;
	batch_begin(&writer);
	assert_true(batch_add(&writer, &record));
	assert_true(batch_add(&writer, &record));
	record.time_ns = 99;
	assert_false(batch_add(&writer, &record));
	assert_int_equal(writer.record_count, 2);
	batch_begin(&writer);
	assert_true(batch_add(&writer, &record));
	assert_batch(&record, 1);
}

static void test_groups_are_bounded(void **state)
{
	struct batch_record records[BATCH_GROUPS + 1] = { 0 };
	size_t count = 0;

	(void)state;
	batch_begin(&writer);
	for (size_t i = 0; i <= BATCH_GROUPS; i++) {
		records[i].type = (uint16_t)i;
		count += batch_add(&writer, &records[i]);
	}
	assert_int_equal(count, BATCH_GROUPS);
	assert_batch(records, BATCH_GROUPS);
	records[0].bytes = 1;
	assert_true(batch_add(&writer, &records[0]));
}

/* A payload as a node makes them: a few groups, addresses of some MiB, sizes of blocks. */
static size_t usual_payload(uint64_t *seed, const char **ret_payload)
{
	struct batch_record record = { .time_ns = UINT64_C(123456789012345) };

	batch_begin(&writer);
	do {
		record.kind = (uint8_t)(next_random(seed) % 2);
		record.time_ns += 50 + next_random(seed) % 1000;
		record.address = UINT64_C(0x7f1200000000) + next_random(seed) % (64 << 20) / 8 * 8;
		record.bytes = next_random(seed) % 600;
		record.type = (uint16_t)(next_random(seed) % 8);
		record.has_process = true;
		record.process =
				next_random(seed) % 20 ? record.process : next_random(seed) % 70000;
	} while (batch_add(&writer, &record));
	return batch_end(&writer, ret_payload);
}

static void test_usual_records_are_small(void **state)
{
	uint64_t seed = first_seed();
	const char *payload;
	size_t bytes = 0;
	size_t records = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		bytes += usual_payload(&seed, &payload);
		records += writer.record_count;
	}
	print_message("%.2f bytes a record\n", (double)bytes / (double)records);
	assert_true(bytes <= 9 * records);
}

/* Cut anywhere, the records before the cut are there, and no other. */
static void test_a_cut_payload_ends_where_it_is_cut(void **state)
{
	uint64_t seed = first_seed();
	struct batch_record whole;
	struct batch_record part;
	const char *payload;
	size_t bytes = usual_payload(&seed, &payload);

	(void)state;
	for (size_t cut = 0; cut < bytes; cut++) {
		char *copy = malloc(cut + (cut == 0));
		struct batch_reader reader;
		struct batch_reader original;
		int result;

		assert_non_null(copy);
		memcpy(copy, payload, cut);
		batch_open(&reader, copy, cut);
		batch_open(&original, payload, bytes);
		while ((result = batch_next(&reader, &part)) == 1) {
			assert_int_equal(batch_next(&original, &whole), 1);
			assert_record(&part, &whole);
		}
		assert_true(result == -1 ||
				(size_t)(original.at - (const unsigned char *)payload) == cut);
		free(copy);
	}
}

static void assert_damaged(const char *payload, size_t bytes, int good)
{
	struct batch_record record;
	struct batch_reader reader;

	batch_open(&reader, payload, bytes);
	for (int i = 0; i < good; i++) {
		assert_int_equal(batch_next(&reader, &record), 1);
	}
	assert_int_equal(batch_next(&reader, &record), -1);
	assert_int_equal(batch_next(&reader, &record), -1);
}

#define ASSERT_DAMAGED(payload, good) assert_damaged(payload, sizeof(payload) - 1, good)

static void test_damage_is_said(void **state)
{
	(void)state;
	ASSERT_DAMAGED("", 0);
	ASSERT_DAMAGED("\x02\x01", 0);
	/* A zero; a group that is not the next one; a size that is the same as none. */
	ASSERT_DAMAGED("\x01\x01\x01\x01\x01\x01\x01\x01\x00", 1);
	ASSERT_DAMAGED("\x01\x09\x01\x01\x01\x01\x01\x01", 0);
	ASSERT_DAMAGED("\x01\x05\x01\x01\x01\x01\x01", 0);
	/* A process without a record, and one of a group. */
	ASSERT_DAMAGED("\x01\x04", 0);
	ASSERT_DAMAGED("\x01\x0c\x01\x01\x01\x01\x01\x01\x01", 0);
	/* An allocator of 256, a number of more than 64 bits, a time that has no end. */
	ASSERT_DAMAGED("\x01\x01\x01\x81\x02\x01\x01\x01\x01", 0);
	ASSERT_DAMAGED("\x01\x81\x80\x80\x80\x80\x80\x80\x80\x80\x02", 0);
	ASSERT_DAMAGED("\x01\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 0);
	ASSERT_DAMAGED("\x01\x01\x01\x01\x01\x02\x01\x01"
		       "\x05\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02\x01",
			1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_documented_bytes),
		cmocka_unit_test(test_an_empty_batch_has_no_record),
		cmocka_unit_test(test_any_records_are_read_as_written),
		cmocka_unit_test(test_extreme_records),
		cmocka_unit_test(test_a_record_older_than_the_last_begins_a_batch),
		cmocka_unit_test(test_groups_are_bounded),
		cmocka_unit_test(test_usual_records_are_small),
		cmocka_unit_test(test_a_cut_payload_ends_where_it_is_cut),
		cmocka_unit_test(test_damage_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
