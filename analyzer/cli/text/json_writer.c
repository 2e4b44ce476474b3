/*
 * SPDX-License-Identifier: MIT
 *
 * Commas and escapes.
 */
#include "json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "visible.h"

void json_print_string(FILE *stream, const char *text)
{
	fputc('"', stream);
	while (*text) {
		unsigned int code;
		size_t length;
		size_t hidden = visible_hidden(text, &code, &length);

		if (code == '"' || code == '\\') {
			(void)fprintf(stream, "\\%c", (char)code);
		} else if (code == '<' || (hidden > 0 && code < 0x10000)) {
			(void)fprintf(stream, "\\u%04x", code);
		} else if (hidden > 0) {
			fputs("\\ufffd", stream);
		} else {
			(void)fwrite(text, 1, length, stream);
		}

		text += length;
	}
	fputc('"', stream);
}

/* What stands before a value or a key. */
static void begin_value(struct json_writer *json)
{
	fputs(json->has_value ? "," : "", json->stream);
	json->has_value = true;
}

void json_open(struct json_writer *json, char bracket)
{
	assert(bracket == '{' || bracket == '[');
	begin_value(json);
	fputc(bracket, json->stream);
	json->has_value = false;
	json->depth++;
}

void json_close(struct json_writer *json, char bracket)
{
	assert(json->depth > 0 && (bracket == '}' || bracket == ']'));
	fputc(bracket, json->stream);
	json->has_value = true;
	json->depth--;
}

void json_close_line(struct json_writer *json, char bracket)
{
	json_close(json, bracket);
	fputc('\n', json->stream);
}

void json_key(struct json_writer *json, const char *name)
{
	assert(json->depth > 0);
	begin_value(json);
	json_print_string(json->stream, name);
	fputc(':', json->stream);
	json->has_value = false;
}

void json_text(struct json_writer *json, const char *text)
{
	begin_value(json);
	if (text) {
		json_print_string(json->stream, text);
	} else {
		fputs("null", json->stream);
	}
}

void json_number(struct json_writer *json, double number)
{
	begin_value(json);
	if (isfinite(number)) {
		(void)fprintf(json->stream, "%.17g", number);
	} else {
		fputs("null", json->stream);
	}
}

void json_integer(struct json_writer *json, int64_t number)
{
	begin_value(json);
	(void)fprintf(json->stream, "%" PRId64, number);
}

void json_literal(struct json_writer *json, const char *text)
{
	begin_value(json);
	fputs(text, json->stream);
}

void json_member_text(struct json_writer *json, const char *name, const char *text)
{
	json_key(json, name);
	json_text(json, text);
}

void json_member_integer(struct json_writer *json, const char *name, int64_t number)
{
	json_key(json, name);
	json_integer(json, number);
}

void json_member_number(struct json_writer *json, const char *name, double number)
{
	json_key(json, name);
	json_number(json, number);
}

void json_member_flag(struct json_writer *json, const char *name, bool is_set)
{
	json_key(json, name);
	json_literal(json, is_set ? "true" : "false");
}

void json_break(struct json_writer *json)
{
	if (json->has_value) {
		fputs(",\n", json->stream);
		json->has_value = false;
	}
}
