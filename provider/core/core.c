/* SPDX-License-Identifier: MIT */
/* What all instances of one runtime share. */
#include "core.h"

#include <string.h>

#include "contract.h"
#include "layout.h"

/* Source: SOURCES.md 2.1, 2.2, 13; of 27 and 29 the emulators 27.3.4 and 29.1.2. */
static const struct csc_generation generations[] = {
	{ .name = "24rc0",
			.release = 2400,
			.unit_bits = 18,
			.types = 13,
			.tag_words = 1,
			.has_common_pool = 1 },
	{ .name = "24.0.1", .release = 2401, .unit_bits = 14, .types = 12, .tag_words = 1 },
	{ .name = "25",
			.release = 2500,
			.unit_bits = 14,
			.types = 12,
			.header_extra_words = 1,
			.tag_words = 1 },
	{ .name = "27",
			.release = 2700,
			.unit_bits = 14,
			.types = 12,
			.header_extra_words = 1,
			.tag_words = 2 },
	{ .name = "28",
			.release = 2800,
			.unit_bits = 14,
			.types = 12,
			.header_extra_words = 1,
			.tag_words = 2,
			.has_madtn = 1 },
	{ .name = "29",
			.release = 2900,
			.unit_bits = 14,
			.types = 12,
			.header_extra_words = 1,
			.tag_words = 2,
			.has_madtn = 1 },
};

const struct csc_generation *csc_generation_find(const char *name)
{
	for (size_t i = 0; i < sizeof(generations) / sizeof(generations[0]); i++) {
		if (strcmp(name, generations[i].name) == 0) {
			return &generations[i];
		}
	}
	return NULL;
}

/* Nobody. */
static const struct csc_listener silence = { 0 };

void csc_core_init(struct csc_core *core, const struct csc_generation *generation,
		const struct csc_memory *memory, const struct csc_listener *listener,
		struct csc_instance **instances, uint32_t room)
{
	CSC_ASSERT(generation && memory && memory->page_bytes > 0 && room > 0);
	CSC_ASSERT(generation->types < CSC_TYPES_MAX);
	*core = (struct csc_core){
		.bias = (uintptr_t)memory->bias,
		.memory = memory,
		.listener = listener ? listener : &silence,
		.unit_bits = CSC_WORD_BYTES == 8 ? generation->unit_bits : 18,
		.types = generation->types,
		.tag_bytes = generation->tag_words * CSC_WORD_BYTES,
		.fit_offset = CARRIER_ARRAYS + 2 * (csc_word)generation->types * BLOCK_HEADER +
				(csc_word)generation->header_extra_words * CSC_WORD_BYTES,
		.instances = instances,
		.instance_count = 1,
		.instance_room = room,
		.has_common_pool = generation->has_common_pool,
	};
	instances[0] = NULL;
}

void csc_core_share(struct csc_core *core, const struct csc_sync *sync)
{
	core->sync = sync;
}

void csc_core_progress(struct csc_core *core)
{
	__atomic_add_fetch(&core->progress, 1, __ATOMIC_ACQ_REL);
}
