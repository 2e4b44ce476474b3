/* SPDX-License-Identifier: MIT */
/*
 * Addresses in lines of eight, and a filter that answers most questions by one byte.  A block whose
 * line among the few is full has one among the many: of these a thin sample touches hardly any
 * page.
 */
#include "sampled_set.h"

#include <stddef.h>
#include <sys/mman.h>

/* Places in a cache line, and bits of the hash that choose a line: 512 KiB for 2^15 blocks, and
 * 16 MiB of address space for 2^20 more, touched when used. */
#define PLACES 8
#define FEW_BITS 12
#define MANY_BITS 17

/* Counts of blocks by a part of the hash, most of them 0 when a sample is thin. */
#define FILTERS ((size_t)1 << SAMPLED_FILTER_BITS)

/* A place of the filter counts the blocks of one line of the few, and all of some of the many. */
_Static_assert(FEW_BITS <= SAMPLED_FILTER_BITS && SAMPLED_FILTER_BITS <= MANY_BITS &&
				PLACES + (PLACES << (MANY_BITS - SAMPLED_FILTER_BITS)) <= UINT8_MAX,
		"a count does not fit its place");

struct line {
	uintptr_t place[PLACES];
	struct sampled_block kept[PLACES];
};

struct sampled_set {
	uint8_t filter[FILTERS];
	struct line few[(size_t)1 << FEW_BITS] __attribute__((aligned(64)));
	struct line many[(size_t)1 << MANY_BITS];
};

static struct sampled_set *set;
uint8_t *sampled_filter;

bool sampled_set_open(void)
{
	if (set) {
		/* Zeroes again, and the memory goes back. */
		return madvise(set, sizeof(*set), MADV_DONTNEED) == 0;
	}
	set = mmap(NULL, sizeof(*set), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (set == MAP_FAILED) {
		set = NULL;
		return false;
	}
	sampled_filter = set->filter;
	return true;
}

size_t sampled_set_region(uintptr_t *ret_begin)
{
	if (!set) {
		return 0;
	}
	*ret_begin = (uintptr_t)set;
	return sizeof(*set);
}

static struct sampled_block *add(struct line *line, const void *block)
{
	for (size_t i = 0; i < PLACES; i++) {
		uintptr_t nobody = 0;

		if (__atomic_load_n(&line->place[i], __ATOMIC_RELAXED) == 0 &&
				__atomic_compare_exchange_n(&line->place[i], &nobody,
						(uintptr_t)block, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED)) {
			return &line->kept[i];
		}
	}
	return NULL;
}

struct sampled_block *sampled_set_add(const void *block)
{
	uint64_t hashed = sampled_hash(block);
	struct sampled_block *kept = add(&set->few[hashed >> (64 - FEW_BITS)], block);

	if (!kept) {
		kept = add(&set->many[hashed >> (64 - MANY_BITS)], block);
	}
	if (kept) {
		__atomic_fetch_add(sampled_filter_of(hashed), 1, __ATOMIC_RELEASE);
	}
	return kept;
}

static bool remove_from(struct line *line, const void *block, struct sampled_block *ret_kept)
{
	for (size_t i = 0; i < PLACES; i++) {
		if (__atomic_load_n(&line->place[i], __ATOMIC_ACQUIRE) == (uintptr_t)block) {
			*ret_kept = line->kept[i];
			__atomic_fetch_sub(sampled_filter_of(sampled_hash(block)), 1,
					__ATOMIC_RELAXED);
			__atomic_store_n(&line->place[i], 0, __ATOMIC_RELEASE);
			return true;
		}
	}
	return false;
}

bool sampled_set_remove(const void *block, struct sampled_block *ret_kept)
{
	uint64_t hashed = sampled_hash(block);

	return block && sampled_set_may_have(block) &&
			(remove_from(&set->few[hashed >> (64 - FEW_BITS)], block, ret_kept) ||
					remove_from(&set->many[hashed >> (64 - MANY_BITS)], block,
							ret_kept));
}
