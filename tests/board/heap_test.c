/* SPDX-License-Identifier: MIT */
/*
 * Properties of the heap model under random calls, for both word sizes, and the figures that
 * SOURCES.md 16.3 gives for the area of a GRiSP board.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/mman.h>

#include "rtems_heap.h"

#define SLOTS 512
#define OPERATIONS 1000000
#define MIB UINT64_C(1048576)
#define UNIT UINT64_C(262144)

struct fixture {
	struct rtems_heap heap;
	void *memory;
	size_t bytes;
};

static void setup(struct fixture *fixture, const struct rtems_area *area)
{
	fixture->bytes = area->size_bytes;
	fixture->memory = mmap(NULL, fixture->bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(fixture->memory != MAP_FAILED);
	assert_int_equal(rtems_heap_init(&fixture->heap, area,
					 (uint64_t)(uintptr_t)fixture->memory - area->base),
			CSC_OK);
}

static void teardown(struct fixture *fixture)
{
	munmap(fixture->memory, fixture->bytes);
}

static const struct rtems_area grisp = {
	.base = 0x70646000,
	.size_bytes = 60530688,
	.word_bytes = 4,
	.page_bytes = 8,
};

static uint64_t chance(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

struct slot {
	uint64_t user;
	uint64_t bytes;
	uint8_t mark;
};

/* All user bytes belong to the user, the borrowed word included. */
static void fill(struct fixture *fixture, struct slot *slot, uint8_t mark)
{
	slot->mark = mark;
	memset((char *)fixture->memory + (slot->user - fixture->heap.area.base), mark, slot->bytes);
}

static void check(struct fixture *fixture, const struct slot *slot, uint64_t bytes)
{
	const unsigned char *at = (const unsigned char *)fixture->memory +
			(slot->user - fixture->heap.area.base);

	for (uint64_t i = 0; i < bytes; i++) {
		if (at[i] != slot->mark) {
			fail_msg("byte %" PRIu64 " of a block of %" PRIu64 " was overwritten", i,
					slot->bytes);
		}
	}
}

static void operate(struct fixture *fixture, struct slot *slot, uint64_t *state)
{
	uint64_t dice = chance(state) % 10;
	uint64_t bytes = 1 + chance(state) % (UINT64_C(1) << (chance(state) % 13));
	uint64_t user = 0;
	uint64_t kept;

	if (!slot->user) {
		uint64_t alignment = UINT64_C(4) << (chance(state) % 11);
		enum rtems_result result = dice < 7
				? rtems_malloc(&fixture->heap, bytes, &user)
				: rtems_memalign(&fixture->heap, alignment, bytes, &user);

		assert_true(dice < 7 || !(user & (alignment - 1)));
		if (result == RTEMS_DONE) {
			*slot = (struct slot){ .user = user, .bytes = bytes };
			fill(fixture, slot, (uint8_t)chance(state));
		}
		return;
	}
	check(fixture, slot, slot->bytes);
	if (dice < 6) {
		rtems_free(&fixture->heap, slot->user);
		slot->user = 0;
	} else if (rtems_realloc(&fixture->heap, slot->user, bytes, &user) == RTEMS_DONE) {
		kept = bytes < slot->bytes ? bytes : slot->bytes;
		slot->user = user;
		check(fixture, slot, kept);
		slot->bytes = bytes;
		fill(fixture, slot, (uint8_t)chance(state));
	} else {
		check(fixture, slot, slot->bytes);
	}
}

/* What rtems_heap_largest() says is granted, and one byte more is not. */
static void check_largest(struct fixture *fixture, uint64_t alignment)
{
	uint64_t largest = rtems_heap_largest(&fixture->heap, alignment);
	uint64_t user = 0;
	/* Tried on a copy of the heap and of its memory. */
	struct rtems_heap copy = fixture->heap;
	char *memory = malloc(fixture->bytes);
	enum rtems_result result;

	assert_non_null(memory);
	memcpy(memory, fixture->memory, fixture->bytes);
	copy.bias = (uint64_t)(uintptr_t)memory - copy.area.base;
	result = alignment ? rtems_memalign(&copy, alignment, largest + 1, &user)
			   : rtems_malloc(&copy, largest + 1, &user);
	assert_int_not_equal(result, RTEMS_DONE);
	if (largest) {
		result = alignment ? rtems_memalign(&copy, alignment, largest, &user)
				   : rtems_malloc(&copy, largest, &user);
		assert_int_equal(result, RTEMS_DONE);
	}
	free(memory);
}

static void run_property(uint32_t word_bytes, uint32_t page_bytes, uint64_t base)
{
	struct rtems_area area = {
		.base = base,
		.size_bytes = 120000,
		.word_bytes = word_bytes,
		.page_bytes = page_bytes,
	};
	struct slot slots[SLOTS] = { 0 };
	struct fixture fixture;
	const char *seed = getenv("CSC_TEST_SEED");
	uint64_t state = seed ? strtoull(seed, NULL, 0) : 5;
	uint64_t failed;

	setup(&fixture, &area);
	print_message("seed %" PRIu64 ", words of %u, page %u\n", state, word_bytes, page_bytes);
	for (int i = 0; i < OPERATIONS; i++) {
		operate(&fixture, &slots[chance(&state) % SLOTS], &state);
		if (i % 64 == 0) {
			const char *problem = rtems_heap_problem(&fixture.heap);

			if (problem) {
				fail_msg("after %d operations: %s", i, problem);
			}
		}
		if (i % 4096 == 0) {
			check_largest(&fixture, 0);
			check_largest(&fixture, UINT64_C(8) << (chance(&state) % 12));
		}
	}
	failed = fixture.heap.counters.failed_allocs;
	/* A heap that never fails was not tried. */
	assert_true(failed > 1000);
	for (int i = 0; i < SLOTS; i++) {
		rtems_free(&fixture.heap, slots[i].user);
	}
	assert_null(rtems_heap_problem(&fixture.heap));
	assert_int_equal(fixture.heap.counters.free_blocks, 1);
	assert_int_equal(fixture.heap.counters.free_bytes, fixture.heap.counters.size_bytes);
	teardown(&fixture);
}

static void keeps_its_sums_with_words_of_4(void **state)
{
	(void)state;
	run_property(4, 8, 0x70646000);
}

static void keeps_its_sums_with_words_of_8(void **state)
{
	(void)state;
	run_property(8, 16, 0x10008);
}

/* Packs until it fails; returns how many there were. */
static uint64_t pack(struct rtems_heap *heap, uint64_t alignment, uint64_t bytes)
{
	uint64_t count = 0;
	uint64_t user = 0;

	while ((alignment ? rtems_memalign(heap, alignment, bytes, &user)
			  : rtems_malloc(heap, bytes, &user)) == RTEMS_DONE) {
		count++;
	}
	return count;
}

static void check_packing(uint64_t alignment, uint64_t bytes, uint64_t pieces, uint64_t left,
		uint64_t largest)
{
	struct fixture fixture;
	struct rtems_walk walk;

	setup(&fixture, &grisp);
	assert_int_equal(pack(&fixture.heap, alignment, bytes), pieces);
	rtems_heap_walk(&fixture.heap, &walk);
	if (left) {
		assert_int_equal(walk.free_bytes, left);
		assert_int_equal(walk.free_largest, largest);
	} else {
		print_message("%" PRIu64 " pieces of %" PRIu64 ": %" PRIu64 " bytes left\n", pieces,
				bytes, walk.free_bytes);
		assert_true(walk.free_bytes / 100000 == largest);
	}
	teardown(&fixture);
}

/* The table of SOURCES.md 16.3; the last three are given there in MB. */
static void strands_what_alignment_strands(void **state)
{
	(void)state;
	check_packing(UNIT, MIB, 46, 12295816, 262136);
	check_packing(UNIT, MIB - 12, 57, 761848, 761848);
	check_packing(0, MIB, 57, 761392, 761392);
	check_packing(UNIT, UNIT, 115, 30383200, 262136);
	check_packing(UNIT, MIB / 2, 76, 0, 206);
	check_packing(UNIT, 2 * MIB, 25, 0, 81);
	check_packing(UNIT, 4 * MIB, 13, 0, 60);
}

static void boots_with_holes_between_main_carriers(void **state)
{
	static const struct {
		uint32_t count;
		uint64_t bytes;
	} mains[] = { { 6, 131072 }, { 2, 2097152 }, { 2, 524288 }, { 8, 131072 }, { 1, 1048576 } };
	struct fixture fixture;
	struct rtems_walk walk;
	uint64_t user = 0;
	uint64_t sum = 0;

	(void)state;
	setup(&fixture, &grisp);
	assert_int_equal(rtems_memalign(&fixture.heap, 4096, 8 * MIB, &user), RTEMS_DONE);
	rtems_heap_walk(&fixture.heap, &walk);
	assert_int_equal(walk.used_largest, 8388616);
	for (size_t i = 0; i < sizeof(mains) / sizeof(mains[0]); i++) {
		for (uint32_t k = 0; k < mains[i].count; k++) {
			assert_int_equal(rtems_memalign(&fixture.heap, UNIT, mains[i].bytes, &user),
					RTEMS_DONE);
			sum += mains[i].bytes;
		}
	}
	assert_int_equal(sum, 8126464);
	rtems_heap_walk(&fixture.heap, &walk);
	assert_int_equal(walk.free_bytes - walk.free_largest, 3145568);
	assert_int_equal(walk.free_blocks - 1, 20);
	teardown(&fixture);
}

static void begins_where_the_board_does(void **state)
{
	struct fixture fixture;

	(void)state;
	setup(&fixture, &grisp);
	assert_int_equal(fixture.heap.first, 0x70646000);
	assert_int_equal(fixture.heap.counters.size_bytes, 60530680);
	teardown(&fixture);
}

static void refuses_areas_that_are_none(void **state)
{
	static const struct rtems_area areas[] = {
		{ .base = 0x1000, .size_bytes = 16, .word_bytes = 4, .page_bytes = 8 },
		{ .base = 0x1000, .size_bytes = 4096, .word_bytes = 2, .page_bytes = 8 },
		{ .base = 0x1000, .size_bytes = 4096, .word_bytes = 4, .page_bytes = 12 },
		{ .base = 0x1000, .size_bytes = 4096, .word_bytes = 8, .page_bytes = 4 },
		{ .base = 0, .size_bytes = 4096, .word_bytes = 4, .page_bytes = 8 },
		{ .base = 0xfffff000, .size_bytes = 8192, .word_bytes = 4, .page_bytes = 8 },
	};
	struct rtems_heap heap;

	(void)state;
	for (size_t i = 0; i < sizeof(areas) / sizeof(areas[0]); i++) {
		assert_int_equal(rtems_heap_init(&heap, &areas[i], 0), CSC_ERROR);
	}
}

static void counts_what_the_library_counts(void **state)
{
	struct fixture fixture;
	uint64_t user = 1;

	(void)state;
	setup(&fixture, &grisp);
	assert_int_equal(rtems_malloc(&fixture.heap, 0, &user), RTEMS_REFUSED);
	assert_int_equal(rtems_malloc(&fixture.heap, UINT32_MAX, &user), RTEMS_REFUSED);
	assert_int_equal(rtems_memalign(&fixture.heap, 24, 8, &user), RTEMS_REFUSED);
	assert_int_equal(rtems_memalign(&fixture.heap, 2, 8, &user), RTEMS_REFUSED);
	rtems_free(&fixture.heap, 0);
	assert_int_equal(fixture.heap.counters.failed_allocs, 0);
	assert_int_equal(fixture.heap.counters.frees, 0);
	/* A request for nothing with an alignment has a block. */
	assert_int_equal(rtems_memalign(&fixture.heap, 8, 0, &user), RTEMS_DONE);
	assert_int_equal(rtems_malloc(&fixture.heap, 60530680, &user), RTEMS_FAILED);
	assert_int_equal(fixture.heap.counters.failed_allocs, 1);
	/* After a single aligned one there are two free blocks, and never were more than one. */
	teardown(&fixture);
	setup(&fixture, &grisp);
	assert_int_equal(rtems_memalign(&fixture.heap, UNIT, MIB, &user), RTEMS_DONE);
	assert_int_equal(fixture.heap.counters.free_blocks, 2);
	assert_int_equal(fixture.heap.counters.max_free_blocks, 1);
	teardown(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_its_sums_with_words_of_4),
		cmocka_unit_test(keeps_its_sums_with_words_of_8),
		cmocka_unit_test(strands_what_alignment_strands),
		cmocka_unit_test(boots_with_holes_between_main_carriers),
		cmocka_unit_test(begins_where_the_board_does),
		cmocka_unit_test(refuses_areas_that_are_none),
		cmocka_unit_test(counts_what_the_library_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
