/* SPDX-License-Identifier: MIT */
/*
 * Memory of the node that is there because it is recorded.
 */
#ifndef CSC_BEAM_OWN_MEMORY_H
#define CSC_BEAM_OWN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes. */
struct own_memory {
	/* LTTng's ring buffers, mapped into this process, of all sessions and providers. */
	uint64_t buffers_mapped;

	/* Of these, what is in memory and counts as this process's; not known on some kernels. */
	bool has_buffers;
	uint64_t buffers;

	/* In memory, of what this library has made: the set of sampled blocks, and variables. */
	uint64_t tables;
};

/*
 * Reads the list of mappings, and one bit for each page of those that are buffers; not the pages of
 * others, as /proc/self/smaps would.  Calls no allocator.  False: the system does not say.
 */
bool own_memory_read(struct own_memory *ret_memory);

#endif
