/*
 * SPDX-License-Identifier: MIT
 */
#include "stream_order.h"

#include <string.h>

struct stream_rank stream_rank_of(const bt_stream *stream)
{
	const bt_trace *trace = bt_stream_borrow_trace_const(stream);
	struct stream_rank rank = {
		.class_id = bt_stream_class_get_id(bt_stream_borrow_class_const(stream)),
		.id = bt_stream_get_id(stream),
	};
	bt_uuid uuid = NULL;

#ifdef CSC_HAS_MIP_1
	/* Messages of version 1 have no UUID to ask for. */
	if (bt_trace_class_get_graph_mip_version(bt_trace_borrow_class_const(trace)) == 0) {
		uuid = bt_trace_get_uuid(trace);
	}
#else
	uuid = bt_trace_get_uuid(trace);
#endif
	if (uuid) {
		memcpy(rank.uuid, uuid, sizeof(rank.uuid));
	}

	return rank;
}

int stream_rank_compare(const struct stream_rank *left, const struct stream_rank *right)
{
	int order = memcmp(left->uuid, right->uuid, sizeof(left->uuid));

	if (order != 0) {
		return order;
	}

	if (left->class_id != right->class_id) {
		return left->class_id < right->class_id ? -1 : 1;
	}

	return left->id < right->id ? -1 : left->id > right->id;
}

const bt_stream *message_stream(const bt_message *message)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		return bt_event_borrow_stream_const(bt_message_event_borrow_event_const(message));
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		return bt_message_stream_beginning_borrow_stream_const(message);
	case BT_MESSAGE_TYPE_STREAM_END:
		return bt_message_stream_end_borrow_stream_const(message);
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		return bt_packet_borrow_stream_const(
				bt_message_packet_beginning_borrow_packet_const(message));
	case BT_MESSAGE_TYPE_PACKET_END:
		return bt_packet_borrow_stream_const(
				bt_message_packet_end_borrow_packet_const(message));
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		return bt_message_discarded_events_borrow_stream_const(message);
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		return bt_message_discarded_packets_borrow_stream_const(message);
	case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
		break;
	}

	return NULL;
}

/* The snapshot that a message has; NULL: none. */
static const bt_clock_snapshot *snapshot_of(const bt_message *message)
{
	const bt_stream *stream = message_stream(message);
	const bt_stream_class *class = stream ? bt_stream_borrow_class_const(stream) : NULL;

	if (!class || !bt_stream_class_borrow_default_clock_class_const(class)) {
		return NULL;
	}

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		return bt_message_event_borrow_default_clock_snapshot_const(message);
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		return bt_stream_class_packets_have_beginning_default_clock_snapshot(class)
				? bt_message_packet_beginning_borrow_default_clock_snapshot_const(
						  message)
				: NULL;
	case BT_MESSAGE_TYPE_PACKET_END:
		return bt_stream_class_packets_have_end_default_clock_snapshot(class)
				? bt_message_packet_end_borrow_default_clock_snapshot_const(message)
				: NULL;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		return bt_stream_class_discarded_events_have_default_clock_snapshots(class)
				? bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(
						  message)
				: NULL;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		return bt_stream_class_discarded_packets_have_default_clock_snapshots(class)
				? bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(
						  message)
				: NULL;
	default:
		break;
	}

	return NULL;
}

bool stream_has_clock(const bt_stream *stream)
{
	return bt_stream_class_borrow_default_clock_class_const(
			       bt_stream_borrow_class_const(stream)) != NULL;
}

int64_t message_order_ns(const bt_message *message, bool has_clock, int64_t before_ns)
{
	/* Nearly all messages are events. */
	const bt_clock_snapshot *snapshot =
			has_clock && bt_message_get_type(message) == BT_MESSAGE_TYPE_EVENT
			? bt_message_event_borrow_default_clock_snapshot_const(message)
			: snapshot_of(message);
	int64_t ns;

	return snapshot &&
					bt_clock_snapshot_get_ns_from_origin(snapshot, &ns) ==
							BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK
			? ns
			: before_ns;
}
