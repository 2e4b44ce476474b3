/* SPDX-License-Identifier: MIT */
/*
 * The core as a table of functions, one for each word size of the target: for programs that learn
 * the word size only when they run.  What the functions do: csc.h and core.h.
 *
 * The structs of one build mean nothing to the other: they are to be treated as opaque, in memory
 * of the sizes given here.
 */
#ifndef CSC_API_H
#define CSC_API_H

#include "csc.h"

struct csc_api {
	/* 4 or 8. */
	uint32_t word_bytes;
	size_t core_bytes;
	size_t instance_bytes;

	void (*core_init)(struct csc_core *core, const struct csc_generation *generation,
			const struct csc_memory *memory, const struct csc_listener *listener,
			struct csc_instance **instances, uint32_t room);
	void (*core_share)(struct csc_core *core, const struct csc_sync *sync);
	void (*core_progress)(struct csc_core *core);
	bool (*instance_init)(struct csc_instance *instance, struct csc_core *core,
			const struct csc_instance_config *config);
	uint64_t (*alloc)(struct csc_instance *instance, uint64_t bytes);
	uint64_t (*realloc)(struct csc_instance *instance, uint64_t block, uint64_t bytes);
	void (*free)(struct csc_instance *instance, uint64_t block);
	uint64_t (*fix_alloc)(struct csc_instance *instance, uint32_t fix);
	void (*fix_free)(struct csc_instance *instance, uint32_t fix, uint64_t block);
	bool (*fix_visit)(struct csc_instance *instance, enum csc_fix_visit visit);
	void (*fix_statistics)(const struct csc_instance *instance, uint32_t fix,
			struct csc_fix_statistics *ret_statistics);
	void (*emit_carriers)(const struct csc_instance *instance);
	bool (*set_sbct)(struct csc_instance *instance, uint64_t bytes);
	bool (*drain)(struct csc_instance *instance);
	void (*keep_carriers)(struct csc_instance *instance, bool is_kept);
	void (*release)(struct csc_instance *instance);
	void (*statistics)(struct csc_instance *instance, bool is_new_period,
			struct csc_statistics *ret_statistics);
	void (*blocks)(const struct csc_instance *instance, enum csc_carrier_kind kind,
			uint32_t type, struct csc_type_statistics *ret_statistics);
	void (*pool_blocks)(const struct csc_instance *instance, uint32_t type,
			struct csc_type_statistics *ret_statistics);
	void (*carrier_view)(const struct csc_core *core, uint64_t address,
			struct csc_carrier_view *ret_view);
	void (*block_view)(const struct csc_core *core, uint64_t address,
			struct csc_block_view *ret_view);
	void (*block_place)(const struct csc_core *core, uint64_t block,
			struct csc_block_place *ret_place);
	bool (*is_valid)(const struct csc_instance *instance);
};

extern const struct csc_api csc_api_word8;
extern const struct csc_api csc_api_word4;

/* NULL: no such word size. */
static inline const struct csc_api *csc_api_find(uint32_t word_bytes)
{
	if (word_bytes == 8) {
		return &csc_api_word8;
	}
	return word_bytes == 4 ? &csc_api_word4 : NULL;
}

#endif
