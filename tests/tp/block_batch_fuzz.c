/*
 * SPDX-License-Identifier: MIT
 *
 * Bytes are a payload: reading it ends, and what it gives, written again, reads the same.  Built
 * with -fsanitize=fuzzer it searches; with driver.c it replays the corpus, which is how ctest runs
 * it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "block_batch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct batch_writer writer;

static void require(int is_true)
{
	if (!is_true) {
		abort();
	}
}

/* The records of the writer's batch are the last `count` ones that `reader` gave. */
static void read_back(const struct batch_record *expected, size_t count)
{
	const char *payload;
	size_t bytes = batch_end(&writer, &payload);
	struct batch_reader reader;
	struct batch_record record;

	require(bytes < BATCH_BYTES && strlen(payload) == bytes);
	batch_open(&reader, payload, bytes);
	for (size_t i = 0; i < count; i++) {
		memset(&record, 0, sizeof(record));
		require(batch_next(&reader, &record) == 1);
		require(memcmp(&record, &expected[i], sizeof(record)) == 0);
	}
	require(batch_next(&reader, &record) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of this length, so that a sanitizer sees each byte that is read behind it. */
	uint8_t *copy = malloc(size + (size == 0));
	struct batch_record *records = calloc(size + 1, sizeof(*records));
	struct batch_reader reader;
	size_t count = 0;
	size_t read = 0;
	int result;

	require(copy && records);
	if (size > 0) {
		memcpy(copy, data, size);
	}
	batch_open(&reader, copy, size);
	batch_begin(&writer);
	while ((result = batch_next(&reader, &records[count])) == 1) {
		require(++read <= size);
		if (!batch_add(&writer, &records[count])) {
			read_back(records, count);
			memmove(records, &records[count], sizeof(*records));
			memset(&records[1], 0, count * sizeof(*records));
			count = 0;
			batch_begin(&writer);
			require(batch_add(&writer, &records[0]));
		}
		count++;
	}
	read_back(records, count);
	require(batch_next(&reader, &records[0]) == result);

	free(records);
	free(copy);
	return 0;
}
