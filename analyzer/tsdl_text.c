/*
 * SPDX-License-Identifier: MIT
 *
 * Takes the packets off the text.
 */
#include "tsdl_text.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PACKET_HEADER_BYTES = 37,
	AT_CONTENT = 24,
	AT_PACKET = 28,
	TEXT_BYTES_MAX = 64 * 1024 * 1024,
};

static const uint32_t metadata_magic = 0x75D11D57U;

static uint32_t u32_read(const uint8_t *b, bool is_big_endian)
{
	if (is_big_endian) {
		return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	}
	return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

/* Moves the packets' contents together, in place; yields their length. */
static size_t packets_strip(uint8_t *bytes, size_t byte_count, bool is_big_endian)
{
	size_t at = 0;
	size_t length = 0;

	while (byte_count - at > PACKET_HEADER_BYTES &&
			u32_read(bytes + at, is_big_endian) == metadata_magic) {
		size_t content = u32_read(bytes + at + AT_CONTENT, is_big_endian) / 8;
		size_t packet = u32_read(bytes + at + AT_PACKET, is_big_endian) / 8;
		size_t available = byte_count - at;

		if (content < PACKET_HEADER_BYTES || packet < content) {
			break;
		}
		content = content < available ? content : available;
		memmove(bytes + length, bytes + at + PACKET_HEADER_BYTES,
				content - PACKET_HEADER_BYTES);
		length += content - PACKET_HEADER_BYTES;
		at += packet < available ? packet : available;
	}
	return length;
}

bool tsdl_text_load(const char *path, char **ret_text, size_t *ret_text_bytes)
{
	FILE *file = fopen(path, "rbe");
	char *text = NULL;
	size_t length = 0;
	size_t capacity = 0;
	bool is_ok = false;

	if (!file) {
		return false;
	}
	for (;;) {
		if (capacity - length < 2) {
			char *grown;

			capacity = capacity ? 2 * capacity : 16384;
			if (capacity > TEXT_BYTES_MAX) {
				errno = EFBIG;
				goto end;
			}
			grown = realloc(text, capacity);
			if (!grown) {
				errno = ENOMEM;
				goto end;
			}
			text = grown;
		}
		size_t got = fread(text + length, 1, capacity - length - 1, file);

		length += got;
		if (got == 0) {
			break;
		}
	}
	if (ferror(file)) {
		errno = EIO;
		goto end;
	}
	if (length >= 4) {
		uint8_t *bytes = (uint8_t *)text;

		if (u32_read(bytes, false) == metadata_magic) {
			length = packets_strip(bytes, length, false);
		} else if (u32_read(bytes, true) == metadata_magic) {
			length = packets_strip(bytes, length, true);
		}
	}
	text[length] = '\0';
	*ret_text = text;
	*ret_text_bytes = length;
	text = NULL;
	is_ok = true;
end:
	free(text);
	(void)fclose(file);
	return is_ok;
}

bool tsdl_text_set_uuid(char *text, const char *old_uuid, const char *new_uuid)
{
	char *at = strstr(text, "trace {");

	at = at ? strstr(at, old_uuid) : NULL;
	if (!at || strlen(old_uuid) != strlen(new_uuid)) {
		return false;
	}
	for (size_t i = 0; new_uuid[i]; i++) {
		at[i] = new_uuid[i];
	}
	return true;
}
