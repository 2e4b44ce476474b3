/*
 * SPDX-License-Identifier: MIT
 *
 * Writes metadata as LTTng-UST would, from the list of the carrier events.
 */
#include "tsdl_guess.h"

#include <stdio.h>
#include <stdlib.h>

#include "ctf_metadata.h"
#include "otp_counters.h"
#include "read_lists.h"

struct vocabulary_event {
	const char *name;
	const char *fields;
};

#define PROVIDER_TEXT(name) PROVIDER_TEXT_(name)
#define PROVIDER_TEXT_(name) #name
#define OTP_PROVIDER org_erlang_otp
#define lttng_ust_field_string(name, source) "\t\tstring _" #name ";\n"
#define lttng_ust_field_integer(type, name, source) "\t\t" #type " _" #name ";\n"

#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args)
#define LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, fields) \
	static const char name##_fields[] = fields;
#include "otp_carrier_events.inc"
#undef LTTNG_UST_TRACEPOINT_EVENT_CLASS
#undef LTTNG_UST_TRACEPOINT_EVENT_INSTANCE

#define LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, fields)
#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args) \
	{ PROVIDER_TEXT(provider) ":" #name, class##_fields },

/* In the order of the list: create, destroy, put, get. */
static const struct vocabulary_event vocabulary[EVENT_COUNT] = {
#include "otp_carrier_events.inc"
};

#undef LTTNG_UST_TRACEPOINT_EVENT_CLASS
#undef LTTNG_UST_TRACEPOINT_EVENT_INSTANCE

const char *tsdl_guess_event_name(unsigned int event)
{
	return vocabulary[event].name;
}

const char *tsdl_guess_event_fields(unsigned int event)
{
	return vocabulary[event].fields;
}

static void stream_print(FILE *file, const struct guess *guess)
{
	bool is_vtid = guess->is_vtid_first;

	(void)fprintf(file,
			"stream {\n\tid = %u;\n\tevent.header := struct event_header_%s;\n"
			"\tpacket.context := struct packet_context;\n",
			guess->stream_id, guess->is_compact ? "compact" : "large");
	if (*guess->shape) {
		(void)fputs("\tevent.context := struct {\n", file);
		for (const char *c = guess->shape; *c; c++) {
			if (*c == 'P') {
				(void)fputs("\t\tinteger { size = 8; align = 8; signed = 1; "
					    "encoding = UTF8; } _procname[17];\n",
						file);
			} else {
				(void)fprintf(file, "\t\tint _%s;\n", is_vtid ? "vtid" : "vpid");
				is_vtid = !is_vtid;
			}
		}
		(void)fputs("\t};\n", file);
	}
	(void)fputs("};\n", file);
}

static void prologue_print(FILE *file, const struct ctf_format *format, const struct tsdl *base)
{
	struct tsdl_clock clock = { .freq_hz = 1000000000U };

	if (base && tsdl_clock_borrow(base)) {
		clock = *tsdl_clock_borrow(base);
	}
	ctf_metadata_begin(file, format, clock.freq_hz, clock.offset_s, clock.offset_cycles);
}

char *tsdl_guess_print_stream(
		const struct ctf_format *format, const struct tsdl *base, const struct guess *guess)
{
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);

	if (!file) {
		return NULL;
	}
	prologue_print(file, format, base);
	(void)fputs("typealias integer { size = 32; align = 8; signed = true; } := int;\n", file);
	stream_print(file, guess);
	if (fclose(file) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

char *tsdl_guess_print(const struct ctf_format *format, const struct tsdl *base,
		const char *base_text, size_t base_bytes, const struct guess *guesses,
		size_t guess_count)
{
	bool has_streams = base && tsdl_stream_count(base) > 0;
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);

	if (!file) {
		return NULL;
	}
	if (has_streams) {
		(void)fwrite(base_text, 1, base_bytes, file);
		(void)fputc('\n', file);
	} else {
		prologue_print(file, format, base);
	}
	(void)fputs("typealias integer { size = 32; align = 8; signed = true; } := int;\n", file);
	for (size_t i = 0; i < guess_count; i++) {
		uint32_t stream_id = guesses[i].stream_id;

		if (!has_streams || !tsdl_stream_find(base, stream_id)) {
			stream_print(file, &guesses[i]);
		}
		for (unsigned int id = 0; id < EVENT_COUNT; id++) {
			const struct vocabulary_event *event = &vocabulary[guesses[i].event[id]];

			if (has_streams && tsdl_event_find(base, stream_id, id)) {
				continue;
			}
			(void)fprintf(file,
					"event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = %u;\n"
					"\tloglevel = 13;\n\tfields := struct {\n%s\t};\n};\n",
					event->name, id, stream_id, event->fields);
		}
	}
	if (fclose(file) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
