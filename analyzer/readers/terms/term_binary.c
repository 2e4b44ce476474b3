/*
 * SPDX-License-Identifier: MIT
 *
 * Terms in the external term format, as term_to_binary/1 writes them.
 *
 * Source: "External Term Format", Erlang Run-Time System Application User's Guide.
 */
#include <stdio.h>

#include "term.h"

/* The tags of the format. */
enum tag {
	NEW_FLOAT = 70,
	BIT_BINARY = 77,
	COMPRESSED = 80,
	NEW_PID = 88,
	NEW_PORT = 89,
	NEWER_REFERENCE = 90,
	SMALL_INTEGER = 97,
	INTEGER = 98,
	FLOAT = 99,
	ATOM = 100,
	REFERENCE = 101,
	PORT = 102,
	PID = 103,
	SMALL_TUPLE = 104,
	LARGE_TUPLE = 105,
	NIL = 106,
	STRING = 107,
	LIST = 108,
	BINARY = 109,
	SMALL_BIG = 110,
	LARGE_BIG = 111,
	NEW_REFERENCE = 114,
	SMALL_ATOM = 115,
	MAP = 116,
	ATOM_UTF8 = 118,
	SMALL_ATOM_UTF8 = 119,
	V4_PORT = 120,
	VERSION = 131,
};

struct decoder {
	struct terms *terms;
	bool is_broken;

	/* Elements that each open container still lacks; a list's tail counts. */
	uint64_t missing[TERM_DEPTH];
};

static unsigned int byte(struct decoder *decoder)
{
	int c = reader_input_byte(decoder->terms->input);

	if (c < 0) {
		decoder->is_broken = true;
		return 0;
	}

	return (unsigned int)c;
}

static uint64_t integer(struct decoder *decoder, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes; i++) {
		value = value << 8 | byte(decoder);
	}

	return value;
}

/* Text of a length; what does not fit is read and dropped. */
static void text(struct decoder *decoder, uint64_t length, struct term_item *item)
{
	for (uint64_t i = 0; i < length && !decoder->is_broken; i++) {
		char c = (char)byte(decoder);

		if (item->length < sizeof(item->text)) {
			item->text[item->length++] = c;
		}
	}
}

static void skip(struct decoder *decoder, uint64_t length)
{
	for (uint64_t i = 0; i < length && !decoder->is_broken; i++) {
		(void)byte(decoder);
	}
}

static void print(struct term_item *item, bool is_negative, uint64_t value)
{
	item->length = (size_t)snprintf(item->text, sizeof(item->text), "%s%llu",
			is_negative ? "-" : "", (unsigned long long)value);
}

/* A number of any length: the least byte comes first. */
static void big(struct decoder *decoder, uint64_t length, struct term_item *item)
{
	bool is_negative = byte(decoder) != 0;
	uint64_t value = 0;

	item->kind = TERM_INTEGER;
	for (uint64_t i = 0; i < length && !decoder->is_broken; i++) {
		uint64_t digit = byte(decoder);

		if (i < 8) {
			value |= digit << 8 * i;
		} else if (digit != 0) {
			item->is_huge = true;
		}
	}

	item->is_huge = item->is_huge || value > INT64_MAX;
	item->number = item->is_huge ? INT64_MAX : (int64_t)value;
	if (is_negative) {
		item->number = -item->number;
	}

	print(item, is_negative, value);
}

static void scalar(struct decoder *decoder, const struct term_item *item)
{
	if (!decoder->is_broken) {
		term_scalar(decoder->terms, item);
	}
}

static void open(struct decoder *decoder, enum term_kind kind, uint64_t elements)
{
	if (decoder->is_broken || !term_open(decoder->terms, kind)) {
		decoder->is_broken = true;
		return;
	}

	decoder->missing[decoder->terms->depth - 1] = elements;
}

static void read_atom(struct decoder *decoder, unsigned int length_bytes)
{
	struct term_item item = { .kind = TERM_ATOM };

	text(decoder, integer(decoder, length_bytes), &item);
	scalar(decoder, &item);
}

/* The name of a node, before the numbers of a pid, port or reference. */
static void skip_node(struct decoder *decoder)
{
	switch (byte(decoder)) {
	case ATOM:
	case ATOM_UTF8:
		skip(decoder, integer(decoder, 2));
		break;
	case SMALL_ATOM:
	case SMALL_ATOM_UTF8:
		skip(decoder, byte(decoder));
		break;
	default:
		decoder->is_broken = true;
	}
}

static void read_identifier(struct decoder *decoder, unsigned int tag)
{
	struct term_item item = { .kind = TERM_IDENTIFIER };
	uint64_t words = 0;
	uint64_t id;
	uint64_t serial;
	int length;

	if (tag == NEW_REFERENCE || tag == NEWER_REFERENCE) {
		words = integer(decoder, 2);
	}

	skip_node(decoder);
	if (tag == PID || tag == NEW_PID) {
		id = integer(decoder, 4);
		serial = integer(decoder, 4);
		skip(decoder, tag == PID ? 1 : 4);
		length = snprintf(item.text, sizeof(item.text), "<0.%llu.%llu>",
				(unsigned long long)id, (unsigned long long)serial);
	} else if (words > 0) {
		skip(decoder, (tag == NEW_REFERENCE ? 1 : 4) + 4 * words);
		length = snprintf(item.text, sizeof(item.text), "#Ref");
	} else {
		id = integer(decoder, tag == V4_PORT ? 8 : 4);
		skip(decoder, tag == NEW_PORT || tag == V4_PORT ? 4 : 1);
		length = snprintf(item.text, sizeof(item.text), "#Port<0.%llu>",
				(unsigned long long)id);
	}

	item.length = (size_t)length;
	scalar(decoder, &item);
}

static void read_number(struct decoder *decoder, unsigned int tag)
{
	struct term_item item = { .kind = TERM_INTEGER };

	if (tag == SMALL_INTEGER) {
		item.number = byte(decoder);
		print(&item, false, (uint64_t)item.number);
	} else if (tag == INTEGER) {
		item.number = (int32_t)(uint32_t)integer(decoder, 4);
		print(&item, item.number < 0,
				(uint64_t)(item.number < 0 ? -item.number : item.number));
	} else if (tag == SMALL_BIG || tag == LARGE_BIG) {
		big(decoder, integer(decoder, tag == SMALL_BIG ? 1 : 4), &item);
	} else {
		item.kind = TERM_FLOAT;
		skip(decoder, tag == FLOAT ? 31 : 8);
	}

	scalar(decoder, &item);
}

static void read_bytes(struct decoder *decoder, unsigned int tag)
{
	struct term_item item = { .kind = tag == STRING ? TERM_STRING : TERM_BINARY };
	uint64_t length = integer(decoder, tag == STRING ? 2 : 4);

	if (tag == BIT_BINARY) {
		skip(decoder, 1);
	}

	text(decoder, length, &item);
	scalar(decoder, &item);
}

/* Reads one term, or the beginning of one with elements. */
static void read_term(struct decoder *decoder)
{
	unsigned int tag = byte(decoder);
	struct term_item item = { .kind = TERM_LIST };

	switch (tag) {
	case ATOM:
	case ATOM_UTF8:
		read_atom(decoder, 2);
		break;
	case SMALL_ATOM:
	case SMALL_ATOM_UTF8:
		read_atom(decoder, 1);
		break;
	case SMALL_INTEGER:
	case INTEGER:
	case SMALL_BIG:
	case LARGE_BIG:
	case FLOAT:
	case NEW_FLOAT:
		read_number(decoder, tag);
		break;
	case STRING:
	case BINARY:
	case BIT_BINARY:
		read_bytes(decoder, tag);
		break;
	case PID:
	case NEW_PID:
	case PORT:
	case NEW_PORT:
	case V4_PORT:
	case REFERENCE:
	case NEW_REFERENCE:
	case NEWER_REFERENCE:
		read_identifier(decoder, tag);
		break;
	case SMALL_TUPLE:
		open(decoder, TERM_TUPLE, byte(decoder));
		break;
	case LARGE_TUPLE:
		open(decoder, TERM_TUPLE, integer(decoder, 4));
		break;
	case LIST:
		open(decoder, TERM_LIST, integer(decoder, 4) + 1);
		break;
	case MAP:
		open(decoder, TERM_MAP, 2 * integer(decoder, 4));
		break;
	case NIL:
		scalar(decoder, &item);
		break;
	default:
		decoder->is_broken = true;
	}
}

enum term_outcome term_read_binary(struct terms *terms)
{
	struct decoder decoder = { .terms = terms };

	terms->depth = 0;
	if (reader_input_peek(terms->input) < 0) {
		return TERM_AT_END;
	}

	if (byte(&decoder) != VERSION) {
		return TERM_BROKEN;
	}

	if (reader_input_peek(terms->input) == COMPRESSED) {
		(void)byte(&decoder);
		skip(&decoder, 4);
		if (!reader_input_inflate(terms->input)) {
			return TERM_BROKEN;
		}
	}

	read_term(&decoder);
	while (terms->depth > 0 && !decoder.is_broken) {
		uint64_t *missing = &decoder.missing[terms->depth - 1];

		if (*missing == 0) {
			(void)term_close(terms, terms->frames[terms->depth - 1].kind);
			continue;
		}

		--*missing;
		if (*missing == 0 && terms->frames[terms->depth - 1].kind == TERM_LIST &&
				reader_input_peek(terms->input) == NIL) {
			/* The end of a list is no element. */
			(void)byte(&decoder);
			continue;
		}

		read_term(&decoder);
	}

	return decoder.is_broken ? TERM_BROKEN : TERM_READ;
}
