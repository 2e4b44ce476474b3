/*
 * SPDX-License-Identifier: MIT
 *
 * The front of a file.
 */
#include "first_packet.h"

#include <stdio.h>
#include <string.h>

#include "ctf_packet.h"

/* Reads the front of the first packet of a stream file; false: it is not LTTng's. */
static bool read_front(const char *path, struct ctf_packet *ret_packet)
{
	struct ctf_format format = { .long_bytes = 8 };
	uint8_t front[CTF_FRONT_BYTES];
	FILE *file = fopen(path, "rbe");
	size_t count;

	if (!file) {
		return false;
	}

	count = fread(front, 1, sizeof(front), file);
	(void)fclose(file);
	if (count < sizeof(front) || !ctf_magic_is_at(front, &format.is_big_endian)) {
		return false;
	}

	/* The file's own UUID; the number is where it is whatever the size of a long. */
	memcpy(format.uuid, front + CTF_MARK_BYTES - CTF_UUID_BYTES, CTF_UUID_BYTES);
	return ctf_packet_parse(&format, front, count, 0, ret_packet) &&
			ctf_packet_is_sane(ret_packet, &format);
}

bool first_packet_seq(const char *path, uint64_t *ret_seq)
{
	struct ctf_packet packet;

	if (!read_front(path, &packet)) {
		return false;
	}

	*ret_seq = packet.seq;
	return true;
}

bool first_packet_stream(const char *path, uint32_t *ret_class_id, uint64_t *ret_stream_id)
{
	struct ctf_packet packet;

	if (!read_front(path, &packet)) {
		return false;
	}

	*ret_class_id = packet.stream_id;
	*ret_stream_id = packet.instance_id;
	return true;
}
