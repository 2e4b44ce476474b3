/* SPDX-License-Identifier: MIT */
/*
 * The allocator core, as its users see it: instances of alloc_util allocators over a target's
 * memory.
 *
 * A user makes one struct csc_core (core.h), then instances in memory of its own
 * (csc_instance_bytes() each).  Threads: one instance is used by one thread at a time.
 */
#ifndef CSC_CSC_H
#define CSC_CSC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core.h"
#include "settings.h"

/* Types that may have a list of freed objects. */
#define CSC_FIX_TYPES_MAX 16

/* Calls that are counted, in the order in which the runtime reports them. */
enum csc_call {
	CSC_CALL_ALLOC,
	CSC_CALL_FREE,
	CSC_CALL_REALLOC,
	CSC_CALL_MSEG_ALLOC,
	CSC_CALL_MSEG_DEALLOC,
	CSC_CALL_MSEG_REALLOC,
	CSC_CALL_SYS_ALLOC,
	CSC_CALL_SYS_FREE,
	CSC_CALL_SYS_REALLOC,
	CSC_CALLS,
};

/* What an instance counts when it looks for a carrier in the pool. */
enum csc_pool_counter {
	CSC_POOL_FETCH,
	CSC_POOL_FAIL_POOLED,
	CSC_POOL_FAIL_SHARED,
	CSC_POOL_FAIL_PENDING,
	CSC_POOL_FAIL,
	CSC_POOL_SKIP_SIZE,
	CSC_POOL_SKIP_BUSY,
	CSC_POOL_SKIP_NOT_POOLED,
	CSC_POOL_SKIP_HOMECOMING,
	CSC_POOL_SKIP_RACE,
	CSC_POOL_ENTRANCE_REMOVED,
	CSC_POOL_COUNTERS,
};

/* How an instance is made. */
struct csc_instance_config {
	struct csc_settings settings;

	/* Number of the allocator type, 1 to core->types. */
	uint32_t type;

	/* Index among the instances of its allocator, as events say it. */
	uint32_t index;

	/* Segment instance of its thread. */
	uint32_t mseg;

	/* Carriers migrate among instances that name the same pool: `cp`; 0: those of its type. */
	char pool;

	/* Blocks may be freed and resized by other instances of the same core. */
	bool is_thread_preferred;

	/* A lock guards it; such an instance takes no part in carrier migration. */
	bool is_thread_safe;

	/* Carriers come from the area for literals and native code, and from nowhere else. */
	bool has_own_area;

	/* Sizes of this build, in bytes; 0: computed from the generation. */
	uint64_t mbc_header;
	uint64_t min_block;

	/* Object sizes of the fixed-size types, in bytes. */
	uint64_t fix_bytes[CSC_FIX_TYPES_MAX];
	uint32_t fix_count;
};

/* Now, maximum of the period, maximum ever. */
struct csc_figure {
	uint64_t now;
	uint64_t max;
	uint64_t ever;
};

struct csc_group_statistics {
	struct csc_figure blocks;
	struct csc_figure blocks_bytes;
	struct csc_figure carriers;
	struct csc_figure carriers_bytes;
	uint64_t mseg_carriers;
	uint64_t mseg_carriers_bytes;
	uint64_t sys_carriers;
	uint64_t sys_carriers_bytes;
};

struct csc_statistics {
	/* Whose they are: as in its configuration. */
	uint32_t type;
	uint32_t index;

	struct csc_group_statistics mbcs;
	struct csc_group_statistics sbcs;

	/* The instance takes part in carrier migration: the pool figures mean something. */
	bool has_pool;
	uint64_t pool_carriers;
	uint64_t pool_carriers_bytes;
	uint64_t pool_blocks;
	uint64_t pool_blocks_bytes;
	uint64_t pool_counters[CSC_POOL_COUNTERS];

	uint64_t calls[CSC_CALLS];
};

/* Blocks of one type in one kind of carrier. */
struct csc_type_statistics {
	struct csc_figure blocks;
	struct csc_figure blocks_bytes;
};

struct csc_fix_statistics {
	int64_t allocated;
	int64_t used;
	uint64_t length;
};

/* What may be done with the fix lists from time to time. */
enum csc_fix_visit {
	/* Gives back everything. */
	CSC_FIX_FLUSH,
	/* A period is over. */
	CSC_FIX_TICK,
	/* Goes on with what a tick has left. */
	CSC_FIX_CONTINUE,
};

enum csc_carrier_place {
	CSC_PLACE_USED,
	CSC_PLACE_POOL,
	CSC_PLACE_PENDING,
};

/* One carrier. */
struct csc_carrier_view {
	uint64_t size_bytes;
	/* Offset of the first block, in bytes. */
	uint64_t first;
	enum csc_carrier_kind kind;
	enum csc_carrier_source source;
	enum csc_carrier_place place;
	/* Instance indices. */
	uint32_t owner;
	uint32_t origin;
};

struct csc_block_view {
	/* Header included. */
	uint64_t size_bytes;
	bool is_free;
	bool is_last;
};

/* Where a block lies. */
struct csc_block_place {
	uint64_t carrier;
	/* Of the block, from the carrier. */
	uint64_t offset;
	uint64_t size_bytes;
};

/* Size of the memory for one instance. */
size_t csc_instance_bytes(void);

/*
 * Makes an instance and its main carrier in memory of the caller.  Returns false when the main
 * carrier cannot be had or the core has no room for another instance.
 */
bool csc_instance_init(struct csc_instance *instance, struct csc_core *core,
		const struct csc_instance_config *config);

/*
 * Allocation in the name of `instance`; addresses are those of user memory, 0 is none.  For a
 * thread-preferred instance `user` may belong to any other such instance of the core; to others
 * only their own blocks may be given.
 */
uint64_t csc_alloc(struct csc_instance *instance, uint64_t bytes);
uint64_t csc_realloc(struct csc_instance *instance, uint64_t user, uint64_t bytes);
void csc_free(struct csc_instance *instance, uint64_t user);

/* An object of fixed-size type `index`, as in csc_instance_config.fix_bytes. */
uint64_t csc_fix_alloc(struct csc_instance *instance, uint32_t index);
void csc_fix_free(struct csc_instance *instance, uint32_t index, uint64_t user);
/* Returns true while work remains. */
bool csc_fix_visit(struct csc_instance *instance, enum csc_fix_visit visit);
/* Below CSC_FIX_TYPES_MAX; of a type that it has not: zeroes. */
void csc_fix_statistics(const struct csc_instance *instance, uint32_t index,
		struct csc_fix_statistics *ret_statistics);

/*
 * Another `sbct` from now on, in bytes.  False, and nothing changes: less than 4000, or the
 * strategy is gf; see csc_settings.sbct.
 */
bool csc_instance_set_sbct(struct csc_instance *instance, uint64_t bytes);

/* Processes all that is queued, safe or not; returns whether there was anything. */
bool csc_instance_drain(struct csc_instance *instance);

/*
 * While `is_kept`, the instance abandons no carrier; afterwards it does so again when as many
 * blocks have gone as after a new carrier.
 */
void csc_instance_keep_carriers(struct csc_instance *instance, bool is_kept);

/* Gives back all carriers that wait for destruction and whose time has come. */
void csc_instance_release(struct csc_instance *instance);

/* The figures of now; `is_new_period`: maxima start again from here. */
void csc_instance_statistics(struct csc_instance *instance, bool is_new_period,
		struct csc_statistics *ret_statistics);

/*
 * Blocks that count as allocator type `type` in carriers of a kind (main ones are multi-block
 * carriers); `ever` is as of the last csc_instance_statistics().
 */
void csc_instance_blocks(const struct csc_instance *instance, enum csc_carrier_kind kind,
		uint32_t type, struct csc_type_statistics *ret_statistics);

/* The same in carriers of the instance that are in the pool: only `now` means something. */
void csc_instance_pool_blocks(const struct csc_instance *instance, uint32_t type,
		struct csc_type_statistics *ret_statistics);

/* Emits every carrier of the instance to the listener, pooled and waiting ones included. */
void csc_instance_emit_carriers(const struct csc_instance *instance);

/* The carrier that starts at `address`. */
void csc_carrier_view(
		const struct csc_core *core, uint64_t address, struct csc_carrier_view *ret_view);

/* The block at `address`, which is the one of its header. */
void csc_block_view(const struct csc_core *core, uint64_t address, struct csc_block_view *ret_view);

/* Where the allocated block with this user address lies. */
void csc_block_place(const struct csc_core *core, uint64_t user, struct csc_block_place *ret_place);

/* Walks everything the instance has: for tests and checked builds. */
bool csc_instance_is_valid(const struct csc_instance *instance);

#endif
