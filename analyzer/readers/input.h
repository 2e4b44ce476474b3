/*
 * SPDX-License-Identifier: MIT
 *
 * A file being read once from front to end, plain or compressed by gzip: as
 * lines, or as single bytes.  Its memory does not depend on the file.
 */
#ifndef CSC_READERS_INPUT_H
#define CSC_READERS_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"

enum {
	/* Read at once; all of a line that is shorter is seen. */
	INPUT_WINDOW_BYTES = 256 * 1024,

	/* What is looked at to recognise a file. */
	INPUT_HEAD_BYTES = 64 * 1024,
};

struct input_line {
	/* Without its end (LF or CR LF), not terminated; valid until the next call. */
	const char *text;
	size_t length;

	/* Counted from 1. */
	uint64_t number;

	/* Of its first byte, from 0, in the uncompressed text. */
	uint64_t offset_bytes;

	/* Longer than the window: `text` is its beginning. */
	bool is_cut;

	/* False: the file ended before the line did, as far as was looked. */
	bool is_ended;
};

struct reader_input;

/* The beginning of a reader_input, for reader_input_peek() and reader_input_byte() alone. */
struct reader_ahead {
	/* What is read and not used yet: window[begin .. end). */
	char *window;
	size_t begin;
	size_t end;

	/* Of window[begin]. */
	uint64_t offset;
	uint64_t line;

	/* In a line whose beginning was handed out. */
	bool is_skipping;
};

/* Goes on to the next byte if it is not there; false: there is none. */
bool reader_input_more(struct reader_input *input);

/* Errors: it cannot be opened; it is not a regular file. */
enum csc_status reader_input_open(
		const char *path, struct reader_input **ret_input, struct diag *diag);

/* A file that is open, from its beginning; it stays open.  `name`: for sentences. */
enum csc_status reader_input_open_fd(
		int fd, const char *name, struct reader_input **ret_input, struct diag *diag);

/* Reads bytes that are copied; for tests. */
enum csc_status reader_input_from_memory(const void *bytes, size_t length,
		struct reader_input **ret_input, struct diag *diag);

/* The same, of the named input, of which the first line is number `line`. */
enum csc_status reader_input_from_text(const char *path, const void *bytes, size_t length,
		uint64_t line, struct reader_input **ret_input, struct diag *diag);

/*
 * Lines from the one at `from_bytes` on, which is number `line`, to before `to_bytes`, each without
 * its first `margin` bytes.  What is before is passed over.
 */
void reader_input_part(struct reader_input *input, uint64_t from_bytes, uint64_t to_bytes,
		uint64_t line, size_t margin);

/*
 * Has `look` called whenever more is read from the file; false ends reading, as a
 * failure "interrupted".
 */
void reader_input_watch(struct reader_input *input, bool (*look)(void *data), void *data);

/* What is read from now on is in no hash: the input is read again. */
void reader_input_unhashed(struct reader_input *input);

/* NULL is fine. */
void reader_input_close(struct reader_input *input);

/* What it is called in sentences. */
const char *reader_input_path(const struct reader_input *input);

/* The next INPUT_HEAD_BYTES, or all there are; reads nothing away. */
const char *reader_input_head(struct reader_input *input, size_t *ret_length);

/* The next line; false: there is none, or reading failed (see reader_input_failure). */
bool reader_input_line(struct reader_input *input, struct input_line *ret_line);

/*
 * The next byte, or -1.  Bytes and lines may be mixed; the number of lines is kept.
 * reader_input_peek() reads nothing away.
 */
static inline int reader_input_peek(struct reader_input *input)
{
	const struct reader_ahead *ahead = (const struct reader_ahead *)(const void *)input;

	if ((ahead->begin == ahead->end || ahead->is_skipping) && !reader_input_more(input)) {
		return -1;
	}

	return (unsigned char)ahead->window[ahead->begin];
}

static inline int reader_input_byte(struct reader_input *input)
{
	struct reader_ahead *ahead = (struct reader_ahead *)(void *)input;
	int byte = reader_input_peek(input);

	if (byte >= 0) {
		ahead->begin++;
		ahead->offset++;
		ahead->line += byte == '\n';
	}

	return byte;
}

/*
 * What follows the next byte is compressed (zlib's format, not gzip's), to its end.
 * False: out of memory (see reader_input_failure), or it is compressed already.
 */
bool reader_input_inflate(struct reader_input *input);

/* Of the next byte, in the uncompressed text; and the line that it is in, from 1. */
uint64_t reader_input_offset(const struct reader_input *input);
uint64_t reader_input_line_number(const struct reader_input *input);

/* Why reading ended before the file did, as a sentence; NULL: it did not. */
const char *reader_input_failure(const struct reader_input *input);

/* Over all bytes read so far, uncompressed. */
uint64_t reader_input_hash(const struct reader_input *input);

/*
 * Bytes of the file that were read, compressed as they lie there, and its size;
 * for showing progress.
 */
uint64_t reader_input_read_bytes(const struct reader_input *input);
uint64_t reader_input_file_bytes(const struct reader_input *input);

#endif
