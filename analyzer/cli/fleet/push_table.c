/*
 * SPDX-License-Identifier: MIT
 *
 * Names and columns of tables.sql.
 */
#include "push_table.h"

#include <stdio.h>
#include <sys/random.h>
#include <time.h>

static const struct table {
	const char *name;
	const char *columns;
} tables[PUSH_TABLES] = {
	[PUSH_HOUR] = { "alloc_minutes",
			"recording, node, app, release, flags, run, allocator, hour, minute, figures, bounds" },
	[PUSH_FINDING] = { "finding",
			"recording, node, app, release, ts, number, rule, severity, allocator, sentence, flag, stake" },
	[PUSH_HOLDER] = { "holder_point",
			"recording, node, app, release, ts, number, allocator, type, kind, holder, bytes, quality" },
	[PUSH_SWEEP] = { "sweep_result",
			"recording, node, app, release, ts, tried, allocator, schedules, coverage, plain_peak_low, "
			"plain_peak_high, peak_low, peak_high, plain_end_low, plain_end_high, end_low, end_high" },
	[PUSH_RECORDING] = { "recording",
			"recording, node, host, app, release, otp, flags, run, begin_ts, end_ts, verdict, allocator, sentence, "
			"quality, stake, peak, peak_low, peak_high, carriers, carriers_low, carriers_high, blocks, blocks_low, "
			"blocks_high, average, lost_events, complete, schema, points, file, page" },
};

const char *push_table_name(enum push_table table)
{
	return tables[table].name;
}

const char *push_table_columns(enum push_table table)
{
	return tables[table].columns;
}

void push_rows_hash(struct push_rows *rows)
{
	rows->content = 0;
	for (int i = 0; i < PUSH_TABLES; i++) {
		rows->content = row_hash(
				rows->content, rows->tables[i].bytes, rows->tables[i].length);
	}
	rows->content &= (UINT64_C(1) << PUSH_CONTENT_BITS) - 1;
}

/* Attempts of one push differ; a clock does where the system gives no random numbers. */
static uint64_t draw(void)
{
	struct timespec now;
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number)) {
		(void)clock_gettime(CLOCK_REALTIME, &now);
		number = (uint64_t)now.tv_nsec;
	}

	return number & ((1 << PUSH_ATTEMPT_BITS) - 1);
}

void push_rows_sign(struct push_rows *rows)
{
	const uint64_t first = UINT64_C(1) << (PUSH_CONTENT_BITS + PUSH_ATTEMPT_BITS);
	uint64_t attempt = draw();

	for (int i = 0; i < PUSH_TABLES; i++) {
		row_text_sign(&rows->tables[i],
				first | rows->content << PUSH_ATTEMPT_BITS | attempt);
	}
}

void push_rows_finish(struct push_rows *rows)
{
	for (int i = 0; i < PUSH_TABLES; i++) {
		row_text_finish(&rows->tables[i]);
	}
}
