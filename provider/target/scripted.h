/* SPDX-License-Identifier: MIT */
/*
 * A target whose carriers lie at addresses that are given: the memory of recorded cases.
 *
 * The carrier with serial K, counted from 0 over all instances, gets the K-th address.  Memory
 * is real, in one window over all addresses, but only for what the core itself keeps there: user
 * data is not copied, and of single-block carriers (whose addresses decide nothing) there are
 * just headers, outside the script.
 */
#ifndef CSC_SCRIPTED_H
#define CSC_SCRIPTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "memory.h"
#include "segment.h"

struct scripted_options {
	/* Borrowed: base address of each carrier. */
	const uint64_t *bases;
	size_t base_count;

	/* Bytes that may be handed out at the same time; UINT64_MAX: no limit. */
	uint64_t limit_bytes;

	/* 4 or 8. */
	uint32_t word_bytes;

	/* Segment instances. */
	uint32_t mseg_count;
	struct segment_options segment;
};

/* What is known of a carrier. */
struct scripted_carrier {
	/* As scripted. */
	uint64_t base;
	/* Where the core finds it. */
	uint64_t address;
	/* Where the segment cache believes it to be, and its size. */
	struct csc_extent extent;
	/* Multi-block carriers that live, by serial; base_count: none. */
	bool is_multi;
	size_t older;
	size_t newer;
	/* Next in the bucket of the hash; base_count: none. */
	size_t next;
};

struct scripted;

/* NULL: no memory, or the addresses cannot be reached; `diag` has which. */
struct scripted *scripted_create(const struct scripted_options *options, struct diag *diag);
void scripted_destroy(struct scripted *scripted);

/* The seam for the core; lives as long as the target. */
const struct csc_memory *scripted_memory(struct scripted *scripted);

/* The serial of the carrier at `address`, as the core has it. */
size_t scripted_serial(const struct scripted *scripted, uint64_t address);

/* The scripted address of the carrier with this serial. */
uint64_t scripted_base(const struct scripted *scripted, size_t serial);

/* What is wrong with the address of some carrier: the rest of a sentence; NULL: nothing. */
const char *scripted_problem(const struct scripted *scripted, size_t *ret_serial);

#endif
