/* SPDX-License-Identifier: MIT */
/*
 * Carriers: where their memory comes from, how large they are, how they come and go.
 * Source: facts/allocator-core.md 2, 5.5, 8.2.
 */
#ifndef CSC_CARRIER_H
#define CSC_CARRIER_H

#include <stdbool.h>

#include "instance.h"
#include "layout.h"

/* What the caller of source_obtain() needs; sizes in bytes. */
struct carrier_need {
	/* Multi-block: aligned to the carrier unit. */
	bool is_multi;

	/* From one source only; from sys_alloc only in the exact size. */
	bool has_sys_forced;
	bool has_mseg_forced;
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

/* Says what was asked of the memory seam and what came; `old` may be NULL. */
void emit_os_request(const struct csc_instance *instance, enum csc_call call, uint64_t asked_bytes,
		uint64_t alignment, bool is_retry, struct csc_extent got,
		const struct csc_extent *old);

/* Rounds as `ycs` says; 0: too large. */
csc_word source_round_sys(const struct csc_instance *instance, csc_word bytes);

/* Rounds up to a multiple of the carrier unit; 0: too large. */
csc_word source_round_unit(const struct csc_instance *instance, csc_word bytes);

/* Gives the memory of a carrier back. */
void source_return(struct csc_instance *instance, csc_word address);

/* Appends at the end. */
void carrier_list_append(const struct csc_core *core, struct carrier_list *list, csc_word address);
void carrier_list_remove(const struct csc_core *core, struct carrier_list *list, csc_word address);

/* Adds a carrier to a group and raises the maxima, or takes it away. */
void group_add_carrier(
		struct carrier_group *group, enum csc_carrier_source source, csc_word size_bytes);
void group_take_carrier(
		struct carrier_group *group, enum csc_carrier_source source, csc_word size_bytes);

/*
 * Creates (or fetches from the pool) a multi-block carrier that has room for a block for a
 * *request* of `bytes`.  Returns a free block of at least that size, unlinked; 0: no memory.
 */
csc_word carrier_create(struct csc_instance *instance, csc_word bytes);

/* Creates the main carrier of an instance; its block is linked.  False: no memory. */
bool carrier_create_main(struct csc_instance *instance);

/* Destroys the carrier, all of which is one unlinked block. */
void carrier_destroy(struct csc_instance *instance, csc_word address);

/* Says carrier_create or carrier_destroy with the figures of now. */
void emit_carrier(struct csc_instance *instance, enum csc_event event, csc_word size_bytes);

/* Recomputes the limit below which the instance may abandon carriers. */
void carrier_update_limit(struct csc_instance *instance);

/* Share of x in percent, as the runtime computes it. */
uint64_t carrier_share(uint64_t x, uint64_t percent);

/* Where the memory of a single-block carrier may come from. */
enum single_source {
	SINGLE_ANY,
	SINGLE_SYS,
	SINGLE_MSEG,
	/* From sys_alloc, in the exact size: a small block that found no other place. */
	SINGLE_EMERGENCY,
};

/* Single-block carriers.  Blocks are addresses of block headers; 0: no memory. */
csc_word single_create(struct csc_instance *instance, csc_word bytes, enum single_source source);
void single_destroy(struct csc_instance *instance, csc_word block);
/* The block for a request of `bytes`, moved or not, in a carrier of the right size. */
csc_word single_resize(struct csc_instance *instance, csc_word block, csc_word bytes);

#endif
