/*
 * SPDX-License-Identifier: MIT
 *
 * Pushes in a file.
 */
#include "push_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "push_old.h"

enum { VERSION = 3, FIRST_VERSION = 1, FIRST_VERSION_WITH_SUM = 3 };

static const char magic[] = "carrierscope-push 3 ";

/* "sum ", 16 digits and a line feed. */
enum { SUM_BYTES = 21, LINE_BYTES = 96 };

/* A stream, and the hash of what was read of it or written to it since a push began. */
struct summed {
	FILE *stream;
	uint64_t sum;
};

/* 0: it is none of ours. */
static int version_of(const char begin[static sizeof(magic)])
{
	size_t digit = strlen(magic) - 2;
	int version = begin[digit] - '0';

	return memcmp(begin, magic, digit) == 0 && begin[digit + 1] == ' ' &&
					version >= FIRST_VERSION && version <= VERSION
			? version
			: 0;
}

FILE *push_file_open(const char *path)
{
	char begin[sizeof(magic)] = "";
	FILE *stream = fopen(path, "re");

	if (stream && fread(begin, 1, strlen(magic), stream) == strlen(magic) &&
			version_of(begin)) {
		rewind(stream);
		return stream;
	}

	if (stream) {
		(void)fclose(stream);
	}
	return NULL;
}

static void put(struct summed *out, const void *bytes, size_t length)
{
	if (length > 0) {
		(void)fwrite(bytes, 1, length, out->stream);
		out->sum = row_hash(out->sum, bytes, length);
	}
}

static void put_line(struct summed *out, const char *format, ...)
		__attribute__((format(printf, 2, 3)));
static void put_line(struct summed *out, const char *format, ...)
{
	char line[LINE_BYTES];
	int length;
	va_list arguments;

	va_start(arguments, format);
	length = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	put(out, line, (size_t)length);
}

static void write_sum(uint64_t sum, char ret_line[static SUM_BYTES + 1])
{
	(void)snprintf(ret_line, SUM_BYTES + 1, "sum %016" PRIx64 "\n", sum);
}

void push_file_write(FILE *stream, const struct push_rows *rows)
{
	struct summed out = { .stream = stream };
	char line[SUM_BYTES + 1];

	put_line(&out, "%s%s %" PRIu64 "\n", magic,
			rows->tables[0].format == ROW_TSV ? "tsv" : "rowbinary", rows->content);
	for (int i = 0; i < PUSH_TABLES; i++) {
		const struct row_text *text = &rows->tables[i];

		put_line(&out, "%s %zu %zu\n", push_table_name((enum push_table)i), text->row_count,
				text->length);
		if (text->row_count > 0) {
			put(&out, text->bytes, text->length);
			put(&out, text->rows, text->row_count * sizeof(*text->rows));
		}
	}
	write_sum(out.sum, line);
	fputs(line, stream);
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

static bool read_bytes(struct summed *in, void *bytes, size_t length)
{
	if (fread(bytes, 1, length, in->stream) != length) {
		return false;
	}

	in->sum = row_hash(in->sum, bytes, length);
	return true;
}

/* A line "WORD NUMBER..." with as many numbers as there are; false: it is another. */
static bool read_line(
		struct summed *in, char *word, size_t word_bytes, uint64_t *numbers, int count)
{
	char line[LINE_BYTES] = "";
	char *at = fgets(line, sizeof(line), in->stream);
	size_t length = at ? strcspn(line, " ") : 0;

	if (!at || length >= word_bytes) {
		return false;
	}

	in->sum = row_hash(in->sum, line, strlen(line));
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

/* Bytes of the file that are not read yet: memory is taken for no more. */
static uint64_t bytes_left(FILE *stream)
{
	off_t at = ftello(stream);
	off_t end = at >= 0 && fseeko(stream, 0, SEEK_END) == 0 ? ftello(stream) : at;

	return fseeko(stream, at, SEEK_SET) == 0 && end > at ? (uint64_t)(end - at) : 0;
}

static bool read_table(struct summed *in, const char *wanted, struct row_text *text)
{
	char name[32] = "";
	uint64_t counts[2];
	uint64_t left;

	if (!read_line(in, name, sizeof(name), counts, 2) || strcmp(name, wanted) != 0 ||
			counts[1] > (left = bytes_left(in->stream)) ||
			counts[0] > (left - counts[1]) / sizeof(*text->rows)) {
		return false;
	}

	text->row_count = counts[0];
	text->length = counts[1];

	text->bytes = malloc(text->length + 1);
	text->rows = calloc(text->row_count + 1, sizeof(*text->rows));
	return text->bytes && text->rows && read_bytes(in, text->bytes, text->length) &&
			read_bytes(in, text->rows, text->row_count * sizeof(*text->rows)) &&
			are_rows_sound(text);
}

/* Whether the push ends as its version does: by the sum of its bytes, or at the next push. */
static bool is_end_sound(struct summed *in, int version)
{
	char wanted[SUM_BYTES + 1];
	char line[SUM_BYTES + 1] = "";
	int next;

	if (version >= FIRST_VERSION_WITH_SUM) {
		write_sum(in->sum, wanted);
		return fread(line, 1, SUM_BYTES, in->stream) == SUM_BYTES &&
				memcmp(line, wanted, SUM_BYTES) == 0;
	}

	next = getc(in->stream);
	return next == EOF || (next == magic[0] && ungetc(next, in->stream) == next);
}

static bool read_tables(struct summed *in, int version, struct push_rows *rows)
{
	for (int i = 0; i < PUSH_TABLES; i++) {
		const char *name = i == PUSH_HOUR && version == 1
				? "alloc_point"
				: push_table_name((enum push_table)i);

		if (!read_table(in, name, &rows->tables[i])) {
			return false;
		}
	}

	return true;
}

enum csc_status push_file_read(FILE *stream, const char *path, struct push_rows *rows,
		bool *ret_is_end, struct diag *diag)
{
	char format[16] = "";
	char begin[sizeof(magic)] = "";
	struct summed in = { .stream = stream };
	size_t length = fread(begin, 1, strlen(magic), stream);
	int version = version_of(begin);

	*rows = (struct push_rows){ 0 };
	*ret_is_end = length == 0 && feof(stream);
	if (*ret_is_end) {
		return CSC_OK;
	}

	in.sum = row_hash(0, begin, length);
	if (version == 0 || !read_line(&in, format, sizeof(format), &rows->content, 1) ||
			(strcmp(format, "tsv") != 0 && strcmp(format, "rowbinary") != 0)) {
		return DIAG_FAIL(diag, "'%s' has bytes that no push wrote; write it again", path);
	}

	for (int i = 0; i < PUSH_TABLES; i++) {
		rows->tables[i].format = strcmp(format, "tsv") == 0 ? ROW_TSV : ROW_BINARY;
	}

	if (!read_tables(&in, version, rows) || !is_end_sound(&in, version) ||
			(version == 1 && !push_old_fold(&rows->tables[PUSH_HOUR]))) {
		return DIAG_FAIL(diag, "'%s' breaks off or is damaged; write it again", path);
	}

	return CSC_OK;
}
