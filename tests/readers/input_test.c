/*
 * SPDX-License-Identifier: MIT
 *
 * Lines and bytes of files: their numbers and offsets, whatever the pieces in which
 * the file is read, compressed or not, cut or not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "input.h"

static char path[] = "/tmp/csc_input_XXXXXX";

/* Writes a file and opens it. */
static struct reader_input *open_bytes(const char *bytes, size_t length, bool is_packed)
{
	struct reader_input *input = NULL;
	struct diag diag = { 0 };

	if (is_packed) {
		gzFile file = gzopen(path, "wb1");

		assert_non_null(file);
		if (length > 0) {
			assert_int_equal(gzwrite(file, bytes, (unsigned int)length), (int)length);
		}
		assert_int_equal(gzclose(file), Z_OK);
	} else {
		FILE *file = fopen(path, "wb");

		assert_non_null(file);
		assert_int_equal(fwrite(bytes, 1, length, file), length);
		assert_int_equal(fclose(file), 0);
	}

	assert_int_equal(reader_input_open(path, &input, &diag), CSC_OK);
	return input;
}

static void expect_line(
		struct reader_input *input, const char *text, uint64_t number, uint64_t offset)
{
	struct input_line line;

	assert_true(reader_input_line(input, &line));
	assert_int_equal(line.length, strlen(text));
	assert_memory_equal(line.text, text, line.length);
	assert_int_equal(line.number, number);
	assert_int_equal(line.offset_bytes, offset);
	assert_false(line.is_cut);
}

static void test_lines_have_numbers_and_offsets(void **state)
{
	static const char text[] = "one\r\n\nthree\nfour";
	(void)state;

	for (int is_packed = 0; is_packed < 2; is_packed++) {
		struct reader_input *input = open_bytes(text, sizeof(text) - 1, is_packed);
		struct input_line line;

		expect_line(input, "one", 1, 0);
		expect_line(input, "", 2, 5);
		expect_line(input, "three", 3, 6);
		assert_true(reader_input_line(input, &line));
		assert_int_equal(line.length, 4);
		assert_false(line.is_ended);
		assert_false(reader_input_line(input, &line));
		assert_null(reader_input_failure(input));
		assert_int_equal(reader_input_offset(input), sizeof(text) - 1);
		reader_input_close(input);
	}
}

static void test_nothing_is_no_line(void **state)
{
	(void)state;
	for (int is_packed = 0; is_packed < 2; is_packed++) {
		struct reader_input *input = open_bytes("", 0, is_packed);
		struct input_line line;
		size_t length;

		assert_false(reader_input_line(input, &line));
		assert_int_equal(reader_input_byte(input), -1);
		(void)reader_input_head(input, &length);
		assert_int_equal(length, 0);
		assert_null(reader_input_failure(input));
		reader_input_close(input);
	}
}

/* A file larger than the window, read as lines: every one is there, at its place. */
static void test_lines_across_windows(void **state)
{
	size_t length = 3 * INPUT_WINDOW_BYTES + 12345;
	char *bytes = malloc(length);
	(void)state;

	assert_non_null(bytes);
	for (size_t i = 0; i < length; i++) {
		bytes[i] = (char)(i * i % 97 == 3 ? '\n' : 'a' + i % 23);
	}

	for (int is_packed = 0; is_packed < 2; is_packed++) {
		struct reader_input *input = open_bytes(bytes, length, is_packed);
		struct input_line line;
		uint64_t number = 0;
		size_t at = 0;

		while (reader_input_line(input, &line)) {
			const char *end = memchr(bytes + at, '\n', length - at);
			size_t expected = end ? (size_t)(end - bytes) - at : length - at;

			assert_int_equal(line.number, ++number);
			assert_int_equal(line.offset_bytes, at);
			assert_int_equal(line.length, expected);
			assert_memory_equal(line.text, bytes + at, expected);
			at += expected + (end != NULL);
		}

		assert_int_equal(at, length);
		reader_input_close(input);
	}

	free(bytes);
}

/* A line of ten windows: its beginning is reported, the next line is whole. */
static void test_a_long_line_is_cut(void **state)
{
	size_t length = 10 * INPUT_WINDOW_BYTES;
	char *bytes = malloc(length + 6);
	(void)state;

	assert_non_null(bytes);
	memset(bytes, 'x', length);
	memcpy(bytes + length, "\nlast\n", 6);
	for (int is_packed = 0; is_packed < 2; is_packed++) {
		struct reader_input *input = open_bytes(bytes, length + 6, is_packed);
		struct input_line line;

		assert_true(reader_input_line(input, &line));
		assert_true(line.is_cut);
		assert_int_equal(line.length, INPUT_WINDOW_BYTES);
		expect_line(input, "last", 2, length + 1);
		assert_false(reader_input_line(input, &line));
		reader_input_close(input);
	}

	free(bytes);
}

static void test_bytes_keep_the_line(void **state)
{
	struct reader_input *input = open_bytes("a\nb", 3, false);
	(void)state;

	assert_int_equal(reader_input_byte(input), 'a');
	assert_int_equal(reader_input_peek(input), '\n');
	assert_int_equal(reader_input_line_number(input), 1);
	assert_int_equal(reader_input_byte(input), '\n');
	assert_int_equal(reader_input_line_number(input), 2);
	expect_line(input, "b", 2, 2);
	assert_int_equal(reader_input_byte(input), -1);
	reader_input_close(input);
}

/* What is whole of a compressed file that was cut is read, and the cut is reported. */
static void test_a_truncated_compressed_file_is_reported(void **state)
{
	size_t length = 200000;
	char *bytes = malloc(length);
	struct reader_input *input;
	struct input_line line;
	struct diag diag = { 0 };
	struct stat status;
	size_t lines = 0;
	(void)state;

	assert_non_null(bytes);
	for (size_t i = 0; i < length; i++) {
		bytes[i] = (char)(i % 50 == 49 ? '\n' : 'a' + (i * 2654435761u >> 13) % 26);
	}

	reader_input_close(open_bytes(bytes, length, true));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(truncate(path, status.st_size / 2), 0);
	assert_int_equal(reader_input_open(path, &input, &diag), CSC_OK);
	while (reader_input_line(input, &line)) {
		assert_memory_equal(line.text, bytes + line.offset_bytes, line.length);
		lines++;
	}

	assert_true(lines > 100);
	assert_non_null(reader_input_failure(input));
	assert_non_null(strstr(reader_input_failure(input), "cut off"));
	reader_input_close(input);
	free(bytes);
}

/* The hash is of the bytes, however they are stored. */
static void test_hash_is_of_the_content(void **state)
{
	static const char text[] = "0123456789abcdefXYZ\n";
	uint64_t hashes[2];
	struct reader_input *input;
	struct input_line line;
	struct diag diag = { 0 };
	(void)state;

	for (int is_packed = 0; is_packed < 2; is_packed++) {
		input = open_bytes(text, sizeof(text) - 1, is_packed);
		while (reader_input_line(input, &line)) {
		}
		hashes[is_packed] = reader_input_hash(input);
		reader_input_close(input);
	}

	assert_int_equal(hashes[0], hashes[1]);
	assert_int_equal(reader_input_from_memory(text, sizeof(text) - 2, &input, &diag), CSC_OK);
	assert_int_not_equal(reader_input_hash(input), hashes[0]);
	reader_input_close(input);
}

static void test_a_folder_is_refused(void **state)
{
	struct reader_input *input = NULL;
	struct diag diag = { 0 };
	(void)state;

	assert_int_equal(reader_input_open("/tmp", &input, &diag), CSC_ERROR);
	assert_non_null(strstr(diag.text, "not a regular file"));
	diag = (struct diag){ 0 };
	assert_int_equal(reader_input_open("/nowhere/at/all", &input, &diag), CSC_ERROR);
}

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_have_numbers_and_offsets),
		cmocka_unit_test(test_nothing_is_no_line),
		cmocka_unit_test(test_lines_across_windows),
		cmocka_unit_test(test_a_long_line_is_cut),
		cmocka_unit_test(test_bytes_keep_the_line),
		cmocka_unit_test(test_a_truncated_compressed_file_is_reported),
		cmocka_unit_test(test_hash_is_of_the_content),
		cmocka_unit_test(test_a_folder_is_refused),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
