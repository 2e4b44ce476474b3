/* SPDX-License-Identifier: MIT */
/*
 * What all instances of one runtime share: its generation, its memory, its carrier pools, its
 * notion of thread progress, and the table of instances.
 *
 * Lives in memory of the caller; nothing in it is allocated.
 */
#ifndef CSC_CORE_H
#define CSC_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "emit.h"
#include "memory.h"
#include "names.h"
#include "word.h"

/* Allocator types that a generation may have, see `csc_generation.types`. */
#define CSC_TYPES_MAX 14

/* Pools that `cp` may name. */
#define CSC_NAMED_POOLS 9

struct csc_instance;

/*
 * What differs between releases of the runtime and that can be observed.
 * Source: SOURCES.md 2.1, 13.
 */
struct csc_generation {
	/* "24rc0", "24.0.1", "25", "27", "28", "29". */
	const char *name;

	/* The release times 100, and its patch: 2401 is 24.0.1, 2400 its candidate. */
	uint32_t release;

	/* Carrier unit, as a power of two. */
	uint32_t unit_bits;

	/* Allocator types, numbers included that start at 1. */
	uint32_t types;

	/* An extra word in carriers of the pool. */
	uint32_t header_extra_words;

	/* Words of an allocation tag. */
	uint32_t tag_words;

	/* One pool for all types instead of one for each. */
	uint32_t has_common_pool;

	/* +Mumadtn is a flag. */
	uint32_t has_madtn;
};

/*
 * Locks, for cores whose instances are used by several threads at the same time.  A lock is
 * never taken twice by one thread; lock 0 may be held while another one is taken.
 */
struct csc_sync {
	/* Weak. */
	void *context;

	/* `id` is 0, for the pools, or the handle of an instance, for its queue. */
	void (*lock)(void *context, uint32_t id);
	void (*unlock)(void *context, uint32_t id);
};

/* A ring of abandoned carriers.  Target address 0 is the sentinel. */
struct carrier_pool {
	csc_word first;
	csc_word last;
};

struct csc_core {
	/* From csc_memory, see host_at(). */
	uintptr_t bias;

	/* Weak. */
	const struct csc_memory *memory;
	const struct csc_listener *listener;
	/* NULL: there is one thread. */
	const struct csc_sync *sync;

	uint32_t unit_bits;
	uint32_t types;
	uint32_t tag_bytes;

	/* Where `struct fit_carrier` begins in a carrier, in bytes: layout.h. */
	csc_word fit_offset;

	/* Grows with every round of thread progress. */
	uint64_t progress;

	/* Number of carriers created: their age. */
	uint64_t births;

	/* Weak: the instance of each handle; handle 0 is nobody. */
	struct csc_instance **instances;
	uint32_t instance_count;
	uint32_t instance_room;

	/* By allocator type, or the first for all. */
	struct carrier_pool pools[CSC_TYPES_MAX];
	/* `cp`: the common one and those with the letter of an allocator. */
	struct carrier_pool named_pools[CSC_NAMED_POOLS];
	uint32_t has_common_pool;
};

/*
 * Makes a core over `memory`.  `instances` is room for `room` pointers, handle 0 included; both
 * it and `memory` must outlive the core.  `listener` may be NULL.
 */
void csc_core_init(struct csc_core *core, const struct csc_generation *generation,
		const struct csc_memory *memory, const struct csc_listener *listener,
		struct csc_instance **instances, uint32_t room);

/* Instances are used by several threads from now on, each by one at a time. */
void csc_core_share(struct csc_core *core, const struct csc_sync *sync);

/* Lets every thread pass: what was removed from a pool or queued before is past now. */
void csc_core_progress(struct csc_core *core);

/* NULL: no such generation. */
const struct csc_generation *csc_generation_find(const char *name);

#endif
