/*
 * SPDX-License-Identifier: MIT
 *
 * What a damaged trace lost.
 */
#ifndef CSC_SALVAGE_LOSS_H
#define CSC_SALVAGE_LOSS_H

#include <stdbool.h>
#include <stdint.h>

enum salvage_loss_kind {
	/* Bytes without a sound packet front. */
	SALVAGE_HEADER_DAMAGED,

	/* The file ends inside a packet, or before packets that the index lists. */
	SALVAGE_PACKET_CUT,

	/* The events of a packet do not decode. */
	SALVAGE_PACKET_UNDECODABLE,

	/* A stream file of 0 bytes. */
	SALVAGE_STREAM_EMPTY,

	/* The metadata was made anew or taken from a sibling: nothing is lost but certainty. */
	SALVAGE_METADATA_REMADE,

	/* A file that is no stream of this trace. */
	SALVAGE_FOREIGN_FILE,

	/* The index does not agree with the stream; it is not used. */
	SALVAGE_INDEX_WRONG,

	/* A whole trace that nothing could be made of. */
	SALVAGE_TRACE_LOST,
};

struct salvage_loss {
	enum salvage_loss_kind kind;

	/* The input file, and the range of it that is not loaded. */
	const char *file;
	uint64_t offset_bytes;
	uint64_t length_bytes;

	/*
	 * When the lost events happened: not before, not after; nanoseconds since
	 * the epoch, or of the clock when the clock's offset is not known.  Where
	 * nothing better is known an end is that of the trace.
	 */
	bool has_interval;
	int64_t begin_ns;
	int64_t end_ns;

	/* Packets lost in whole or in part; 0 when none is missing or it is not known. */
	uint64_t packets;

	/*
	 * The reader sees the same gap in the packets' numbers and sends a message of
	 * discarded packets for it: count that one, and not this record.  False for
	 * packets lost in part and at either end of a stream, where the reader sees
	 * nothing and this record is the one that counts.
	 */
	bool is_seen_by_reader;

	/* For a human; lower case, no full stop. */
	const char *sentence;
};

#endif
