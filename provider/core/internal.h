/* SPDX-License-Identifier: MIT */
/*
 * What the files of the core call of each other, under the file that defines it.
 *
 * They call each other in a circle, which is the allocator's own recursion: a new carrier may come
 * out of the pool, what is fetched from there may have to be released, a released block may empty
 * its carrier, and that goes back to the pool.  All blocks are addresses of block headers.
 * Source: SOURCES.md 2, 3, 5, 8.2, 9, 11.2.
 */
#ifndef CSC_INTERNAL_H
#define CSC_INTERNAL_H

#include <stdbool.h>
#include <string.h>

#include "instance.h"
#include "layout.h"

/* source.c: where the memory of carriers comes from. */

/* What the caller of source_obtain() needs; sizes in bytes. */
struct carrier_need {
	/* Multi-block: aligned to the carrier unit. */
	bool is_multi;

	/* From one source only; from sys_alloc only in the exact size. */
	bool force_sys;
	bool force_mseg;
	bool is_exact;

	/* From mseg, and from sys_alloc before rounding. */
	csc_word mseg_bytes;
	csc_word sys_bytes;

	/* Multi-block: what it must hold at least, its header included; 0: anything will do. */
	csc_word held_bytes;
};

/* Memory of a carrier.  Address 0: none could be had. */
struct carrier_memory {
	csc_word address;
	csc_word size_bytes;
	enum csc_carrier_source source;
};

struct carrier_memory source_obtain(struct csc_instance *instance, const struct carrier_need *need);

/* Emits what was asked of the memory seam and what came; `old` may be NULL. */
void emit_os_request(const struct csc_instance *instance, enum csc_call call, uint64_t asked_bytes,
		uint64_t alignment, bool is_retry, struct csc_extent got,
		const struct csc_extent *old);

/* Rounds as `ycs` says; 0: too large. */
csc_word source_round_sys(const struct csc_instance *instance, csc_word bytes);

/* Rounds up to a multiple of the carrier unit; 0: too large. */
csc_word source_round_unit(const struct csc_instance *instance, csc_word bytes);

/* Gives the memory of a carrier back. */
void source_return(struct csc_instance *instance, csc_word address);

/* carrier_list.c: lists of carriers, and the figures of those in them. */

/* Appends at the end. */
void carrier_list_append(const struct csc_core *core, struct carrier_list *list, csc_word address);
void carrier_list_remove(const struct csc_core *core, struct carrier_list *list, csc_word address);

/* Adds a carrier to a group and raises the maxima, or takes it away. */
void group_add_carrier(
		struct carrier_group *group, enum csc_carrier_source source, csc_word size_bytes);
void group_take_carrier(
		struct carrier_group *group, enum csc_carrier_source source, csc_word size_bytes);

/* Emits carrier_create or carrier_destroy with the figures of now. */
void emit_carrier(struct csc_instance *instance, enum csc_event event, csc_word size_bytes);

/* carrier.c: multi-block carriers. */

/*
 * Creates (or fetches from the pool) a multi-block carrier that has room for a block for a
 * *request* of `bytes`.  Returns a free block of at least that size, unlinked; 0: no memory.
 */
csc_word carrier_create(struct csc_instance *instance, csc_word bytes);

/* Creates the main carrier of an instance; its block is linked.  False: no memory. */
bool carrier_create_main(struct csc_instance *instance);

/* Destroys the carrier, all of which is one unlinked block. */
void carrier_destroy(struct csc_instance *instance, csc_word address);

/* Recomputes the limit below which the instance may abandon carriers. */
void carrier_update_limit(struct csc_instance *instance);

/* Share of x in percent, as the runtime computes it. */
uint64_t carrier_share(uint64_t x, uint64_t percent);

/* single.c: single-block carriers. */

/* Where the memory of a single-block carrier may come from. */
enum single_source {
	SINGLE_ANY,
	SINGLE_SYS,
	SINGLE_MSEG,
	/* From sys_alloc, in the exact size: a small block that found no other place. */
	SINGLE_EMERGENCY,
};

/* Yields a block; 0: no memory. */
csc_word single_create(struct csc_instance *instance, csc_word bytes, enum single_source source);
void single_destroy(struct csc_instance *instance, csc_word block);
/* The block for a request of `bytes`, moved or not, in a carrier of the right size. */
csc_word single_resize(struct csc_instance *instance, csc_word block, csc_word bytes);

/* multi_calls.h and resize.c: blocks of multi-block carriers, cut, joined and moved. */

/* A block for a request of `bytes`; 0: no memory.  May be an emergency single-block carrier. */
static inline csc_word multi_alloc(struct csc_instance *instance, csc_word bytes)
{
	return instance->ops->alloc(instance, bytes);
}

/* Frees a block of `carrier` whose bytes count as `type`; it is ours, employed or pooled. */
static inline void multi_free(
		struct csc_instance *instance, uint32_t type, csc_word block, csc_word carrier)
{
	instance->ops->free(instance, type, block, carrier);
}

/* The block for a request of `bytes`, moved or not; the carrier is employed by us. */
csc_word multi_resize(struct csc_instance *instance, csc_word block, csc_word bytes);

/* Copies user data from block to block. */
static inline void multi_copy(
		const struct csc_core *core, csc_word from, csc_word to, csc_word bytes)
{
	if (core->memory->has_contents && from != to) {
		memmove(host_at(core, to + BLOCK_HEADER), host_at(core, from + BLOCK_HEADER),
				bytes);
	}
}

/* fix.c: lists of freed objects of fixed size. */

void fix_init(struct csc_instance *instance, const struct csc_instance_config *config);

/* migration/release.c: who owns a block, and freeing it there. */

/* The block fills a single-block carrier. */
static inline bool release_is_single(const struct csc_core *core, csc_word block)
{
	return (head_of(core, block) & BLOCK_FLAGS) == BLOCK_SINGLE;
}

/* The owner word of the carrier around `block`. */
static inline csc_word release_owner_word(const struct csc_core *core, csc_word block)
{
	csc_word head = head_of(core, block);

	if ((head & BLOCK_FLAGS) == BLOCK_SINGLE) {
		return owner_of(carrier_at(core, block - SINGLE_HEADER));
	}
	return owner_of(carrier_at(core, block_carrier(core, block, head)));
}

/* The instance that owns the block now. */
static inline struct csc_instance *release_owner(const struct csc_core *core, csc_word block)
{
	return core_instance(core, release_owner_word(core, block));
}

/*
 * Frees a block of ours, which counts as `type`.  False: its carrier was in the pool and has just
 * been fetched by somebody else; nothing has happened.
 */
bool release_block(struct csc_instance *instance, uint32_t type, csc_word block);

/* migration/delayed.c: what other threads have sent to an instance: blocks to free, carriers. */

/* Queues a block (header address), which counts as `type`, to its owner. */
void delayed_send_block(struct csc_core *core, uint32_t type, csc_word block);

/* Queues a carrier to its creator. */
void delayed_send_carrier(struct csc_core *core, csc_word carrier);

/*
 * Processes at most `count` elements; only those that every thread has left behind.  Returns
 * whether there was anything to do.
 */
bool delayed_serve_some(struct csc_instance *instance, uint32_t count);

static inline bool delayed_serve(struct csc_instance *instance, uint32_t count)
{
	return (instance->pending.first ||
			       __atomic_load_n(&instance->delayed.first, __ATOMIC_RELAXED)) &&
			delayed_serve_some(instance, count);
}

/* Processes everything, safe or not; returns whether there was anything. */
bool delayed_drain(struct csc_instance *instance);

/* migration/pool.c and fetch.c: carriers are abandoned to a pool, and fetched from it. */

/* While this counts down, nothing is abandoned. */
#define POOL_FORBID_MAX 1000

/* A carrier is being created: nothing may be abandoned for a while. */
static inline void pool_forbid(struct csc_instance *instance)
{
	instance->disable_abandon = POOL_FORBID_MAX;
}

/* A block was handed out, freed or resized in a multi-block carrier. */
static inline void pool_note_alloc(struct csc_instance *instance)
{
	uint32_t next = instance->disable_abandon + 8;

	instance->disable_abandon = next < POOL_FORBID_MAX ? next : POOL_FORBID_MAX;
}

static inline void pool_note_free(struct csc_instance *instance)
{
	uint32_t now = instance->disable_abandon;

	instance->disable_abandon = now > 10 ? now - 10 : 0;
}

static inline void pool_note_resize(struct csc_instance *instance)
{
	uint32_t now = instance->disable_abandon;

	instance->disable_abandon = now > 2 ? now - 2 : 0;
}

/* Puts the carrier into the pool, if it is empty enough and all other conditions hold. */
void pool_consider(struct csc_instance *instance, csc_word address);

static inline void pool_check_abandon(struct csc_instance *instance, csc_word address)
{
	if (instance->has_pool && !instance->disable_abandon) {
		pool_consider(instance, address);
	}
}

/*
 * Employs a carrier from the pool with a free block of at least `size_bytes`; 0: none.  Emits
 * carrier_pool_get in any case.
 */
csc_word pool_fetch(struct csc_instance *instance, csc_word size_bytes);

/*
 * Makes sure that the carrier stays ours while a block in it is freed: if it is in the pool, it is
 * busy until pool_note_larger(), pool_let_go() or pool_drop().  False: it is not ours any more.
 */
bool pool_hold(struct csc_instance *instance, csc_word address);
void pool_let_go(struct csc_instance *instance, csc_word address);

/* A block was freed in a pooled carrier of ours. */
void pool_note_larger(struct csc_instance *instance, csc_word address);

/* A pooled carrier of ours has become empty: it leaves the pool. */
void pool_drop(struct csc_instance *instance, csc_word address);

/* The memory of an empty carrier goes back: now, later, or through its creator. */
void pool_release(struct csc_instance *instance, csc_word address);

/* A carrier of ours has come home. */
void pool_receive(struct csc_instance *instance, csc_word address);

/*
 * Gives back at most `count` carriers that wait for destruction and whose time has come; returns
 * whether there was any.
 */
bool pool_release_pending(struct csc_instance *instance, uint32_t count);

/* Walks ring and tree: for tests and checked builds. */
bool pool_is_valid(const struct csc_instance *instance);

#endif
