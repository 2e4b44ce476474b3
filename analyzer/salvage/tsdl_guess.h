/*
 * SPDX-License-Identifier: MIT
 *
 * A guess at the metadata of a trace that lost its own, and its text.
 */
#ifndef CSC_TSDL_GUESS_H
#define CSC_TSDL_GUESS_H

#include <stdbool.h>
#include <stdint.h>

#include "ctf_packet.h"
#include "tsdl.h"

/* Carrier events, numbered in the order of the list: create, destroy, put, get. */
enum { CREATE, DESTROY, PUT, GET, EVENT_COUNT };

/* What one stream is guessed to be. */
struct guess {
	uint32_t stream_id;
	bool is_compact;
	const char *shape;

	/* vtid stands before vpid, or alone. */
	bool is_vtid_first;

	/* The event of each id, and whether the metadata that is left has it. */
	unsigned int event[EVENT_COUNT];
	bool is_fixed[EVENT_COUNT];
};

/* Full name of a carrier event by its number. */
const char *tsdl_guess_event_name(unsigned int event);

/* Its fields as TSDL. */
const char *tsdl_guess_event_fields(unsigned int event);

/*
 * Writes one stream without events, and all that stands before it; the clock is that of
 * `base`, which may be NULL.  The caller frees it; NULL: out of memory.
 */
char *tsdl_guess_print_stream(const struct ctf_format *format, const struct tsdl *base,
		const struct guess *guess);

/*
 * Writes the guesses as TSDL, behind what is left of the trace's own metadata
 * (`base`, which may be NULL).  The caller frees it; NULL: out of memory.
 */
char *tsdl_guess_print(const struct ctf_format *format, const struct tsdl *base,
		const char *base_text, size_t base_bytes, const struct guess *guesses,
		size_t guess_count);

#endif
