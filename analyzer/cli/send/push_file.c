/*
 * SPDX-License-Identifier: MIT
 *
 * Pushes in a file.
 */
#include "push_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "carrierscope-push 1 ";

FILE *push_file_open(const char *path)
{
	char begin[sizeof(magic)] = "";
	FILE *stream = fopen(path, "re");

	if (stream && fread(begin, 1, strlen(magic), stream) == strlen(magic) &&
			memcmp(begin, magic, strlen(magic)) == 0) {
		rewind(stream);
		return stream;
	}

	if (stream) {
		(void)fclose(stream);
	}
	return NULL;
}

enum csc_status push_file_write(FILE *stream, const struct push_part *part)
{
	(void)fprintf(stream, "%s%s %" PRIu64 "\n", magic,
			part->format == ROW_TSV ? "tsv" : "rowbinary", part->push);
	for (int i = 0; i < PUSH_TABLES; i++) {
		const struct push_bytes *table = &part->tables[i];

		(void)fprintf(stream, "%s %zu %zu\n", push_table_name((enum push_table)i),
				table->rows, table->length);
		if (table->length > 0) {
			(void)fwrite(table->bytes, 1, table->length, stream);
		}
	}

	return CSC_OK;
}

static bool read_table(FILE *stream, enum push_table table, struct push_bytes *bytes)
{
	/* No push is larger: a year of minutes of each allocator is a tenth. */
	enum { BYTES_MAX = 1 << 30 };
	char name[32] = "";

	if (fscanf(stream, "%31s %zu %zu", name, &bytes->rows, &bytes->length) != 3 ||
			fgetc(stream) != '\n' || strcmp(name, push_table_name(table)) != 0 ||
			bytes->length > BYTES_MAX) {
		return false;
	}

	bytes->bytes = malloc(bytes->length + 1);
	return bytes->bytes && fread(bytes->bytes, 1, bytes->length, stream) == bytes->length;
}

enum csc_status push_file_read(FILE *stream, const char *path, struct push_part *part,
		bool *ret_is_end, struct diag *diag)
{
	char format[16] = "";
	char begin[sizeof(magic)] = "";
	size_t length = fread(begin, 1, strlen(magic), stream);

	*ret_is_end = length == 0 && feof(stream);
	if (*ret_is_end) {
		return CSC_OK;
	}

	if (memcmp(begin, magic, strlen(magic)) != 0 ||
			fscanf(stream, "%15s %" SCNu64, format, &part->push) != 2 ||
			fgetc(stream) != '\n' ||
			(strcmp(format, "tsv") != 0 && strcmp(format, "rowbinary") != 0)) {
		return DIAG_FAIL(diag, "'%s' has bytes that no push wrote", path);
	}

	part->format = strcmp(format, "tsv") == 0 ? ROW_TSV : ROW_BINARY;
	for (int i = 0; i < PUSH_TABLES; i++) {
		if (!read_table(stream, (enum push_table)i, &part->tables[i])) {
			return DIAG_FAIL(diag, "'%s' breaks off; write it again", path);
		}
	}

	return CSC_OK;
}

void push_part_finish(struct push_part *part)
{
	for (int i = 0; i < PUSH_TABLES; i++) {
		free(part->tables[i].bytes);
	}

	*part = (struct push_part){ 0 };
}
