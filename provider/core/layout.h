/* SPDX-License-Identifier: MIT */
/*
 * What lies in target memory: block headers, free-block nodes and carrier headers.
 *
 * Nothing here is copied from the runtime; the sizes are (SOURCES.md 1.2, 2.1), so
 * that blocks land on the same addresses.  Every member is a word or half a word wide, hence the
 * same source serves both word sizes.
 */
#ifndef CSC_LAYOUT_H
#define CSC_LAYOUT_H

#include <stddef.h>

#include "contract.h"
#include "core.h"
#include "inner_names.h"
#include "word.h"

/*
 * A node of a tree or list; the head of every free block.  56 bytes (36 with 4-byte words), of
 * which a strategy without sizes of subtrees uses less, see strategy.h.  What a search looks at
 * lies together, so that it is in one line of the cache more often.
 */
struct node {
	/* Of a free block: size and flags.  Of a carrier: its largest free block, in bytes. */
	csc_word head;

	/* The carrier of a free block. */
	csc_word carrier;

	/* Of lists without a tree: the previous and the next element. */
	csc_word left;
	csc_word right;

	/* NODE_... */
	uint32_t flags;

	/* Largest size in this subtree, in bytes; 32 bits wide in the runtime, too: tree.h. */
	uint32_t max_bytes;

	/* In a list of equal sizes: the previous element. */
	csc_word parent;

	union {
		/* In a list of equal sizes: the next element. */
		csc_word next;

		/* Of a carrier: when it was created, low half first. */
		uint32_t birth[2];
	} tail;
};

#define NODE_RED UINT32_C(1)
/* Element of a list behind a tree node. */
#define NODE_LISTED UINT32_C(2)

/* Flags in `carrier.head`. */
#define CARRIER_MSEG ((csc_word)1)
#define CARRIER_SINGLE ((csc_word)2)
#define CARRIER_MAIN ((csc_word)4)

/* Flags in `carrier.owner`, beside 8 times the owner's handle. */
#define OWNER_IN_POOL ((csc_word)1)
#define OWNER_BUSY ((csc_word)2)
#define OWNER_HOMECOMING ((csc_word)4)
#define OWNER_FLAGS ((csc_word)7)

/* What the creator knows about a carrier of its own. */
enum carrier_state {
	/* Employed here, in no tree of the pool. */
	CARRIER_HOME,
	/* In our pooled tree. */
	CARRIER_POOLED,
	/* Employed by somebody else, as far as we know. */
	CARRIER_TRAITOR,
};

/*
 * The header of a carrier.  A single-block carrier ends after `owner`.  After the struct of a
 * multi-block carrier follow, for each allocator type, a `struct carrier_count`, the extra words of
 * the generation, and in the first-fit family a `struct fit_carrier`.
 *
 * Carriers are aligned so far that the same line of all of them has one place in the caches, and
 * they drive each other out: what each call needs is in the first 64 bytes and in one count.
 */
struct carrier {
	/* Size and CARRIER_... */
	csc_word head;

	/* In the instance's list of carriers. */
	csc_word next;
	csc_word prev;

	/* 8 * handle of the instance and OWNER_... */
	csc_word owner;

	/* Bytes in blocks of all types. */
	csc_word block_bytes;

	/* First fit: the tree of free blocks. */
	csc_word root;

	/* First fit: enum tree_order of that tree, the creator's, for life; and FIT_VAST. */
	uint32_t order;

	/* enum carrier_state */
	uint32_t state;

	/* First fit: `head` of the node in the tree of employed carriers; WORD_MAX: in no tree. */
	csc_word planted_bytes;

	/* Handle of the instance that created it; never changes. */
	csc_word origin;

	/* Largest free block as last published, in bytes. */
	csc_word max_bytes;

	/* Abandoned only with at most that many bytes in blocks; set once. */
	csc_word abandon_limit;

	/* Thread progress after which the last removal from the pool is past; 0: never removed. */
	csc_word stamp;

	/* In the creator's pooled tree. */
	struct node pooled;

	/* The private message block: BLOCK_MESSAGE, and the next element of the queue. */
	csc_word message_head;
	csc_word message_next;
};

/* The blocks of one allocator type in a carrier. */
struct carrier_count {
	csc_word blocks;
	csc_word bytes;
};

/*
 * What the first-fit family adds to a carrier, at the end of its header, the node last: so all of
 * it is in one line of the cache, in OTP 25 and later.
 */
struct fit_carrier {
	/* In the pool's ring; 0 stands for the sentinel. */
	csc_word ring_next;
	csc_word ring_prev;

	/* In the tree of employed carriers. */
	struct node node;
};

/* Flag in `carrier.order`: it has 4 GiB or more, so that sums may be wrong: tree.h. */
#define FIT_VAST UINT32_C(8)

#if CSC_WORD_BYTES == 8
_Static_assert(sizeof(struct node) == 56, "minimum block sizes depend on it");
_Static_assert(offsetof(struct carrier, block_bytes) == 32, "header of a single-block carrier");
_Static_assert(sizeof(struct carrier) <= 168, "the arrays start there");
_Static_assert(sizeof(struct fit_carrier) <= 72, "room in the header");
#define CARRIER_ARRAYS 168
#else
_Static_assert(sizeof(struct node) == 36, "minimum block sizes depend on it");
_Static_assert(offsetof(struct carrier, block_bytes) == 16, "header of a single-block carrier");
_Static_assert(sizeof(struct carrier) <= 96, "the arrays start there");
_Static_assert(sizeof(struct fit_carrier) <= 44, "room in the header");
#define CARRIER_ARRAYS 96
#endif

/* Size of the header of a single-block carrier, in bytes: user memory after it is aligned. */
#define SINGLE_HEADER \
	(word_up8((csc_word)offsetof(struct carrier, block_bytes) + BLOCK_HEADER) - BLOCK_HEADER)

/* The host address of a target address. */
static inline void *host_at(const struct csc_core *core, csc_word address)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the target are numbers. */
	return (void *)(core->bias + (uintptr_t)address);
}

static inline csc_word *word_at(const struct csc_core *core, csc_word address)
{
	return host_at(core, address);
}

static inline struct node *node_at(const struct csc_core *core, csc_word address)
{
	return host_at(core, address);
}

static inline struct carrier *carrier_at(const struct csc_core *core, csc_word address)
{
	return host_at(core, address);
}

/* By allocator type, the first of which is 1. */
static inline struct carrier_count *carrier_counts(const struct csc_core *core, csc_word address)
{
	return host_at(core, address + CARRIER_ARRAYS);
}

static inline csc_word fit_carrier_address(const struct csc_core *core, csc_word carrier)
{
	return carrier + core->fit_offset;
}

static inline struct fit_carrier *fit_carrier_at(const struct csc_core *core, csc_word carrier)
{
	return host_at(core, fit_carrier_address(core, carrier));
}

/* The address of its node. */
static inline csc_word fit_node_address(const struct csc_core *core, csc_word carrier)
{
	return fit_carrier_address(core, carrier) + (csc_word)offsetof(struct fit_carrier, node);
}

/* The lock of the pools. */
#define LOCK_POOLS 0

static inline void core_lock(const struct csc_core *core, uint32_t id)
{
	if (core->sync) {
		core->sync->lock(core->sync->context, id);
	}
}

static inline void core_unlock(const struct csc_core *core, uint32_t id)
{
	if (core->sync) {
		core->sync->unlock(core->sync->context, id);
	}
}

static inline uint64_t core_progress(const struct csc_core *core)
{
	return __atomic_load_n(&core->progress, __ATOMIC_ACQUIRE);
}

/*
 * The owner word.  Any thread may read it; it is written under LOCK_POOLS, or by the one who makes
 * the carrier.
 */
static inline csc_word owner_of(const struct carrier *carrier)
{
	return __atomic_load_n(&carrier->owner, __ATOMIC_ACQUIRE);
}

static inline void owner_set(struct carrier *carrier, csc_word owner)
{
	__atomic_store_n(&carrier->owner, owner, __ATOMIC_RELEASE);
}

/*
 * The header of an allocated block may be read by another thread, which wants to know its carrier,
 * while its neighbour before becomes free or ceases to be so.
 */
static inline csc_word head_of(const struct csc_core *core, csc_word block)
{
	return __atomic_load_n(word_at(core, block), __ATOMIC_RELAXED);
}

static inline void head_mark_prev_free(const struct csc_core *core, csc_word block)
{
	__atomic_store_n(word_at(core, block), head_of(core, block) | BLOCK_PREV_FREE,
			__ATOMIC_RELAXED);
}

static inline void head_mark_prev_used(const struct csc_core *core, csc_word block)
{
	__atomic_store_n(word_at(core, block), head_of(core, block) & ~BLOCK_PREV_FREE,
			__ATOMIC_RELAXED);
}

static inline csc_word carrier_size(const struct carrier *carrier)
{
	return carrier->head & ~(csc_word)7;
}

/* Size of a block by its header word, in bytes. */
static inline csc_word block_size(csc_word head)
{
	if (head & BLOCK_FREE) {
		return head & ~BLOCK_FLAGS;
	}
	return head & BLOCK_SIZE_MASK;
}

/* The carrier of an allocated block of a multi-block carrier. */
static inline csc_word block_carrier(const struct csc_core *core, csc_word block, csc_word head)
{
	csc_word units = block >> core->unit_bits;

	return (units - ((head & BLOCK_OFFSET_MASK) >> BLOCK_OFFSET_SHIFT)) << core->unit_bits;
}

#endif
