/* SPDX-License-Identifier: MIT */
/*
 * Directed experiments that were made on real emulators: the same requests, the same carriers.
 * Source: SOURCES.md 14; the numbers of the tests are those of its rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "csc.h"
#include "linux.h"
#include "options.h"

#define KIB UINT64_C(1024)
#define CARRIERS_MAX 32

/* One instance on this machine's memory, and what it said. */
struct lab {
	struct linux_target *target;
	struct csc_core core;
	struct csc_instance *table[2];
	struct csc_instance *instance;
	struct csc_listener listener;
	struct csc_instance_config config;

	/* Sizes and sources of carriers as they came, a resized one with its new size. */
	struct csc_carrier_note carriers[CARRIERS_MAX];
	int count;
	struct csc_otp_pool last_get;
	struct csc_os_note last_os;
};

static void on_carrier(void *context, enum csc_event event, const struct csc_carrier_note *values)
{
	struct lab *lab = context;

	(void)event;
	assert_true(lab->count < CARRIERS_MAX);
	lab->carriers[lab->count++] = *values;
}

static void on_pool(void *context, enum csc_event event, const struct csc_otp_pool *values)
{
	(void)event;
	((struct lab *)context)->last_get = *values;
}

static void on_os(void *context, enum csc_event event, const struct csc_os_note *note)
{
	(void)event;
	((struct lab *)context)->last_os = *note;
}

/* Settings may be changed before lab_start().  `area_bytes` is for literals, 0: no limit. */
static void lab_open_area(struct lab *lab, const char *generation, enum csc_strategy strategy,
		uint64_t area_bytes)
{
	const struct csc_generation *found = csc_generation_find(generation);
	struct linux_options options = {
		.mseg_count = 1,
		.segment = {
			.page_bytes = 4096,
			.unit_bytes = UINT64_C(1) << found->unit_bits,
		},
		.has_area_limit = area_bytes > 0,
		.area_bytes = area_bytes,
		.area_descriptors = CSC_LITERAL_DESCRIPTORS,
	};

	*lab = (struct lab){
		.target = linux_target_create(&options),
		.listener = {
			.enabled = CSC_EVENT_BIT(CSC_EVENT_CARRIER_ALLOC) |
				CSC_EVENT_BIT(CSC_EVENT_CARRIER_REALLOC) |
				CSC_EVENT_BIT(CSC_EVENT_CARRIER_POOL_GET) |
				CSC_EVENT_BIT(CSC_EVENT_OS_REQUEST),
			.note = on_carrier,
			.pool = on_pool,
			.os = on_os,
		},
		.config = { .type = 5, .is_thread_safe = true },
	};
	assert_non_null(lab->target);
	lab->listener.context = lab;
	csc_settings_init(&lab->config.settings);
	lab->config.settings.strategy = strategy;
	lab->config.settings.mmbcs = 0;
	csc_core_init(&lab->core, found, linux_target_memory(lab->target), &lab->listener,
			lab->table, 2);
}

static void lab_open(struct lab *lab, const char *generation, enum csc_strategy strategy)
{
	lab_open_area(lab, generation, strategy, 0);
}

static void lab_start(struct lab *lab)
{
	lab->instance = malloc(csc_instance_bytes());
	assert_true(csc_instance_init(lab->instance, &lab->core, &lab->config));
}

static void lab_close(struct lab *lab)
{
	free(lab->instance);
	linux_target_destroy(lab->target);
}

static void lab_free_and_close(struct lab *lab, const uint64_t *users, int count)
{
	for (int i = 0; i < count; i++) {
		csc_free(lab->instance, users[i]);
	}
	lab_close(lab);
}

static uint64_t last_bytes(const struct lab *lab)
{
	return lab->carriers[lab->count - 1].size_bytes;
}

/* The carrier that one block of `bytes` gets. */
static uint64_t carrier_for(
		const char *generation, enum csc_strategy strategy, bool has_tags, uint64_t bytes)
{
	struct lab lab;
	uint64_t size_bytes;
	uint64_t user;

	lab_open(&lab, generation, strategy);
	lab.config.settings.smbcs = 256 * KIB;
	lab.config.settings.lmbcs = 256 * KIB;
	lab.config.settings.atags = has_tags;
	lab_start(&lab);
	user = csc_alloc(lab.instance, bytes);
	size_bytes = last_bytes(&lab);
	csc_free(lab.instance, user);
	lab_close(&lab);
	return size_bytes;
}

static void test_3_to_6_a_block_gets_two_headers_when_its_carrier_is_sized(void **state)
{
	(void)state;
	assert_int_equal(carrier_for("24rc0", CSC_AOBF, false, 261744), 262144);
	assert_int_equal(carrier_for("24rc0", CSC_AOBF, false, 261752), 262144);
	assert_int_equal(carrier_for("24rc0", CSC_AOBF, false, 261753), 524288);
	assert_int_equal(carrier_for("24rc0", CSC_AOBF, false, 261760), 524288);
	assert_int_equal(carrier_for("25", CSC_AOBF, false, 261760), 262144);
	assert_int_equal(carrier_for("25", CSC_AOBF, false, 261768), 524288);
	assert_int_equal(carrier_for("24rc0", CSC_AOFF, true, 261664), 262144);
	assert_int_equal(carrier_for("24rc0", CSC_AOFF, true, 261665), 524288);
	assert_int_equal(carrier_for("25", CSC_AOFF, true, 261672), 262144);
	assert_int_equal(carrier_for("25", CSC_AOFF, true, 261673), 524288);
}

static void test_7_a_request_asks_the_pool_for_more_than_its_block(void **state)
{
	struct lab lab;
	struct csc_block_place place;
	uint64_t user;

	(void)state;
	lab_open(&lab, "24rc0", CSC_AOFFCBF);
	lab.config.is_thread_safe = false;
	lab.config.settings.acul = 60;
	lab.config.settings.atags = true;
	lab_start(&lab);
	user = csc_alloc(lab.instance, 2000);
	csc_block_place(&lab.core, user, &place);
	assert_int_equal(lab.last_get.size_bytes, 2032);
	assert_int_equal(place.size_bytes, 2016);
	csc_free(lab.instance, user);
	lab_close(&lab);
}

static void test_8_and_9_a_resized_single_block_carrier_is_a_multiple_of_the_unit(void **state)
{
	static const uint64_t steps[][2] = { { 2900000, 3145728 }, { 2300000, 2359296 },
		{ 3000000, 3145728 }, { 7000000, 7077888 }, { 6000000, 7077888 },
		{ 5500000, 5505024 }, { 1000000, 1048576 }, { 524288, 786432 },
		{ 524287, 786432 } };
	struct lab lab;
	struct csc_block_place place;
	uint64_t user;

	(void)state;
	lab_open(&lab, "24rc0", CSC_AOFFCBF);
	lab_start(&lab);
	user = csc_alloc(lab.instance, 3000000);
	csc_block_place(&lab.core, user, &place);
	assert_int_equal(last_bytes(&lab), 3002368);
	assert_int_equal(place.size_bytes, 3000008);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		user = csc_realloc(lab.instance, user, steps[i][0]);
		assert_int_equal(last_bytes(&lab), steps[i][1]);
	}
	csc_block_place(&lab.core, user, &place);
	assert_int_equal(place.offset, 32);
	assert_int_equal(place.size_bytes, 524296);
	csc_free(lab.instance, user);
	lab_close(&lab);
}

/* What becomes of a single-block carrier that shrinks to `bytes`: its size, or 0: it has gone. */
static uint64_t shrunk_to(uint64_t bytes, uint64_t *ret_block)
{
	struct lab lab;
	struct csc_block_place place;
	uint64_t size_bytes;
	uint64_t user;

	lab_open(&lab, "24rc0", CSC_AOFFCBF);
	lab_start(&lab);
	user = csc_realloc(lab.instance, csc_alloc(lab.instance, 1000000), bytes);
	csc_block_place(&lab.core, user, &place);
	*ret_block = place.size_bytes;
	size_bytes = place.offset == 32 ? last_bytes(&lab) : 0;
	csc_free(lab.instance, user);
	lab_close(&lab);
	return size_bytes;
}

static void test_10_and_11_a_single_block_stays_as_long_as_little_is_wasted(void **state)
{
	uint64_t block;

	(void)state;
	assert_int_equal(shrunk_to(52389, &block), 262144);
	assert_int_equal(shrunk_to(52388, &block), 0);
	assert_int_equal(block, 52400);
	assert_int_equal(shrunk_to(314532, &block), 524288);
	assert_int_equal(shrunk_to(314572, &block), 524288);
}

static void test_12_beyond_mmsbc_single_blocks_come_from_sys_alloc(void **state)
{
	struct lab lab;
	uint64_t users[4];

	(void)state;
	lab_open(&lab, "24rc0", CSC_AOFFCBF);
	lab.config.settings.mmsbc = 2;
	lab_start(&lab);
	for (int i = 0; i < 4; i++) {
		users[i] = csc_alloc(lab.instance, 600000);
		assert_int_equal(lab.carriers[i].source, i < 2 ? CSC_SOURCE_MSEG : CSC_SOURCE_SYS);
		assert_int_equal(lab.carriers[i].size_bytes, i < 2 ? 602112 : 1048576);
	}
	lab_free_and_close(&lab, users, 4);
}

static void test_13_beyond_mmmbc_carriers_come_from_sys_alloc(void **state)
{
	struct lab lab;
	struct csc_extent extent;
	uint64_t users[7];

	(void)state;
	lab_open(&lab, "24rc0", CSC_AOFFCBF);
	lab.config.settings.mmmbc = 1;
	lab.config.settings.mmbcs = 1024 * KIB;
	lab_start(&lab);
	for (int i = 0; i < 7; i++) {
		users[i] = csc_alloc(lab.instance, 500000);
	}
	assert_int_equal(lab.count, 4);
	assert_int_equal(lab.carriers[0].kind, CSC_CARRIER_MAIN);
	assert_int_equal(lab.carriers[1].source, CSC_SOURCE_MSEG);
	assert_int_equal(lab.carriers[2].source, CSC_SOURCE_SYS);
	assert_int_equal(lab.carriers[2].size_bytes, 1048576);
	assert_int_equal(lab.carriers[3].source, CSC_SOURCE_SYS);
	for (int i = 0; i < 7; i++) {
		csc_free(lab.instance, users[i]);
	}
	extent = (struct csc_extent){ lab.carriers[0].address, lab.carriers[0].size_bytes };
	linux_target_memory(lab.target)->sys_free(lab.target, extent);
	lab_close(&lab);
}

static void test_14_sys_alloc_carriers_are_rounded_by_the_ycs_mask(void **state)
{
	/* ycs and smbcs in KiB; a multi-block carrier, a block of 1100000 and 2000000 more. */
	static const uint64_t rows[][5] = { { 1024, 256, 1048576, 2097152, 3145728 },
		{ 300, 256, 524288, 1572864, 2621440 }, { 1024, 3000, 3145728, 2097152, 3145728 } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lab lab;
		uint64_t small;
		uint64_t large;

		lab_open(&lab, "24rc0", CSC_AOFFCBF);
		lab.config.settings.mmmbc = 0;
		lab.config.settings.mmsbc = 0;
		lab.config.settings.ycs = rows[i][0] * KIB;
		lab.config.settings.smbcs = rows[i][1] * KIB;
		lab_start(&lab);
		small = csc_alloc(lab.instance, 100);
		assert_int_equal(last_bytes(&lab), rows[i][2]);
		large = csc_alloc(lab.instance, 1100000);
		assert_int_equal(last_bytes(&lab), rows[i][3]);
		large = csc_realloc(lab.instance, large, i == 1 ? 2600000 : 3100000);
		assert_int_equal(last_bytes(&lab), rows[i][4]);
		csc_free(lab.instance, small);
		csc_free(lab.instance, large);
		lab_close(&lab);
	}
}

/* The main carrier of an instance with this mmbcs, in bytes. */
static uint64_t main_carrier(uint64_t mmbcs, bool sac)
{
	struct lab lab;
	struct csc_extent extent;
	const struct csc_memory *memory;

	lab_open(&lab, "24rc0", CSC_AOFFCBF);
	lab.config.settings.mmbcs = mmbcs;
	lab.config.settings.sac = sac;
	lab_start(&lab);
	memory = linux_target_memory(lab.target);
	extent = (struct csc_extent){ lab.carriers[0].address, lab.carriers[0].size_bytes };
	if (sac) {
		memory->sys_free(memory->context, extent);
	} else {
		memory->mseg_dealloc(memory->context, 0, extent, true);
	}
	lab_close(&lab);
	return extent.size_bytes;
}

static void test_15_and_16_main_carriers_are_exact_unless_they_are_segments(void **state)
{
	(void)state;
	assert_int_equal(main_carrier(131072, false), 262144);
	assert_int_equal(main_carrier(524288, false), 524288);
	assert_int_equal(main_carrier(2097152, false), 2097152);
	assert_int_equal(main_carrier(131072, true), 131072);
	assert_int_equal(main_carrier(43690, true), 43696);
	assert_int_equal(main_carrier(174762, true), 174768);
	assert_int_equal(main_carrier(699050, true), 699056);
	assert_int_equal(main_carrier(1, true), 16384);
}

static void test_17_carriers_grow_in_stages_and_to_powers_of_two(void **state)
{
	static const uint64_t sizes[] = { 1048576, 2097152, 4194304, 4194304, 8388608 };
	struct lab lab;
	uint64_t users[64];
	int count = 0;

	(void)state;
	lab_open(&lab, "24rc0", CSC_AOFFCBF);
	lab_start(&lab);
	while (lab.count < 5) {
		users[count++] = csc_alloc(lab.instance, 400000);
	}
	for (int i = 0; i < 5; i++) {
		assert_int_equal(lab.carriers[i].size_bytes, sizes[i]);
	}
	while (count > 0) {
		csc_free(lab.instance, users[--count]);
	}
	lab_close(&lab);
}

static void test_19_carriers_for_literals_are_no_powers_of_two(void **state)
{
	struct lab lab;
	struct csc_statistics counted;
	uint64_t first;
	uint64_t second;

	(void)state;
	lab_open(&lab, "24rc0", CSC_AOBF);
	lab.config.has_own_area = true;
	lab.config.settings.sbct = UINT64_MAX;
	lab_start(&lab);
	first = csc_alloc(lab.instance, 3200000);
	assert_int_equal(last_bytes(&lab), 3407872);
	second = csc_alloc(lab.instance, 400000);
	assert_int_equal(last_bytes(&lab), 2097152);
	csc_free(lab.instance, first);
	csc_free(lab.instance, second);
	csc_instance_statistics(lab.instance, false, &counted);
	assert_int_equal(counted.calls[CSC_CALL_MSEG_ALLOC], 2);
	assert_int_equal(counted.calls[CSC_CALL_MSEG_DEALLOC], 2);
	assert_int_equal(linux_target_counters(lab.target, 0)->alloc, 0);
	lab_close(&lab);
}

/*
 * OTP 25.2.3 with `+MIscs 2`: 1 MiB less the descriptors is behind the main carrier, which is less
 * than the next one takes.  Blocks of 320048 bytes get carriers of their own, in pages, as long as
 * there is room.
 */
static void test_32_literals_live_in_an_area_of_their_own(void **state)
{
	struct lab lab;
	struct csc_statistics counted;
	uint64_t users[3];

	(void)state;
	lab_open_area(&lab, "25", CSC_AOBF, UINT64_C(2) << 20);
	lab.config.has_own_area = true;
	lab.config.settings.sbct = UINT64_MAX;
	lab.config.settings.mmbcs = 1 << 20;
	lab_start(&lab);
	assert_int_equal(last_bytes(&lab), 1 << 20);
	users[0] = csc_alloc(lab.instance, 981544);
	users[1] = csc_alloc(lab.instance, 320040);
	assert_int_equal(last_bytes(&lab), 323584);
	users[2] = csc_alloc(lab.instance, 320040);
	assert_int_equal(lab.last_os.asked_bytes, 323584);
	assert_int_not_equal(lab.last_os.address, 0);
	assert_int_equal(csc_alloc(lab.instance, 1600040), 0);
	/* A refused call is counted as such: 1600048 bytes and a header, in pages. */
	assert_int_equal(lab.last_os.call, CSC_CALL_MSEG_ALLOC);
	assert_int_equal(lab.last_os.asked_bytes, 1601536);
	assert_int_equal(lab.last_os.alignment, 0);
	assert_int_equal(lab.last_os.address, 0);
	assert_int_equal(lab.last_os.size_bytes, 0);
	csc_instance_statistics(lab.instance, false, &counted);
	assert_int_equal(counted.sbcs.carriers_bytes.now, 647168);
	assert_int_equal(counted.sbcs.mseg_carriers, 2);
	assert_int_equal(counted.sbcs.blocks_bytes.now, 640096);
	assert_int_equal(counted.calls[CSC_CALL_SYS_ALLOC], 0);
	/* Main carrier, twice a carrier refused and a small one given, twice refused. */
	assert_int_equal(counted.calls[CSC_CALL_MSEG_ALLOC], 7);
	/* What is given back can be had again. */
	csc_free(lab.instance, users[1]);
	users[1] = csc_alloc(lab.instance, 320040);
	assert_int_not_equal(users[1], 0);
	lab_free_and_close(&lab, users, 3);
}

/* With a given sbct a literal's carrier may be resized: it stays in the area, with its contents. */
static void test_33_single_literals_are_resized_in_their_area(void **state)
{
	struct lab lab;
	struct csc_statistics counted;
	uint64_t user;
	uint64_t other;

	(void)state;
	lab_open_area(&lab, "25", CSC_AOBF, UINT64_C(4) << 20);
	lab.config.has_own_area = true;
	lab.config.settings.sbct = 65536;
	lab_start(&lab);
	user = csc_alloc(lab.instance, 100000);
	other = csc_alloc(lab.instance, 100000);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the target are numbers. */
	memset((void *)(uintptr_t)user, 42, 100000);
	user = csc_realloc(lab.instance, user, 1000000);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the target are numbers. */
	assert_int_equal(((unsigned char *)(uintptr_t)user)[99999], 42);
	assert_int_equal(csc_realloc(lab.instance, user, 5000000), 0);
	csc_instance_statistics(lab.instance, false, &counted);
	assert_int_equal(counted.calls[CSC_CALL_SYS_ALLOC], 0);
	assert_int_equal(linux_target_counters(lab.target, 0)->realloc, 0);
	csc_free(lab.instance, user);
	csc_free(lab.instance, other);
	lab_close(&lab);
}

/* As OTP 25.2.3 does it, see provider/core/strategy/tree.h. */
static void test_a_hole_of_4_gib_and_8_bytes_takes_a_small_block(void **state)
{
	(void)state;
	for (int i = CSC_AOFF; i <= CSC_AGEFFCAOBF; i++) {
		struct lab lab;
		uint64_t great;
		uint64_t small;

		lab_open(&lab, "25", (enum csc_strategy)i);
		lab.config.settings.sbct = UINT64_MAX;
		lab_start(&lab);
		great = csc_alloc(lab.instance, UINT64_C(12884901432));
		if (!great) {
			print_message("SKIPPED: no 16 GiB of address space at once\n");
			lab_close(&lab);
			skip();
		}
		assert_int_equal(last_bytes(&lab), UINT64_C(1) << 34);
		small = csc_alloc(lab.instance, 100);
		assert_int_equal(lab.count, 1);
		assert_int_equal(small - great, UINT64_C(12884901440));
		/* Sums that are cut are no fault. */
		assert_true(csc_instance_is_valid(lab.instance));
		csc_free(lab.instance, small);
		assert_true(csc_instance_is_valid(lab.instance));
		csc_free(lab.instance, great);
		assert_true(csc_instance_is_valid(lab.instance));
		lab_close(&lab);
	}
}

/* The promise of the core: beyond what the target's own core would take. */
static void test_an_instance_takes_at_most_64_kib(void **state)
{
	(void)state;
	assert_in_range(csc_instance_bytes(), 1, 64 * 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_3_to_6_a_block_gets_two_headers_when_its_carrier_is_sized),
		cmocka_unit_test(test_7_a_request_asks_the_pool_for_more_than_its_block),
		cmocka_unit_test(
				test_8_and_9_a_resized_single_block_carrier_is_a_multiple_of_the_unit),
		cmocka_unit_test(test_10_and_11_a_single_block_stays_as_long_as_little_is_wasted),
		cmocka_unit_test(test_12_beyond_mmsbc_single_blocks_come_from_sys_alloc),
		cmocka_unit_test(test_13_beyond_mmmbc_carriers_come_from_sys_alloc),
		cmocka_unit_test(test_14_sys_alloc_carriers_are_rounded_by_the_ycs_mask),
		cmocka_unit_test(test_15_and_16_main_carriers_are_exact_unless_they_are_segments),
		cmocka_unit_test(test_17_carriers_grow_in_stages_and_to_powers_of_two),
		cmocka_unit_test(test_19_carriers_for_literals_are_no_powers_of_two),
		cmocka_unit_test(test_32_literals_live_in_an_area_of_their_own),
		cmocka_unit_test(test_33_single_literals_are_resized_in_their_area),
		cmocka_unit_test(test_a_hole_of_4_gib_and_8_bytes_takes_a_small_block),
		cmocka_unit_test(test_an_instance_takes_at_most_64_kib),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
