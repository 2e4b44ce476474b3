/* SPDX-License-Identifier: MIT */
/*
 * The one place where the core emits events.
 *
 *	EMIT(core, CSC_EVENT_CARRIER_POOL_GET, pool, (&(struct csc_otp_pool){ ... }));
 *
 * A disabled event costs the test of one bit: the values are not computed.
 */
#ifndef CSC_EMIT_H
#define CSC_EMIT_H

#include <stdint.h>

#include "memory.h"

/* Each has the name of its event in the lists of tp/. */
enum csc_event {
	/* OTP's own four; the values are those of the runtime, see SOURCES.md 5.7. */
	CSC_EVENT_CARRIER_CREATE,
	CSC_EVENT_CARRIER_DESTROY,
	CSC_EVENT_CARRIER_POOL_PUT,
	CSC_EVENT_CARRIER_POOL_GET,

	/* Ours: memory of a carrier was obtained, given back, or changed its size. */
	CSC_EVENT_CARRIER_ALLOC,
	CSC_EVENT_CARRIER_FREE,
	CSC_EVENT_CARRIER_REALLOC,

	/* Ours: a carrier that is there, sent to a listener that came late. */
	CSC_EVENT_STATE_CARRIER,

	/* Ours: what was asked of the memory seam, and what came. */
	CSC_EVENT_OS_REQUEST,

	/* Ours: what a call to the allocator did; failed: it returned nothing. */
	CSC_EVENT_BLOCK_ALLOC,
	CSC_EVENT_BLOCK_FREE,
	CSC_EVENT_BLOCK_REALLOC,
	CSC_EVENT_ALLOC_FAILURE,

	/* Ours: how the heap below is, when it refuses something and when somebody asks. */
	CSC_EVENT_HEAP_STATE,

	/* Ours: a multi-block carrier went into the pool, came out of it, or left the statistics.
	 */
	CSC_EVENT_CARRIER_MOVED,
};

#define CSC_EVENT_BIT(event) (UINT32_C(1) << (event))

/* carrier_create and carrier_destroy, in OTP's order. */
struct csc_otp_carrier {
	uint32_t allocator;
	uint32_t instance;
	uint64_t size_bytes;
	uint64_t mbc_carriers;
	uint64_t mbc_carriers_size;
	uint64_t mbc_blocks;
	uint64_t mbc_blocks_size;
	uint64_t sbc_carriers;
	uint64_t sbc_carriers_size;
	uint64_t sbc_blocks;
	uint64_t sbc_blocks_size;
};

/* carrier_pool_put (size of the carrier) and carrier_pool_get (size of the wanted block). */
struct csc_otp_pool {
	uint32_t allocator;
	uint32_t instance;
	uint64_t size_bytes;
};

enum csc_carrier_kind {
	CSC_CARRIER_MAIN,
	CSC_CARRIER_MBC,
	CSC_CARRIER_SBC,
};

enum csc_carrier_source {
	CSC_SOURCE_MSEG,
	CSC_SOURCE_SYS,
};

/* Why a carrier came, changed its size or went. */
enum csc_carrier_reason {
	/* The instance starts with it. */
	CSC_REASON_MAIN,
	/* No free block was large enough. */
	CSC_REASON_FULL,
	/* The block is too large for a multi-block carrier. */
	CSC_REASON_LARGE,
	/* A small block found no other place. */
	CSC_REASON_EMERGENCY,
	/* Its block was resized; of a new carrier: which could not be done in the old one. */
	CSC_REASON_RESIZE,
	/* Its last block has left it. */
	CSC_REASON_EMPTY,
};

struct csc_carrier_note {
	uint32_t allocator;
	uint32_t instance;
	uint64_t address;
	/* Resized: where it was before. */
	uint64_t old_address;
	uint64_t size_bytes;
	enum csc_carrier_kind kind;
	enum csc_carrier_source source;
	enum csc_carrier_reason reason;

	/* State and moved: the instance that created it, and enum csc_carrier_place. */
	uint32_t origin;
	uint32_t place;
	/* State: the blocks in it. */
	uint64_t block_count;
	uint64_t block_bytes;
};

struct csc_os_note {
	uint32_t allocator;
	uint32_t instance;
	/* enum csc_call: CSC_CALL_MSEG_ALLOC and those that follow. */
	uint32_t call;
	/* The same request in another size has failed just before. */
	uint32_t is_retry;
	uint64_t asked_bytes;
	/* 0: none beyond that of the source. */
	uint64_t alignment;
	/* 0: refused. */
	uint64_t address;
	uint64_t size_bytes;
	/* Given back or resized: what it was. */
	uint64_t old_address;
	uint64_t old_bytes;
};

struct csc_block_note {
	uint32_t allocator;
	uint32_t instance;
	uint64_t address;
	uint64_t old_address;
	/* As the caller asked. */
	uint64_t size_bytes;
};

struct csc_heap_note {
	/* What was asked for when it was refused, see csc_os_note; 0: nothing was. */
	uint64_t asked_bytes;
	uint64_t alignment;
	/* Valid during the call. */
	const struct heap_figures *figures;
};

/* listener.h: what names and options are, and what a late listener is sent. */
struct csc_listener_subject;
struct csc_name_note;
struct csc_option_note;

/* Who listens. */
struct csc_listener {
	/* Weak. */
	void *context;

	/* CSC_EVENT_BIT() of each event that is wanted; may change while threads use the core. */
	uint32_t enabled;

	void (*carrier)(void *context, enum csc_event event, const struct csc_otp_carrier *values);
	void (*pool)(void *context, enum csc_event event, const struct csc_otp_pool *values);
	void (*note)(void *context, enum csc_event event, const struct csc_carrier_note *values);
	void (*os)(void *context, enum csc_event event, const struct csc_os_note *values);
	void (*block)(void *context, enum csc_event event, const struct csc_block_note *values);
	void (*heap)(void *context, enum csc_event event, const struct csc_heap_note *values);

	/*
	 * What follows is not called by the core but by its caller, through listener.h; NULL:
	 * not wanted.
	 */
	void (*begin)(void *context, const struct csc_listener_subject *runtime);
	void (*tick)(void *context);
	void (*end)(void *context);
	void (*rest)(void *context);
	void (*next_block)(void *context, uint32_t type, uint64_t size_bytes);
	void (*name)(void *context, const struct csc_name_note *values);
	void (*option)(void *context, const struct csc_option_note *values);
	void (*work)(void *context, uint32_t kind, uint32_t scheduler);
};

/* One load, one test, one branch: whether somebody wants any of the events in `bits`. */
#define EMIT_WANTED(core, bits)                                                           \
	__builtin_expect((__atomic_load_n(&(core)->listener->enabled, __ATOMIC_RELAXED) & \
					 (bits)) != 0,                                    \
			0)

#define EMIT_ENABLED(core, event) EMIT_WANTED(core, CSC_EVENT_BIT(event))

#define EMIT(core, event, shape, values)                                                       \
	do {                                                                                   \
		if (EMIT_ENABLED(core, event)) {                                               \
			(core)->listener->shape((core)->listener->context, (event), (values)); \
		}                                                                              \
	} while (0)

#endif
