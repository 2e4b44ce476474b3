/*
 * SPDX-License-Identifier: MIT
 *
 * The order of messages of several streams, that of Babeltrace's muxer: by time; of one moment by
 * the trace's UUID, the class of the stream and its number.
 */
#ifndef CSC_STREAM_ORDER_H
#define CSC_STREAM_ORDER_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

/* Of a stream; the same in each graph that reads it. */
struct stream_rank {
	/* All zeroes: the trace has none. */
	uint8_t uuid[16];
	uint64_t class_id;
	uint64_t id;
};

struct stream_rank stream_rank_of(const bt_stream *stream);

/* Below 0: `left` comes first; 0: as it comes. */
int stream_rank_compare(const struct stream_rank *left, const struct stream_rank *right);

/* Where the messages of a merge are: place in time, and rank of the stream. */
static inline bool stream_order_is_before(int64_t left_ns, const struct stream_rank *left,
		int64_t right_ns, const struct stream_rank *right)
{
	return left_ns != right_ns ? left_ns < right_ns : stream_rank_compare(left, right) < 0;
}

/* Whether the events of a stream have times. */
bool stream_has_clock(const bt_stream *stream);

/*
 * The place of a message in time; `before_ns`: that of the message before it in its stream, which
 * is the place of one that has no clock snapshot.  has_clock: its stream is known to have one.
 */
int64_t message_order_ns(const bt_message *message, bool has_clock, int64_t before_ns);

/* The stream of a message; NULL: it is of none. */
const bt_stream *message_stream(const bt_message *message);

#endif
