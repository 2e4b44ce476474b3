/* SPDX-License-Identifier: MIT */
/*
 * The one place where the core speaks of what it does.
 *
 *	EMIT(core, CSC_EVENT_POOL_GET, pool, { .instance = ..., .size_bytes = ... });
 *
 * A disabled event costs the test of one bit: the values are not computed.
 */
#ifndef CSC_EMIT_H
#define CSC_EMIT_H

#include <stdint.h>

enum csc_event {
	/* OTP's own four; the values are those of the runtime, see facts/allocator-core.md 5.7. */
	CSC_EVENT_CARRIER_CREATE,
	CSC_EVENT_CARRIER_DESTROY,
	CSC_EVENT_POOL_PUT,
	CSC_EVENT_POOL_GET,

	/* Ours: memory of a carrier was obtained, given back, or changed its size. */
	CSC_EVENT_CARRIER_BORN,
	CSC_EVENT_CARRIER_GONE,
	CSC_EVENT_CARRIER_RESIZED,

	/* Ours: what a call to the allocator did. */
	CSC_EVENT_BLOCK_ALLOC,
	CSC_EVENT_BLOCK_FREE,
	CSC_EVENT_BLOCK_REALLOC,
	CSC_EVENT_FAILED,
};

#define CSC_EVENT_BIT(event) (UINT32_C(1) << (event))

/* carrier_create and carrier_destroy, in OTP's order. */
struct csc_otp_carrier {
	uint32_t allocator;
	uint32_t instance;
	uint64_t size_bytes;
	uint64_t mbc_carriers;
	uint64_t mbc_carriers_bytes;
	uint64_t mbc_blocks;
	uint64_t mbc_blocks_bytes;
	uint64_t sbc_carriers;
	uint64_t sbc_carriers_bytes;
	uint64_t sbc_blocks;
	uint64_t sbc_blocks_bytes;
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

struct csc_carrier_note {
	uint32_t allocator;
	uint32_t instance;
	uint64_t address;
	/* Resized: where it was before. */
	uint64_t old_address;
	uint64_t size_bytes;
	enum csc_carrier_kind kind;
	enum csc_carrier_source source;
};

struct csc_block_note {
	uint32_t allocator;
	uint32_t instance;
	uint64_t address;
	uint64_t old_address;
	/* As the caller asked. */
	uint64_t size_bytes;
};

/* Who listens. */
struct csc_listener {
	/* Weak. */
	void *context;

	/* CSC_EVENT_BIT() of each event that is wanted. */
	uint32_t enabled;

	void (*carrier)(void *context, enum csc_event event, const struct csc_otp_carrier *values);
	void (*pool)(void *context, enum csc_event event, const struct csc_otp_pool *values);
	void (*note)(void *context, enum csc_event event, const struct csc_carrier_note *values);
	void (*block)(void *context, enum csc_event event, const struct csc_block_note *values);
};

#define EMIT_ENABLED(core, event) \
	__builtin_expect(((core)->listener->enabled & CSC_EVENT_BIT(event)) != 0, 0)

#define EMIT(core, event, shape, values)                                                       \
	do {                                                                                   \
		if (EMIT_ENABLED(core, event)) {                                               \
			(core)->listener->shape((core)->listener->context, (event), (values)); \
		}                                                                              \
	} while (0)

#endif
