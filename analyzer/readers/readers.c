/*
 * SPDX-License-Identifier: MIT
 *
 * Which reader takes what: the first in the table that accepts it.
 */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "board_log.h"
#include "dump.h"
#include "reader.h"
#include "terms.h"
#include "text.h"

static const struct reader readers[] = {
	{ "crash_dump", "a crash dump", dump_recognise, dump_read },
	{ "board_log", "a board's log", board_log_recognise, board_log_read },
	{ "terms", "Erlang terms", terms_recognise, terms_read },
	{ "args", "an arguments file", args_recognise, args_read },
};

const struct reader *readers_recognise(struct reader_input *input)
{
	size_t length;
	const char *head = reader_input_head(input, &length);

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]) && length > 0; i++) {
		if (readers[i].recognise(head, length)) {
			return &readers[i];
		}
	}

	return NULL;
}

const char *readers_container(struct reader_input *input)
{
	static const struct {
		const char *name;
		size_t offset;
		size_t length;
		const char *mark;
	} marks[] = {
		{ "a tar archive", 257, 5, "ustar" },
		{ "a zip archive", 0, 4, "PK\3\4" },
		{ "compressed by xz", 0, 6,
				"\xfd"
				"7zXZ" },
		{ "compressed by zstd", 0, 4, "\x28\xb5\x2f\xfd" },
		{ "compressed by bzip2", 0, 3, "BZh" },
		{ "compressed by gzip twice", 0, 3, "\x1f\x8b\x08" },
	};
	size_t length;
	const char *head = reader_input_head(input, &length);

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (length >= marks[i].offset + marks[i].length &&
				memcmp(head + marks[i].offset, marks[i].mark, marks[i].length) ==
						0) {
			return marks[i].name;
		}
	}

	return NULL;
}

bool readers_is_database(struct reader_input *input)
{
	size_t length;
	const char *head = reader_input_head(input, &length);

	return text_begins((struct text){ head, length }, "SQLite format 3");
}

/* Bytes to look at for a charset without a mark; enough that no text of one byte each has them. */
#define CHARSET_BYTES 64

/* Whether bytes of one parity, in a file of text, are 0 and the others are not. */
static bool is_every_second_nul(const char *head, size_t length, size_t parity)
{
	if (length < CHARSET_BYTES) {
		return false;
	}
	for (size_t i = 0; i < CHARSET_BYTES; i++) {
		if ((head[i] == 0) != (i % 2 == parity)) {
			return false;
		}
	}
	return true;
}

const char *readers_charset(struct reader_input *input, size_t *ret_offset)
{
	static const struct {
		const char *name;
		size_t length;
		char mark[4];
	} marks[] = {
		{ "UTF-32LE", 4, { '\xff', '\xfe', 0, 0 } },
		{ "UTF-32BE", 4, { 0, 0, '\xfe', '\xff' } },
		{ "UTF-16LE", 2, { '\xff', '\xfe' } },
		{ "UTF-16BE", 2, { '\xfe', '\xff' } },
	};
	size_t length;
	const char *head = reader_input_head(input, &length);

	*ret_offset = 0;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (length >= marks[i].length &&
				memcmp(head, marks[i].mark, marks[i].length) == 0) {
			return marks[i].name;
		}
	}
	if (is_every_second_nul(head, length, 1)) {
		*ret_offset = 1;
		return "UTF-16LE";
	}
	return is_every_second_nul(head, length, 0) ? "UTF-16BE" : NULL;
}

bool readers_is_ciphertext(struct reader_input *input)
{
	enum { LEAST_BYTES = 8192, VALUES = 256 };
	size_t counts[VALUES] = { 0 };
	size_t length;
	const char *head = reader_input_head(input, &length);
	size_t behind = length / 2;
	double expected = (double)(length - behind) / VALUES;
	double sum = 0;

	if (length < LEAST_BYTES) {
		return false;
	}
	/* A header of text may be before it. */
	for (size_t i = behind; i < length; i++) {
		counts[(unsigned char)head[i]]++;
	}
	for (size_t i = 0; i < VALUES; i++) {
		double off = (double)counts[i] - expected;

		sum += off * off / expected;
	}
	/* Of random bytes 255 on average, with a standard deviation of 23. */
	return sum < 2 * VALUES;
}

/* What is the same for all inputs, once one was read. */
static enum csc_status finish(struct reader_input *input, struct store *store, struct diag *diag)
{
	struct catalog_file *file = &store_catalog(store)->file;
	const char *failure = reader_input_failure(input);

	file->content_hash = reader_input_hash(input);
	if (!failure) {
		return CSC_OK;
	}

	file->is_partial = true;
	return store_problem(store, "input_cut", SEVERITY_DATA_LOSS, 1, diag, "'%s': %s",
			reader_input_path(input), failure);
}

enum csc_status readers_read(const struct reader *reader, struct reader_input *input,
		struct store *store, struct diag *diag)
{
	struct catalog_file *file = &store_catalog(store)->file;
	enum csc_status status;

	file->kind = reader->kind;
	file->path = strdup(reader_input_path(input));
	if (!file->path) {
		return DIAG_NO_MEMORY(diag);
	}

	status = reader->read(input, store, diag);
	return status == CSC_OK ? finish(input, store, diag) : status;
}
