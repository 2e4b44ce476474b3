/* SPDX-License-Identifier: MIT */
/*
 * Carrier migration: abandoning carriers to a pool, fetching them from it.
 * Source: facts/allocator-core.md 5.
 */
#ifndef CSC_POOL_H
#define CSC_POOL_H

#include "instance.h"
#include "layout.h"

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
void pool_check_abandon(struct csc_instance *instance, csc_word address);

/*
 * Employs a carrier from the pool with a free block of at least `size_bytes`; 0: none.  Says
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
