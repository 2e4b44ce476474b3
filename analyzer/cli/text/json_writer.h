/*
 * SPDX-License-Identifier: MIT
 *
 * JSON, value by value: commas are put where they belong.  Texts are made safe as those of
 * visible.h, and may stand in a page: "<" is escaped.
 *
 * Errors are those of the stream: see ferror().
 */
#ifndef CSC_JSON_WRITER_H
#define CSC_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_writer {
	/* Borrowed. */
	FILE *stream;

	/* A value was written in the array or object that is open. */
	bool has_value;

	/* How many arrays and objects are open. */
	unsigned int depth;
};

/* '{' or '[', and '}' or ']'. */
void json_open(struct json_writer *json, char bracket);
void json_close(struct json_writer *json, char bracket);

/* The same for the outermost, and ends the line. */
void json_close_line(struct json_writer *json, char bracket);

/* The name of the value that follows, in an object. */
void json_key(struct json_writer *json, const char *name);

/* NULL is null. */
void json_text(struct json_writer *json, const char *text);

/* What is not finite is null. */
void json_number(struct json_writer *json, double number);
void json_integer(struct json_writer *json, int64_t number);

/* A value that is JSON as it is. */
void json_literal(struct json_writer *json, const char *text);

/* A member of the object that is open: its name and value. */
void json_member_text(struct json_writer *json, const char *name, const char *text);
void json_member_integer(struct json_writer *json, const char *name, int64_t number);
void json_member_number(struct json_writer *json, const char *name, double number);
void json_member_flag(struct json_writer *json, const char *name, bool is_set);

/* The value that follows begins a line, unless it is the first of its array. */
void json_break(struct json_writer *json);

/* One text in quotes, for what is not JSON altogether. */
void json_print_string(FILE *stream, const char *text);

#endif
