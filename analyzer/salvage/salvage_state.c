/*
 * SPDX-License-Identifier: MIT
 *
 * The list of losses, and when each happened.
 */
#include "salvage_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growing.h"

char *salvage_path(const char *directory, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

enum csc_status salvage_record_add(struct salvage *salvage, const struct salvage_record *record,
		struct diag *diag, const char *format, ...)
{
	struct salvage_record *added;
	char *sentence;
	va_list arguments;
	int length;

	if (!csc_grow_by_one(&salvage->records, salvage->record_count, sizeof(*added))) {
		return DIAG_NO_MEMORY(diag);
	}
	va_start(arguments, format);
	length = vasprintf(&sentence, format, arguments);
	va_end(arguments);
	if (length < 0) {
		return DIAG_NO_MEMORY(diag);
	}
	added = &salvage->records[salvage->record_count++];
	*added = *record;
	added->loss.sentence = sentence;
	return CSC_OK;
}

enum csc_status salvage_span_add(
		struct salvage *salvage, const struct ctf_packet *packet, const uint8_t *uuid)
{
	struct salvage_span *span;

	for (size_t i = salvage->span_count; i > 0; i--) {
		span = &salvage->spans[i - 1];
		if (span->stream_id == packet->stream_id &&
				span->instance_id == packet->instance_id &&
				memcmp(span->uuid, uuid, CTF_UUID_BYTES) == 0) {
			span->low_seq = packet->seq < span->low_seq ? packet->seq : span->low_seq;
			span->high_seq =
					packet->seq > span->high_seq ? packet->seq : span->high_seq;
			return CSC_OK;
		}
	}
	if (!csc_grow_by_one(&salvage->spans, salvage->span_count, sizeof(*span))) {
		return CSC_NO_MEMORY;
	}
	span = &salvage->spans[salvage->span_count++];
	*span = (struct salvage_span){ .stream_id = packet->stream_id,
		.instance_id = packet->instance_id,
		.low_seq = packet->seq,
		.high_seq = packet->seq };
	memcpy(span->uuid, uuid, CTF_UUID_BYTES);
	return CSC_OK;
}

static int64_t clock_ns(const struct tsdl_clock *clock, uint64_t cycles)
{
	__extension__ typedef __int128 wide;
	wide total = (wide)cycles + clock->offset_cycles;

	return (int64_t)(total * 1000000000 / (wide)clock->freq_hz +
			(wide)clock->offset_s * 1000000000);
}

void salvage_record_finish(const struct salvage *salvage, struct salvage_record *record)
{
	const struct salvage_trace *trace = record->trace;
	const struct tsdl_clock *clock = trace->tsdl ? tsdl_clock_borrow(trace->tsdl) : NULL;
	uint64_t begin = record->begin_cycles;
	uint64_t end = record->end_cycles;

	if (record->loss.kind == SALVAGE_METADATA_REMADE ||
			record->loss.kind == SALVAGE_FOREIGN_FILE ||
			record->loss.kind == SALVAGE_INDEX_WRONG) {
		return;
	}
	if (trace->first_cycles <= trace->last_cycles) {
		begin = begin == 0 ? trace->first_cycles : begin;
		end = end == UINT64_MAX ? trace->last_cycles : end;
	}
	if (clock && clock->freq_hz > 0 && begin > 0 && end < UINT64_MAX) {
		end = end < begin ? begin : end;
		record->loss.has_interval = true;
		record->loss.begin_ns = clock_ns(clock, begin);
		record->loss.end_ns = clock_ns(clock, end);
	}
	for (size_t i = 0; i < salvage->span_count && record->has_seq; i++) {
		const struct salvage_span *span = &salvage->spans[i];

		record->loss.is_seen_by_reader |= span->stream_id == record->stream_id &&
				span->instance_id == record->instance_id &&
				memcmp(span->uuid, trace->format.uuid, CTF_UUID_BYTES) == 0 &&
				span->low_seq < record->seq && record->seq < span->high_seq;
	}
}
