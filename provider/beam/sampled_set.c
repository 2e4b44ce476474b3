/* SPDX-License-Identifier: MIT */
/* Addresses in lines of eight, and a filter that answers most questions by one byte or two. */
#include "sampled_set.h"

#include <stddef.h>
#include <sys/mman.h>

/* Places in a cache line, and lines: 2^20 blocks, 8 MiB of address space, touched when used. */
#define PLACES 8
#define LINES ((size_t)1 << TOLD_LINE_BITS)

/* Counts of blocks by another part of the hash: 128 KiB, most of them 0 when a sample is thin. */
#define FILTERS ((size_t)1 << TOLD_FILTER_BITS)

struct line {
	uintptr_t place[PLACES];
};

struct told {
	uint16_t filter[FILTERS];
	struct line lines[LINES] __attribute__((aligned(64)));
};

static struct told *told;
uint16_t *told_filter;

static struct line *line_of(uint64_t hashed)
{
	return &told->lines[hashed >> (64 - TOLD_LINE_BITS)];
}

bool told_open(void)
{
	if (told) {
		/* Zeroes again, and the memory goes back. */
		return madvise(told, sizeof(*told), MADV_DONTNEED) == 0;
	}
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (told == MAP_FAILED) {
		told = NULL;
		return false;
	}
	told_filter = told->filter;
	return true;
}

size_t told_region(uintptr_t *ret_begin)
{
	if (!told) {
		return 0;
	}
	*ret_begin = (uintptr_t)told;
	return sizeof(*told);
}

bool told_add(const void *block)
{
	uint64_t hashed = told_hash(block);
	struct line *line = line_of(hashed);

	for (size_t i = 0; i < PLACES; i++) {
		uintptr_t nobody = 0;

		if (__atomic_load_n(&line->place[i], __ATOMIC_RELAXED) == 0 &&
				__atomic_compare_exchange_n(&line->place[i], &nobody,
						(uintptr_t)block, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED)) {
			__atomic_fetch_add(told_filter_of(hashed), 1, __ATOMIC_RELEASE);
			return true;
		}
	}
	return false;
}

bool told_remove(const void *block)
{
	uint64_t hashed = told_hash(block);
	struct line *line;

	if (!block || !told_may_have(block)) {
		return false;
	}
	line = line_of(hashed);
	for (size_t i = 0; i < PLACES; i++) {
		if (__atomic_load_n(&line->place[i], __ATOMIC_ACQUIRE) == (uintptr_t)block) {
			__atomic_fetch_sub(told_filter_of(hashed), 1, __ATOMIC_RELAXED);
			__atomic_store_n(&line->place[i], 0, __ATOMIC_RELEASE);
			return true;
		}
	}
	return false;
}
