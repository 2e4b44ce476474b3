/*
 * SPDX-License-Identifier: MIT
 *
 * Numbers in pages, and the switch that takes the way without them.
 */
#include "page_format.h"

#include <stdlib.h>
#include <string.h>

bool page_format_is_used(void)
{
	const char *wanted = getenv("CARRIERSCOPE_PAGES");

	return !wanted || strcmp(wanted, "off") != 0;
}

uint32_t page_format_size(const uint8_t *header)
{
	uint32_t bytes = page_get_16(header + AT_PAGE_SIZE);

	return bytes == 1 ? PAGE_SIZE_MOST : bytes;
}

uint8_t *page_set_varint(uint8_t *at, uint64_t value)
{
	unsigned int bytes = 1;

	while (bytes < VARINT_MOST && value >> (7 * bytes) != 0) {
		bytes++;
	}

	if (bytes == VARINT_MOST) {
		at[VARINT_MOST - 1] = (uint8_t)value;
		value >>= 8;
		for (unsigned int i = VARINT_MOST - 1; i-- > 0; value >>= 7) {
			at[i] = (uint8_t)(value | 0x80);
		}
		return at + VARINT_MOST;
	}

	for (unsigned int i = bytes; i-- > 0; value >>= 7) {
		at[i] = (uint8_t)((value & 0x7f) | (i + 1 < bytes ? 0x80 : 0));
	}
	return at + bytes;
}
