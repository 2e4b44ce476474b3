/*
 * SPDX-License-Identifier: MIT
 *
 * Messages as plain bytes: what a packer (packer.h) makes of Babeltrace's messages, and an intake
 * (intake.h) turns into rows, perhaps in another thread.  Nothing of Babeltrace is needed to read
 * them.
 *
 * A record is 8-byte aligned and begins with struct packed; texts end in '\0' and are found by
 * their offset from the begin of the record.
 */
#ifndef CSC_PACKED_H
#define CSC_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "rows.h"

struct plan;
struct stream_state;

enum packed_kind {
	/* A stream begins. */
	PACKED_STREAM,
	PACKED_PACKET,
	PACKED_PACKET_END,
	PACKED_LOSS,
	PACKED_EVENT,
	/* What stopped the packer there; nothing comes behind it. */
	PACKED_FAILURE,
};

/* Bits of struct packed.flags. */
enum packed_flag {
	/* Of an event: its context is another than that of the stream's latest; it is there. */
	PACKED_NEW_CONTEXT = 1,
	PACKED_WITHOUT_VPID = 2,
	PACKED_WITHOUT_VTID = 4,
	PACKED_WITHOUT_PROCNAME = 8,
	/* Of a loss. */
	PACKED_IS_PACKETS = 16,
	PACKED_HAS_COUNT = 32,
};

/* The head of each record. */
struct packed {
	/* Of the whole record; a multiple of 8. */
	uint32_t bytes;

	/* enum packed_kind, and enum packed_flag. */
	uint16_t kind;
	uint16_t flags;

	/* Its place in time, ns since the Unix epoch: that of the stream's record before if it has
	 * none, INT64_MIN if there is none; of an event: when it was. */
	int64_t order_ns;

	/* Lives as long as its packer. */
	struct stream_state *stream;
};

/* PACKED_PACKET, PACKED_PACKET_END, PACKED_LOSS: ns since the epoch; ROW_NULL: not known. */
struct packed_span {
	struct packed head;
	int64_t begin_ns;
	int64_t end_ns;

	/* Of a loss. */
	uint64_t count;
};

struct packed_event {
	struct packed head;

	/* Lives as long as its packer. */
	struct plan *plan;

	/* Of struct packed_context; 0: none. */
	uint32_t context;

	/* Of the first struct packed_leaf, and how many there are. */
	uint32_t leaves;
	uint32_t leaf_count;

	/* Bit i: value i is 2^63 or more, or INT64_MIN; its 64 bits are there. */
	uint32_t out_of_range;

	/* The fields of the plan's model; a text: its offset. */
	int64_t values[];
};

struct packed_context {
	int64_t vpid;
	int64_t vtid;

	/* Offset of a text; 0: none. */
	uint64_t procname;
};

/* A value of a field that no model has, or why some are left out. */
struct packed_leaf {
	/* The whole of it, with its texts. */
	uint32_t bytes;

	/* Offsets from the begin of the leaf.  name 0: `text` is the sentence of a problem. */
	uint32_t name;
	uint32_t text;

	/* The kinds of struct row_any. */
	uint32_t kind;
	union {
		int64_t integer;
		double real;
	} as;
};

/* The text at an offset from the begin of a record. */
static inline const char *packed_text(const void *record, int64_t offset)
{
	return (const char *)record + offset;
}

#endif
