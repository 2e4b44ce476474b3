/*
 * SPDX-License-Identifier: MIT
 *
 * Bytes are carrier events of a few instances; whatever they say, events and
 * ledger give the counters (the law of schema/events/events.sql) and the pool is
 * never negative.  Built with -fsanitize=fuzzer it searches; with driver.c it
 * replays the corpus, which is how ctest runs it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "ledger_side.h"

enum {
	INSTANCES = 4,
	/* Kind and instance, time, size, then counters where there are some. */
	HEAD_BYTES = 4,
	EVENT_BYTES = HEAD_BYTES + CARRIER_COUNTERS,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sums {
	int64_t carriers[2];
	int64_t bytes[2];
};

static void require(int is_true)
{
	if (!is_true) {
		abort();
	}
}

/* A byte as a value of any magnitude: five bits of it, shifted by the other three. */
static int64_t value_of(uint8_t byte)
{
	return (int64_t)(byte & 31) << (byte >> 5) * 7;
}

static void add(struct sums *sums, int side, int64_t carriers, int64_t bytes)
{
	sums->carriers[side] += carriers;
	sums->bytes[side] += bytes;
}

static void add_event(struct sums *sums, const struct carrier_row *row)
{
	if (row->kind == CARRIER_EVENT_carrier_pool_put || row->class == CLASS_OWNED) {
		add(sums, 0, -1, -row->size);
	} else if (row->class == CLASS_MULTI_BLOCK) {
		add(sums, 0, 1, row->size);
	} else if (row->class == CLASS_SINGLE_BLOCK) {
		add(sums, 1, 1, row->size);
	}
}

static void add_ledger(struct sums *sums, const struct ledger_row *row)
{
	enum ledger_side side = ledger_side_of(row);

	if (side == SIDE_NONE) {
		require(row->carriers_min <= row->carriers_max);
	} else {
		add(sums, side == SIDE_SBC, row->carriers_max, row->bytes_max);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct analysis analysis = { 0 };
	struct sums sums[INSTANCES] = { { { 0 }, { 0 } } };
	struct ledger_row ledger[ANALYSIS_MAX_LEDGER_ROWS];
	struct diag diag = { 0 };
	int64_t ts_ns = 0;

	while (size >= EVENT_BYTES) {
		struct carrier_row row = { .kind = data[0] % CARRIER_EVENT_COUNT };
		int has_counters = row.kind < CARRIER_EVENT_carrier_pool_put;
		size_t rows;

		row.instance = data[0] / CARRIER_EVENT_COUNT % INSTANCES;
		row.instance_number = row.instance;
		row.allocator = row.instance / 2;
		row.runtime = data[1] & 1;
		/* An instance is of one runtime. */
		row.instance = (row.instance & 2) | row.runtime;
		ts_ns += value_of(data[2]);
		row.ts_ns = ts_ns;
		row.size = value_of(data[3]);
		for (int i = 0; i < CARRIER_COUNTERS; i++) {
			row.counter[i] = has_counters ? value_of(data[HEAD_BYTES + i]) : ROW_NULL;
		}

		require(analysis_take(&analysis, &row, ledger, &rows, &diag) == CSC_OK);
		require(rows <= ANALYSIS_MAX_LEDGER_ROWS);
		add_event(&sums[row.instance], &row);
		for (size_t i = 0; i < rows; i++) {
			add_ledger(&sums[row.instance], &ledger[i]);
		}

		require(analysis.runtimes[row.runtime]->pool.carriers >= 0);
		require(analysis.runtimes[row.runtime]->pool.bytes >= 0);
		require(analysis_pool_bounds(&analysis, (size_t)row.runtime).least_bytes >= 0);
		if (has_counters) {
			const struct sums *sum = &sums[row.instance];

			require(sum->carriers[0] == row.counter[MBC_CARRIERS]);
			require(sum->bytes[0] == row.counter[MBC_CARRIERS_SIZE]);
			require(sum->carriers[1] == row.counter[SBC_CARRIERS]);
			require(sum->bytes[1] == row.counter[SBC_CARRIERS_SIZE]);
		}

		data += EVENT_BYTES;
		size -= EVENT_BYTES;
	}

	analysis_finish(&analysis);
	return 0;
}
