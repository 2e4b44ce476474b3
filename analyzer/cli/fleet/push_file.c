/*
 * SPDX-License-Identifier: MIT
 *
 * Pushes in a file.
 */
#include "push_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "push_old.h"

static const char magic[] = "carrierscope-push 2 ";
static const char old_magic[] = "carrierscope-push 1 ";

static bool is_old(const char begin[static sizeof(old_magic)])
{
	return memcmp(begin, old_magic, strlen(old_magic)) == 0;
}

static bool is_magic(const char begin[static sizeof(magic)])
{
	return memcmp(begin, magic, strlen(magic)) == 0 || is_old(begin);
}

FILE *push_file_open(const char *path)
{
	char begin[sizeof(magic)] = "";
	FILE *stream = fopen(path, "re");

	if (stream && fread(begin, 1, strlen(magic), stream) == strlen(magic) && is_magic(begin)) {
		rewind(stream);
		return stream;
	}

	if (stream) {
		(void)fclose(stream);
	}
	return NULL;
}

void push_file_write(FILE *stream, const struct push_rows *rows)
{
	(void)fprintf(stream, "%s%s %" PRIu64 "\n", magic,
			rows->tables[0].format == ROW_TSV ? "tsv" : "rowbinary", rows->content);
	for (int i = 0; i < PUSH_TABLES; i++) {
		const struct row_text *text = &rows->tables[i];

		(void)fprintf(stream, "%s %zu %zu\n", push_table_name((enum push_table)i),
				text->row_count, text->length);
		if (text->row_count > 0) {
			(void)fwrite(text->bytes, 1, text->length, stream);
			(void)fwrite(text->rows, sizeof(*text->rows), text->row_count, stream);
		}
	}
}

/* Each row must begin where its room is within the text. */
static bool are_rows_sound(const struct row_text *text)
{
	size_t room = text->format == ROW_TSV ? ROW_ROOM_TSV : ROW_ROOM_BINARY;

	for (size_t i = 0; i < text->row_count; i++) {
		if (text->rows[i] >= text->length || text->length - text->rows[i] < room) {
			return false;
		}
	}

	return true;
}

/* A line "WORD NUMBER..." with as many numbers as there are; false: it is another. */
static bool read_line(FILE *stream, char *word, size_t word_bytes, uint64_t *numbers, int count)
{
	enum { LINE_BYTES = 96 };
	char line[LINE_BYTES] = "";
	char *at = fgets(line, sizeof(line), stream);
	size_t length = at ? strcspn(line, " ") : 0;

	if (!at || length >= word_bytes) {
		return false;
	}

	memcpy(word, line, length);
	word[length] = '\0';
	at += length;
	for (int i = 0; i < count; i++) {
		char *end = at;

		numbers[i] = strtoull(at, &end, 10);
		if (end == at) {
			return false;
		}
		at = end;
	}

	return strcmp(at, "\n") == 0;
}

static bool read_table(FILE *stream, const char *wanted, struct row_text *text)
{
	/* No push is larger: a year of minutes of each allocator is a tenth. */
	enum { BYTES_MAX = 1 << 30 };
	char name[32] = "";
	uint64_t counts[2];

	if (!read_line(stream, name, sizeof(name), counts, 2) || strcmp(name, wanted) != 0 ||
			counts[1] > BYTES_MAX || counts[0] > counts[1]) {
		return false;
	}

	text->row_count = counts[0];
	text->length = counts[1];

	text->bytes = malloc(text->length + 1);
	text->rows = calloc(text->row_count + 1, sizeof(*text->rows));
	return text->bytes && text->rows &&
			fread(text->bytes, 1, text->length, stream) == text->length &&
			fread(text->rows, sizeof(*text->rows), text->row_count, stream) ==
			text->row_count &&
			are_rows_sound(text);
}

enum csc_status push_file_read(FILE *stream, const char *path, struct push_rows *rows,
		bool *ret_is_end, struct diag *diag)
{
	char format[16] = "";
	char begin[sizeof(magic)] = "";
	size_t length = fread(begin, 1, strlen(magic), stream);
	enum row_format row_format;

	*rows = (struct push_rows){ 0 };
	*ret_is_end = length == 0 && feof(stream);
	if (*ret_is_end) {
		return CSC_OK;
	}

	if (!is_magic(begin) || !read_line(stream, format, sizeof(format), &rows->content, 1) ||
			(strcmp(format, "tsv") != 0 && strcmp(format, "rowbinary") != 0)) {
		return DIAG_FAIL(diag, "'%s' has bytes that no push wrote", path);
	}

	row_format = strcmp(format, "tsv") == 0 ? ROW_TSV : ROW_BINARY;
	for (int i = 0; i < PUSH_TABLES; i++) {
		bool is_folded = i == PUSH_HOUR && is_old(begin);

		rows->tables[i].format = row_format;
		if (!read_table(stream,
				    is_folded ? "alloc_point" : push_table_name((enum push_table)i),
				    &rows->tables[i]) ||
				(is_folded && !push_old_fold(&rows->tables[i]))) {
			return DIAG_FAIL(diag, "'%s' breaks off; write it again", path);
		}
	}

	return CSC_OK;
}
