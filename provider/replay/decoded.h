/* SPDX-License-Identifier: MIT */
/*
 * The calls of a recording in memory, read from the database once and replayed any number of times.
 *
 * A call takes 32 bytes.  Rows of block_event that made a block are renamed to slots, which are
 * used again when the block is gone, so that what a player looks up fits into a processor's caches.
 * A large recording goes into a file that has no name any more; either way processes that are
 * forked share it.
 */
#ifndef CSC_DECODED_H
#define CSC_DECODED_H

#include <stddef.h>
#include <stdint.h>

#include "recording.h"
#include "start_state.h"

struct decoded;

/* Bytes of calls from which on they are in a file. */
#define DECODED_MEMORY_BYTES (UINT64_C(1) << 30)

/*
 * Reads all calls within the limits of the recording.  From then on recording_next() gives them
 * from memory, and rows of steps, of recording_facts() and of `start` are slots.  `start`: blocks
 * that are there before the first call, whose rows are renamed; NULL: none.  `memory_bytes`: see
 * above.
 */
enum csc_status recording_decode(struct recording *recording, struct start_state *start,
		uint64_t memory_bytes, struct diag *diag);

/*
 * Cuts the decoded calls into `parts` of equally many and takes one, from 0 on: what the calls
 * before it have left is made at once, when it begins.  An earlier cut is gone.
 */
enum csc_status recording_cut(struct recording *recording, uint32_t part, uint32_t parts,
		uint64_t memory_bytes, struct diag *diag);

/* From now on recording_next() gives the part, or all of the decoded calls. */
void recording_choose_cut(struct recording *recording, bool is_cut);

/* How many steps were given since it was rewound, and when the last of them was. */
uint64_t recording_position(const struct recording *recording);
int64_t recording_now(const struct recording *recording);

struct recording_span {
	uint64_t steps;
	int64_t first_ns;
	int64_t last_ns;
};

/* Of what recording_next() gives, once it is decoded. */
void recording_span(const struct recording *recording, struct recording_span *ret_span);

/* What follows is for recording.c. */

/* Number of slots; they begin with 1. */
uint32_t decoded_slots(const struct decoded *decoded);

/* As recording_types(), of what was read. */
void decoded_types(const struct decoded *decoded, void *context, recording_take_type *take);

/* NULL is none. */
void decoded_destroy(struct decoded *decoded);

#endif
