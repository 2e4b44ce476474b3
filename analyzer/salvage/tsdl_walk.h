/*
 * SPDX-License-Identifier: MIT
 *
 * Walks over the events of one packet, to find where each ends and whether they
 * can be true.
 */
#ifndef CSC_TSDL_WALK_H
#define CSC_TSDL_WALK_H

#include "tsdl.h"

enum { TSDL_SCOPE_MAX = 512 };

/* One value that was read; text is NULL unless the value is a string. */
struct tsdl_value {
	const char *name;
	uint64_t number;
	const char *text;
};

enum tsdl_step {
	TSDL_STEP_EVENT,

	/* The content ends here, where an event ends. */
	TSDL_STEP_END,

	/* No event begins here, or it does not end within the content, or its time is wrong. */
	TSDL_STEP_BAD,
};

struct tsdl_walk {
	/* Borrowed. */
	const struct tsdl *tsdl;
	const struct tsdl_stream *stream;
	const uint8_t *bytes;

	uint64_t end_bits;
	uint64_t begin_cycles;

	/* The latest time an event may have; 0 for any. */
	uint64_t last_cycles;

	/* Behind the last whole event, its class and its time. */
	uint64_t at_bits;
	const struct tsdl_event *event;
	uint64_t clock_cycles;

	/* The values of that event, of its context too; the strings point into bytes. */
	struct tsdl_value values[TSDL_SCOPE_MAX];
	size_t value_count;
	uint64_t event_id;
};

/*
 * Stands before the first event: `bytes` begin at the packet's beginning, events
 * behind front_bits, and end at content_bits.  The stream must be one of tsdl's.
 */
void tsdl_walk_init(struct tsdl_walk *walk, const struct tsdl *tsdl,
		const struct tsdl_stream *stream, const uint8_t *bytes, uint64_t front_bits,
		uint64_t content_bits, uint64_t begin_cycles, uint64_t last_cycles);

enum tsdl_step tsdl_walk_next(struct tsdl_walk *walk);

/* The number of that name in the event read last; false when it has none. */
bool tsdl_walk_number(const struct tsdl_walk *walk, const char *name, uint64_t *ret_number);

#endif
