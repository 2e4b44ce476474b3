/*
 * SPDX-License-Identifier: MIT
 *
 * One pass by recursion over the types; nothing is copied.
 */
#include "tsdl_walk.h"

#include <string.h>

enum { WALK_DEPTH_MAX = 40 };

/* Where a walk is inside an event that is not whole yet. */
struct cursor {
	struct tsdl_walk *walk;
	uint64_t at_bits;
	uint64_t clock_cycles;
	size_t value_count;
	unsigned int depth;
	uint64_t event_id;
};

void tsdl_walk_init(struct tsdl_walk *walk, const struct tsdl *tsdl,
		const struct tsdl_stream *stream, const uint8_t *bytes, uint64_t front_bits,
		uint64_t content_bits, uint64_t begin_cycles, uint64_t last_cycles)
{
	walk->tsdl = tsdl;
	walk->stream = stream;
	walk->bytes = bytes;
	walk->end_bits = content_bits;
	walk->begin_cycles = begin_cycles;
	walk->last_cycles = last_cycles;
	walk->at_bits = front_bits;
	walk->event = NULL;
	walk->clock_cycles = begin_cycles;
	walk->value_count = 0;
	walk->event_id = 0;
}

static bool cursor_align(struct cursor *c, uint64_t align_bits)
{
	if (align_bits > 1) {
		c->at_bits = (c->at_bits + align_bits - 1) / align_bits * align_bits;
	}
	return c->at_bits <= c->walk->end_bits;
}

static uint64_t bits_read(const uint8_t *bytes, uint64_t at, uint64_t size, bool is_big_endian)
{
	uint64_t value = 0;

	if (at % 8 == 0 && size % 8 == 0) {
		const uint8_t *from = bytes + at / 8;
		uint64_t count = size / 8;

		for (uint64_t i = 0; i < count; i++) {
			value = value << 8 | from[is_big_endian ? i : count - 1 - i];
		}
		return value;
	}
	for (uint64_t i = 0; i < size; i++) {
		uint64_t bit = at + i;

		if (is_big_endian) {
			value = value << 1 | ((uint64_t)bytes[bit / 8] >> (7 - bit % 8) & 1U);
		} else {
			value |= ((uint64_t)bytes[bit / 8] >> bit % 8 & 1U) << i;
		}
	}
	return value;
}

/* Brings the clock forward to the next time whose low bits are these. */
static void clock_update(struct cursor *c, uint64_t size_bits, uint64_t value)
{
	uint64_t mask;

	if (size_bits == 64) {
		c->clock_cycles = value;
		return;
	}
	mask = (UINT64_C(1) << size_bits) - 1;
	if (value < (c->clock_cycles & mask)) {
		c->clock_cycles += mask + 1;
	}
	c->clock_cycles = (c->clock_cycles & ~mask) | value;
}

static bool scalar_walk(struct cursor *c, const struct tsdl_type *type, const char *name)
{
	struct tsdl_walk *walk = c->walk;
	uint64_t value;

	if (!cursor_align(c, type->align_bits) || walk->end_bits - c->at_bits < type->size_bits) {
		return false;
	}
	value = bits_read(walk->bytes, c->at_bits, type->size_bits, type->is_big_endian);
	c->at_bits += type->size_bits;
	if (type->is_clock) {
		clock_update(c, type->size_bits, value);
	}
	if (type->is_signed && type->size_bits > 0 && type->size_bits < 64 &&
			value >> (type->size_bits - 1) != 0) {
		value |= ~UINT64_C(0) << type->size_bits;
	}
	if (name && c->value_count < TSDL_SCOPE_MAX) {
		walk->values[c->value_count++] =
				(struct tsdl_value){ .name = name, .number = value };
		if (strcmp(name, "id") == 0) {
			c->event_id = value;
		}
	}
	return true;
}

static bool string_walk(struct cursor *c, const char *name)
{
	struct tsdl_walk *walk = c->walk;
	const char *text;
	const char *end;

	if (!cursor_align(c, 8)) {
		return false;
	}
	text = (const char *)walk->bytes + c->at_bits / 8;
	end = memchr(text, '\0', (size_t)((walk->end_bits - c->at_bits) / 8));
	if (!end) {
		return false;
	}
	c->at_bits += 8 * ((uint64_t)(end - text) + 1);
	if (name && c->value_count < TSDL_SCOPE_MAX) {
		walk->values[c->value_count++] = (struct tsdl_value){ .name = name, .text = text };
	}
	return true;
}

static const struct tsdl_value *value_find(
		const struct tsdl_walk *walk, size_t value_count, const char *name)
{
	for (size_t i = value_count; i > 0; i--) {
		if (strcmp(walk->values[i - 1].name, name) == 0) {
			return &walk->values[i - 1];
		}
	}
	return NULL;
}

static bool type_walk(struct cursor *c, const struct tsdl_type *type, const char *name);

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static bool elements_walk(struct cursor *c, const struct tsdl_type *element, uint64_t count)
{
	if (!cursor_align(c, element->align_bits)) {
		return false;
	}
	if (element->kind == TSDL_INTEGER && element->size_bits % element->align_bits == 0 &&
			!element->is_clock) {
		if (count > (c->walk->end_bits - c->at_bits) / element->size_bits) {
			return false;
		}
		c->at_bits += count * element->size_bits;
		return true;
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t before = c->at_bits;

		if (!type_walk(c, element, NULL)) {
			return false;
		}
		if (c->at_bits == before) {
			/* Elements without bits: one is as good as all. */
			break;
		}
	}
	return true;
}

static const struct tsdl_type *option_find(
		const struct cursor *c, const struct tsdl_type *type, const struct tsdl_type *tag)
{
	const struct tsdl_value *value = value_find(c->walk, c->value_count, type->reference);

	if (!value || !tag) {
		return NULL;
	}
	for (size_t i = 0; i < tag->label_count; i++) {
		const struct tsdl_label *label = &tag->labels[i];
		int64_t number = (int64_t)value->number;

		if (number < label->low || number > label->high) {
			continue;
		}
		for (size_t j = 0; j < type->field_count; j++) {
			if (strcmp(type->fields[j].name, label->name) == 0) {
				return type->fields[j].type;
			}
		}
	}
	return NULL;
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static bool struct_walk(struct cursor *c, const struct tsdl_type *type)
{
	for (size_t i = 0; i < type->field_count; i++) {
		const struct tsdl_field *field = &type->fields[i];
		const struct tsdl_type *member = field->type;

		if (member->kind == TSDL_VARIANT) {
			const struct tsdl_type *tag = NULL;

			for (size_t j = 0; j < i && member->reference; j++) {
				if (strcmp(type->fields[j].name, member->reference) == 0) {
					tag = type->fields[j].type;
				}
			}
			member = member->reference ? option_find(c, member, tag) : NULL;
		}
		if (!member || !type_walk(c, member, field->name)) {
			return false;
		}
	}
	return true;
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static bool type_walk(struct cursor *c, const struct tsdl_type *type, const char *name)
{
	const struct tsdl_value *value;
	bool is_ok = false;

	if (c->depth == WALK_DEPTH_MAX || !cursor_align(c, type->align_bits)) {
		return false;
	}
	c->depth++;
	switch (type->kind) {
	case TSDL_INTEGER:
	case TSDL_FLOAT:
		is_ok = scalar_walk(c, type, name);
		break;
	case TSDL_STRING:
		is_ok = string_walk(c, name);
		break;
	case TSDL_STRUCT:
		is_ok = struct_walk(c, type);
		break;
	case TSDL_ARRAY:
		is_ok = elements_walk(c, type->element, type->length);
		break;
	case TSDL_SEQUENCE:
		value = value_find(c->walk, c->value_count, type->reference);
		is_ok = value && elements_walk(c, type->element, value->number);
		break;
	case TSDL_VARIANT:
		break;
	}
	c->depth--;
	return is_ok;
}

enum tsdl_step tsdl_walk_next(struct tsdl_walk *walk)
{
	struct cursor c = {
		.walk = walk,
		.at_bits = walk->at_bits,
		.clock_cycles = walk->clock_cycles,
	};
	const struct tsdl_event *event;

	if (walk->at_bits == walk->end_bits) {
		return TSDL_STEP_END;
	}
	if (!type_walk(&c, walk->stream->event_header, NULL)) {
		return TSDL_STEP_BAD;
	}
	walk->event_id = c.event_id;
	c.value_count = 0;
	event = tsdl_event_find(walk->tsdl, walk->stream->id, c.event_id);
	if (!event || c.clock_cycles < walk->clock_cycles ||
			(walk->last_cycles > 0 && c.clock_cycles > walk->last_cycles) ||
			(walk->stream->event_context &&
					!type_walk(&c, walk->stream->event_context, NULL)) ||
			(event->context && !type_walk(&c, event->context, NULL)) ||
			(event->fields && !type_walk(&c, event->fields, NULL)) ||
			c.at_bits == walk->at_bits) {
		return TSDL_STEP_BAD;
	}
	walk->event = event;
	walk->at_bits = c.at_bits;
	walk->clock_cycles = c.clock_cycles;
	walk->value_count = c.value_count;
	return TSDL_STEP_EVENT;
}

bool tsdl_walk_number(const struct tsdl_walk *walk, const char *name, uint64_t *ret_number)
{
	const struct tsdl_value *value = value_find(walk, walk->value_count, name);

	if (!value || value->text) {
		return false;
	}
	*ret_number = value->number;
	return true;
}
