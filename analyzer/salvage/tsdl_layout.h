/*
 * SPDX-License-Identifier: MIT
 *
 * What metadata describes: types, events, streams and the clock.
 */
#ifndef CSC_TSDL_LAYOUT_H
#define CSC_TSDL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tsdl_kind {
	TSDL_INTEGER,
	TSDL_FLOAT,
	TSDL_STRING,
	TSDL_STRUCT,
	TSDL_ARRAY,
	TSDL_SEQUENCE,
	TSDL_VARIANT,
};

struct tsdl_type;

/* A member of a struct, or an option of a variant. */
struct tsdl_field {
	const char *name;
	const struct tsdl_type *type;
};

/* One range of an enumeration. */
struct tsdl_label {
	const char *name;
	int64_t low;
	int64_t high;
};

struct tsdl_type {
	enum tsdl_kind kind;

	uint64_t align_bits;

	/* Integer, float.  An enumeration is an integer with labels. */
	uint64_t size_bits;
	bool is_signed;
	bool is_clock;
	bool is_big_endian;
	const struct tsdl_label *labels;
	size_t label_count;

	/* Struct, variant. */
	struct tsdl_field *fields;
	size_t field_count;

	/* Array, sequence. */
	const struct tsdl_type *element;
	uint64_t length;

	/* The field with a sequence's length or a variant's option. */
	const char *reference;
};

struct tsdl_event {
	const char *name;
	uint64_t id;
	uint64_t stream_id;
	const struct tsdl_type *context;
	const struct tsdl_type *fields;
};

struct tsdl_stream {
	uint64_t id;
	const struct tsdl_type *packet_context;
	const struct tsdl_type *event_header;
	const struct tsdl_type *event_context;
};

struct tsdl_clock {
	uint64_t freq_hz;
	int64_t offset_s;
	int64_t offset_cycles;
};

#endif
