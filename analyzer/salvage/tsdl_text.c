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

#include "ctf2_text.h"
#include "growing.h"

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

/* The bytes of a file and a NUL behind them; NULL with errno set when it cannot be read. */
static char *file_load(const char *path, size_t *ret_length)
{
	FILE *file = fopen(path, "rbe");
	char *text = NULL;
	size_t length = 0;
	size_t capacity = 0;
	int failure = 0;

	if (!file) {
		return NULL;
	}
	for (;;) {
		if (capacity - length < 2) {
			size_t needed = capacity ? 2 * capacity : 16384;

			if (needed > TEXT_BYTES_MAX || !csc_grow(&text, &capacity, needed, 1)) {
				failure = needed > TEXT_BYTES_MAX ? EFBIG : ENOMEM;
				break;
			}
		}
		size_t got = fread(text + length, 1, capacity - length - 1, file);

		length += got;
		if (got == 0) {
			failure = ferror(file) ? EIO : 0;
			break;
		}
	}
	(void)fclose(file);
	if (failure != 0) {
		free(text);
		errno = failure;
		return NULL;
	}
	text[length] = '\0';
	*ret_length = length;
	return text;
}

bool tsdl_text_load(const char *path, char **ret_text, size_t *ret_text_bytes)
{
	size_t length;
	char *text = file_load(path, &length);

	if (!text) {
		return false;
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
	return true;
}

/* Where a comment or text begins that does not end; `end`: there is none. */
static size_t open_end(const char *text, size_t end, const char **ret_what)
{
	size_t at = 0;

	while (at < end) {
		const char *close = NULL;
		size_t begin = at;

		if (text[at] == '/' && at + 1 < end && text[at + 1] == '*') {
			close = memmem(text + at + 2, end - at - 2, "*/", 2);
			*ret_what = "a comment begins there and does not end";
			if (!close) {
				return begin;
			}
			at = (size_t)(close - text) + 2;
		} else if (text[at] == '/' && at + 1 < end && text[at + 1] == '/') {
			close = memchr(text + at, '\n', end - at);
			at = close ? (size_t)(close - text) : end;
		} else if (text[at] == '"') {
			for (at++; at < end && text[at] != '"'; at++) {
				at += text[at] == '\\';
			}
			*ret_what = "a text in quotes begins there and does not end";
			if (at >= end) {
				return begin;
			}
			at++;
		} else {
			at++;
		}
	}
	return end;
}

/* Looks at the packets; those of a file that has none are none. */
static const char *check_packets(
		const uint8_t *bytes, size_t byte_count, bool is_big_endian, uint64_t *ret_offset)
{
	size_t at = 0;

	while (byte_count - at > PACKET_HEADER_BYTES &&
			u32_read(bytes + at, is_big_endian) == metadata_magic) {
		size_t content = u32_read(bytes + at + AT_CONTENT, is_big_endian) / 8;
		size_t packet = u32_read(bytes + at + AT_PACKET, is_big_endian) / 8;

		*ret_offset = at;
		if (content > byte_count - at) {
			return "a packet begins there whose header gives it more bytes than the file has";
		}
		if (content < PACKET_HEADER_BYTES || packet < content) {
			/* Readers refuse it. */
			return NULL;
		}
		at += packet < byte_count - at ? packet : byte_count - at;
	}
	return NULL;
}

/* The place in the file of one in the text that packets_strip() makes of it. */
static uint64_t file_offset(
		const uint8_t *bytes, size_t byte_count, bool is_big_endian, size_t text_at)
{
	size_t at = 0;
	size_t length = 0;

	while (byte_count - at > PACKET_HEADER_BYTES) {
		size_t content = u32_read(bytes + at + AT_CONTENT, is_big_endian) / 8 -
				PACKET_HEADER_BYTES;
		size_t packet = u32_read(bytes + at + AT_PACKET, is_big_endian) / 8;

		if (text_at < length + content) {
			return at + PACKET_HEADER_BYTES + text_at - length;
		}
		length += content;
		if (packet == 0 || packet >= byte_count - at) {
			break;
		}
		at += packet;
	}
	return text_at;
}

uint64_t tsdl_text_place(const char *path, size_t text_at)
{
	size_t length = 0;
	char *text = file_load(path, &length);
	const uint8_t *bytes = (const uint8_t *)text;
	uint64_t place = text_at;

	for (int order = 0; text && length >= 4 && order < 2; order++) {
		if (u32_read(bytes, order == 1) == metadata_magic) {
			place = file_offset(bytes, length, order == 1, text_at);
			break;
		}
	}
	free(text);
	return place;
}

/* Looks at a text whose packets are sound. */
static const char *check_text(const char *text, size_t text_bytes, size_t *ret_at)
{
	struct ctf2_text translated;
	const char *what = NULL;

	if (!ctf2_is_text(text, text_bytes)) {
		*ret_at = open_end(text, text_bytes, &what);
		return *ret_at < text_bytes ? what : NULL;
	}
	if (!ctf2_translate(text, text_bytes, &translated)) {
		errno = ENOMEM;
		return NULL;
	}
	free(translated.text);
	*ret_at = translated.offset_bytes;
	return translated.is_damaged ? translated.what : NULL;
}

const char *tsdl_text_check(const char *path, uint64_t *ret_offset)
{
	size_t length = 0;
	char *text = file_load(path, &length);
	const uint8_t *bytes = (const uint8_t *)text;
	const char *what = NULL;
	bool is_big_endian;
	size_t at = 0;

	if (!text) {
		return NULL;
	}
	is_big_endian = length >= 4 && u32_read(bytes, true) == metadata_magic;
	errno = 0;
	if (is_big_endian || (length >= 4 && u32_read(bytes, false) == metadata_magic)) {
		what = check_packets(bytes, length, is_big_endian, ret_offset);
	}
	free(text);
	if (!what && length > 0 && tsdl_text_load(path, &text, &length)) {
		what = check_text(text, length, &at);
		free(text);
		if (what) {
			*ret_offset = tsdl_text_place(path, at);
		}
	}
	return what;
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
