/*
 * SPDX-License-Identifier: MIT
 *
 * Messages of protocol buffers, field by field, in memory: what pprof and Perfetto read.
 *
 * Source: the published encoding of protocol buffers (protobuf.dev, "Encoding").
 */
#ifndef CSC_PROTOBUF_H
#define CSC_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One message; all zeroes is an empty one. */
struct protobuf {
	unsigned char *bytes;
	size_t length;
	size_t capacity;

	/* Out of memory: from then on nothing is added. */
	bool has_failed;
};

/* A number without its field, for packed ones. */
void protobuf_varint(struct protobuf *message, uint64_t number);

/* uint64, uint32, bool, enum; field numbers are from 1. */
void protobuf_unsigned(struct protobuf *message, unsigned int field, uint64_t number);

/* int64: ten bytes if negative. */
void protobuf_signed(struct protobuf *message, unsigned int field, int64_t number);

/*
 * A text; what is no UTF-8 in it, and what acts on terminals, is written out, since readers refuse
 * a file for one such byte.
 */
void protobuf_text(struct protobuf *message, unsigned int field, const char *text);

/* A message, or packed numbers, within another; fails as `part` has. */
void protobuf_part(struct protobuf *message, unsigned int field, const struct protobuf *part);

/* Takes the content away and keeps the room; a failure stays. */
void protobuf_clear(struct protobuf *message);

void protobuf_finish(struct protobuf *message);

#endif
