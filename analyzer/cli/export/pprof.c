/*
 * SPDX-License-Identifier: MIT
 *
 * Samples are written as they come; functions and strings behind them, once each.
 */
#include "pprof.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of fields in profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,

	TYPE_TYPE = 1,
	TYPE_UNIT = 2,

	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,

	LABEL_KEY = 1,
	LABEL_TEXT = 2,
	LABEL_NUMBER = 3,

	LOCATION_ID = 1,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_LINE = 2,

	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_FILE = 4,
};

static const char *const kinds[STACK_FUNCTION + 1] = { "node", "allocator", "block type", "process",
	"function" };

/* Of a frame; queries of Pyroscope and Parca take no blanks in them. */
static const char *const labels[STACK_FUNCTION + 1] = { "node", "allocator", "type", "process",
	"function" };

/* The number of a text in the table of strings. */
static uint64_t number_of(struct pprof *pprof, const char *text)
{
	int32_t number = numbering_find(&pprof->texts, 0, 0, text);

	pprof->has_failed = pprof->has_failed || number < 0;
	return number < 0 ? 0 : (uint64_t)number;
}

/* Writes `field`, which has a field of the profile. */
static void flush(struct pprof *pprof)
{
	pprof->has_failed = pprof->has_failed || pprof->field.has_failed;
	gzip_write(&pprof->gzip, pprof->field.bytes, pprof->field.length);
	protobuf_clear(&pprof->field);
}

/* A message of the profile, from `message`. */
static void write_message(struct pprof *pprof, unsigned int field)
{
	protobuf_part(&pprof->field, field, &pprof->message);
	protobuf_clear(&pprof->message);
	flush(pprof);
}

static void write_type(struct pprof *pprof, unsigned int field, const char *type, bool is_bytes)
{
	protobuf_unsigned(&pprof->message, TYPE_TYPE, number_of(pprof, type));
	protobuf_unsigned(
			&pprof->message, TYPE_UNIT, number_of(pprof, is_bytes ? "bytes" : "count"));
	write_message(pprof, field);
}

static void write_number(struct pprof *pprof, unsigned int field, int64_t number)
{
	protobuf_signed(&pprof->field, field, number);
	flush(pprof);
}

enum csc_status pprof_open(struct pprof *pprof, FILE *stream, const struct stack_profile *profile,
		struct diag *diag)
{
	*pprof = (struct pprof){ .profile = *profile };
	if (!gzip_open(&pprof->gzip, stream)) {
		return DIAG_NO_MEMORY(diag);
	}

	/* The first string is empty. */
	(void)number_of(pprof, "");
	for (enum stack_value value = 0; value < STACK_VALUES; value++) {
		if (profile->has[value]) {
			write_type(pprof, PROFILE_SAMPLE_TYPE, stack_value_name(value),
					stack_value_is_bytes(value));
		}
	}

	write_number(pprof, PROFILE_DEFAULT_TYPE,
			(int64_t)number_of(pprof, stack_value_name(STACK_INUSE_SPACE)));
	write_number(pprof, PROFILE_TIME_NANOS, profile->time_ns);
	write_number(pprof, PROFILE_DURATION_NANOS, profile->duration_ns);
	write_number(pprof, PROFILE_COMMENT, (int64_t)number_of(pprof, profile->comment));
	if (profile->period > 0) {
		write_type(pprof, PROFILE_PERIOD_TYPE,
				profile->is_period_bytes ? "space" : "objects",
				profile->is_period_bytes);
		write_number(pprof, PROFILE_PERIOD, profile->period);
	}

	return CSC_OK;
}

/* File and line of a frame: of shop.erl:41 the text's place of shop.erl, and 41; of what is no
 * code, its kind. */
static uint64_t file_of(
		struct pprof *pprof, const struct stack *stack, int frame, int64_t *ret_line)
{
	const char *source = stack->source_lines[frame];
	const char *colon = source ? strrchr(source, ':') : NULL;
	uint64_t file;
	char *name;

	*ret_line = 0;
	if (!colon) {
		return number_of(pprof, kinds[stack_frame_kind(frame)]);
	}
	name = strndup(source, (size_t)(colon - source));
	pprof->has_failed = pprof->has_failed || !name;
	file = name ? number_of(pprof, name) : 0;
	free(name);
	*ret_line = strtoll(colon + 1, NULL, 10);
	return file;
}

/* The frames of a stack, the leaf first. */
static void add_locations(struct pprof *pprof, const struct stack *stack)
{
	for (int frame = STACK_FRAMES - 1; frame >= STACK_ALLOCATOR; frame--) {
		int32_t number;
		int64_t line;

		if (!stack->frames[frame]) {
			continue;
		}

		number = numbering_find(&pprof->functions, stack_frame_kind(frame),
				(int64_t)file_of(pprof, stack, frame, &line), stack->frames[frame]);
		number = number < 0 ? number
				    : numbering_find(&pprof->locations, number, line, NULL);
		pprof->has_failed = pprof->has_failed || number < 0;
		protobuf_varint(&pprof->part, (uint64_t)((int64_t)number + 1));
	}

	protobuf_part(&pprof->message, SAMPLE_LOCATION, &pprof->part);
	protobuf_clear(&pprof->part);
}

static void add_label(struct pprof *pprof, const char *key, const char *text, int64_t number)
{
	protobuf_unsigned(&pprof->part, LABEL_KEY, number_of(pprof, key));
	if (text) {
		protobuf_unsigned(&pprof->part, LABEL_TEXT, number_of(pprof, text));
	} else {
		protobuf_signed(&pprof->part, LABEL_NUMBER, number);
	}

	protobuf_part(&pprof->message, SAMPLE_LABEL, &pprof->part);
	protobuf_clear(&pprof->part);
}

void pprof_add(struct pprof *pprof, const struct stack *stack)
{
	bool has_value = false;

	for (enum stack_value value = 0; value < STACK_VALUES; value++) {
		if (pprof->profile.has[value]) {
			has_value = has_value || stack->values[value] != 0;
			protobuf_varint(&pprof->part, (uint64_t)stack->values[value]);
		}
	}

	if (!has_value) {
		protobuf_clear(&pprof->part);
		return;
	}

	protobuf_part(&pprof->message, SAMPLE_VALUE, &pprof->part);
	protobuf_clear(&pprof->part);
	add_locations(pprof, stack);
	if (stack->node) {
		add_label(pprof, "node", stack->node, 0);
	}
	for (int frame = STACK_ALLOCATOR; frame <= STACK_PROCESS; frame++) {
		if (stack->frames[frame]) {
			add_label(pprof, labels[frame], stack->frames[frame], 0);
		}
	}
	if (stack->pid) {
		add_label(pprof, "pid", stack->pid, 0);
	}
	if (stack->instance >= 0) {
		add_label(pprof, "instance", NULL, stack->instance);
	}
	write_message(pprof, PROFILE_SAMPLE);
}

/*
 * Its id is its number from 1 on.  It has no name of the system: pprof takes equal ones for C++,
 * and strips what stands in angle brackets, as in '<0.9.0>'.
 */
static void write_function(struct pprof *pprof, size_t number)
{
	const struct numbering_entry *entry = &pprof->functions.entries[number];

	protobuf_unsigned(&pprof->message, FUNCTION_ID, number + 1);
	protobuf_unsigned(&pprof->message, FUNCTION_NAME, number_of(pprof, entry->text));
	protobuf_unsigned(&pprof->message, FUNCTION_FILE, (uint64_t)entry->b);
	write_message(pprof, PROFILE_FUNCTION);
}

static void write_location(struct pprof *pprof, size_t number)
{
	const struct numbering_entry *entry = &pprof->locations.entries[number];

	protobuf_unsigned(&pprof->part, LINE_FUNCTION, (uint64_t)entry->a + 1);
	protobuf_signed(&pprof->part, LINE_LINE, entry->b);
	protobuf_unsigned(&pprof->message, LOCATION_ID, number + 1);
	protobuf_part(&pprof->message, LOCATION_LINE, &pprof->part);
	protobuf_clear(&pprof->part);
	write_message(pprof, PROFILE_LOCATION);
}

enum csc_status pprof_close(struct pprof *pprof, struct diag *diag)
{
	bool has_failed;

	for (size_t i = 0; i < pprof->functions.count; i++) {
		write_function(pprof, i);
	}
	for (size_t i = 0; i < pprof->locations.count; i++) {
		write_location(pprof, i);
	}

	for (size_t i = 0; i < pprof->texts.count; i++) {
		protobuf_text(&pprof->field, PROFILE_STRING, pprof->texts.entries[i].text);
		flush(pprof);
	}

	gzip_close(&pprof->gzip);
	has_failed = pprof->has_failed;
	numbering_finish(&pprof->texts);
	numbering_finish(&pprof->functions);
	numbering_finish(&pprof->locations);
	protobuf_finish(&pprof->field);
	protobuf_finish(&pprof->message);
	protobuf_finish(&pprof->part);
	return has_failed ? DIAG_NO_MEMORY(diag) : CSC_OK;
}
