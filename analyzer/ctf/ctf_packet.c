/*
 * SPDX-License-Identifier: MIT
 *
 * Bytes to numbers and back, in either byte order.
 */
#include "ctf_packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growing.h"

enum {
	AT_UUID = 4,
	AT_STREAM_ID = 20,
	AT_INSTANCE_ID = 24,
	AT_BEGIN = 32,
	AT_END = 40,
	AT_CONTENT = 48,
	AT_PACKET = 56,
	AT_SEQ = 64,

	INDEX_HEADER_BYTES = 16,

	/* Index 1.1: nine numbers of eight bytes; 1.0 had seven. */
	INDEX_ENTRY_BYTES = 72,
	INDEX_ENTRY_BYTES_MAX = 4096,
};

static const uint32_t packet_magic = 0xC1FC1FC1U;
static const uint32_t index_magic = 0xC1F1DCC1U;

static uint64_t bytes_read(const uint8_t *bytes, size_t count, bool is_big_endian)
{
	uint64_t value = 0;

	for (size_t i = 0; i < count; i++) {
		value = value << 8 | bytes[is_big_endian ? i : count - 1 - i];
	}
	return value;
}

static void bytes_write(uint8_t *bytes, size_t count, bool is_big_endian, uint64_t value)
{
	for (size_t i = 0; i < count; i++) {
		bytes[is_big_endian ? count - 1 - i : i] = (uint8_t)(value >> 8 * i);
	}
}

bool ctf_magic_is_at(const uint8_t *bytes, bool *ret_is_big_endian)
{
	if (bytes_read(bytes, 4, false) == packet_magic) {
		*ret_is_big_endian = false;
		return true;
	}
	if (bytes_read(bytes, 4, true) == packet_magic) {
		*ret_is_big_endian = true;
		return true;
	}
	return false;
}

size_t ctf_format_front_bytes(const struct ctf_format *format)
{
	return CTF_FRONT_BYTES - 8 + format->long_bytes;
}

void ctf_format_mark(const struct ctf_format *format, uint8_t *mark)
{
	bytes_write(mark, 4, format->is_big_endian, packet_magic);
	memcpy(mark + AT_UUID, format->uuid, CTF_UUID_BYTES);
}

bool ctf_packet_parse(const struct ctf_format *format, const uint8_t *bytes, size_t byte_count,
		uint64_t offset_bytes, struct ctf_packet *ret_packet)
{
	bool is_big = format->is_big_endian;
	uint8_t mark[CTF_MARK_BYTES];

	ctf_format_mark(format, mark);
	if (byte_count < ctf_format_front_bytes(format) || memcmp(bytes, mark, sizeof(mark)) != 0) {
		return false;
	}

	*ret_packet = (struct ctf_packet){
		.offset_bytes = offset_bytes,
		.stream_id = (uint32_t)bytes_read(bytes + AT_STREAM_ID, 4, is_big),
		.instance_id = bytes_read(bytes + AT_INSTANCE_ID, 8, is_big),
		.begin_cycles = bytes_read(bytes + AT_BEGIN, 8, is_big),
		.end_cycles = bytes_read(bytes + AT_END, 8, is_big),
		.content_bits = bytes_read(bytes + AT_CONTENT, 8, is_big),
		.packet_bits = bytes_read(bytes + AT_PACKET, 8, is_big),
		.seq = bytes_read(bytes + AT_SEQ, 8, is_big),
	};
	return true;
}

bool ctf_packet_is_sane(const struct ctf_packet *packet, const struct ctf_format *format)
{
	uint64_t front_bits = 8 * (uint64_t)ctf_format_front_bytes(format);

	return packet->packet_bits % 8 == 0 && packet->content_bits % 8 == 0 &&
			packet->content_bits >= front_bits &&
			packet->content_bits <= packet->packet_bits &&
			(packet->begin_cycles <= packet->end_cycles || packet->end_cycles == 0);
}

void ctf_packet_set_sizes(const struct ctf_format *format, uint8_t *front, uint64_t content_bits,
		uint64_t packet_bits)
{
	bytes_write(front + AT_CONTENT, 8, format->is_big_endian, content_bits);
	bytes_write(front + AT_PACKET, 8, format->is_big_endian, packet_bits);
}

static bool index_parse(
		FILE *file, size_t entry_bytes, struct ctf_packet **packets, size_t *packet_count)
{
	uint8_t entry[INDEX_ENTRY_BYTES_MAX];
	size_t capacity = 0;

	while (fread(entry, entry_bytes, 1, file) == 1) {
		if (!csc_grow(packets, &capacity, *packet_count + 1, sizeof(**packets))) {
			return false;
		}
		(*packets)[(*packet_count)++] = (struct ctf_packet){
			.offset_bytes = bytes_read(entry, 8, true),
			.packet_bits = bytes_read(entry + 8, 8, true),
			.content_bits = bytes_read(entry + 16, 8, true),
			.begin_cycles = bytes_read(entry + 24, 8, true),
			.end_cycles = bytes_read(entry + 32, 8, true),
			.stream_id = (uint32_t)bytes_read(entry + 48, 8, true),
			.instance_id = bytes_read(entry + 56, 8, true),
			.seq = bytes_read(entry + 64, 8, true),
		};
	}
	return true;
}

bool ctf_index_read(const char *path, struct ctf_packet **ret_packets, size_t *ret_packet_count)
{
	uint8_t header[INDEX_HEADER_BYTES];
	struct ctf_packet *packets = NULL;
	size_t packet_count = 0;
	bool is_ok = true;
	FILE *file = fopen(path, "rbe");

	if (file && fread(header, sizeof(header), 1, file) == 1 &&
			bytes_read(header, 4, true) == index_magic) {
		size_t entry_bytes = (size_t)bytes_read(header + 12, 4, true);

		if (entry_bytes >= INDEX_ENTRY_BYTES && entry_bytes <= INDEX_ENTRY_BYTES_MAX) {
			is_ok = index_parse(file, entry_bytes, &packets, &packet_count);
		}
	}
	if (file) {
		(void)fclose(file);
	}
	if (!is_ok) {
		free(packets);
		return false;
	}
	*ret_packets = packets;
	*ret_packet_count = packet_count;
	return true;
}
