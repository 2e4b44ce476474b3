/*
 * SPDX-License-Identifier: MIT
 *
 * Each push of minutes is a recording of its own, of its first to its last snapshot, without a
 * verdict.  What is known of its node are columns of another push, which are copied as they are.
 */
#include "push_minutes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "push_hours.h"

/* Columns of `recording` behind `push`, as push_table.c names them. */
enum { RECORDING, NODE, HOST, APP, RELEASE, OTP, FLAGS, RUN, SCHEMA = 27, COLUMNS = 31 };

struct column {
	const char *text;
	size_t length;
};

static const char all[] = "all";

static bool read_number(const char **at, uint64_t *ret_number)
{
	char *end;

	if (**at != ' ' || (*at)[1] < '0' || (*at)[1] > '9') {
		return false;
	}
	*ret_number = strtoull(*at + 1, &end, 10);
	*at = end;
	return true;
}

static bool read_figures(const char **at, struct minute_figures *ret_figures)
{
	size_t length = strspn(*at + 1, "abcdefghijklmnopqrstuvwxyz_");

	if (**at != ' ' || length == 0 || length >= sizeof(ret_figures->allocator)) {
		return false;
	}
	memcpy(ret_figures->allocator, *at + 1, length);
	ret_figures->allocator[length] = '\0';
	*at += 1 + length;
	return read_number(at, &ret_figures->carriers) && read_number(at, &ret_figures->blocks) &&
			read_number(at, &ret_figures->pool);
}

bool push_minute_read(const char *text, struct push_minute *ret_minute)
{
	char *end;
	const char *at;

	ret_minute->ts = strtoll(text, &end, 10);
	ret_minute->count = 0;
	for (at = end; *at == ' ' && ret_minute->count < MINUTE_ALLOCATORS; ret_minute->count++) {
		if (!read_figures(&at, &ret_minute->figures[ret_minute->count])) {
			return false;
		}
	}
	return ret_minute->ts > 0 && ret_minute->count > 0 && (*at == '\0' || *at == '\n');
}

/* Of the first row of table recording; false: it is none. */
static bool read_columns(const struct row_text *text, struct column columns[COLUMNS])
{
	const char *at = text->row_count > 0 ? text->bytes + text->rows[0] + ROW_ROOM_TSV : NULL;
	const char *end = at ? memchr(at, '\n', (size_t)(text->bytes + text->length - at)) : NULL;

	for (int i = 0; i < COLUMNS; i++) {
		const char *next;

		if (!end || at >= end || *at != '\t') {
			return false;
		}
		at++;
		next = memchr(at, '\t', (size_t)(end - at));
		next = next ? next : end;
		columns[i] = (struct column){ at, (size_t)(next - at) };
		at = next;
	}
	return true;
}

static void copy(struct row_text *text, const struct column *column)
{
	row_escaped(text, column->text, column->length);
}

static void put_exact(struct row_text *text, uint64_t number)
{
	for (int i = 0; i < 3; i++) {
		row_number(text, number, 8);
	}
}

static void put_null(struct row_text *text, int count)
{
	for (int i = 0; i < count; i++) {
		row_null(text, true);
	}
}

static void put_text(struct row_text *text, const char *string)
{
	row_string(text, string, strlen(string));
}

static struct minute_figures sum_of(const struct push_minute *minute)
{
	struct minute_figures sum = { .carriers = 0 };

	memcpy(sum.allocator, all, sizeof(all));
	for (unsigned int i = 0; i < minute->count; i++) {
		sum.carriers += minute->figures[i].carriers;
		sum.blocks += minute->figures[i].blocks;
		sum.pool += minute->figures[i].pool;
	}
	return sum;
}

static void put_head(struct row_text *text, uint64_t recording, const struct column columns[],
		const char *allocator)
{
	row_begin(text);
	row_number(text, recording, 8);
	copy(text, &columns[NODE]);
	copy(text, &columns[APP]);
	copy(text, &columns[RELEASE]);
	copy(text, &columns[FLAGS]);
	copy(text, &columns[RUN]);
	put_text(text, allocator);
}

/* Of an allocator in a minute; NULL: that snapshot does not have it. */
static const struct minute_figures *find(const struct push_minute *minute, const char *allocator)
{
	for (unsigned int i = 0; i < minute->count; i++) {
		if (strcmp(minute->figures[i].allocator, allocator) == 0) {
			return &minute->figures[i];
		}
	}
	return NULL;
}

static bool add_exact(struct push_hour *hour, int64_t ts, const struct minute_figures *figures)
{
	int64_t carriers = (int64_t)figures->carriers;
	int64_t blocks = (int64_t)figures->blocks;
	int64_t pool = (int64_t)figures->pool;

	return push_hour_add(hour, ts,
			(const int64_t[POINT_FIGURES]){ carriers, carriers, carriers, blocks,
					blocks, blocks, pool, pool, pool });
}

/* Its rows; yields how many minutes have it. */
static size_t put_allocator(struct row_text *text, uint64_t recording,
		const struct column columns[], const struct push_minute *minutes, size_t count,
		const char *allocator)
{
	struct push_hour hour = { 0 };
	size_t points = 0;

	for (size_t i = 0; i < count; i++) {
		struct minute_figures sum = sum_of(&minutes[i]);
		const struct minute_figures *own =
				strcmp(allocator, all) == 0 ? &sum : find(&minutes[i], allocator);

		if (!own) {
			continue;
		}
		points++;
		if (hour.count == 0 || !add_exact(&hour, minutes[i].ts, own)) {
			push_hour_end(&hour, text);
			put_head(text, recording, columns, allocator);
			(void)add_exact(&hour, minutes[i].ts, own);
		}
	}
	push_hour_end(&hour, text);
	return points;
}

/* Each allocator where it is first named, then their sum; yields how many points there are. */
static size_t put_points(struct row_text *text, uint64_t recording, const struct column columns[],
		const struct push_minute *minutes, size_t count)
{
	size_t points = 0;

	for (size_t i = 0; i < count; i++) {
		for (unsigned int j = 0; j < minutes[i].count; j++) {
			const char *allocator = minutes[i].figures[j].allocator;
			bool is_first = true;

			for (size_t k = 0; k < i && is_first; k++) {
				is_first = !find(&minutes[k], allocator);
			}
			if (is_first) {
				points += put_allocator(text, recording, columns, minutes, count,
						allocator);
			}
		}
	}
	return points + put_allocator(text, recording, columns, minutes, count, all);
}

/* Between snapshots there may have been more. */
static void put_peak(struct row_text *text, const struct push_minute *minutes, size_t count)
{
	uint64_t most = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t carriers = sum_of(&minutes[i]).carriers;

		most = carriers > most ? carriers : most;
	}
	row_null(text, true);
	row_number(text, most, 8);
	row_null(text, true);
}

static void put_recording(struct row_text *text, uint64_t recording, const struct column columns[],
		const struct push_minute *minutes, size_t count, size_t points)
{
	struct minute_figures last = sum_of(&minutes[count - 1]);
	double average = 0;

	for (size_t i = 0; i < count; i++) {
		average += (double)sum_of(&minutes[i]).carriers / (double)count;
	}
	row_begin(text);
	row_number(text, recording, 8);
	for (int i = NODE; i <= RUN; i++) {
		copy(text, &columns[i]);
	}
	row_number(text, (uint64_t)minutes[0].ts, 4);
	row_number(text, (uint64_t)minutes[count - 1].ts, 4);
	put_text(text, "unknown");
	put_text(text, "");
	put_text(text, "Minutes of carrierscope keep; its alarms have verdicts.");
	put_text(text, "exact");
	put_null(text, 1);
	put_peak(text, minutes, count);
	put_exact(text, last.carriers);
	put_exact(text, last.blocks);
	row_number(text, (uint64_t)average, 8);
	row_number(text, 0, 8);
	row_number(text, 1, 1);
	copy(text, &columns[SCHEMA]);
	row_number(text, points, 8);
	put_text(text, "");
	put_text(text, "");
	row_end(text);
}

enum csc_status push_minutes_read(const char *database,
		void (*take)(void *context, const char *line), void *context, struct diag *diag)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *rows = NULL;
	enum csc_status status = database_open(database, &db, diag);
	int result = SQLITE_DONE;

	if (status == CSC_OK) {
		status = database_prepare(db,
				sqlite3_mprintf("%s",
						"SELECT format('%d', ts_ns / 1000000000) || group_concat(format(' %s %d %d %d', "
						"allocator, carriers, blocks, pool), '') FROM (SELECT r.ts_ns, " PUSH_MINUTE_SUMS
						"FROM (SELECT runtime_id, snapshot_id AS recorded_id, min(ts_ns) AS ts_ns "
						"FROM snapshot_begin GROUP BY runtime_id, snapshot_id) AS r " PUSH_MINUTE_FIGURES
						" GROUP BY r.ts_ns, a.name) GROUP BY ts_ns ORDER BY ts_ns"),
				&rows, diag);
	}
	while (status == CSC_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		take(context, database_text(rows, 0));
	}
	status = status == CSC_OK ? database_check(db, result, diag) : status;
	(void)sqlite3_finalize(rows);
	(void)sqlite3_close(db);
	return status;
}

enum csc_status push_minutes_make(const struct push_rows *identity,
		const struct push_minute *minutes, size_t count, struct push_rows *rows,
		struct diag *diag)
{
	struct column columns[COLUMNS];
	char begin[32];
	uint64_t recording;
	size_t points;

	*rows = (struct push_rows){ 0 };
	if (identity->tables[PUSH_RECORDING].format != ROW_TSV ||
			!read_columns(&identity->tables[PUSH_RECORDING], columns)) {
		return DIAG_FAIL(diag, "minutes need a push of their node in TSV");
	}
	/* The same minutes of the same life of a node are the same recording. */
	(void)snprintf(begin, sizeof(begin), "|minutes|%" PRId64, minutes[0].ts);
	recording = row_hash(0, columns[RUN].text, columns[RUN].length);
	recording = row_hash(recording, begin, strlen(begin)) & INT64_MAX;
	points = put_points(&rows->tables[PUSH_HOUR], recording, columns, minutes, count);
	put_recording(&rows->tables[PUSH_RECORDING], recording, columns, minutes, count, points);
	push_rows_hash(rows);
	for (int i = 0; i < PUSH_TABLES; i++) {
		if (rows->tables[i].is_failed) {
			return DIAG_NO_MEMORY(diag);
		}
	}
	return CSC_OK;
}
