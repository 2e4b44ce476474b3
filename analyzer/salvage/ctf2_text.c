/*
 * SPDX-License-Identifier: MIT
 *
 * One function for each kind of fragment; what one writes is added when it is whole.
 */
#include "ctf2_text.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf2_class.h"
#include "ctf2_json.h"

enum {
	RECORD_SEPARATOR = 0x1e,
	UUID_BYTES = 16,
	UUID_CHARACTERS = 36,
};

struct clock_name {
	const char *text;
	struct clock_name *next;
};

/* A stream, or an event of one. */
struct taken {
	int64_t stream;
	int64_t event;
	struct taken *next;
};

struct translator {
	struct tsdl_pool pool;
	struct ctf2_json_reader *reader;

	/* What has been taken. */
	char uuid[UUID_CHARACTERS + 1];
	bool has_trace;
	struct clock_name *clocks;
	struct taken *streams;
	struct taken *events;

	bool is_out_of_memory;
};

/* What metadata that repairs add to may name, as LTTng's own does. */
static const char types[] =
		"/* CTF 1.8 */\n"
		"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
		"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
		"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
		"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
		"typealias integer { size = 64; align = 8; signed = false; } := unsigned long;\n";

static const char no_memory[] = "out of memory";

bool ctf2_is_text(const char *text, size_t text_bytes)
{
	return text_bytes > 0 && text[0] == RECORD_SEPARATOR;
}

static bool taken_add(struct translator *t, struct taken **list, int64_t stream, int64_t event)
{
	struct taken *one = tsdl_pool_take(&t->pool, sizeof(*one));

	if (!one) {
		t->is_out_of_memory = true;
		return false;
	}
	*one = (struct taken){ .stream = stream, .event = event, .next = *list };
	*list = one;
	return true;
}

static bool is_taken(const struct taken *list, int64_t stream, int64_t event)
{
	while (list && (list->stream != stream || list->event != event)) {
		list = list->next;
	}
	return list;
}

static bool is_uuid(const char *text)
{
	return strlen(text) == UUID_CHARACTERS &&
			strspn(text, "0123456789abcdefABCDEF-") == UUID_CHARACTERS;
}

static const char *preamble_take(
		struct translator *t, const struct ctf2_node *fragment, FILE *ignored)
{
	const struct ctf2_node *uuid = ctf2_json_member(fragment, "uuid", JSON_ARRAY);
	const struct ctf2_node *byte = uuid ? uuid->first : NULL;
	size_t at = 0;

	(void)ignored;
	if (ctf2_json_number(fragment, "version", 0) != 2) {
		return "a version other than 2";
	}
	if (!uuid || uuid->count != UUID_BYTES) {
		return uuid ? "a UUID that is not of 16 bytes" : NULL;
	}
	for (size_t i = 0; i < UUID_BYTES; i++, byte = byte->next) {
		if (byte->kind != JSON_INTEGER || byte->number < 0 || byte->number > UINT8_MAX) {
			t->uuid[0] = '\0';
			return "a UUID that is not of 16 bytes";
		}
		if (i == 4 || i == 6 || i == 8 || i == 10) {
			t->uuid[at++] = '-';
		}
		(void)snprintf(t->uuid + at, 3, "%02x", (unsigned int)byte->number);
		at += 2;
	}
	return NULL;
}

/* The byte order of the first member of the packets' header. */
static const char *order_of(const struct ctf2_node *header)
{
	const struct ctf2_node *members = ctf2_json_member(header, "member-classes", JSON_ARRAY);
	const struct ctf2_node *class = members && members->first
			? ctf2_json_member(members->first, "field-class", JSON_OBJECT)
			: NULL;

	return strcmp(ctf2_json_text(class, "byte-order", ""), "big-endian") == 0 ? "be" : "le";
}

static const char *trace_take(struct translator *t, const struct ctf2_node *fragment, FILE *file)
{
	const struct ctf2_node *header = ctf2_json_find(fragment, "packet-header-field-class");
	const struct ctf2_node *environment =
			ctf2_json_member(fragment, "environment", JSON_OBJECT);
	const char *uid = ctf2_json_text(fragment, "uid", "");
	const char *what;

	if (t->has_trace) {
		return "a second trace";
	}
	(void)fputs("trace {\n\tmajor = 1;\n\tminor = 8;\n", file);
	if (*t->uuid || is_uuid(uid)) {
		(void)fprintf(file, "\tuuid = \"%s\";\n", *t->uuid ? t->uuid : uid);
	}
	(void)fprintf(file, "\tbyte_order = %s;\n\tpacket.header := ", order_of(header));
	what = ctf2_struct_print(file, header, CTF2_PACKET_HEADER, NULL);
	(void)fputs(";\n};\nenv {\n", file);
	for (const struct ctf2_node *entry = environment ? environment->first : NULL; entry;
			entry = entry->next) {
		if (!ctf2_is_name(entry->key)) {
			continue;
		}
		if (entry->kind == JSON_INTEGER) {
			(void)fprintf(file, "\t%s = %" PRId64 ";\n", entry->key, entry->number);
		} else if (entry->kind == JSON_TEXT) {
			(void)fprintf(file, "\t%s = ", entry->key);
			ctf2_quote(file, entry->text);
			(void)fputs(";\n", file);
		}
	}
	(void)fputs("};\n", file);
	t->has_trace = !what;
	return what;
}

static const char *clock_take(struct translator *t, const struct ctf2_node *fragment, FILE *file)
{
	const struct ctf2_node *offset = ctf2_json_find(fragment, "offset-from-origin");
	int64_t seconds = ctf2_json_number(offset, "seconds", 0);
	int64_t cycles = ctf2_json_number(offset, "cycles", 0);
	const char *name = ctf2_json_text(fragment, "id", "");
	const char *uid = ctf2_json_text(fragment, "uid", "");
	int64_t frequency = ctf2_json_number(fragment, "frequency", 0);
	struct clock_name *clock = tsdl_pool_take(&t->pool, sizeof(*clock));

	if (!clock) {
		t->is_out_of_memory = true;
		return no_memory;
	}
	if (!ctf2_is_name(name) || frequency < 1 || (offset && offset->kind != JSON_OBJECT) ||
			seconds == INT64_MIN || cycles < 0) {
		return "a clock without a name, frequency or offset";
	}
	(void)fprintf(file, "clock {\n\tname = %s;\n", name);
	if (is_uuid(uid)) {
		(void)fprintf(file, "\tuuid = \"%s\";\n", uid);
	}
	(void)fputs("\tdescription = ", file);
	ctf2_quote(file, ctf2_json_text(fragment, "description", ""));
	(void)fprintf(file,
			";\n\tfreq = %" PRId64 ";\n\toffset_s = %" PRId64 ";\n\toffset = %" PRId64
			";\n",
			frequency, seconds, cycles);
	if (strcmp(ctf2_json_text(fragment, "origin", ""), "unix-epoch") == 0) {
		(void)fputs("\tabsolute = TRUE;\n", file);
	}
	(void)fputs("};\n", file);
	clock->text = name;
	clock->next = t->clocks;
	t->clocks = clock;
	return NULL;
}

static const char *stream_take(struct translator *t, const struct ctf2_node *fragment, FILE *file)
{
	const char *name = ctf2_json_text(fragment, "default-clock-class-id", NULL);
	const struct ctf2_node *common =
			ctf2_json_find(fragment, "event-record-common-context-field-class");
	int64_t number = ctf2_json_number(fragment, "id", 0);
	const struct clock_name *clock = t->clocks;
	const char *what;

	while (name && clock && strcmp(clock->text, name) != 0) {
		clock = clock->next;
	}
	if (!t->has_trace || (name && !clock) || number < 0 || is_taken(t->streams, number, 0)) {
		return "a stream whose trace or clock is not there, or a second of its number";
	}
	(void)fprintf(file, "stream {\n\tid = %" PRId64 ";\n\tevent.header := ", number);
	what = ctf2_struct_print(file, ctf2_json_find(fragment, "event-record-header-field-class"),
			CTF2_EVENT_HEADER, name);
	(void)fputs(";\n\tpacket.context := ", file);
	if (!what) {
		what = ctf2_struct_print(file,
				ctf2_json_find(fragment, "packet-context-field-class"),
				CTF2_PACKET_CONTEXT, name);
	}
	if (!what && common) {
		(void)fputs(";\n\tevent.context := ", file);
		what = ctf2_struct_print(file, common, CTF2_COMMON_CONTEXT, NULL);
	}
	(void)fputs(";\n};\n", file);
	return !what && !taken_add(t, &t->streams, number, 0) ? no_memory : what;
}

static const char *event_take(struct translator *t, const struct ctf2_node *fragment, FILE *file)
{
	const struct ctf2_node *context = ctf2_json_find(fragment, "specific-context-field-class");
	int64_t stream_number = ctf2_json_number(fragment, "data-stream-class-id", 0);
	int64_t number = ctf2_json_number(fragment, "id", 0);
	const char *name = ctf2_json_text(fragment, "name", NULL);
	const char *what = NULL;

	if (!is_taken(t->streams, stream_number, 0) || number < 0 || !name ||
			is_taken(t->events, stream_number, number)) {
		return "an event whose stream or name is not there, or a second of its number";
	}
	(void)fputs("event {\n\tname = ", file);
	ctf2_quote(file, name);
	(void)fprintf(file, ";\n\tid = %" PRId64 ";\n\tstream_id = %" PRId64 ";\n", number,
			stream_number);
	if (context) {
		(void)fputs("\tcontext := ", file);
		what = ctf2_struct_print(file, context, CTF2_EVENT_CONTEXT, NULL);
		(void)fputs(";\n", file);
	}
	(void)fputs("\tfields := ", file);
	if (!what) {
		what = ctf2_struct_print(file, ctf2_json_find(fragment, "payload-field-class"),
				CTF2_PAYLOAD, NULL);
	}
	(void)fputs(";\n};\n", file);
	return !what && !taken_add(t, &t->events, stream_number, number) ? no_memory : what;
}

/* Yields why a fragment cannot be taken, or NULL. */
static const char *fragment_take(struct translator *t, const struct ctf2_node *fragment, FILE *file)
{
	static const struct {
		const char *type;
		const char *(*take)(struct translator *, const struct ctf2_node *, FILE *);
	} takers[] = {
		{ "preamble", preamble_take },
		{ "trace-class", trace_take },
		{ "clock-class", clock_take },
		{ "data-stream-class", stream_take },
		{ "event-record-class", event_take },
	};
	const char *type = ctf2_json_text(fragment, "type", "");

	for (size_t i = 0; i < sizeof(takers) / sizeof(*takers); i++) {
		if (strcmp(type, takers[i].type) == 0) {
			return takers[i].take(t, fragment, file);
		}
	}
	return "a fragment of an unknown kind";
}

/* One fragment, from behind its separator to the next. */
static bool fragment_add(struct translator *t, const char *text, size_t text_bytes, FILE *file,
		const char **ret_what, bool *ret_is_damaged)
{
	const struct ctf2_node *fragment;
	char *written = NULL;
	size_t written_bytes = 0;
	FILE *part;

	if (!ctf2_json_read(t->reader, &t->pool, text, text_bytes, &fragment)) {
		return false;
	}
	if (!fragment) {
		*ret_is_damaged = true;
		*ret_what = "the JSON text that begins there is cut or damaged";
		return true;
	}
	part = open_memstream(&written, &written_bytes);
	if (!part) {
		return false;
	}
	*ret_what = fragment_take(t, fragment, part);
	if (fclose(part) != 0 || t->is_out_of_memory) {
		free(written);
		return false;
	}
	if (!*ret_what) {
		(void)fwrite(written, 1, written_bytes, file);
	}
	free(written);
	return true;
}

bool ctf2_translate(const char *text, size_t text_bytes, struct ctf2_text *ret_text)
{
	struct translator t = { .reader = ctf2_json_reader_create() };
	struct ctf2_text made = { .text = NULL };
	FILE *file = open_memstream(&made.text, &made.text_bytes);
	bool is_ok = t.reader && file;
	size_t end;

	if (is_ok) {
		(void)fputs(types, file);
	}
	for (size_t at = 0; at < text_bytes && is_ok; at = end) {
		size_t begin = at + (text[at] == RECORD_SEPARATOR);
		const char *next = memchr(text + begin, RECORD_SEPARATOR, text_bytes - begin);
		const char *what = NULL;
		bool is_damaged = false;

		end = next ? (size_t)(next - text) : text_bytes;
		if (strspn(text + begin, " \t\r\n") < end - begin) {
			is_ok = fragment_add(
					&t, text + begin, end - begin, file, &what, &is_damaged);
		}
		if (what && !made.what) {
			made.what = what;
			made.offset_bytes = at;
			made.is_damaged = is_damaged;
		}
	}
	if (file && fclose(file) != 0) {
		is_ok = false;
	}
	ctf2_json_reader_destroy(t.reader);
	tsdl_pool_finish(&t.pool);
	if (!is_ok) {
		free(made.text);
		return false;
	}
	*ret_text = made;
	return true;
}
