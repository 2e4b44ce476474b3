/*
 * SPDX-License-Identifier: MIT
 */
#include "readings_packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "own_events.h"

/* The first bytes tell how many follow. */
struct bytes {
	const uint8_t *at;
	size_t left;
};

enum {
	/* Between the names and the events: pid, node, number, begin, end. */
	HEAD_BYTES = 28,

	/* event_header_large of a kind whose number and time do not fit in it; vpid, vtid,
	   procname. */
	EXTENDED = 65535,
	HEADER_BYTES = 39,
	NAME_BYTES = 17,

	FIELDS_MAX = 16,
};

/* Bytes of a kind's fields in order; 0: a text. */
struct layout {
	uint32_t id;
	size_t count;
	size_t sizes[FIELDS_MAX];
};

static uint64_t read_number(const uint8_t *at, size_t bytes)
{
	uint64_t number = 0;

	for (size_t i = bytes; i > 0; i--) {
		number = number << 8 | at[i - 1];
	}
	return number;
}

static void write_number(uint8_t *at, uint64_t number, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		at[i] = (uint8_t)(number >> (8 * i));
	}
}

static int digit_of(char c)
{
	static const char digits[] =
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) : -1;
}

/* A new array; NULL: not base64, or out of memory. */
static uint8_t *decode_base64(const char *text, size_t length, size_t *ret_bytes)
{
	uint8_t *bytes = malloc(length / 4 * 3 + 3);
	uint32_t group = 0;
	size_t count = 0;
	size_t digits = 0;

	while (length > 0 && text[length - 1] == '=') {
		length--;
	}
	for (; bytes && digits < length; digits++) {
		int digit = digit_of(text[digits]);

		if (digit < 0) {
			free(bytes);
			return NULL;
		}
		group = group << 6 | (uint32_t)digit;
		if (digits % 4 > 0) {
			bytes[count++] = (uint8_t)(group >> (6 - 2 * (digits % 4)));
		}
	}
	*ret_bytes = count;
	return bytes;
}

/* A new array of what zlib has compressed, whose sum is right. */
static uint8_t *unpack(const uint8_t *packed, size_t packed_bytes, size_t *ret_bytes)
{
	uint8_t *bytes = malloc(READINGS_PACKET_BYTES);
	uLongf count = READINGS_PACKET_BYTES;

	if (bytes && uncompress(bytes, &count, packed, packed_bytes) != Z_OK) {
		free(bytes);
		return NULL;
	}
	*ret_bytes = count;
	return bytes;
}

int readings_kind(const char *name, size_t length)
{
	for (size_t i = 0; i < own_event_count; i++) {
		const char *own = strchr(own_events[i].name, ':') + 1;

		if (strlen(own) == length && memcmp(own, name, length) == 0) {
			return (int)i;
		}
	}
	return -1;
}

/* By the declarations of TSDL. */
static bool read_layout(const char *name, size_t length, struct layout *ret_layout)
{
	int kind = readings_kind(name, length);
	const char *line = kind < 0 ? "" : own_events[kind].fields;

	*ret_layout = (struct layout){ .id = (uint32_t)kind };
	while (*line && ret_layout->count < FIELDS_MAX) {
		unsigned int bits = 0;

		/* NOLINTNEXTLINE(cert-err34-c): a text of ours */
		(void)sscanf(line, " uint%u_t", &bits);
		ret_layout->sizes[ret_layout->count++] = bits / 8;
		line = strchr(line, '\n') + 1;
	}
	return ret_layout->count > 0;
}

static size_t read_layouts(const char *names, struct layout ret_layouts[static READINGS_KINDS])
{
	size_t count = 0;

	for (const char *name = names; *name && count < READINGS_KINDS;) {
		size_t length = strcspn(name, ",");

		if (!read_layout(name, length, &ret_layouts[count++])) {
			return 0;
		}
		name += length + (name[length] == ',');
	}
	return count;
}

/* Bytes of an event's fields; 0: it does not end in what is left. */
static size_t fields_bytes(const struct layout *layout, struct bytes rest)
{
	size_t bytes = 0;

	for (size_t i = 0; i < layout->count; i++) {
		size_t field = layout->sizes[i];

		if (field == 0) {
			const uint8_t *end = memchr(rest.at + bytes, 0, rest.left - bytes);

			field = end ? (size_t)(end - rest.at) - bytes + 1 : rest.left + 1;
		}
		if (field > rest.left - bytes) {
			return 0;
		}
		bytes += field;
	}
	return bytes;
}

/* What the system calls a node's process. */
static const char program[] = "beam.smp";

/* Copies each event behind a header of CTF. */
static bool read_events(struct bytes rest, struct readings_packet *packet)
{
	/* A number of its kind and a time. */
	enum { FRONT_BYTES = 10 };

	struct layout layouts[READINGS_KINDS];
	size_t count = read_layouts(packet->names, layouts);
	int snapshot_end = readings_kind("snapshot_end", strlen("snapshot_end"));
	uint64_t before = packet->begin_ns;

	packet->events = malloc(rest.left / FRONT_BYTES * HEADER_BYTES + rest.left + 1);
	while (packet->events && rest.left > 0) {
		uint8_t *to = packet->events + packet->event_bytes;
		uint64_t kind = rest.left > FRONT_BYTES ? read_number(rest.at, 2) : count;
		uint64_t time = rest.left > FRONT_BYTES ? read_number(rest.at + 2, 8) : 0;
		size_t bytes;

		if (kind >= count || time < before || time > packet->end_ns) {
			return false;
		}
		rest.at += FRONT_BYTES;
		rest.left -= FRONT_BYTES;
		bytes = fields_bytes(&layouts[kind], rest);
		if (bytes == 0) {
			return false;
		}
		write_number(to, EXTENDED, 2);
		write_number(to + 2, (uint64_t)kind, 4);
		write_number(to + 6, time, 8);
		write_number(to + 14, packet->pid, 4);
		write_number(to + 18, packet->pid, 4);
		memset(to + 22, 0, NAME_BYTES);
		memcpy(to + 22, program, sizeof(program));
		memcpy(to + HEADER_BYTES, rest.at, bytes);
		packet->event_bytes += HEADER_BYTES + bytes;
		packet->snapshots += layouts[kind].id == (uint32_t)snapshot_end;
		before = time;
		rest.at += bytes;
		rest.left -= bytes;
	}
	return packet->events && packet->event_bytes > 0;
}

static bool read_packet(struct bytes rest, struct readings_packet *packet)
{
	size_t names = rest.left > 2 ? (size_t)read_number(rest.at, 2) : 0;

	if (names == 0 || names >= sizeof(packet->names) || rest.left < 2 + names + HEAD_BYTES) {
		return false;
	}
	memcpy(packet->names, rest.at + 2, names);
	packet->names[names] = '\0';
	rest.at += 2 + names;
	packet->pid = (uint32_t)read_number(rest.at, 4);
	packet->node = (uint32_t)read_number(rest.at + 4, 4);
	packet->number = (uint32_t)read_number(rest.at + 8, 4);
	packet->begin_ns = read_number(rest.at + 12, 8);
	packet->end_ns = read_number(rest.at + 20, 8);
	rest.at += HEAD_BYTES;
	rest.left -= 2 + names + HEAD_BYTES;
	return strlen(packet->names) == names && packet->end_ns >= packet->begin_ns &&
			packet->end_ns <= INT64_MAX && read_events(rest, packet);
}

bool readings_packet_parse(
		const uint8_t *bytes, size_t byte_count, struct readings_packet *ret_packet)
{
	*ret_packet = (struct readings_packet){ .pid = 0 };
	if (read_packet((struct bytes){ bytes, byte_count }, ret_packet)) {
		return true;
	}
	free(ret_packet->events);
	ret_packet->events = NULL;
	return false;
}

bool readings_packet_read(const char *text, size_t length, struct readings_packet *ret_packet)
{
	size_t packed_bytes = 0;
	size_t bytes = 0;
	uint8_t *packed = decode_base64(text, length, &packed_bytes);
	uint8_t *unpacked = packed ? unpack(packed, packed_bytes, &bytes) : NULL;
	bool is_read = unpacked && readings_packet_parse(unpacked, bytes, ret_packet);

	free(packed);
	free(unpacked);
	return is_read;
}
