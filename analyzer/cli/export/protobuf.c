/*
 * SPDX-License-Identifier: MIT
 *
 * Varints and lengths.
 */
#include "protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "growing.h"
#include "visible.h"

/* How a field's value is written: the low bits of its key. */
enum wire { WIRE_VARINT = 0, WIRE_LENGTH = 2 };

enum { VARINT_BYTES = 10 };

/* Room for more bytes; false: out of memory. */
static bool reserve(struct protobuf *message, size_t bytes)
{
	if (message->has_failed || bytes > SIZE_MAX - message->length ||
			!csc_grow(&message->bytes, &message->capacity, message->length + bytes,
					1)) {
		message->has_failed = true;
	}

	return !message->has_failed;
}

static void add_bytes(struct protobuf *message, const void *bytes, size_t length)
{
	if (length > 0 && reserve(message, length)) {
		(void)memcpy(message->bytes + message->length, bytes, length);
		message->length += length;
	}
}

void protobuf_varint(struct protobuf *message, uint64_t number)
{
	if (!reserve(message, VARINT_BYTES)) {
		return;
	}

	while (number > 0x7f) {
		message->bytes[message->length++] = (unsigned char)(number | 0x80);
		number >>= 7;
	}

	message->bytes[message->length++] = (unsigned char)number;
}

static void add_key(struct protobuf *message, unsigned int field, enum wire wire)
{
	protobuf_varint(message, (uint64_t)field << 3 | wire);
}

void protobuf_unsigned(struct protobuf *message, unsigned int field, uint64_t number)
{
	add_key(message, field, WIRE_VARINT);
	protobuf_varint(message, number);
}

void protobuf_signed(struct protobuf *message, unsigned int field, int64_t number)
{
	protobuf_unsigned(message, field, (uint64_t)number);
}

void protobuf_text(struct protobuf *message, unsigned int field, const char *text)
{
	char *shown = visible_copy(text, VISIBLE_CELL);
	size_t length = shown ? strlen(shown) : 0;

	message->has_failed = message->has_failed || !shown;
	add_key(message, field, WIRE_LENGTH);
	protobuf_varint(message, length);
	add_bytes(message, shown, length);
	free(shown);
}

void protobuf_part(struct protobuf *message, unsigned int field, const struct protobuf *part)
{
	message->has_failed = message->has_failed || part->has_failed;
	add_key(message, field, WIRE_LENGTH);
	protobuf_varint(message, part->length);
	add_bytes(message, part->bytes, part->length);
}

void protobuf_clear(struct protobuf *message)
{
	message->length = 0;
}

void protobuf_finish(struct protobuf *message)
{
	free(message->bytes);
	*message = (struct protobuf){ 0 };
}
