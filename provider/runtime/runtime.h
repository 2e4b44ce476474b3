/* SPDX-License-Identifier: MIT */
/*
 * The runtime's allocators as a whole: for each allocator its instances 0 to S, over the memory of
 * this machine.
 *
 * Scheduler 1 to S uses the instance of its number; 0 stands for all other threads, whose
 * instances are guarded by locks.  One scheduler is used by one thread at a time.
 * Source: SOURCES.md 7.3, 7.4, 11.
 */
#ifndef CSC_RUNTIME_H
#define CSC_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "address_space.h"
#include "block_types.h"
#include "csc.h"
#include "diag.h"
#include "options.h"

struct runtime;

/* What is asked for: a type, and where it is a fixed-size type its index. */
struct runtime_kind {
	/* Static. */
	const struct csc_block_type *type;

	/* Its number: memory_type_at(). */
	uint32_t id;

	/* In the generation's list of fixed-size types; -1: any size. */
	int32_t fix;

	/* Of a fixed-size type. */
	uint64_t fix_bytes;

	/* Not the runtime asks, but its surroundings: they can do without. */
	bool is_os;
};

struct runtime_config {
	/* Settled. */
	struct csc_options options;

	/* Schedulers run at the same time; otherwise addresses are repeatable. */
	bool is_threaded;

	/* Weak: where it runs; NULL: on this machine. */
	const struct board *board;

	/* See address_space_create(). */
	uint64_t limit_bytes;
	bool has_mapped_malloc;
	bool without_contents;

	/* Weak: the listener of the core; NULL: none. */
	struct csc_listener *listener;

	/*
	 * Weak: a second listener of the core, whose tick comes after each call, when no thread is
	 * inside; one thread only.  NULL: none.
	 */
	struct csc_listener *witness;

	/* Weak: sizes of types of fixed size, in bytes; NULL and 0: those of the generation. */
	const uint64_t *fix_bytes;
};

/* NULL: `diag` says why. */
struct runtime *runtime_create(const struct runtime_config *config, struct diag *diag);
void runtime_destroy(struct runtime *runtime);

/*
 * False: the generation knows no such type.  "os" is no type of the runtime, but what malloc gives
 * to its surroundings.
 */
bool runtime_kind_find(const struct csc_generation *generation, uint32_t word_bytes,
		const char *name, struct runtime_kind *ret_kind);

/* What multi-block carriers are aligned to, in bytes. */
uint64_t runtime_unit_bytes(const struct csc_options *options);

/* An allocator serves the type; otherwise its blocks are malloc's. */
bool runtime_serves(const struct runtime *runtime, const struct runtime_kind *kind);

/*
 * Calls by a scheduler; addresses are those of user memory, 0: there is no memory.  A block may be
 * freed by any scheduler, unless it is one of temp_alloc.  `old_bytes` is what was asked for when
 * the block was made or resized last.
 */
uint64_t runtime_alloc(struct runtime *runtime, uint32_t scheduler, const struct runtime_kind *kind,
		uint64_t bytes);
uint64_t runtime_realloc(struct runtime *runtime, uint32_t scheduler,
		const struct runtime_kind *kind, uint64_t block, uint64_t old_bytes,
		uint64_t bytes);
void runtime_free(struct runtime *runtime, uint32_t scheduler, const struct runtime_kind *kind,
		uint64_t block, uint64_t old_bytes);

/* The aux work of a scheduler: what others have sent to its instances is worked off. */
bool runtime_aux(struct runtime *runtime, uint32_t scheduler);

/* A second has passed for a scheduler: its segment cache and its lists of freed objects. */
void runtime_tick(struct runtime *runtime, uint32_t scheduler);

/* All threads have passed a point; called by one thread at a time. */
void runtime_progress(struct runtime *runtime);

/* The same, and the aux work of all: nobody else runs.  True: there was work. */
bool runtime_round(struct runtime *runtime);

/* Nobody runs any more: empties all queues and gives back what waits for it. */
void runtime_quiesce(struct runtime *runtime);

/*
 * Nobody is inside an allocator: a new listener gets what is there, blocks that wait in
 * queues included.  What a session enables between two of these points is recorded from the
 * second one on.
 */
void runtime_listen(struct runtime *runtime);

/* Emits how the heap of the board is. */
void runtime_emit_heap(struct runtime *runtime);

/* The core of the target's words. */
const struct csc_api *runtime_api(const struct runtime *runtime);

/* Where an address of the target is in this process. */
void *runtime_at(const struct runtime *runtime, uint64_t address);

/* NULL: it does not run on a board. */
const struct rtems_heap *runtime_heap(const struct runtime *runtime);

/* Size of objects of a type of fixed size, in bytes, and what such sizes are: static. */
uint64_t runtime_fix_bytes(const struct runtime *runtime, uint32_t type);
const char *runtime_fix_basis(const struct runtime *runtime);

const struct csc_options *runtime_options(const struct runtime *runtime);

/* NULL: the allocator has no such instance. */
struct csc_instance *runtime_instance(
		const struct runtime *runtime, enum csc_allocator allocator, uint32_t index);

/* Blocks that are in use by the runtime's callers, as the allocator's own figures say. */
struct runtime_use {
	uint64_t blocks;
	uint64_t blocks_bytes;
	/* Employed, pooled and single-block carriers. */
	uint64_t carriers;
	uint64_t carriers_bytes;
	/* Freed objects of fixed size that are kept: included in `blocks`. */
	uint64_t kept;
};

/*
 * runtime_use.c: reads the figures of all instances of an allocator without starting a new period.
 */
void runtime_use(const struct runtime *runtime, enum csc_allocator allocator,
		struct runtime_use *ret_use);

/* The figures of all instances of an allocator, as its user would sum them up. */
void runtime_sum(const struct runtime *runtime, enum csc_allocator allocator,
		struct csc_statistics *ret_sum);

/* Bytes that segment caches keep. */
uint64_t runtime_cached_bytes(const struct runtime *runtime);

/* Weak: bytes of carriers, now; atomic. */
const uint64_t *runtime_carriers_bytes(const struct runtime *runtime);

void runtime_address_space(
		const struct runtime *runtime, struct address_space_figures *ret_figures);

#endif
