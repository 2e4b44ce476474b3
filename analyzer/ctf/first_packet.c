/*
 * SPDX-License-Identifier: MIT
 *
 * The front of a file.
 */
#include "first_packet.h"

#include <stdio.h>
#include <string.h>

#include "ctf_packet.h"

bool first_packet_seq(const char *path, uint64_t *ret_seq)
{
	struct ctf_format format = { .long_bytes = 8 };
	struct ctf_packet packet;
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
	if (!ctf_packet_parse(&format, front, count, 0, &packet) ||
			!ctf_packet_is_sane(&packet, &format)) {
		return false;
	}

	*ret_seq = packet.seq;
	return true;
}
