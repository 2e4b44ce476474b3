/* SPDX-License-Identifier: MIT */
/*
 * How an instance chooses among its free blocks.
 *
 * A strategy keeps an index of free blocks of multi-block carriers and nothing else: headers and
 * joining are the business of block.h.  The index lives inside the free blocks, so no operation
 * allocates and none can fail.
 * Source: SOURCES.md 4.
 */
#ifndef CSC_STRATEGY_H
#define CSC_STRATEGY_H

#include <stdbool.h>
#include <stdint.h>

#include "inner_names.h"
#include "settings.h"
#include "word.h"

struct csc_instance;

/*
 * Where data could stay instead of moving: what realloc would do without a new block.  A strategy
 * refuses when that is at least as good as its best block.
 */
struct candidate {
	/* Address of the area's first block; 0: there is no candidate. */
	csc_word address;

	/* Of the whole area, in bytes. */
	csc_word size_bytes;

	/* Its carrier. */
	csc_word carrier;
};

struct strategy_ops {
	/* multi_alloc() and multi_free() of internal.h. */
	csc_word (*alloc)(struct csc_instance *instance, csc_word bytes);
	void (*free)(struct csc_instance *instance, uint32_t type, csc_word block,
			csc_word carrier);

	/*
	 * `block` has its header and carrier words set.  What they say is passed on, since words
	 * that were written just now cannot always be read before they are in the cache.
	 */
	void (*link)(struct csc_instance *instance, csc_word block, csc_word bytes,
			csc_word carrier);
	void (*unlink)(struct csc_instance *instance, csc_word block, csc_word carrier);

	/* Chooses a block of at least `size_bytes` and unlinks it; 0: none, or refused. */
	csc_word (*take)(struct csc_instance *instance, csc_word size_bytes,
			const struct candidate *candidate);

	/*
	 * NULL, or for orders in which a block that is cut or grows keeps its place.  Chooses as
	 * `take` does, but the block stays linked.
	 */
	csc_word (*choose)(struct csc_instance *instance, csc_word size_bytes);
	/* Whether blocks of the carrier keep their places. */
	bool (*keeps_places)(const struct csc_instance *instance, csc_word carrier);
	/* The end of `block`, `rest`, comes to its place; or `block` to that of `next`; or grows.
	 */
	void (*cut)(struct csc_instance *instance, csc_word block, csc_word rest);
	void (*extend)(struct csc_instance *instance, csc_word next, csc_word block);
	void (*grow)(struct csc_instance *instance, csc_word block);

	/* A multi-block carrier was employed or dismissed; its list is up to date. */
	void (*employ)(struct csc_instance *instance, csc_word carrier);
	void (*dismiss)(struct csc_instance *instance, csc_word carrier);

	/* The largest free block of the carrier, in bytes; NULL where carriers do not migrate. */
	csc_word (*largest)(const struct csc_instance *instance, csc_word carrier);

	/* Walks the whole index: for tests and checked builds. */
	bool (*is_valid)(const struct csc_instance *instance);
};

/* The members that every strategy has: functions named after it, afit_link() ... */
#define STRATEGY_OPS(strategy)                                                       \
	.alloc = strategy##_alloc, .free = strategy##_free, .link = strategy##_link, \
	.unlink = strategy##_unlink, .take = strategy##_take, .is_valid = strategy##_is_valid

/* Size zones of good fit, each of 64 buckets. */
#define GOODFIT_ZONES 4
#define GOODFIT_BUCKETS 256

struct goodfit_state {
	csc_word buckets[GOODFIT_BUCKETS];

	/* One bit for each bucket that is not empty. */
	uint64_t masks[GOODFIT_ZONES];

	/* Size at which each zone starts and its step, in bytes. */
	csc_word starts[GOODFIT_ZONES];
	csc_word steps[GOODFIT_ZONES];

	/* The last carrier, whose blocks are taken last; 0: none. */
	csc_word last_carrier;
};

/* Sizes below so many units have a list or tree each, and no place in the tree of sizes. */
#define BESTFIT_BINS 512

struct bestfit_state {
	/* Tree of the larger blocks. */
	csc_word root;

	/*
	 * By size in units.  `bf`: the newest of a list, and its end, from which the last one is
	 * taken. `aobf`: the block with the lowest address, and the root of a tree by address.
	 */
	csc_word firsts[BESTFIT_BINS];
	csc_word others[BESTFIT_BINS];

	/* One bit for each size of which there is a block. */
	uint64_t masks[BESTFIT_BINS / 64];
};

struct firstfit_state {
	/* Tree of the carriers that are employed. */
	csc_word root;

	/* A carrier of 4 GiB or more was employed once: tree.h. */
	bool has_vast;
};

union strategy_state {

	/* The only list of `af`. */
	csc_word first;

	struct goodfit_state goodfit;
	struct bestfit_state bestfit;
	struct firstfit_state firstfit;
};

/* Prepares `instance->state` and returns the operations; settings and min_block are set. */
const struct strategy_ops *strategy_init(struct csc_instance *instance);

/* Size of a free-block node, in bytes, with the word for its footer. */
csc_word strategy_min_bytes(enum csc_strategy strategy);

extern const struct strategy_ops bestfit_ops;
extern const struct strategy_ops address_bestfit_ops;
extern const struct strategy_ops goodfit_ops;
extern const struct strategy_ops afit_ops;
extern const struct strategy_ops firstfit_ops;
extern const struct strategy_ops address_firstfit_ops;

/* goodfit.c */
void goodfit_init(struct csc_instance *instance);

#endif
