/*
 * SPDX-License-Identifier: MIT
 *
 * README.md has the format.
 */
#include "block_batch.h"

#include <assert.h>
#include <string.h>

enum {
	VERSION = 1,

	/* What the first byte of a record says. */
	KIND_BITS = 0x03,
	KIND_PROCESS = 0x03,
	SAME_BYTES = 0x04,
	GROUP_SHIFT = 3,

	/* With KIND_PROCESS. */
	HAS_PROCESS = 0x04,

	/*
	 * The longest number (10 bytes) and the longest record: a process, then a first byte of two
	 * bytes, a group, time, address, old address and size.
	 */
	NUMBER_BYTES = 10,
	RECORD_BYTES = (1 + NUMBER_BYTES) + 2 + (3 + 2 + 3) + 4 * NUMBER_BYTES,
};

/* Bits of a difference of addresses, without its sign. */
#define MAGNITUDE_BITS (UINT64_MAX >> 1)

/* The number + 1, seven bits a byte, the lowest first, bit 7: more follow.  So no byte is zero. */
static unsigned char *put_number(unsigned char *at, uint64_t number)
{
	if (number == UINT64_MAX) {
		memset(at, 0x80, NUMBER_BYTES - 1);
		at[NUMBER_BYTES - 1] = 0x02;
		return at + NUMBER_BYTES;
	}
	for (number++; number >= 0x80; number >>= 7) {
		*at++ = (unsigned char)(number | 0x80);
	}
	*at++ = (unsigned char)number;
	return at;
}

/* A longer number than a byte.  False: there is none. */
static bool get_long_number(struct batch_reader *reader, uint64_t *ret_number)
{
	const unsigned char *at = reader->at;
	uint64_t number = 0;

	for (unsigned int shift = 0; shift < 63; shift += 7) {
		if (at == reader->end) {
			return false;
		}
		number |= (uint64_t)(*at & 0x7f) << shift;
		if (*at < 0x80) {
			reader->at = at + 1;
			*ret_number = number - 1;
			return *at > 0;
		}
		at++;
	}
	if (at == reader->end) {
		return false;
	}
	if (*at == 0x01) {
		number |= (uint64_t)1 << 63;
	} else if (*at != 0x02 || number != 0) {
		return false;
	}
	reader->at = at + 1;
	*ret_number = number - 1;
	return true;
}

static inline bool get_number(struct batch_reader *reader, uint64_t *ret_number)
{
	if (reader->at<reader->end && * reader->at> 0 && *reader->at < 0x80) {
		*ret_number = *reader->at++ - 1U;
		return true;
	}
	return get_long_number(reader, ret_number);
}

/*
 * The way from one address to another: bit 0 the sign, then the distance with its lowest three bits
 * at the top, since addresses are mostly multiples of 8.  1 is the distance 2^63.
 */
static inline uint64_t way_between(uint64_t from, uint64_t to)
{
	uint64_t distance = to - from;
	uint64_t sign = distance >> 63;

	distance = (sign ? 0 - distance : distance) & MAGNITUDE_BITS;
	distance = (distance >> 3) | ((distance & 7) << 60);
	return distance << 1 | sign;
}

static inline uint64_t way_end(uint64_t from, uint64_t way)
{
	uint64_t distance = way >> 1;

	distance = ((distance << 3) | (distance >> 60)) & MAGNITUDE_BITS;
	if (way == 1) {
		distance = MAGNITUDE_BITS + 1;
	}
	return way & 1 ? from - distance : from + distance;
}

static void begin_state(struct batch_state *state)
{
	state->time_ns = 0;
	state->address = 0;
	state->process = 0;
	state->has_process = false;
	state->group_count = 0;
}

void batch_begin(struct batch_writer *writer)
{
	begin_state(&writer->state);
	memset(writer->bucket, 0, sizeof(writer->bucket));
	writer->record_count = 0;
	writer->first_ns = 0;
	writer->payload[0] = VERSION;
	writer->used = 1;
}

/* The number of the record's group: group_count if it is new, and then *ret_bucket is where it
 * belongs. */
static uint32_t find_group(const struct batch_writer *writer, const struct batch_record *record,
		uint32_t *ret_bucket)
{
	uint64_t key = (uint64_t)record->instance << 24 | (uint64_t)record->allocator << 16 |
			record->type;
	uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15U >> 54);

	for (; writer->bucket[at] > 0; at = (at + 1) % BATCH_BUCKETS) {
		const struct batch_group *group = &writer->state.group[writer->bucket[at] - 1];

		if (group->type == record->type && group->instance == record->instance &&
				group->allocator == record->allocator) {
			return writer->bucket[at] - 1U;
		}
	}
	*ret_bucket = at;
	return writer->state.group_count;
}

static unsigned char *put_process(
		struct batch_state *state, unsigned char *at, const struct batch_record *record)
{
	if (record->has_process) {
		at = put_number(at, KIND_PROCESS | HAS_PROCESS);
		at = put_number(at, record->process);
	} else {
		at = put_number(at, KIND_PROCESS);
	}
	state->has_process = record->has_process;
	state->process = record->process;
	return at;
}

static unsigned char *put_group(
		struct batch_state *state, unsigned char *at, const struct batch_record *record)
{
	struct batch_group *group = &state->group[state->group_count++];

	group->type = record->type;
	group->allocator = record->allocator;
	group->instance = record->instance;
	group->address = state->address;
	at = put_number(at, record->type);
	at = put_number(at, record->allocator);
	return put_number(at, record->instance);
}

bool batch_add(struct batch_writer *writer, const struct batch_record *record)
{
	struct batch_state *state = &writer->state;
	unsigned char *at = &writer->payload[writer->used];
	uint32_t bucket = 0;
	uint32_t number = find_group(writer, record, &bucket);
	struct batch_group *group = &state->group[number];
	bool is_new = number == state->group_count;
	bool is_same = !is_new && group->bytes == record->bytes;

	if (writer->record_count == 0) {
		writer->first_ns = record->time_ns;
	}
	if (writer->used + RECORD_BYTES >= BATCH_BYTES || number == BATCH_GROUPS ||
			record->time_ns < state->time_ns) {
		return false;
	}

	if (record->kind != BATCH_FREE &&
			(record->has_process != state->has_process ||
					(record->has_process &&
							record->process != state->process))) {
		at = put_process(state, at, record);
	}
	at = put_number(at,
			(uint64_t)number << GROUP_SHIFT | (is_same ? SAME_BYTES : 0) |
					record->kind);
	if (is_new) {
		at = put_group(state, at, record);
		writer->bucket[bucket] = (uint16_t)(number + 1);
	}
	at = put_number(at, record->time_ns - state->time_ns);
	at = put_number(at, way_between(group->address, record->address));
	if (record->kind == BATCH_REALLOC) {
		at = put_number(at, way_between(record->address, record->old_address));
	}
	if (!is_same) {
		at = put_number(at, record->bytes);
	}

	state->time_ns = record->time_ns;
	state->address = record->address;
	group->address = record->address;
	group->bytes = record->bytes;
	writer->used = (size_t)(at - writer->payload);
	writer->record_count++;
	return true;
}

size_t batch_end(struct batch_writer *writer, const char **ret_payload)
{
	assert(writer->used < BATCH_BYTES);
	writer->payload[writer->used] = 0;
	*ret_payload = (const char *)writer->payload;
	return writer->used;
}

void batch_open(struct batch_reader *reader, const void *payload, size_t bytes)
{
	begin_state(&reader->state);
	reader->at = payload;
	reader->end = reader->at + bytes;
	reader->is_damaged = bytes == 0 || *reader->at != VERSION;
	if (!reader->is_damaged) {
		reader->at++;
	}
}

/* Reads what is no record: the process of those that follow. */
static bool get_process(struct batch_state *state, struct batch_reader *reader, uint64_t head)
{
	state->has_process = head == (KIND_PROCESS | HAS_PROCESS);
	state->process = 0;
	return head == KIND_PROCESS || (state->has_process && get_number(reader, &state->process));
}

/* Reads what a new group is. */
static bool get_group(struct batch_state *state, struct batch_reader *reader)
{
	struct batch_group *group = &state->group[state->group_count];
	uint64_t type;
	uint64_t allocator;
	uint64_t instance;

	if (state->group_count == BATCH_GROUPS || !get_number(reader, &type) ||
			!get_number(reader, &allocator) || !get_number(reader, &instance) ||
			type > UINT16_MAX || allocator > UINT8_MAX || instance > UINT16_MAX) {
		return false;
	}
	group->type = (uint16_t)type;
	group->allocator = (uint8_t)allocator;
	group->instance = (uint16_t)instance;
	group->address = state->address;
	state->group_count++;
	return true;
}

/* Reads the numbers of a record whose first byte was `head`. */
static bool get_record(struct batch_reader *reader, uint64_t head, struct batch_record *record)
{
	struct batch_state *state = &reader->state;
	uint64_t number = head >> GROUP_SHIFT;
	struct batch_group *group;
	uint64_t time_ns;
	uint64_t way;
	uint64_t old_way;

	if (number >= state->group_count &&
			(number > state->group_count || head & SAME_BYTES ||
					!get_group(state, reader))) {
		return false;
	}
	group = &state->group[number];
	if (!get_number(reader, &time_ns) || time_ns > UINT64_MAX - state->time_ns ||
			!get_number(reader, &way)) {
		return false;
	}
	state->time_ns += time_ns;
	state->address = way_end(group->address, way);
	group->address = state->address;
	record->old_address = 0;
	if (record->kind == BATCH_REALLOC) {
		if (!get_number(reader, &old_way)) {
			return false;
		}
		record->old_address = way_end(state->address, old_way);
	}
	if (!(head & SAME_BYTES) && !get_number(reader, &group->bytes)) {
		return false;
	}

	record->time_ns = state->time_ns;
	record->address = state->address;
	record->bytes = group->bytes;
	record->type = group->type;
	record->allocator = group->allocator;
	record->instance = group->instance;
	record->has_process = state->has_process && record->kind != BATCH_FREE;
	record->process = record->has_process ? state->process : 0;
	return true;
}

int batch_next(struct batch_reader *reader, struct batch_record *ret_record)
{
	uint64_t head;

	if (reader->is_damaged) {
		return -1;
	}
	if (reader->at == reader->end) {
		return 0;
	}
	while (get_number(reader, &head)) {
		if ((head & KIND_BITS) != KIND_PROCESS) {
			ret_record->kind = (uint8_t)(head & KIND_BITS);
			if (!get_record(reader, head, ret_record)) {
				break;
			}
			return 1;
		}
		if (!get_process(&reader->state, reader, head)) {
			break;
		}
	}
	reader->is_damaged = true;
	return -1;
}
