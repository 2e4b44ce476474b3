/*
 * SPDX-License-Identifier: MIT
 *
 * Formats of other tools, byte by byte where their readers would be lenient.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "folded.h"
#include "perfetto.h"
#include "pprof.h"
#include "protobuf.h"
#include "speedscope.h"

static int open_message(void **state)
{
	*state = calloc(1, sizeof(struct protobuf));
	return *state ? 0 : -1;
}

static int close_message(void **state)
{
	protobuf_finish(*state);
	free(*state);
	return 0;
}

static void assert_bytes(const struct protobuf *message, const char *expected, size_t length)
{
	assert_false(message->has_failed);
	assert_int_equal(message->length, length);
	assert_memory_equal(message->bytes, expected, length);
}

static void test_numbers_take_seven_bits_a_byte(void **state)
{
	struct protobuf *message = *state;

	protobuf_unsigned(message, 1, 150);
	protobuf_unsigned(message, 16, 0);
	assert_bytes(message, "\x08\x96\x01\x80\x01\x00", 6);
	protobuf_clear(message);
	protobuf_unsigned(message, 1, UINT64_MAX);
	assert_bytes(message, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
}

static void test_a_negative_number_takes_ten_bytes(void **state)
{
	struct protobuf *message = *state;

	protobuf_signed(message, 2, -2);
	assert_bytes(message, "\x10\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
}

static void test_parts_have_their_length(void **state)
{
	struct protobuf *message = *state;
	struct protobuf part = { 0 };

	protobuf_text(&part, 1, "hi");
	protobuf_part(message, 3, &part);
	assert_bytes(message, "\x1a\x04\x0a\x02hi", 6);
	part.has_failed = true;
	protobuf_part(message, 3, &part);
	assert_true(message->has_failed);
	protobuf_finish(&part);
}

static void test_texts_are_utf_8(void **state)
{
	struct protobuf *message = *state;

	protobuf_text(message, 1, "a\xff\n");
	assert_bytes(message,
			"\x0a\x09"
			"a\\xff\\x0a",
			11);
}

/* What a function writes into a stream, as a text. */
static char *written(void (*write)(FILE *stream))
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&text, &bytes);

	assert_non_null(stream);
	write(stream);
	assert_int_equal(fclose(stream), 0);
	return text;
}

static const struct stack sample = {
	.frames = { NULL, "eheap_alloc", "a;b c", NULL, "m:f/1" },
	.node = "n@h",
	.instance = -1,
	.values = { 0, 0, 1, 5000000000 },
};

static void write_folded(FILE *stream)
{
	folded_add(stream, &sample, STACK_INUSE_SPACE);
	folded_add(stream, &sample, STACK_ALLOC_SPACE);
}

static void test_a_folded_stack_is_a_line(void **state)
{
	char *text = written(write_folded);

	(void)state;
	assert_string_equal(text, "eheap_alloc;a,b c;m:f/1 5000000000\n");
	free(text);
}

static void write_speedscope(FILE *stream)
{
	struct speedscope file;
	struct diag diag = { 0 };

	speedscope_open(&file, stream);
	for (enum stack_value value = STACK_INUSE_OBJECTS; value < STACK_VALUES; value++) {
		speedscope_begin(&file, value);
		speedscope_add_stack(&file, &sample);
		speedscope_begin_weights(&file);
		speedscope_add_weight(&file, &sample);
		speedscope_end(&file);
	}
	assert_int_equal(speedscope_close(&file, &diag), CSC_OK);
}

static void test_speedscope_shows_bytes_in_use_first(void **state)
{
	char *text = written(write_speedscope);

	(void)state;
	assert_non_null(strstr(text, "\"activeProfileIndex\":1"));
	assert_non_null(strstr(text, "\"samples\":[[0,1,2]],\"weights\":[5000000000]"));
	assert_non_null(strstr(text, "\"endValue\":5000000000"));
	free(text);
}

static void write_perfetto(FILE *stream)
{
	static const struct perfetto_note notes[] = { { "a", NULL }, { "b", "c" }, { 0 } };
	struct perfetto trace;
	struct diag diag = { 0 };
	uint64_t process;

	perfetto_open(&trace, stream, 1);
	process = perfetto_process(&trace, 1, "one", 7);
	assert_int_equal(perfetto_process(&trace, 1, "one", 7), process);
	/* Another process with the same pid has a track, but not the pid. */
	assert_int_not_equal(perfetto_process(&trace, 2, "one", 7), process);
	assert_int_equal(trace.pids.count, 1);
	assert_int_equal(perfetto_counter(&trace, process, "x"),
			perfetto_counter(&trace, process, "x"));
	assert_int_not_equal(perfetto_counter(&trace, process, "x"),
			perfetto_track(&trace, process, "x"));
	perfetto_instant(&trace, process, 2, "i", notes);
	assert_int_equal(perfetto_close(&trace, &diag), CSC_OK);
}

static void test_a_track_is_made_once(void **state)
{
	(void)state;
	free(written(write_perfetto));
}

static void write_pprof(FILE *stream)
{
	static char comment[] = "comment";
	const struct stack_profile profile = {
		.has = { [STACK_INUSE_OBJECTS] = true, [STACK_INUSE_SPACE] = true },
		.comment = comment,
	};
	const struct stack nothing = { .frames = { [STACK_ALLOCATOR] = "unused" } };
	struct pprof pprof;
	struct diag diag = { 0 };

	assert_int_equal(pprof_open(&pprof, stream, &profile, &diag), CSC_OK);
	pprof_add(&pprof, &sample);
	pprof_add(&pprof, &sample);
	pprof_add(&pprof, &nothing);
	/* Three frames; what holds nothing has none. */
	assert_int_equal(pprof.functions.count, 3);
	assert_int_equal(pprof_close(&pprof, &diag), CSC_OK);
}

static void test_frames_of_a_profile_are_there_once(void **state)
{
	char *bytes = written(write_pprof);

	(void)state;
	/* What gzip(1) begins with, and no time. */
	assert_memory_equal(bytes, "\x1f\x8b\x08\x00\x00\x00\x00\x00", 8);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
				test_numbers_take_seven_bits_a_byte, open_message, close_message),
		cmocka_unit_test_setup_teardown(test_a_negative_number_takes_ten_bytes,
				open_message, close_message),
		cmocka_unit_test_setup_teardown(
				test_parts_have_their_length, open_message, close_message),
		cmocka_unit_test_setup_teardown(test_texts_are_utf_8, open_message, close_message),
		cmocka_unit_test(test_a_folded_stack_is_a_line),
		cmocka_unit_test(test_speedscope_shows_bytes_in_use_first),
		cmocka_unit_test(test_a_track_is_made_once),
		cmocka_unit_test(test_frames_of_a_profile_are_there_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
