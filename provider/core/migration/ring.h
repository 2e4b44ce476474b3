/* SPDX-License-Identifier: MIT */
/*
 * Where pooled carriers hang: the ring of the pool, which all instances share, and the tree of
 * each instance, which holds the carriers it created and believes to be in the pool.
 * Source: SOURCES.md 5.3, 5.4.
 */
#ifndef CSC_RING_H
#define CSC_RING_H

#include "instance.h"
#include "layout.h"

/* Inserts after the first element. */
void ring_insert(const struct csc_core *core, struct carrier_pool *pool, csc_word address);
void ring_remove(const struct csc_core *core, struct carrier_pool *pool, csc_word address);

/* Enters the carrier in the tree of its creator, with its published size. */
void ring_plant(struct csc_instance *instance, csc_word address);

/* Takes it out of the tree; it is in `state` from now on. */
void ring_uproot(struct csc_instance *instance, csc_word address, enum carrier_state state);

/* Sets the size recorded in the tree. */
void ring_raise(struct csc_instance *instance, csc_word address, csc_word size_bytes);

/* The first carrier of the tree with a recorded size of at least `size_bytes`; 0: none. */
csc_word ring_first_fit(const struct csc_instance *instance, csc_word size_bytes);

/* The carrier at the root of the tree; 0: the tree is empty. */
csc_word ring_root(const struct csc_instance *instance);

/* pool.c: takes a carrier out of the ring for ourselves, under LOCK_POOLS. */
void pool_claim(struct csc_instance *instance, csc_word address);

/* pool.c: employs a carrier that is in no ring and no list. */
void pool_employ(struct csc_instance *instance, csc_word address);

#endif
