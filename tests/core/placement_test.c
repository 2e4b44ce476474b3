/* SPDX-License-Identifier: MIT */
/* Where mappings are put: from the top downwards, as mmap(2) of Linux does, and never twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "address_space.h"
#include "arena.h"
#include "linux.h"
#include "placement.h"
#include "xorshift.h"

#define PAGE UINT64_C(4096)
#define UNIT (UINT64_C(1) << 18)
#define HUGE (UINT64_C(1) << 21)
#define START (UINT64_C(1) << 30)
#define TOP (START + 64 * HUGE - PAGE)

static struct placement begun(uint64_t huge_bytes)
{
	struct placement placement;

	assert_int_equal(placement_init(&placement, (struct csc_extent){ START, 64 * HUGE }, PAGE,
					 huge_bytes),
			CSC_OK);
	return placement;
}

static void the_highest_gap_is_taken_at_its_upper_end(void **state)
{
	struct placement placement = begun(0);
	struct csc_extent first = placement_map(&placement, 3 * PAGE, 0);
	struct csc_extent second = placement_map(&placement, PAGE + 1, 0);
	struct csc_extent third;

	(void)state;
	assert_int_equal(first.address, TOP - 3 * PAGE);
	assert_int_equal(second.address, TOP - 5 * PAGE);
	assert_int_equal(second.size_bytes, PAGE + 1);
	placement_unmap(&placement, first);
	/* What does not fit goes below, what fits above. */
	third = placement_map(&placement, 4 * PAGE, 0);
	assert_int_equal(third.address, TOP - 9 * PAGE);
	third = placement_map(&placement, 2 * PAGE, 0);
	assert_int_equal(third.address, TOP - 2 * PAGE);
	placement_finish(&placement);
}

static void aligned_ones_lie_one_below_the_other(void **state)
{
	struct placement placement = begun(0);
	uint64_t last = TOP;

	(void)state;
	for (int i = 0; i < 8; i++) {
		struct csc_extent found = placement_map(&placement, UNIT, UNIT);

		assert_int_equal(found.address % UNIT, 0);
		assert_true(found.address < last);
		assert_true(i == 0 || found.address == last - UNIT);
		last = found.address;
	}
	placement_finish(&placement);
}

static void huge_ones_begin_at_a_huge_page(void **state)
{
	struct placement placement = begun(HUGE);
	struct csc_extent first = placement_map(&placement, HUGE, 0);
	struct csc_extent second = placement_map(&placement, 2 * HUGE, 0);
	struct csc_extent small = placement_map(&placement, PAGE, 0);

	(void)state;
	assert_int_equal(first.address, TOP + PAGE - 2 * HUGE);
	assert_int_equal(second.address, first.address - 2 * HUGE);
	assert_int_equal(small.address, TOP - PAGE);
	placement_finish(&placement);
}

static void a_mapping_grows_into_the_gap_above_it_alone(void **state)
{
	struct placement placement = begun(0);
	struct csc_extent upper = placement_map(&placement, 4 * PAGE, 0);
	struct csc_extent lower = placement_map(&placement, 2 * PAGE, 0);
	struct csc_extent grown;

	(void)state;
	assert_int_equal(placement_resize(&placement, lower, 3 * PAGE).address, 0);
	placement_unmap(&placement, upper);
	grown = placement_resize(&placement, lower, 3 * PAGE);
	assert_int_equal(grown.address, lower.address);
	assert_int_equal(placement_resize(&placement, grown, 7 * PAGE).address, 0);
	grown = placement_resize(&placement, grown, PAGE);
	assert_int_equal(grown.address, lower.address);
	assert_int_equal(placement_map(&placement, 5 * PAGE, 0).address, TOP - 5 * PAGE);
	placement_finish(&placement);
}

static void what_does_not_fit_is_refused(void **state)
{
	struct placement placement = begun(HUGE);

	(void)state;
	assert_int_equal(placement_map(&placement, 64 * HUGE, 0).address, 0);
	assert_int_equal(placement_map(&placement, UINT64_MAX, 0).address, 0);
	assert_int_equal(placement_map(&placement, UINT64_MAX - UNIT, UNIT).address, 0);
	assert_int_equal(placement_map(&placement, 0, 0).address, 0);
	assert_int_equal(placement_map(&placement, 64 * HUGE - PAGE, 0).address, START);
	assert_int_equal(placement_map(&placement, PAGE, 0).address, 0);
	placement_finish(&placement);
}

#define PAGES (UINT64_C(64) * 512)
#define LIVE 256

/* Beside a map of pages: nothing overlaps, the place is the highest, and all comes back. */
static void random_work_is_that_of_a_map_of_pages(void **state)
{
	static unsigned char used[PAGES];
	struct csc_extent live[LIVE] = { { 0, 0 } };
	struct placement placement = begun(0);
	uint64_t random = 88172645463325252;

	(void)state;
	memset(used, 0, sizeof(used));
	used[PAGES - 1] = 1;
	for (int turn = 0; turn < 20000; turn++) {
		struct csc_extent *at;
		size_t pages;
		size_t page;
		size_t run = 0;

		(void)next_random(&random);
		at = &live[random % LIVE];
		if (at->address) {
			memset(&used[(at->address - START) / PAGE], 0, at->size_bytes / PAGE);
			placement_unmap(&placement, *at);
			*at = (struct csc_extent){ 0 };
			continue;
		}
		pages = 1 + random / LIVE % 300;
		for (page = PAGES; page > 0 && run < pages; page--) {
			run = used[page - 1] ? 0 : run + 1;
		}
		*at = placement_map(&placement, pages * PAGE, 0);
		assert_int_equal(at->address, run == pages ? START + page * PAGE : 0);
		if (at->address) {
			memset(&used[page], 1, pages);
		}
	}
	for (int i = 0; i < LIVE; i++) {
		placement_unmap(&placement, live[i]);
	}
	assert_int_equal(placement.count, 1);
	assert_int_equal(placement.gaps[0].address, START);
	assert_int_equal(placement.gaps[0].size_bytes, 64 * HUGE - PAGE);
	placement_finish(&placement);
}

/* The target lays segments so, moves their contents when they move, and gives pages back. */
static void segments_are_placed(void **state)
{
	const struct linux_options options = {
		.mseg_count = 1,
		.segment = { .page_bytes = PAGE, .unit_bytes = UNIT },
		.placed_bytes = 64 * HUGE,
	};
	struct linux_target *target = linux_target_create(&options);
	const struct csc_memory *memory;
	struct csc_extent first;
	struct csc_extent second;
	struct csc_extent moved;

	(void)state;
	assert_non_null(target);
	memory = linux_target_memory(target);
	first = memory->mseg_alloc(memory->context, 0, UNIT, true);
	second = memory->mseg_alloc(memory->context, 0, UNIT, true);
	assert_int_equal(second.address, first.address - UNIT);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the target are numbers. */
	memset((void *)(uintptr_t)second.address, 7, UNIT);
	moved = memory->mseg_realloc(
			memory->context, 0, second, 4 * UNIT, (struct csc_shrink){ 0 });
	assert_int_not_equal(moved.address, 0);
	assert_true(moved.address < second.address);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the target are numbers. */
	assert_int_equal(((unsigned char *)(uintptr_t)moved.address)[UNIT - 1], 7);
	second = memory->mseg_alloc(memory->context, 0, UNIT, true);
	assert_int_equal(second.address, first.address - UNIT);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the target are numbers. */
	assert_int_equal(*(unsigned char *)(uintptr_t)second.address, 0);
	memory->mseg_dealloc(memory->context, 0, first, true);
	memory->mseg_dealloc(memory->context, 0, second, true);
	memory->mseg_dealloc(memory->context, 0, moved, false);
	linux_target_destroy(target);
}

static unsigned char *bytes_at(struct csc_extent extent)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the target are numbers. */
	return (unsigned char *)(uintptr_t)extent.address;
}

/* What lies at the top of a target of a replay, which is made and destroyed. */
static unsigned char first_byte(const struct linux_options *options, uint64_t *ret_address)
{
	struct linux_target *target = linux_target_create(options);
	const struct csc_memory *memory = linux_target_memory(target);
	struct csc_extent top = memory->mseg_alloc(memory->context, 0, UNIT, true);
	unsigned char found = *bytes_at(top);

	*ret_address = top.address;
	memory->mseg_dealloc(memory->context, 0, top, true);
	linux_target_destroy(target);
	return found;
}

/*
 * Where nobody reads blocks the uppermost pages stay, also for the next target of that size of the
 * same process; those below go, and a child has none.
 */
static void upper_pages_are_kept(void **state)
{
	const struct linux_options options = {
		.mseg_count = 1,
		.segment = { .page_bytes = PAGE, .unit_bytes = UNIT },
		.without_contents = true,
		.placed_bytes = ARENA_KEPT_BYTES + 16 * HUGE,
	};
	struct linux_target *target = linux_target_create(&options);
	const struct csc_memory *memory;
	struct csc_extent top;
	struct csc_extent middle;
	struct csc_extent low;
	uint64_t address = 0;
	int status = 0;
	pid_t child;

	(void)state;
	assert_non_null(target);
	memory = linux_target_memory(target);
	top = memory->mseg_alloc(memory->context, 0, UNIT, true);
	middle = memory->mseg_alloc(memory->context, 0, ARENA_KEPT_BYTES, false);
	low = memory->mseg_alloc(memory->context, 0, HUGE, false);
	assert_true(low.address && low.address + HUGE <= middle.address);
	*bytes_at(top) = 7;
	*bytes_at(low) = 7;
	memory->mseg_dealloc(memory->context, 0, top, true);
	memory->mseg_dealloc(memory->context, 0, middle, false);
	memory->mseg_dealloc(memory->context, 0, low, false);
	assert_int_equal(*bytes_at(low), 0);
	*bytes_at(low) = 7;
	linux_target_destroy(target);
	assert_int_equal(first_byte(&options, &address), 7);
	assert_int_equal(address, top.address);
	assert_int_equal(*bytes_at(low), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		_exit(first_byte(&options, &address) == 0 && address == top.address ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(first_byte(&options, &address), 7);
	arena_trim();
	assert_int_equal(first_byte(&options, &address), 0);
}

/* A node's main carriers of 128 KiB and more lie above its segments, smaller ones below. */
static void malloc_maps_what_is_large(void **state)
{
	struct csc_options options;
	struct diag diag = { 0 };
	struct address_space *space;
	const struct csc_memory *memory;
	struct csc_extent large;
	struct csc_extent segment;
	struct csc_extent small;

	(void)state;
	csc_options_init(&options, csc_generation_find("25"), 8, 2);
	csc_options_settle(&options);
	space = address_space_create(&options, 0, true, false, &diag);
	assert_non_null(space);
	memory = address_space_memory(space);
	large = memory->sys_alloc(memory->context, 0, UNIT, UNIT);
	segment = memory->mseg_alloc(memory->context, 0, UNIT, true);
	small = memory->sys_alloc(memory->context, 0, PAGE, 0);
	assert_int_equal(segment.address, large.address - UNIT);
	assert_true(small.address < segment.address);
	large = memory->sys_realloc(memory->context, 0, large, 2 * UNIT);
	assert_int_equal(large.size_bytes, 2 * UNIT);
	memory->sys_free(memory->context, large);
	memory->sys_free(memory->context, small);
	memory->mseg_dealloc(memory->context, 0, segment, true);
	address_space_destroy(space);
}

/* Grows what lies below a segment, so that it moves, and checks what came along. */
static void check_moved(const struct csc_options *options, bool without_contents)
{
	struct diag diag = { 0 };
	struct address_space *space =
			address_space_create(options, 0, true, without_contents, &diag);
	const struct csc_memory *memory;
	struct csc_extent low;
	struct csc_extent moved;
	struct csc_extent beside;

	assert_non_null(space);
	memory = address_space_memory(space);
	beside = memory->sys_alloc(memory->context, 0, UNIT, 0);
	low = memory->sys_alloc(memory->context, 0, UNIT, 0);
	memset(address_space_at(space, low.address), 7, UNIT);
	moved = memory->sys_realloc(memory->context, 0, low, 4 * UNIT);
	assert_int_not_equal(moved.address, low.address);
	for (uint64_t i = 0; i < UNIT; i++) {
		bool is_kept = !without_contents || i < CSC_SINGLE_HEADERS_MAX;

		assert_int_equal(*(char *)address_space_at(space, moved.address + i),
				is_kept ? 7 : 0);
	}
	memory->sys_free(memory->context, moved);
	memory->sys_free(memory->context, beside);
	address_space_destroy(space);
}

/* Where nobody reads blocks only headers are copied: no other page is touched. */
static void contents_are_copied_when_wanted(void **state)
{
	struct csc_options options;

	(void)state;
	csc_options_init(&options, csc_generation_find("25"), 8, 2);
	csc_options_settle(&options);
	check_moved(&options, false);
	check_moved(&options, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_highest_gap_is_taken_at_its_upper_end),
		cmocka_unit_test(aligned_ones_lie_one_below_the_other),
		cmocka_unit_test(huge_ones_begin_at_a_huge_page),
		cmocka_unit_test(a_mapping_grows_into_the_gap_above_it_alone),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(random_work_is_that_of_a_map_of_pages),
		cmocka_unit_test(segments_are_placed),
		cmocka_unit_test(upper_pages_are_kept),
		cmocka_unit_test(malloc_maps_what_is_large),
		cmocka_unit_test(contents_are_copied_when_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
