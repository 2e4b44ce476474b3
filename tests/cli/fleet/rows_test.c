/*
 * SPDX-License-Identifier: MIT
 *
 * Rows as ClickHouse reads them, and pushes in files: whole, cut off anywhere, and with wrong
 * numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fleet_schema.h"
#include "push_file.h"

static void fill(struct row_text *text)
{
	row_begin(text);
	row_string(text, "a\tb\\\n", 5);
	row_null(text, true);
	row_null(text, false);
	row_number(text, 300, 8);
	row_number(text, 7, 4);
	row_null(text, false);
	row_real(text, 0.5);
	row_end(text);
}

static void tsv_is_escaped_and_signed(void **state)
{
	struct row_text text = { .format = ROW_TSV };
	const char wanted[] = "1152921504606846977\ta\\tb\\\\\\n\t\\N\t300\t7\t0.5\n";

	(void)state;
	fill(&text);
	row_text_sign(&text, UINT64_C(1152921504606846977));
	assert_int_equal(text.length, strlen(wanted));
	assert_memory_equal(text.bytes, wanted, text.length);
	row_text_finish(&text);
}

static void binary_is_little_endian(void **state)
{
	struct row_text text = { .format = ROW_BINARY };
	const unsigned char wanted[] = { 0x02, 1, 0, 0, 0, 0, 0, 0, 5, 'a', '\t', 'b', '\\', '\n',
		1, 0, 0x2c, 1, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f };
	char long_text[200];

	(void)state;
	fill(&text);
	row_text_sign(&text, 0x102);
	assert_int_equal(text.length, sizeof(wanted));
	assert_memory_equal(text.bytes, wanted, sizeof(wanted));

	memset(long_text, 'x', sizeof(long_text));
	row_string(&text, long_text, sizeof(long_text));
	assert_int_equal((unsigned char)text.bytes[sizeof(wanted)], 0xc8);
	assert_int_equal(text.bytes[sizeof(wanted) + 1], 1);
	row_text_finish(&text);
}

/* A file of one push in memory; free() frees it. */
static char *write_push(size_t *ret_length)
{
	struct push_rows rows = { .content = 77 };
	char *bytes = NULL;
	FILE *stream = open_memstream(&bytes, ret_length);

	assert_non_null(stream);
	fill(&rows.tables[PUSH_POINT]);
	fill(&rows.tables[PUSH_RECORDING]);
	push_file_write(stream, &rows);
	assert_int_equal(fclose(stream), 0);
	push_rows_finish(&rows);
	return bytes;
}

static enum csc_status read_push(char *bytes, size_t length, struct push_rows *rows)
{
	struct diag diag = { 0 };
	bool is_end = false;
	FILE *stream = fmemopen(bytes, length, "r");
	enum csc_status status;

	assert_non_null(stream);
	status = push_file_read(stream, "file", rows, &is_end, &diag);
	assert_false(is_end);
	assert_int_equal(status == CSC_OK, !diag_is_set(&diag));
	(void)fclose(stream);
	return status;
}

static void files_are_read_whole_or_not(void **state)
{
	struct push_rows rows;
	size_t length = 0;
	char *bytes = write_push(&length);

	(void)state;
	assert_int_equal(read_push(bytes, length, &rows), CSC_OK);
	assert_int_equal(rows.content, 77);
	assert_int_equal(rows.tables[PUSH_POINT].row_count, 1);
	push_rows_sign(&rows);
	assert_int_equal(rows.tables[PUSH_POINT].bytes[0], '1');
	push_rows_finish(&rows);

	for (size_t cut = 1; cut < length; cut++) {
		assert_int_equal(read_push(bytes, cut, &rows), CSC_ERROR);
		push_rows_finish(&rows);
	}

	/* Rows that do not begin within the text. */
	for (size_t i = 0; i < length; i++) {
		char byte = bytes[i];

		bytes[i] = (char)(byte ^ 0x40);
		if (read_push(bytes, length, &rows) == CSC_OK) {
			push_rows_sign(&rows);
		}
		push_rows_finish(&rows);
		bytes[i] = byte;
	}

	free(bytes);
}

static void statements_are_filled_in(void **state)
{
	const char statement[] = "CREATE TABLE $db.$name(t)$on (ts) ENGINE = $engine(t)$ttl(ts)";
	struct fleet_layout layout = { .database = "d" };
	char *text = fleet_fill_in(statement, strlen(statement), &layout);

	(void)state;
	assert_string_equal(text, "CREATE TABLE d.t (ts) ENGINE = MergeTree()");
	free(text);
	layout = (struct fleet_layout){ .database = "d",
		.cluster = "c",
		.is_replicated = true,
		.keep_days = 90,
		.has_ttl = true };
	text = fleet_fill_in(statement, strlen(statement), &layout);
	assert_string_equal(text,
			"CREATE TABLE d.t_local ON CLUSTER c (ts) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/d/t', '{replica}') TTL ts + INTERVAL 90 DAY");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tsv_is_escaped_and_signed),
		cmocka_unit_test(binary_is_little_endian),
		cmocka_unit_test(files_are_read_whole_or_not),
		cmocka_unit_test(statements_are_filled_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
