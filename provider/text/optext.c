/* SPDX-License-Identifier: MIT */
/* The text of an operation file. */
#include "optext.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* No operation file is larger, in bytes, when it is unpacked. */
#define TEXT_MAX_BYTES ((size_t)1 << 30)

enum csc_status optext_read(const char *path, char **ret_text, size_t *ret_bytes, struct diag *diag)
{
	bool is_stdin = strcmp(path, "-") == 0;
	gzFile file = is_stdin ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path, "rb");
	size_t room = 1 << 16;
	size_t bytes = 0;
	char *text = malloc(room);
	int got = 1;
	enum csc_status status = CSC_OK;

	if (!file) {
		free(text);
		return DIAG_FAIL(diag, "cannot open '%s'", path);
	}
	while (text && got > 0) {
		if (room - bytes < 2) {
			char *larger = room < TEXT_MAX_BYTES ? realloc(text, room * 2) : NULL;

			if (!larger) {
				status = DIAG_FAIL(diag, "'%s' is too large", path);
				goto end;
			}
			text = larger;
			room *= 2;
		}
		got = gzread(file, text + bytes, (unsigned int)(room - bytes - 1));
		bytes += got > 0 ? (size_t)got : 0;
	}

	int error = Z_OK;
	const char *message = gzerror(file, &error);
	if (!text) {
		status = DIAG_FAIL(diag, "no memory to read '%s'", path);
	} else if (got < 0 || (error != Z_OK && error != Z_STREAM_END)) {
		status = DIAG_FAIL(diag, "cannot read '%s': %s", path,
				error == Z_ERRNO ? "it is not a readable file" : message);
	} else {
		text[bytes] = 0;
		*ret_text = text;
		*ret_bytes = bytes;
		text = NULL;
	}
end:
	gzclose(file);
	free(text);
	return status;
}

enum csc_status optext_fail(
		const struct optext_line *line, struct diag *diag, const char *format, ...)
{
	char sentence[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	return DIAG_FAIL(diag, "%s:%zu: %s", line->path, line->number, sentence);
}

enum csc_status optext_cut(struct optext_line *line, char *text, struct diag *diag)
{
	line->field_count = 0;
	while (text) {
		char *space = strchr(text, ' ');

		if (space) {
			*space++ = 0;
		}
		if (!*text) {
			return optext_fail(line, diag, "fields are separated by one space");
		}
		if (line->field_count == OPTEXT_FIELDS) {
			return optext_fail(line, diag, "more than %d fields", OPTEXT_FIELDS);
		}
		line->fields[line->field_count++] = text;
		text = space;
	}
	return CSC_OK;
}

static bool optext_parse(const char *digits, uint64_t base, uint64_t max, uint64_t *ret)
{
	static const char alphabet[] = "0123456789abcdef";
	uint64_t value = 0;

	if (!*digits) {
		return false;
	}
	for (; *digits; digits++) {
		const char *found = strchr(alphabet, *digits);
		uint64_t digit = found ? (uint64_t)(found - alphabet) : base;

		if (digit >= base || value > (UINT64_MAX - digit) / base) {
			return false;
		}
		value = value * base + digit;
	}
	if (value > max) {
		return false;
	}
	*ret = value;
	return true;
}

enum csc_status optext_number(const struct optext_line *line, size_t field, uint64_t max,
		uint64_t *ret, struct diag *diag)
{
	if (field >= line->field_count) {
		return optext_fail(line, diag, "field %zu is missing", field + 1);
	}
	if (!optext_parse(line->fields[field], 10, max, ret)) {
		return optext_fail(line, diag, "'%s' is not a number from 0 to %llu",
				line->fields[field], (unsigned long long)max);
	}
	return CSC_OK;
}

enum csc_status optext_hex(const struct optext_line *line, size_t field, uint64_t max,
		uint64_t *ret, struct diag *diag)
{
	if (field >= line->field_count) {
		return optext_fail(line, diag, "field %zu is missing", field + 1);
	}
	if (strncmp(line->fields[field], "0x", 2) != 0 ||
			!optext_parse(line->fields[field] + 2, 16, max, ret)) {
		return optext_fail(line, diag, "'%s' is not an address from 0x0 to 0x%llx",
				line->fields[field], (unsigned long long)max);
	}
	return CSC_OK;
}

static size_t ids_place(const struct optext_ids *ids, uint64_t id)
{
	size_t place = (size_t)(id * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (ids->room - 1);

	while (ids->numbers[place] && ids->keys[place] != id) {
		place = (place + 1) & (ids->room - 1);
	}
	return place;
}

static enum csc_status ids_grow(struct optext_ids *ids)
{
	struct optext_ids larger = {
		.room = ids->room ? ids->room * 2 : 1024,
		.count = ids->count,
	};

	larger.keys = calloc(larger.room, sizeof(*larger.keys));
	larger.numbers = calloc(larger.room, sizeof(*larger.numbers));
	if (!larger.keys || !larger.numbers) {
		optext_ids_finish(&larger);
		return CSC_NO_MEMORY;
	}
	for (size_t i = 0; i < ids->room; i++) {
		if (ids->numbers[i]) {
			size_t place = ids_place(&larger, ids->keys[i]);

			larger.keys[place] = ids->keys[i];
			larger.numbers[place] = ids->numbers[i];
		}
	}
	free(ids->keys);
	free(ids->numbers);
	ids->keys = larger.keys;
	ids->numbers = larger.numbers;
	ids->room = larger.room;
	return CSC_OK;
}

enum csc_status optext_ids_enter(
		struct optext_ids *ids, uint64_t id, uint32_t *ret_number, bool *ret_is_new)
{
	if (ids->count * 2 >= ids->room && ids_grow(ids) != CSC_OK) {
		return CSC_NO_MEMORY;
	}

	size_t place = ids_place(ids, id);
	*ret_is_new = !ids->numbers[place];
	if (*ret_is_new) {
		ids->keys[place] = id;
		ids->count++;
		ids->numbers[place] = (uint32_t)ids->count;
	}
	*ret_number = ids->numbers[place] - 1;
	return CSC_OK;
}

bool optext_ids_find(const struct optext_ids *ids, uint64_t id, uint32_t *ret_number)
{
	if (!ids->room) {
		return false;
	}

	size_t place = ids_place(ids, id);
	if (!ids->numbers[place]) {
		return false;
	}
	*ret_number = ids->numbers[place] - 1;
	return true;
}

void optext_ids_finish(struct optext_ids *ids)
{
	free(ids->keys);
	free(ids->numbers);
	*ids = (struct optext_ids){ 0 };
}
