/* SPDX-License-Identifier: MIT */
/*
 * heap_bench [OPERATIONS]: calls of the heap model for each second of processor time, on the area
 * of a GRiSP board with the small blocks of a network and carriers.  Not a test.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "rtems_heap.h"

#define SLOTS 2048
#define CARRIERS 24
#define UNIT UINT64_C(262144)

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	uint64_t operations = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	const struct rtems_area area = { 0x70646000, 60530688, 4, 8 };
	static uint64_t small[SLOTS];
	static uint64_t carriers[CARRIERS];
	void *memory = mmap(NULL, area.size_bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct rtems_heap heap;
	uint64_t state = 1;
	double began;
	double took;

	if (memory == MAP_FAILED ||
			rtems_heap_init(&heap, &area, (uint64_t)(uintptr_t)memory - area.base) !=
					CSC_OK) {
		return EXIT_FAILURE;
	}
	began = seconds();
	for (uint64_t i = 0; i < operations; i++) {
		uint64_t *slot;

		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		slot = i % 1000 ? &small[(state >> 33) % SLOTS]
				: &carriers[(state >> 33) % CARRIERS];
		if (*slot) {
			rtems_free(&heap, *slot);
			*slot = 0;
		} else if (i % 1000) {
			rtems_malloc(&heap, 16 + (state >> 40) % 600, slot);
		} else {
			rtems_memalign(&heap, UNIT, UINT64_C(1) << 20, slot);
		}
	}
	took = seconds() - began;
	printf("%" PRIu64 " operations in %.3f s: %.0f a second; %" PRIu64
	       " free blocks, %.1f looked at in a search\n",
			operations, took, (double)operations / took, heap.counters.free_blocks,
			(double)heap.counters.searches / (double)heap.counters.allocs);
	return EXIT_SUCCESS;
}
