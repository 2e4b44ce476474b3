/*
 * SPDX-License-Identifier: MIT
 *
 * A window that moves over the file: what is not used yet is at its front when
 * more is read behind it.
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
	PACKED_BYTES = 64 * 1024,
	GZIP_WINDOW_BITS = 15 + 16,
	ZLIB_WINDOW_BITS = 15,
	FAILURE_BYTES = 256
};

struct reader_input {
	/* First: see input.h. */
	struct reader_ahead ahead;

	char *path;

	/* -1: from memory. */
	int fd;
	uint64_t file_bytes;
	uint64_t read_bytes;

	/* NULL: not compressed. */
	unsigned char *packed;
	size_t packed_bytes;
	z_stream inflate;
	bool is_between_members;

	/* What is inflated may begin with a mark. */
	bool is_mark_due;

	bool is_at_end;

	/* reader_input_part(); to_bytes 0: to the end. */
	uint64_t to_bytes;
	size_t margin;

	bool (*look)(void *data);
	void *look_data;

	bool is_unhashed;
	uint64_t hash;
	uint64_t hash_rest;
	unsigned int hash_rest_bytes;
	char failure[FAILURE_BYTES];
};

/* `fresh`: bytes read since, which the window does not count yet. */
static void note_failure(struct reader_input *input, size_t fresh, const char *what)
{
	uint64_t offset = input->ahead.offset + input->ahead.end - input->ahead.begin + fresh;

	if (input->failure[0] == '\0') {
		(void)snprintf(input->failure, sizeof(input->failure),
				"reading stops at offset %llu: %s", (unsigned long long)offset,
				what);
	}

	input->is_at_end = true;
}

/* Reads what the file holds; 0: nothing more. */
static size_t read_raw(struct reader_input *input, void *bytes, size_t most)
{
	ssize_t got;

	if (input->fd < 0) {
		return 0;
	}

	do {
		got = read(input->fd, bytes, most);
	} while (got < 0 && errno == EINTR);

	if (got < 0) {
		note_failure(input, 0, strerror(errno));
		return 0;
	}

	input->read_bytes += (uint64_t)got;
	return (size_t)got;
}

/* Inflates up to `most` bytes; several compressed files one behind the other are one. */
static size_t read_packed(struct reader_input *input, char *bytes, size_t most)
{
	z_stream *inflater = &input->inflate;

	inflater->next_out = (unsigned char *)bytes;
	inflater->avail_out = (unsigned int)most;
	while (inflater->avail_out > 0) {
		int result;

		if (inflater->avail_in == 0) {
			inflater->next_in = input->packed;
			inflater->avail_in = (unsigned int)read_raw(
					input, input->packed, input->packed_bytes);
			if (inflater->avail_in == 0) {
				if (!input->is_between_members) {
					note_failure(input, most - inflater->avail_out,
							"the compressed file is cut off");
				}
				break;
			}
		}

		if (input->is_between_members) {
			(void)inflateReset(inflater);
			input->is_between_members = false;
		}

		result = inflate(inflater, Z_NO_FLUSH);
		if (result == Z_STREAM_END) {
			input->is_between_members = true;
		} else if (result != Z_OK && result != Z_BUF_ERROR) {
			note_failure(input, most - inflater->avail_out,
					"the compressed file is damaged");
			break;
		}
	}

	return most - inflater->avail_out;
}

static void hash_word(struct reader_input *input, uint64_t word)
{
	input->hash = (input->hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	input->hash ^= input->hash >> 32;
}

/* Takes bytes in words of eight, whatever pieces they come in. */
static void hash_bytes(struct reader_input *input, const char *bytes, size_t length)
{
	size_t at = 0;

	while (at < length && input->hash_rest_bytes > 0) {
		input->hash_rest |= (uint64_t)(unsigned char)bytes[at++]
				<< 8 * input->hash_rest_bytes++;
		if (input->hash_rest_bytes == sizeof(uint64_t)) {
			hash_word(input, input->hash_rest);
			input->hash_rest = 0;
			input->hash_rest_bytes = 0;
		}
	}

	for (; at + sizeof(uint64_t) <= length; at += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, bytes + at, sizeof(word));
		hash_word(input, word);
	}

	for (; at < length; at++) {
		input->hash_rest |= (uint64_t)(unsigned char)bytes[at]
				<< 8 * input->hash_rest_bytes++;
	}
}

/* The mark that editors of some systems put before UTF-8. */
static void skip_mark(struct reader_input *input)
{
	static const char mark[] = { '\xef', '\xbb', '\xbf' };

	if (input->ahead.end >= sizeof(mark) &&
			memcmp(input->ahead.window, mark, sizeof(mark)) == 0) {
		input->ahead.begin = sizeof(mark);
		input->ahead.offset = sizeof(mark);
	}
}

/* Makes room and reads more; false: there is none, or the window is full. */
static bool fill(struct reader_input *input)
{
	size_t room;
	size_t got;

	if (input->is_at_end) {
		return false;
	}

	if (input->ahead.begin > 0) {
		memmove(input->ahead.window, input->ahead.window + input->ahead.begin,
				input->ahead.end - input->ahead.begin);
		input->ahead.end -= input->ahead.begin;
		input->ahead.begin = 0;
	}

	room = INPUT_WINDOW_BYTES - input->ahead.end;
	if (room == 0) {
		return false;
	}

	if (input->look && !input->look(input->look_data)) {
		note_failure(input, 0, "interrupted");
		return false;
	}

	got = input->packed ? read_packed(input, input->ahead.window + input->ahead.end, room)
			    : read_raw(input, input->ahead.window + input->ahead.end, room);
	if (!input->is_unhashed) {
		hash_bytes(input, input->ahead.window + input->ahead.end, got);
	}
	input->ahead.end += got;
	if (got == 0) {
		input->is_at_end = true;
	}
	if (input->is_mark_due) {
		input->is_mark_due = false;
		skip_mark(input);
	}

	return got > 0;
}

static enum csc_status start_packed(struct reader_input *input, struct diag *diag)
{
	input->packed = malloc(PACKED_BYTES);
	input->packed_bytes = PACKED_BYTES;
	if (!input->packed || inflateInit2(&input->inflate, GZIP_WINDOW_BITS) != Z_OK) {
		free(input->packed);
		input->packed = NULL;
		return DIAG_NO_MEMORY(diag);
	}

	/* What was read to see that it is compressed. */
	memcpy(input->packed, input->ahead.window, input->ahead.end);
	input->inflate.next_in = input->packed;
	input->inflate.avail_in = (unsigned int)input->ahead.end;
	input->ahead.end = 0;
	input->hash = 0;
	input->hash_rest = 0;
	input->hash_rest_bytes = 0;
	input->is_mark_due = true;
	return CSC_OK;
}

/* Reads enough to see whether it is compressed. */
static enum csc_status start(struct reader_input *input, struct diag *diag)
{
	static const char gzip_mark[] = { '\x1f', '\x8b', '\x08' };
	size_t got = read_raw(input, input->ahead.window, PACKED_BYTES);

	input->ahead.end = got;
	input->is_at_end = got == 0;
	if (got > sizeof(gzip_mark) &&
			memcmp(input->ahead.window, gzip_mark, sizeof(gzip_mark)) == 0) {
		return start_packed(input, diag);
	}

	hash_bytes(input, input->ahead.window, got);
	skip_mark(input);
	return CSC_OK;
}

static enum csc_status create(const char *path, struct reader_input **ret_input, struct diag *diag)
{
	struct reader_input *input = calloc(1, sizeof(*input));

	if (input) {
		input->fd = -1;
		input->ahead.line = 1;
		input->path = strdup(path);
		input->ahead.window = malloc(INPUT_WINDOW_BYTES);
	}

	if (!input || !input->path || !input->ahead.window) {
		reader_input_close(input);
		return DIAG_NO_MEMORY(diag);
	}

	*ret_input = input;
	return CSC_OK;
}

/* `fd` -1: errno has why. */
static enum csc_status open_file(
		int fd, const char *name, struct reader_input **ret_input, struct diag *diag)
{
	struct reader_input *input = NULL;
	const char *why = fd < 0 ? strerror(errno) : "not a regular file";
	enum csc_status result = create(name, &input, diag);
	struct stat status;

	if (result != CSC_OK) {
		(void)close(fd);
		return result;
	}

	input->fd = fd;
	if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		result = DIAG_FAIL(diag, "cannot read '%s': %s", name, why);
	} else {
		input->file_bytes = (uint64_t)status.st_size;
		result = start(input, diag);
	}

	if (result == CSC_OK) {
		*ret_input = input;
	} else {
		reader_input_close(input);
	}

	return result;
}

enum csc_status reader_input_open(
		const char *path, struct reader_input **ret_input, struct diag *diag)
{
	return open_file(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), path, ret_input, diag);
}

enum csc_status reader_input_open_fd(
		int fd, const char *name, struct reader_input **ret_input, struct diag *diag)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (own >= 0) {
		(void)lseek(own, 0, SEEK_SET);
	}
	return open_file(own, name, ret_input, diag);
}

enum csc_status reader_input_from_memory(const void *bytes, size_t length,
		struct reader_input **ret_input, struct diag *diag)
{
	return reader_input_from_text("memory", bytes, length, 1, ret_input, diag);
}

enum csc_status reader_input_from_text(const char *path, const void *bytes, size_t length,
		uint64_t line, struct reader_input **ret_input, struct diag *diag)
{
	struct reader_input *input = NULL;
	enum csc_status result = create(path, &input, diag);

	if (result != CSC_OK) {
		return result;
	}

	if (length > INPUT_WINDOW_BYTES) {
		char *grown = realloc(input->ahead.window, length);

		if (!grown) {
			reader_input_close(input);
			return DIAG_NO_MEMORY(diag);
		}
		input->ahead.window = grown;
	}

	if (length > 0) {
		memcpy(input->ahead.window, bytes, length);
	}
	input->ahead.end = length;
	input->ahead.line = line;
	input->is_at_end = true;
	input->file_bytes = length;
	input->read_bytes = length;
	hash_bytes(input, input->ahead.window, length);
	*ret_input = input;
	return CSC_OK;
}

void reader_input_watch(struct reader_input *input, bool (*look)(void *data), void *data)
{
	input->look = look;
	input->look_data = data;
}

void reader_input_unhashed(struct reader_input *input)
{
	input->is_unhashed = true;
}

void reader_input_close(struct reader_input *input)
{
	if (!input) {
		return;
	}

	if (input->packed) {
		(void)inflateEnd(&input->inflate);
	}

	if (input->fd >= 0) {
		(void)close(input->fd);
	}

	free(input->packed);
	free(input->ahead.window);
	free(input->path);
	free(input);
}

const char *reader_input_path(const struct reader_input *input)
{
	return input->path;
}

const char *reader_input_head(struct reader_input *input, size_t *ret_length)
{
	while (input->ahead.end - input->ahead.begin < INPUT_HEAD_BYTES && fill(input)) {
	}

	*ret_length = input->ahead.end - input->ahead.begin;
	if (*ret_length > INPUT_HEAD_BYTES) {
		*ret_length = INPUT_HEAD_BYTES;
	}

	return input->ahead.window + input->ahead.begin;
}

/* Drops the rest of a line that is longer than the window. */
static void skip_rest(struct reader_input *input)
{
	while (input->ahead.is_skipping) {
		const char *from = input->ahead.window + input->ahead.begin;
		const char *found = memchr(from, '\n', input->ahead.end - input->ahead.begin);

		if (found) {
			input->ahead.offset += (uint64_t)(found + 1 - from);
			input->ahead.begin += (size_t)(found + 1 - from);
			input->ahead.line++;
			input->ahead.is_skipping = false;
			return;
		}

		input->ahead.offset += input->ahead.end - input->ahead.begin;
		input->ahead.begin = input->ahead.end;
		input->ahead.is_skipping = fill(input);
	}
}

static void cut_margin(const struct reader_input *input, struct input_line *line)
{
	size_t margin = line->length < input->margin ? line->length : input->margin;

	line->text += margin;
	line->length -= margin;
}

bool reader_input_line(struct reader_input *input, struct input_line *ret_line)
{
	size_t searched = 0;
	const char *found;
	size_t length;

	skip_rest(input);
	if (input->to_bytes > 0 && input->ahead.offset >= input->to_bytes) {
		return false;
	}
	for (;;) {
		const char *from = input->ahead.window + input->ahead.begin;
		size_t there = input->ahead.end - input->ahead.begin;

		found = there > searched ? memchr(from + searched, '\n', there - searched) : NULL;
		searched = there;
		if (found || !fill(input)) {
			break;
		}
	}

	/* What fill() moved is at `begin`. */
	length = found ? (size_t)(found - (input->ahead.window + input->ahead.begin))
		       : input->ahead.end - input->ahead.begin;
	if (!found && length == 0) {
		return false;
	}

	*ret_line = (struct input_line){
		.text = input->ahead.window + input->ahead.begin,
		.length = length,
		.number = input->ahead.line,
		.offset_bytes = input->ahead.offset,
		.is_ended = found != NULL,
	};
	if (found) {
		input->ahead.begin += length + 1;
		input->ahead.offset += length + 1;
		input->ahead.line++;
		if (length > 0 && ret_line->text[length - 1] == '\r') {
			ret_line->length--;
		}
		cut_margin(input, ret_line);
		return true;
	}

	if (!input->is_at_end) {
		/* The caller looks at the window now; the rest is dropped at the next call. */
		ret_line->is_cut = true;
		ret_line->is_ended = true;
		input->ahead.is_skipping = true;
	}

	input->ahead.begin = input->ahead.end;
	input->ahead.offset += length;
	cut_margin(input, ret_line);
	return true;
}

void reader_input_part(struct reader_input *input, uint64_t from_bytes, uint64_t to_bytes,
		uint64_t line, size_t margin)
{
	while (input->ahead.offset < from_bytes && reader_input_more(input)) {
		uint64_t left = from_bytes - input->ahead.offset;
		size_t there = input->ahead.end - input->ahead.begin;

		there = left < there ? (size_t)left : there;
		input->ahead.begin += there;
		input->ahead.offset += there;
	}

	input->ahead.line = line;
	input->to_bytes = to_bytes;
	input->margin = margin;
}

bool reader_input_more(struct reader_input *input)
{
	skip_rest(input);
	return input->ahead.begin < input->ahead.end || fill(input);
}

bool reader_input_inflate(struct reader_input *input)
{
	size_t there = input->ahead.end - input->ahead.begin;

	/* What was read ahead goes where compressed bytes lie. */
	if (input->packed) {
		return false;
	}

	input->packed_bytes = there > PACKED_BYTES ? there : PACKED_BYTES;
	input->packed = malloc(input->packed_bytes);
	if (!input->packed || inflateInit2(&input->inflate, ZLIB_WINDOW_BITS) != Z_OK) {
		free(input->packed);
		input->packed = NULL;
		note_failure(input, 0, "out of memory");
		return false;
	}

	memcpy(input->packed, input->ahead.window + input->ahead.begin, there);
	input->inflate.next_in = input->packed;
	input->inflate.avail_in = (unsigned int)there;
	input->ahead.begin = 0;
	input->ahead.end = 0;
	input->is_at_end = false;
	return true;
}

uint64_t reader_input_offset(const struct reader_input *input)
{
	return input->ahead.offset;
}

uint64_t reader_input_line_number(const struct reader_input *input)
{
	return input->ahead.line;
}

const char *reader_input_failure(const struct reader_input *input)
{
	return input->failure[0] != '\0' ? input->failure : NULL;
}

uint64_t reader_input_hash(const struct reader_input *input)
{
	uint64_t hash = input->hash ^ input->hash_rest ^ input->hash_rest_bytes;

	return hash * UINT64_C(0x9e3779b97f4a7c15);
}

uint64_t reader_input_read_bytes(const struct reader_input *input)
{
	return input->read_bytes;
}

uint64_t reader_input_file_bytes(const struct reader_input *input)
{
	return input->file_bytes;
}
