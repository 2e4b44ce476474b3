/* SPDX-License-Identifier: MIT */
/*
 * Blocks of multi-block carriers: cutting, joining, moving.  All addresses are those of block
 * headers.
 * Source: facts/allocator-core.md 3.
 */
#ifndef CSC_MULTI_H
#define CSC_MULTI_H

#include "instance.h"
#include "layout.h"

/* A block for a request of `bytes`; 0: no memory.  May be an emergency single-block carrier. */
csc_word multi_alloc(struct csc_instance *instance, csc_word bytes);

/* Frees a block whose bytes count as `type`; the carrier is ours, employed or pooled. */
void multi_free(struct csc_instance *instance, uint32_t type, csc_word block);

/* The block for a request of `bytes`, moved or not; the carrier is employed by us. */
csc_word multi_resize(struct csc_instance *instance, csc_word block, csc_word bytes);

/* Copies user data from block to block. */
void multi_copy(const struct csc_core *core, csc_word from, csc_word to, csc_word bytes);

#endif
