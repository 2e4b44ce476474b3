/*
 * SPDX-License-Identifier: MIT
 *
 * Messages of all kinds but events.
 */
#include "packer.h"

#include <stdlib.h>

#include "packer_event.h"
#include "packer_stream.h"
#include "plan.h"

enum csc_status packer_create(const struct sink_path *paths, size_t path_count,
		struct packer **ret_packer, struct diag *diag)
{
	struct packer *packer = calloc(1, sizeof(*packer));

	if (!packer) {
		return DIAG_NO_MEMORY(diag);
	}

	packer->paths = paths;
	packer->path_count = path_count;
	*ret_packer = packer;
	return CSC_OK;
}

void packer_destroy(struct packer *packer)
{
	if (!packer) {
		return;
	}

	for (size_t i = 0; i < packer->plan_count; i++) {
		plan_destroy(packer->plans[i]);
	}

	packer_streams_free(packer);
	free(packer->plans);
	free(packer);
}

static int64_t snapshot_ns(const bt_clock_snapshot *snapshot)
{
	int64_t ns;

	return bt_clock_snapshot_get_ns_from_origin(snapshot, &ns) ==
					BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK
			? ns
			: ROW_NULL;
}

/* Finds the stream of a message, and packs its begin if it is met first. */
static enum csc_status find_stream(struct packer *packer, size_t source, const bt_stream *stream,
		struct packing *packing, struct stream_state **ret_state, struct diag *diag)
{
	bool is_new;
	enum csc_status status =
			packer_find_stream(packer, source, stream, ret_state, &is_new, diag);
	struct packed *record;

	if (status != CSC_OK || !is_new) {
		return status;
	}

	record = packing_begin(packing, sizeof(*record));
	if (!record) {
		return DIAG_NO_MEMORY(diag);
	}

	record->kind = PACKED_STREAM;
	record->order_ns = (*ret_state)->order_ns;
	record->stream = *ret_state;
	return packing_end(packing) ? CSC_OK : DIAG_NO_MEMORY(diag);
}

/* Packs a packet's begin or end, or a loss. */
static enum csc_status pack_span(struct packing *packing, struct stream_state *state,
		enum packed_kind kind, int64_t begin_ns, int64_t end_ns,
		struct packed_span **ret_span, struct diag *diag)
{
	int64_t order_ns = kind == PACKED_PACKET_END ? end_ns : begin_ns;
	struct packed_span *span = packing_begin(packing, sizeof(*span));

	if (!span) {
		return DIAG_NO_MEMORY(diag);
	}

	if (order_ns != ROW_NULL) {
		state->order_ns = order_ns;
	}

	span->head.kind = (uint16_t)kind;
	span->head.order_ns = state->order_ns;
	span->head.stream = state;
	span->begin_ns = begin_ns;
	span->end_ns = end_ns;
	*ret_span = span;
	return packing_end(packing) ? CSC_OK : DIAG_NO_MEMORY(diag);
}

/* What Babeltrace says of one kind of loss. */
struct discarded {
	uint16_t flags;
	const bt_stream *(*stream)(const bt_message *message);
	bt_bool (*has_clock)(const bt_stream_class *class);
	bt_property_availability (*count)(const bt_message *message, uint64_t *ret_count);
	const bt_clock_snapshot *(*begin)(const bt_message *message);
	const bt_clock_snapshot *(*end)(const bt_message *message);
};

static const struct discarded discarded_events = {
	0,
	bt_message_discarded_events_borrow_stream_const,
	bt_stream_class_discarded_events_have_default_clock_snapshots,
	bt_message_discarded_events_get_count,
	bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const,
	bt_message_discarded_events_borrow_end_default_clock_snapshot_const,
};

static const struct discarded discarded_packets = {
	PACKED_IS_PACKETS,
	bt_message_discarded_packets_borrow_stream_const,
	bt_stream_class_discarded_packets_have_default_clock_snapshots,
	bt_message_discarded_packets_get_count,
	bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const,
	bt_message_discarded_packets_borrow_end_default_clock_snapshot_const,
};

static enum csc_status take_discarded(struct packer *packer, size_t source,
		const bt_message *message, const struct discarded *kind, struct packing *packing,
		struct diag *diag)
{
	const bt_stream *stream = kind->stream(message);
	bool has_clock = kind->has_clock(bt_stream_borrow_class_const(stream));
	struct packed_span *span = NULL;
	struct stream_state *state;
	uint64_t count = 0;
	enum csc_status status = find_stream(packer, source, stream, packing, &state, diag);

	if (status == CSC_OK) {
		status = pack_span(packing, state, PACKED_LOSS,
				has_clock ? snapshot_ns(kind->begin(message)) : ROW_NULL,
				has_clock ? snapshot_ns(kind->end(message)) : ROW_NULL, &span,
				diag);
	}

	if (status != CSC_OK) {
		return status;
	}

	span->head.flags = kind->flags;
	if (kind->count(message, &count) == BT_PROPERTY_AVAILABILITY_AVAILABLE) {
		span->head.flags |= PACKED_HAS_COUNT;
	}

	span->count = count;
	return CSC_OK;
}

static enum csc_status take_packet(struct packer *packer, size_t source, const bt_message *message,
		bool is_end, struct packing *packing, struct diag *diag)
{
	const bt_stream *stream = bt_packet_borrow_stream_const(is_end
					? bt_message_packet_end_borrow_packet_const(message)
					: bt_message_packet_beginning_borrow_packet_const(message));
	const bt_stream_class *class = bt_stream_borrow_class_const(stream);
	int64_t begin_ns = ROW_NULL;
	int64_t end_ns = ROW_NULL;
	struct packed_span *span;
	struct stream_state *state;
	enum csc_status status = find_stream(packer, source, stream, packing, &state, diag);

	if (status != CSC_OK) {
		return status;
	}

	if (is_end && bt_stream_class_packets_have_end_default_clock_snapshot(class)) {
		end_ns = snapshot_ns(
				bt_message_packet_end_borrow_default_clock_snapshot_const(message));
	} else if (!is_end &&
			bt_stream_class_packets_have_beginning_default_clock_snapshot(class)) {
		begin_ns = snapshot_ns(
				bt_message_packet_beginning_borrow_default_clock_snapshot_const(
						message));
	}

	return pack_span(packing, state, is_end ? PACKED_PACKET_END : PACKED_PACKET, begin_ns,
			end_ns, &span, diag);
}

enum csc_status packer_take(struct packer *packer, size_t source, const bt_message *message,
		struct packing *packing, struct diag *diag)
{
	const bt_event *event;
	struct stream_state *state;
	enum csc_status status;

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		event = bt_message_event_borrow_event_const(message);
		status = find_stream(packer, source, bt_event_borrow_stream_const(event), packing,
				&state, diag);
		return status == CSC_OK ? packer_pack_event(packer, state, message, packing, diag)
					: status;
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		return find_stream(packer, source,
				bt_message_stream_beginning_borrow_stream_const(message), packing,
				&state, diag);
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		return take_packet(packer, source, message, false, packing, diag);
	case BT_MESSAGE_TYPE_PACKET_END:
		return take_packet(packer, source, message, true, packing, diag);
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		return take_discarded(packer, source, message, &discarded_events, packing, diag);
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		return take_discarded(packer, source, message, &discarded_packets, packing, diag);
	case BT_MESSAGE_TYPE_STREAM_END:
	case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
		break;
	}

	return CSC_OK;
}
