/*
 * SPDX-License-Identifier: MIT
 *
 * Reads CTF 1.8 metadata (TSDL) far enough to know where each event of a packet
 * begins and ends.  It reads what LTTng writes; of metadata it does not
 * understand it yields how far it came.
 */
#ifndef CSC_TSDL_H
#define CSC_TSDL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tsdl_layout.h"

struct tsdl;

/*
 * Reads as many whole declarations as it can from the beginning of `text`.
 * *ret_good_bytes is the length of the part read; it is text_bytes when all of
 * it was understood (a tail of blanks and comments counts as understood).
 * The text need not outlive the call.  False means out of memory.
 */
bool tsdl_read(const char *text, size_t text_bytes, struct tsdl **ret_tsdl, size_t *ret_good_bytes);
void tsdl_destroy(struct tsdl *tsdl);

/* These yield NULL when the metadata does not have it. */
const struct tsdl_stream *tsdl_stream_find(const struct tsdl *tsdl, uint64_t stream_id);
const struct tsdl_event *tsdl_event_find(
		const struct tsdl *tsdl, uint64_t stream_id, uint64_t event_id);
const struct tsdl_event *tsdl_event_find_name(
		const struct tsdl *tsdl, uint64_t stream_id, const char *name);
const struct tsdl_clock *tsdl_clock_borrow(const struct tsdl *tsdl);
const struct tsdl_type *tsdl_packet_header_borrow(const struct tsdl *tsdl);

/* The trace's UUID as text, NULL when it has none. */
const char *tsdl_uuid_borrow(const struct tsdl *tsdl);

size_t tsdl_stream_count(const struct tsdl *tsdl);
bool tsdl_is_big_endian(const struct tsdl *tsdl);

/*
 * Whether every packet of the trace begins with LTTng's front, as
 * ctf_packet.h has it, and how many bytes its `unsigned long` takes.
 */
bool tsdl_has_lttng_front(const struct tsdl *tsdl, size_t *ret_long_bytes);

#endif
