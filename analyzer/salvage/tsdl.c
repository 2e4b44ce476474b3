/*
 * SPDX-License-Identifier: MIT
 *
 * Declarations.  What is not known inside a block is passed over.
 */
#include "tsdl.h"

#include <stdlib.h>
#include <string.h>

#include "tsdl_lex.h"
#include "tsdl_type.h"

/* One `key = value;` or `key := type;` of a block. */
struct entry {
	const char *key;
	const char *text;
	int64_t number;
	const struct tsdl_type *type;
};

static bool entry_parse(struct tsdl *t, struct entry *ret_entry)
{
	const char *key = "";
	struct entry entry = { .text = "" };

	while (t->at->kind == TSDL_TOKEN_WORD || tsdl_is_at(t, ".")) {
		if (!tsdl_accept(t, ".")) {
			key = tsdl_text_join(t, key, t->at++->text);
			if (!key) {
				return false;
			}
		}
	}
	entry.key = key;
	if (tsdl_accept(t, ":=")) {
		entry.type = tsdl_type_parse(t);
		if (!entry.type) {
			return false;
		}
	} else if (tsdl_accept(t, "=")) {
		entry.text = t->at->text;
		if (t->at->kind == TSDL_TOKEN_NUMBER || tsdl_is_at(t, "-")) {
			(void)tsdl_accept_number(t, &entry.number);
		}
	} else {
		return false;
	}
	*ret_entry = entry;
	return tsdl_pass_statement(t);
}

static bool trace_entry(struct tsdl *t, const struct entry *entry)
{
	if (strcmp(entry->key, "uuid") == 0) {
		t->uuid = entry->text;
	} else if (strcmp(entry->key, "byte_order") == 0) {
		t->is_big_endian = strcmp(entry->text, "be") == 0;
	} else if (strcmp(entry->key, "packet header") == 0) {
		t->packet_header = entry->type;
	}
	return true;
}

static bool clock_entry(struct tsdl *t, const struct entry *entry)
{
	if (strcmp(entry->key, "freq") == 0) {
		t->clock.freq_hz = (uint64_t)entry->number;
	} else if (strcmp(entry->key, "offset") == 0) {
		t->clock.offset_cycles = entry->number;
	} else if (strcmp(entry->key, "offset_s") == 0) {
		t->clock.offset_s = entry->number;
	}
	t->has_clock = true;
	return true;
}

static bool stream_entry(struct tsdl *t, const struct entry *entry)
{
	struct tsdl_stream *stream = &t->streams->stream;

	if (strcmp(entry->key, "id") == 0) {
		stream->id = (uint64_t)entry->number;
	} else if (strcmp(entry->key, "event header") == 0) {
		stream->event_header = entry->type;
	} else if (strcmp(entry->key, "packet context") == 0) {
		stream->packet_context = entry->type;
	} else if (strcmp(entry->key, "event context") == 0) {
		stream->event_context = entry->type;
	}
	return true;
}

static bool event_entry(struct tsdl *t, const struct entry *entry)
{
	struct tsdl_event *event = &t->events->event;

	if (strcmp(entry->key, "name") == 0) {
		event->name = entry->text;
	} else if (strcmp(entry->key, "id") == 0) {
		event->id = (uint64_t)entry->number;
	} else if (strcmp(entry->key, "stream_id") == 0) {
		event->stream_id = (uint64_t)entry->number;
	} else if (strcmp(entry->key, "context") == 0) {
		event->context = entry->type;
	} else if (strcmp(entry->key, "fields") == 0) {
		event->fields = entry->type;
	}
	return true;
}

static bool block_parse(struct tsdl *t, bool (*take_entry)(struct tsdl *, const struct entry *))
{
	if (!tsdl_accept(t, "{")) {
		return false;
	}
	while (!tsdl_accept(t, "}")) {
		struct entry entry;

		if (!entry_parse(t, &entry) || !take_entry(t, &entry)) {
			return false;
		}
	}
	return tsdl_accept(t, ";");
}

static bool stream_parse(struct tsdl *t)
{
	struct stream_node *node = tsdl_take(t, sizeof(*node));
	bool is_ok;

	if (!node) {
		return false;
	}
	node->next = t->streams;
	t->streams = node;
	is_ok = block_parse(t, stream_entry);
	if (!is_ok) {
		t->streams = node->next;
	}
	return is_ok;
}

static bool event_parse(struct tsdl *t)
{
	struct event_node *node = tsdl_take(t, sizeof(*node));
	bool is_ok;

	if (!node) {
		return false;
	}
	node->event.name = "";
	node->next = t->events;
	t->events = node;
	is_ok = block_parse(t, event_entry);
	if (!is_ok) {
		t->events = node->next;
	}
	return is_ok;
}

static bool alias_declare(struct tsdl *t)
{
	const struct tsdl_type *type = tsdl_type_parse(t);
	const char *name = "";
	const char *word;

	if (!type || !tsdl_accept(t, ":=")) {
		return false;
	}
	while ((word = tsdl_accept_kind(t, TSDL_TOKEN_WORD)) != NULL) {
		name = tsdl_text_join(t, name, word);
		if (!name) {
			return false;
		}
	}
	return *name != '\0' && tsdl_accept(t, ";") && tsdl_name_add(t, name, type);
}

static bool declaration_parse(struct tsdl *t)
{
	if (tsdl_accept(t, "trace")) {
		return block_parse(t, trace_entry);
	}
	if (tsdl_accept(t, "clock")) {
		return block_parse(t, clock_entry);
	}
	if (tsdl_accept(t, "stream")) {
		return stream_parse(t);
	}
	if (tsdl_accept(t, "event")) {
		return event_parse(t);
	}
	if (tsdl_accept(t, "typealias")) {
		return alias_declare(t);
	}
	if (tsdl_accept(t, "env") || tsdl_accept(t, "callsite")) {
		return tsdl_pass_statement(t);
	}
	return tsdl_type_parse(t) && tsdl_accept(t, ";");
}

bool tsdl_read(const char *text, size_t text_bytes, struct tsdl **ret_tsdl, size_t *ret_good_bytes)
{
	struct tsdl *t = calloc(1, sizeof(*t));
	const struct tsdl_token *first;
	size_t good = 0;
	bool is_whole = false;

	if (!t) {
		return false;
	}
	t->clock.freq_hz = 1000000000U;
	first = tsdl_lex(&t->pool, text, text_bytes, &is_whole);
	if (!first) {
		tsdl_destroy(t);
		return false;
	}
	t->at = first;
	while (t->at->kind != TSDL_TOKEN_END && declaration_parse(t)) {
		good = t->at[-1].end;
	}
	if (t->is_out_of_memory) {
		tsdl_destroy(t);
		return false;
	}
	if (t->at->kind == TSDL_TOKEN_END && is_whole &&
			(t->at == first || t->at[-1].end == good)) {
		good = text_bytes;
	}
	*ret_good_bytes = good;
	*ret_tsdl = t;
	return true;
}

void tsdl_destroy(struct tsdl *tsdl)
{
	if (tsdl) {
		tsdl_pool_finish(&tsdl->pool);
		free(tsdl);
	}
}

const struct tsdl_stream *tsdl_stream_find(const struct tsdl *tsdl, uint64_t stream_id)
{
	for (const struct stream_node *node = tsdl->streams; node; node = node->next) {
		if (node->stream.id == stream_id) {
			return &node->stream;
		}
	}
	return NULL;
}

const struct tsdl_event *tsdl_event_find(
		const struct tsdl *tsdl, uint64_t stream_id, uint64_t event_id)
{
	for (const struct event_node *node = tsdl->events; node; node = node->next) {
		if (node->event.id == event_id && node->event.stream_id == stream_id) {
			return &node->event;
		}
	}
	return NULL;
}

const struct tsdl_event *tsdl_event_find_name(
		const struct tsdl *tsdl, uint64_t stream_id, const char *name)
{
	for (const struct event_node *node = tsdl->events; node; node = node->next) {
		if (node->event.stream_id == stream_id && strcmp(node->event.name, name) == 0) {
			return &node->event;
		}
	}
	return NULL;
}

const struct tsdl_clock *tsdl_clock_borrow(const struct tsdl *tsdl)
{
	return tsdl->has_clock ? &tsdl->clock : NULL;
}

const struct tsdl_type *tsdl_packet_header_borrow(const struct tsdl *tsdl)
{
	return tsdl->packet_header;
}

const char *tsdl_uuid_borrow(const struct tsdl *tsdl)
{
	return tsdl->uuid;
}

size_t tsdl_stream_count(const struct tsdl *tsdl)
{
	size_t count = 0;

	for (const struct stream_node *node = tsdl->streams; node; node = node->next) {
		count++;
	}
	return count;
}

bool tsdl_is_big_endian(const struct tsdl *tsdl)
{
	return tsdl->is_big_endian;
}

/* Whether a member is called so and has so many bits without a gap before it. */
static bool is_member(const struct tsdl_field *field, const char *name, uint64_t bits)
{
	const struct tsdl_type *type = field->type;
	uint64_t size = type->size_bits;

	if (type->kind == TSDL_ARRAY && type->element->kind == TSDL_INTEGER) {
		size = type->length * type->element->size_bits;
	} else if (type->kind != TSDL_INTEGER) {
		return false;
	}
	return strcmp(field->name, name) == 0 && size == bits && type->align_bits <= 8;
}

bool tsdl_has_lttng_front(const struct tsdl *tsdl, size_t *ret_long_bytes)
{
	static const char *const header[] = { "magic", "uuid", "stream_id", "stream_instance_id" };
	static const uint64_t header_bits[] = { 32, 128, 32, 64 };
	static const char *const context[] = { "timestamp_begin", "timestamp_end", "content_size",
		"packet_size", "packet_seq_num", "events_discarded", "cpu_id" };
	uint64_t long_bits = 0;

	if (!tsdl->packet_header || tsdl->packet_header->field_count != 4 || !tsdl->streams) {
		return false;
	}
	for (size_t i = 0; i < 4; i++) {
		if (!is_member(&tsdl->packet_header->fields[i], header[i], header_bits[i])) {
			return false;
		}
	}
	for (const struct stream_node *node = tsdl->streams; node; node = node->next) {
		const struct tsdl_type *type = node->stream.packet_context;

		if (!type || type->field_count != 7 || !node->stream.event_header) {
			return false;
		}
		long_bits = type->fields[5].type->size_bits;
		for (size_t i = 0; i < 7; i++) {
			uint64_t bits = i == 5 ? long_bits : i == 6 ? 32 : 64;

			if (!is_member(&type->fields[i], context[i], bits)) {
				return false;
			}
		}
	}
	*ret_long_bytes = (size_t)long_bits / 8;
	return long_bits == 64 || long_bits == 32;
}
