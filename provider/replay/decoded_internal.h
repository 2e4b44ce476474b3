/* SPDX-License-Identifier: MIT */
/* Decoded calls, for those that make them, cut them or go through them. */
#ifndef CSC_DECODED_INTERNAL_H
#define CSC_DECODED_INTERNAL_H

#include "decoded.h"

/* Larger blocks cannot be: addresses have 48 bits. */
#define BYTES_BITS 48

/* What has no slot of its own: a block that the replay does not have. */
#define NO_BLOCK 1

/* A type whose number does not fit. */
#define NO_TYPE UINT16_MAX

struct packed_step {
	int64_t ts_ns;
	uint64_t bytes : BYTES_BITS;
	uint64_t scheduler : 64 - BYTES_BITS;

	/* Slots; 0: none. */
	uint32_t made;
	uint32_t ended;
	uint32_t other_ended;
	uint16_t type;
	uint8_t kind;
	uint8_t is_new;
};
_Static_assert(sizeof(struct packed_step) == 32, "what decoded.h says of memory");

struct decoded_type {
	uint32_t number;
	uint64_t bytes;
	char name[64];
	char allocator[32];
};

/* Owned mapping, or a copy of another list. */
struct step_list {
	struct packed_step *steps;
	size_t count;
	size_t mapped_bytes;
};

struct decoded {
	struct step_list whole;
	struct step_list part;

	/* Which of the two is given, and the next step in it. */
	struct step_list now;
	size_t at;
	uint32_t slots;

	/* The last slot of a block of the start. */
	uint32_t start_slots;

	struct decoded_type *types;
	size_t type_count;
};

/* Whether there is a next step. */
static inline bool decoded_next(struct decoded *decoded, struct recording_step *ret_step)
{
	const struct packed_step *step;

	if (decoded->at == decoded->now.count) {
		return false;
	}
	step = &decoded->now.steps[decoded->at++];
	*ret_step = (struct recording_step){
		.kind = (enum recording_kind)step->kind,
		.ts_ns = step->ts_ns,
		.scheduler = (uint32_t)step->scheduler,
		.type = step->type == NO_TYPE ? UINT32_MAX : step->type,
		.bytes = step->bytes,
		.row = step->made,
		.ended = step->ended,
		.other_ended = step->other_ended,
		.is_new = step->is_new != 0,
	};
	return true;
}

/* Room for so many steps; pages that are not written take no memory. */
enum csc_status decoded_make_room(
		struct step_list *list, size_t steps, uint64_t memory_bytes, struct diag *diag);
void decoded_unmap(struct step_list *list);

#endif
