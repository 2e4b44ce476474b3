/* SPDX-License-Identifier: MIT */
/*
 * speech_cost ROUNDS EVENTS: ns per event of the speech and of bare tracepoints with the same
 * fields, in interleaved rounds; median of the rounds and of the ratio within a round.
 * speech_cost --loop off|none EVENTS: one loop alone, for callgrind.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "carrierscope_tp.h"
#include "org_erlang_otp.h"

#include "core.h"
#include "lttng_listener.h"

#define ROUNDS_MAX 1001

static struct csc_core core;
static struct otp_counters counters = { 1, 2, 3, 4, 5, 6, 7, 8 };

/* The compiler may not assume anything about memory. */
#define FENCE() __asm__ volatile("" ::: "memory")

static void run_none(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		FENCE();
	}
}

static void emit_carrier(uint64_t i)
{
	EMIT(&core, CSC_EVENT_CARRIER_CREATE, carrier,
			(&(struct csc_otp_carrier){
					.allocator = 5,
					.instance = 1,
					.size_bytes = i,
					.mbc_carriers = counters.mbc_carriers,
					.mbc_carriers_size = counters.mbc_carriers_size,
					.mbc_blocks = counters.mbc_blocks,
					.mbc_blocks_size = counters.mbc_blocks_size,
					.sbc_carriers = counters.sbc_carriers,
					.sbc_carriers_size = counters.sbc_carriers_size,
					.sbc_blocks = counters.sbc_blocks,
					.sbc_blocks_size = counters.sbc_blocks_size,
			}));
}

static void run_carrier(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		emit_carrier(i);
		FENCE();
	}
}

static void run_block(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		EMIT(&core, CSC_EVENT_BLOCK_ALLOC, block,
				(&(struct csc_block_note){ .allocator = 5,
						.instance = 1,
						.address = i,
						.size_bytes = 100 }));
		FENCE();
	}
}

static void run_bare_carrier(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		lttng_ust_tracepoint(
				org_erlang_otp, carrier_create, "eheap_alloc", 1, i, &counters);
		FENCE();
	}
}

static void run_bare_block(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		lttng_ust_tracepoint(carrierscope, block_alloc, i, 100, 0, 5, 1);
		FENCE();
	}
}

static void run_tick(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		csc_listener_tick(lttng_listener());
		FENCE();
	}
}

static const struct {
	const char *name;
	void (*run)(uint64_t count);
	/* The one it is compared with. */
	int bare;
} loops[] = {
	{ "empty loop", run_none, 0 },
	{ "tick", run_tick, 0 },
	{ "bare carrier", run_bare_carrier, 2 },
	{ "speech carrier", run_carrier, 2 },
	{ "bare block", run_bare_block, 4 },
	{ "speech block", run_block, 4 },
};

#define LOOPS ((int)(sizeof(loops) / sizeof(loops[0])))

static double ns[LOOPS][ROUNDS_MAX];
static double ratio[LOOPS][ROUNDS_MAX];

static double measure(void (*run)(uint64_t), uint64_t count)
{
	struct timespec a;
	struct timespec b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	run(count);
	clock_gettime(CLOCK_MONOTONIC, &b);
	return ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
			(double)count;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	struct csc_listener *listener = lttng_listener();
	struct csc_listener_subject runtime = {
		.release = "25",
		.allocator_names = { [5] = "eheap_alloc" },
	};
	int rounds;
	uint64_t count;

	if (argc < 3) {
		return 2;
	}
	core.listener = listener;
	csc_listener_begin(listener, &runtime);
	if (strcmp(argv[1], "--loop") == 0) {
		count = argc > 3 ? strtoull(argv[3], NULL, 10) : 1000000;
		(strcmp(argv[2], "off") == 0 ? run_block : run_none)(count);
		return 0;
	}
	rounds = atoi(argv[1]);
	count = strtoull(argv[2], NULL, 10);
	rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
	printf("listening: carrier %d, block %d\n",
			(listener->enabled & CSC_EVENT_BIT(CSC_EVENT_CARRIER_CREATE)) != 0,
			(listener->enabled & CSC_EVENT_BIT(CSC_EVENT_BLOCK_ALLOC)) != 0);
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < LOOPS; i++) {
			ns[i][round] = measure(loops[i].run, count);
		}
		for (int i = 0; i < LOOPS; i++) {
			ratio[i][round] = ns[i][round] / ns[loops[i].bare][round];
		}
	}
	printf("%-16s %10s %10s %12s\n", "", "ns p10", "ns median", "x bare (med)");
	for (int i = 0; i < LOOPS; i++) {
		qsort(ns[i], (size_t)rounds, sizeof(double), by_value);
		qsort(ratio[i], (size_t)rounds, sizeof(double), by_value);
		printf("%-16s %10.2f %10.2f %12.3f\n", loops[i].name, ns[i][rounds / 10],
				ns[i][rounds / 2], ratio[i][rounds / 2]);
	}
	return 0;
}
