/* SPDX-License-Identifier: MIT */
/*
 * Random work on instances over this machine's memory, or with 4-byte words in a window of it:
 * every choice is the naive one's, user data survives, and everything fits together at any time.
 *
 * CSC_SEED and CSC_OPS in the environment choose another run.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "csc.h"
#include "instance.h"
#include "linux.h"
#include "naive.h"
#include "sample.h"
#include "window.h"
#include "xorshift.h"

#define BLOCKS 512
#define INSTANCES 3

struct live {
	uint64_t user;
	uint64_t bytes;
	unsigned char mark;
};

/* A test: instances of one strategy. */
struct bench {
	struct linux_target *target;
	struct window *window;
	const struct csc_memory *memory;
	struct csc_core core;
	struct csc_instance *table[INSTANCES + 1];
	struct csc_instance *instances[INSTANCES];
	uint32_t count;
	struct live blocks[BLOCKS];
	uint64_t random;
};

static uint64_t draw(struct bench *bench, uint64_t below)
{
	return (next_random(&bench->random) * UINT64_C(0x2545F4914F6CDD1D) >> 11) % below;
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

/* Small, few of a kind, middling, and beyond the threshold. */
static uint64_t draw_bytes(struct bench *bench)
{
	switch (draw(bench, 16)) {
	case 0:
		return draw(bench, 4) * 100;
	case 1:
		return 20000 + draw(bench, 60000);
	case 2:
	case 3:
	case 4:
		return draw(bench, 8000);
	default:
		return draw(bench, 600);
	}
}

static unsigned char *data_of(const struct bench *bench, const struct live *block)
{
	return (unsigned char *)(uintptr_t)(bench->memory->bias + block->user);
}

static void fill(struct bench *bench, struct live *block)
{
	block->mark = (unsigned char)draw(bench, 256);
	memset(data_of(bench, block), block->mark, block->bytes);
}

static void check(const struct bench *bench, const struct live *block, uint64_t bytes)
{
	const unsigned char *data = data_of(bench, block);

	for (uint64_t i = 0; i < bytes; i++) {
		if (data[i] != block->mark) {
			fail_msg("byte %" PRIu64 " of %" PRIu64 " has changed", i, block->bytes);
		}
	}
}

#if CSC_WORD_BYTES == 8

static void bench_target(struct bench *bench, uint64_t seed)
{
	struct linux_options options = {
		.mseg_count = INSTANCES,
		.segment = {
			.page_bytes = 4096,
			.unit_bytes = 16384,
			.slots = (uint32_t)(seed % 3) * 5,
			.relative_bad_fit = 20,
			.absolute_bad_fit = 4194304,
		},
		.super_bytes = seed % 2 ? 0 : UINT64_C(1) << 28,
		.super_descriptors = 65536,
	};

	bench->target = linux_target_create(&options);
	assert_non_null(bench->target);
	bench->memory = linux_target_memory(bench->target);
}

#else

static void bench_target(struct bench *bench, uint64_t seed)
{
	struct window_options options = {
		.first = 0x80000000,
		.end = 0xC0000000,
		.page_bytes = 4096,
		.unit_bytes = 262144,
		.limit_bytes = UINT64_MAX,
		.has_mseg = seed % 3 != 0,
	};

	bench->window = window_create(&options);
	assert_non_null(bench->window);
	bench->memory = window_memory(bench->window);
}

#endif

static void bench_start(struct bench *bench, enum csc_strategy strategy, uint64_t seed)
{
	bool is_first_fit = csc_strategy_is_first_fit(strategy);

	*bench = (struct bench){ .random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1 };
	bench_target(bench, seed);
	bench->count = is_first_fit ? INSTANCES : 1;
	csc_core_init(&bench->core, csc_generation_find("25"), bench->memory, NULL, bench->table,
			INSTANCES + 1);
	naive_reset();
	for (uint32_t i = 0; i < bench->count; i++) {
		struct csc_instance_config config = sample_config(i, strategy, is_first_fit);

		config.settings.mmbcs = seed % 2 ? 65536 : 0;
		config.settings.atags = seed % 5 == 0;
		config.settings.rmbcmt = 50 * (seed % 3);
		config.settings.acul = is_first_fit && i ? 80 : 0;
		bench->instances[i] = malloc(csc_instance_bytes());
		assert_true(csc_instance_init(bench->instances[i], &bench->core, &config));
		naive_watch(bench->instances[i]);
	}
}

static void bench_drain(struct bench *bench)
{
	bool has_more = true;

	csc_core_progress(&bench->core);
	while (has_more) {
		has_more = false;
		for (uint32_t i = 0; i < bench->count; i++) {
			has_more |= csc_instance_drain(bench->instances[i]);
		}
	}
	csc_core_progress(&bench->core);
	for (uint32_t i = 0; i < bench->count; i++) {
		csc_instance_release(bench->instances[i]);
	}
}

static void bench_check(struct bench *bench)
{
	for (uint32_t i = 0; i < bench->count; i++) {
		assert_true(csc_instance_is_valid(bench->instances[i]));
	}
}

static void bench_stop(struct bench *bench)
{
	struct csc_statistics counted;

	for (int i = 0; i < BLOCKS; i++) {
		csc_free(bench->instances[0], bench->blocks[i].user);
	}
	bench_drain(bench);
	bench_check(bench);
	for (uint32_t i = 0; i < bench->count; i++) {
		csc_instance_statistics(bench->instances[i], false, &counted);
		assert_int_equal(counted.mbcs.blocks.now, 0);
		assert_int_equal(counted.mbcs.carriers.now, bench->instances[i]->main_carrier != 0);
		assert_int_equal(counted.sbcs.carriers.now, 0);
		assert_int_equal(counted.pool_carriers, 0);
		if (bench->instances[i]->main_carrier) {
			struct csc_extent extent = {
				.address = bench->instances[i]->main_carrier,
				.size_bytes = counted.mbcs.carriers_bytes.now,
			};

			bench->memory->sys_free(bench->memory->context, extent);
		}
		free(bench->instances[i]);
	}
	linux_target_destroy(bench->target);
	window_destroy(bench->window);
}

/* One operation on a random block by a random instance. */
static void bench_step(struct bench *bench, struct csc_instance *instance, uint64_t frees)
{
	struct live *block = &bench->blocks[draw(bench, BLOCKS)];
	uint64_t bytes = draw_bytes(bench);

	if (!block->user) {
		if (draw(bench, 10) < frees) {
			return;
		}
		block->user = csc_alloc(instance, bytes);
		block->bytes = bytes;
		assert_int_not_equal(block->user, 0);
		assert_int_equal(block->user % 8, 0);
		fill(bench, block);
		return;
	}
	check(bench, block, block->bytes);
	if (draw(bench, 10) < frees) {
		csc_free(instance, block->user);
		block->user = 0;
	} else if (draw(bench, 3) == 0) {
		uint64_t kept = block->bytes < bytes ? block->bytes : bytes;

		block->user = csc_realloc(instance, block->user, bytes);
		assert_int_not_equal(block->user, 0);
		check(bench, block, kept);
		block->bytes = bytes;
		fill(bench, block);
	}
}

static void run_strategy(enum csc_strategy strategy)
{
	uint64_t first_seed = from_environment("CSC_SEED", 1);
	uint64_t ops = from_environment("CSC_OPS", 6000);

	for (uint64_t seed = first_seed; seed < first_seed + 6; seed++) {
		struct bench bench;
		uint64_t fetched = 0;

		bench_start(&bench, strategy, seed);
		for (uint64_t i = 0; i < ops; i++) {
			/* Bursts: one instance at a time, growing and shrinking in turn. */
			uint32_t who = (uint32_t)(i / 400 % bench.count);

			bench_step(&bench, bench.instances[who], i / 1600 % 2 ? 8 : 4);
			if (i % 100 == 99) {
				bench_check(&bench);
			}
			if (i % 400 == 399 && draw(&bench, 4)) {
				bench_drain(&bench);
			}
			if (i % 50 == 49) {
				csc_core_progress(&bench.core);
			}
		}
		for (uint32_t i = 0; i < bench.count; i++) {
			struct csc_statistics counted;

			csc_instance_statistics(bench.instances[i], false, &counted);
			fetched += counted.pool_counters[CSC_POOL_FETCH];
		}
		print_message("%s, seed %" PRIu64 ": %zu choices, %" PRIu64 " fetched\n",
				csc_strategy_name(strategy), seed, naive_choices(), fetched);
		bench_stop(&bench);
	}
}

static void test_strategy(void **state)
{
	run_strategy(*(enum csc_strategy *)*state);
}

int main(void)
{
	static enum csc_strategy strategies[CSC_STRATEGIES];
	struct CMUnitTest tests[CSC_STRATEGIES];

	for (int i = 0; i < CSC_STRATEGIES; i++) {
		strategies[i] = (enum csc_strategy)i;
		tests[i] = (struct CMUnitTest){
			.name = csc_strategy_name(strategies[i]),
			.test_func = test_strategy,
			.initial_state = &strategies[i],
		};
	}
	return cmocka_run_group_tests_name("choices are naive, data survives", tests, NULL, NULL);
}
