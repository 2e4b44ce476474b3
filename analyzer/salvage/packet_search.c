/*
 * SPDX-License-Identifier: MIT
 *
 * Where packets begin in a damaged file.
 */
#include "packet_search.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctf_packet.h"

enum { SEARCH_BYTES = 1024 * 1024 };

uint64_t salvage_mark_find(int fd, const struct ctf_format *format, uint64_t from)
{
	uint8_t mark[CTF_MARK_BYTES];
	uint8_t *bytes = malloc(SEARCH_BYTES);
	uint64_t found = UINT64_MAX;
	ssize_t got;

	ctf_format_mark(format, mark);
	while (bytes && found == UINT64_MAX) {
		const uint8_t *at;

		got = pread(fd, bytes, SEARCH_BYTES, (off_t)from);
		if (got < CTF_MARK_BYTES) {
			break;
		}
		at = memmem(bytes, (size_t)got, mark, sizeof(mark));
		if (at) {
			found = from + (uint64_t)(at - bytes);
		}
		from += (uint64_t)got - CTF_MARK_BYTES + 1;
	}
	free(bytes);
	return found;
}
