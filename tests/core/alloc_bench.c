/* SPDX-License-Identifier: MIT */
/*
 * alloc_bench [OPS [STRATEGY [4]]]: nanoseconds per operation of each strategy, with 8- and 4-byte
 * words, and of the C library beside them; or of one strategy with 8-byte words, or those of 4
 * bytes, for callgrind.
 *
 * Time of the processor, not of the wall.  100,000 blocks live; sizes are log-normal between 16 and
 * 4096 bytes; each operation frees a random block and allocates another in its place, and counts as
 * two.  All run the same operations.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "api.h"
#include "machines.h"
#include "xorshift.h"

#define LIVE 100000
#define SIZES 65536

static uint32_t sizes[SIZES];
static uint64_t blocks[LIVE];

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Median 256 bytes, and a factor of about two either way. */
static void draw_sizes(void)
{
	uint64_t state = 88172645463325252;

	for (int i = 0; i < SIZES; i++) {
		double a = ((double)(next_random(&state) >> 11) + 1) / 9007199254740993.0;
		double b = (double)(next_random(&state) >> 11) / 9007199254740992.0;
		double bytes = exp(log(256) + sqrt(-2 * log(a)) * cos(6.283185307179586 * b));

		sizes[i] = bytes < 16 ? 16 : bytes > 4096 ? 4096 : (uint32_t)bytes;
	}
}

static uint64_t get(const struct csc_api *api, struct csc_instance *instance, uint64_t bytes)
{
	return api ? api->alloc(instance, bytes) : (uint64_t)(uintptr_t)malloc(bytes);
}

static void put(const struct csc_api *api, struct csc_instance *instance, uint64_t block)
{
	if (api) {
		api->free(instance, block);
	} else {
		free((void *)(uintptr_t)block);
	}
}

/* The C library, when there is no api.  Every block is touched, as its user would. */
static double measure(const struct csc_api *api, struct csc_instance *instance, uint64_t bias,
		uint64_t ops)
{
	uint64_t state = 2463534242;
	uint64_t start;
	double ns;

	for (int i = 0; i < LIVE; i++) {
		blocks[i] = get(api, instance, sizes[i % SIZES]);
		*(char *)(uintptr_t)(bias + blocks[i]) = 1;
	}
	start = now_ns();
	for (uint64_t i = 0; i < ops; i += 2) {
		uint64_t random = next_random(&state);
		uint64_t *block = &blocks[(random >> 32) % LIVE];

		put(api, instance, *block);
		*block = get(api, instance, sizes[random % SIZES]);
		*(char *)(uintptr_t)(bias + *block) = 1;
	}
	ns = (double)(now_ns() - start) / (double)ops;
	for (int i = 0; i < LIVE; i++) {
		put(api, instance, blocks[i]);
	}
	return ns;
}

static double measure_core(const struct csc_api *api, const struct csc_memory *memory, int strategy,
		uint64_t ops)
{
	struct csc_core *core = malloc(api->core_bytes);
	struct csc_instance *instance = malloc(api->instance_bytes);
	struct csc_instance *table[2];
	struct csc_instance_config config = { .type = 5, .is_thread_safe = true };
	double ns;

	csc_settings_init(&config.settings);
	config.settings.strategy = (enum csc_strategy)strategy;
	api->core_init(core, csc_generation_find("25"), memory, NULL, table, 2);
	if (!api->instance_init(instance, core, &config)) {
		fprintf(stderr, "no memory\n");
		exit(EXIT_FAILURE);
	}
	ns = measure(api, instance, memory->bias, ops);
	free(instance);
	free(core);
	return ns;
}

static int measure_one(const char *name, bool is_narrow, uint64_t ops)
{
	struct linux_target *target = is_narrow ? NULL : linux_target_create(&machine);
	struct window *window = is_narrow ? window_create(&small) : NULL;
	enum csc_strategy strategy;
	double ns;

	if ((!target && !window) || !csc_strategy_find(name, &strategy)) {
		fprintf(stderr, "alloc_bench: no strategy '%s'\n", name);
		return EXIT_FAILURE;
	}
	ns = is_narrow ? measure_core(&csc_api_word4, window_memory(window), (int)strategy, ops)
		       : measure_core(&csc_api_word8, linux_target_memory(target), (int)strategy,
					 ops);
	printf("%s %.1f\n", name, ns);
	linux_target_destroy(target);
	window_destroy(window);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	uint64_t ops = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;

	draw_sizes();
	if (argc > 2) {
		return measure_one(argv[2], argc > 3, ops);
	}
	printf("%-12s %10s %10s\n", "ns per op", "8 bytes", "4 bytes");
	printf("%-12s %10.1f\n", "libc", measure(NULL, NULL, 0, ops));
	for (int strategy = 0; strategy < CSC_STRATEGIES; strategy++) {
		struct linux_target *target = linux_target_create(&machine);
		struct window *window = window_create(&small);
		double wide;
		double narrow;

		if (!target || !window) {
			return EXIT_FAILURE;
		}
		wide = measure_core(&csc_api_word8, linux_target_memory(target), strategy, ops);
		narrow = measure_core(&csc_api_word4, window_memory(window), strategy, ops);
		printf("%-12s %10.1f %10.1f\n", csc_strategy_name((enum csc_strategy)strategy),
				wide, narrow);
		linux_target_destroy(target);
		window_destroy(window);
	}
	return EXIT_SUCCESS;
}
