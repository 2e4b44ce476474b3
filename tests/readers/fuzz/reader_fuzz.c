/*
 * SPDX-License-Identifier: MIT
 *
 * Any bytes through one reader, CSC_FUZZ_READER: it comes to an end, and what it gives to
 * the database are whole rows of valid UTF-8.
 *
 * The database is a fake, below, so that a run takes microseconds; it replaces store.c,
 * store_rows.c and insert.c when it is linked.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "board_log.h"
#include "dump.h"
#include "paste_fuzz.h"
#include "store_rows.h"
#include "terms.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

enum { FAKE_TABLES = 32 };

struct store {
	struct catalog catalog;
	struct insert tables[FAKE_TABLES];

	/* Values of the rows of each table, as the first row had; 0: none yet. */
	int columns[FAKE_TABLES];
	size_t table_count;
	int64_t rows;
};

/* The store that rows go to: one at a time. */
static struct store *current;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct catalog *store_catalog(struct store *store)
{
	return &store->catalog;
}

struct insert *store_rows(struct store *store, const char *table, const char *columns)
{
	size_t at = 0;

	while (at < store->table_count && strcmp(store->tables[at].table, table) != 0) {
		at++;
	}

	if (at == FAKE_TABLES) {
		abort();
	}

	if (at == store->table_count) {
		store->table_count++;
		store->tables[at] = (struct insert){ .table = table, .names = columns };
	}

	/* Rows of a table have the same columns each time. */
	if (strcmp(store->tables[at].names, columns) != 0) {
		abort();
	}

	/* A row that was begun is ended before another one. */
	if (store->tables[at].next != 0) {
		abort();
	}

	return &store->tables[at];
}

enum csc_status store_rows_check(struct store *store, struct diag *diag)
{
	(void)store;
	(void)diag;
	return CSC_OK;
}

int64_t store_source_id(const struct store *store)
{
	(void)store;
	return 1;
}

int64_t store_runtime_id(const struct store *store, int32_t runtime)
{
	(void)store;
	return runtime + 1;
}

/* Sentences are formatted, so that what they are made of is looked at. */
enum csc_status store_problem(struct store *store, const char *name, enum severity severity,
		int64_t count, struct diag *diag, const char *format, ...)
{
	char *sentence = NULL;
	va_list arguments;

	(void)store;
	(void)name;
	(void)severity;
	(void)count;
	(void)diag;
	va_start(arguments, format);
	if (vasprintf(&sentence, format, arguments) < 0) {
		abort();
	}
	va_end(arguments);
	free(sentence);
	return CSC_OK;
}

void insert_integer(struct insert *insert, int64_t value)
{
	(void)value;
	insert->next++;
}

void insert_real(struct insert *insert, double value)
{
	(void)value;
	insert->next++;
}

static void expect_utf8(const unsigned char *at, size_t length)
{
	while (length > 0) {
		size_t bytes = at[0] < 0x80 ? 1 : at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;

		if (at[0] == 0 || (at[0] >= 0x80 && at[0] < 0xc2) || at[0] > 0xf4 ||
				bytes > length) {
			abort();
		}

		for (size_t i = 1; i < bytes; i++) {
			if ((at[i] & 0xc0) != 0x80) {
				abort();
			}
		}

		at += bytes;
		length -= bytes;
	}
}

void insert_text_of(struct insert *insert, const char *value, size_t length)
{
	expect_utf8((const unsigned char *)value, length);
	insert->next++;
}

void insert_text(struct insert *insert, const char *value)
{
	if (value) {
		expect_utf8((const unsigned char *)value, strlen(value));
	}
	insert->next++;
}

void insert_row(struct insert *insert)
{
	int *columns = &current->columns[insert - current->tables];

	if (*columns == 0) {
		*columns = insert->next;
	}

	if (*columns != insert->next) {
		abort();
	}

	insert->next = 0;
	current->rows++;
}

int64_t insert_last_id(struct insert *insert)
{
	(void)insert;
	return current->rows;
}

int64_t insert_new_id(struct insert *insert)
{
	(void)insert;
	return current->rows;
}

int64_t fuzz_rows(void)
{
	return current->rows;
}

static void read_once(const uint8_t *data, size_t size)
{
	struct store store = { .rows = 0 };
	struct reader_input *input = NULL;
	struct diag diag = { 0 };
	size_t length;
	const char *head;

	current = &store;
	fuzz_input = (struct text){ (const char *)data, size };
	if (reader_input_from_memory(data, size, &input, &diag) != CSC_OK) {
		return;
	}

	/* What recognises it must not matter to what reads it. */
	head = reader_input_head(input, &length);
	(void)(length > 0 && JOIN(CSC_FUZZ_READER, _recognise)(head, length));
	(void)JOIN(CSC_FUZZ_READER, _read)(input, &store, &diag);
	reader_input_close(input);
	catalog_finish(&store.catalog);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Cut off anywhere, and begun anywhere. */
	const size_t cuts = CSC_FUZZ_CUTS;

	for (size_t i = 1; i < cuts; i++) {
		size_t at = size * i / cuts;

		read_once(data, at);
		read_once(data + at, size - at);
	}

	read_once(data, size);
	return 0;
}
