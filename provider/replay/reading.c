/* SPDX-License-Identifier: MIT */
/* Readings, from the tables of snapshots and hooks. */
#include "reading.h"

#include <stdlib.h>
#include <string.h>

#include "recording_internal.h"

/* How long a freed block may wait for its owner; aux work comes with the next scheduling. */
#define QUEUE_NS INT64_C(100000000)

/* No figure is larger, so that sums of all instances stay numbers of 64 bits. */
#define MOST (INT64_C(1) << 50)

static enum csc_allocator find_allocator(const char *name, size_t length)
{
	int i = 0;

	while (i < CSC_ALLOCATORS &&
			(strlen(csc_allocator_infos[i].name) != length ||
					strncmp(csc_allocator_infos[i].name, name, length) != 0)) {
		i++;
	}
	return (enum csc_allocator)i;
}

/*
 * A row for each whole reading between the beginning and the end of one hook, with the number of
 * hooks that had begun or ended before it.
 */
static const char readings_sql[] =
		"WITH edge AS ("
		"SELECT ts_ns, 1 AS is_on, allocators, types = 0 AND min_bytes = 0 AND sample_by = 0 "
		"AS is_full FROM hook_begin AS h WHERE runtime_id = ?1 AND (is_again = 0 OR NOT "
		"EXISTS (SELECT 1 FROM hook_begin AS b WHERE b.runtime_id = h.runtime_id "
		"AND b.hook_id = h.hook_id AND b.ts_ns < h.ts_ns)) "
		"UNION ALL SELECT ts_ns, 0, 0, 0 FROM hook_end WHERE runtime_id = ?1), "
		"read AS (SELECT b.snapshot_id, b.ts_ns AS begin_ns, min(f.ts_ns) AS read_ns, "
		"count(*) AS figures FROM snapshot_begin AS b JOIN snapshot_figure AS f "
		"USING (runtime_id, snapshot_id) WHERE b.runtime_id = ?1 GROUP BY 1), "
		"whole AS (SELECT * FROM read AS t WHERE EXISTS (SELECT 1 FROM snapshot_end AS e "
		"WHERE e.runtime_id = ?1 AND e.snapshot_id = t.snapshot_id AND e.figures = "
		"t.figures + (SELECT count(*) FROM snapshot_memory AS m WHERE m.runtime_id = ?1 "
		"AND m.snapshot_id = t.snapshot_id))) "
		"SELECT w.snapshot_id, w.begin_ns, w.read_ns, "
		"(SELECT count(*) FROM edge WHERE ts_ns < w.begin_ns) AS epoch, "
		"(SELECT allocators FROM edge WHERE ts_ns < w.begin_ns ORDER BY ts_ns DESC LIMIT 1) "
		"FROM whole AS w WHERE (SELECT is_on AND is_full FROM edge WHERE ts_ns < w.begin_ns "
		"ORDER BY ts_ns DESC LIMIT 1) ORDER BY epoch DESC, w.begin_ns";

static void read_times(sqlite3_stmt *rows, struct reading *reading)
{
	reading->snapshot = sqlite3_column_int64(rows, 0);
	reading->begin_ns = sqlite3_column_int64(rows, 1);
	reading->read_ns = sqlite3_column_int64(rows, 2);
}

static enum csc_status note_moment(struct readings *readings, size_t *room, struct diag *diag)
{
	if (readings->moment_count == *room) {
		size_t more = *room ? 2 * *room : 64;
		struct reading_moment *grown = realloc(readings->moments, more * sizeof(*grown));

		if (!grown) {
			return DIAG_NO_MEMORY(diag);
		}
		readings->moments = grown;
		*room = more;
	}
	readings->moments[readings->moment_count++] =
			(struct reading_moment){ readings->last.snapshot, readings->last.begin_ns };
	return CSC_OK;
}

/* `*ret_mask`: allocators, by their numbers in the recording. */
static enum csc_status choose(const struct recording *recording, struct readings *readings,
		uint32_t *ret_mask, struct diag *diag)
{
	sqlite3_stmt *rows = recording_ask(recording, readings_sql, diag);
	int64_t epoch = -1;
	size_t room = 0;

	if (!rows) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(rows, 1, recording->facts.runtime);
	while (!diag_is_set(diag) && recording_step_row(recording, rows, diag)) {
		if (sqlite3_column_int64(rows, 3) != epoch) {
			if (readings->moment_count > 1) {
				break;
			}
			epoch = sqlite3_column_int64(rows, 3);
			*ret_mask = (uint32_t)sqlite3_column_int64(rows, 4);
			read_times(rows, &readings->first);
			readings->moment_count = 0;
		}
		read_times(rows, &readings->last);
		(void)note_moment(readings, &room, diag);
	}
	sqlite3_finalize(rows);
	if (!diag_is_set(diag) && readings->moment_count < 2) {
		return DIAG_FAIL(diag,
				"'%s' has no two whole readings of the node's counters within one "
				"hook of all blocks: see carrierscope:snapshot/0",
				recording->path);
	}
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

/* The last row before a reading.  Rows are in the order of time: the search is over at the first.
 */
static enum csc_status find_row(
		const struct recording *recording, struct reading *reading, struct diag *diag)
{
	sqlite3_stmt *rows = recording_ask(recording,
			"SELECT coalesce(min(id) - 1, ?3) FROM block_event "
			"WHERE id BETWEEN ?2 AND ?3 AND ts_ns > ?1",
			diag);

	if (!rows) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(rows, 1, reading->begin_ns);
	(void)sqlite3_bind_int64(rows, 2, recording->facts.first_row);
	(void)sqlite3_bind_int64(rows, 3, recording->facts.last_row);
	if (recording_step_row(recording, rows, diag)) {
		reading->row = sqlite3_column_int64(rows, 0);
	}
	sqlite3_finalize(rows);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

static void add_figure(struct reading_figures *figures, const char *section, const char *key,
		const char *name, int64_t value)
{
	bool is_single = strcmp(section, "sbcs") == 0;
	bool is_pool = strcmp(section, "mbcs_pool") == 0;
	size_t stem = strlen(name) - strlen("alloc");

	if (strcmp(section, "calls") == 0) {
		if (strcmp(key, name) == 0) {
			figures->calls += value;
			figures->calls_made += value;
		} else if (strncmp(key, name, stem) == 0 && strcmp(key + stem, "realloc") == 0) {
			figures->calls_made += value;
		} else if (strcmp(key, "mseg_alloc") == 0) {
			figures->segments_made += value;
		} else if (strncmp(key, name, stem) == 0 && strcmp(key + stem, "free") == 0) {
			figures->calls -= value;
		}
	} else if (!is_single && !is_pool && strcmp(section, "mbcs") != 0) {
		return;
	} else if (strcmp(key, "blocks") == 0) {
		figures->pool_blocks += is_pool ? value : 0;
		*(is_single ? &figures->single_blocks : &figures->blocks) += value;
	} else if (strcmp(key, "blocks_size") == 0) {
		figures->pool_blocks_bytes += is_pool ? value : 0;
		*(is_single ? &figures->single_blocks_bytes : &figures->blocks_bytes) += value;
	} else if (strcmp(key, "carriers") == 0) {
		*(is_single ? &figures->single_carriers : &figures->carriers) += value;
		figures->pooled += is_pool ? value : 0;
	} else if (strcmp(key, "carriers_size") == 0) {
		*(is_single ? &figures->single_carriers_bytes : &figures->carriers_bytes) += value;
		figures->pool_carriers_bytes += is_pool ? value : 0;
	}
}

/* A block has a header of a word, and lies in a carrier. */
static bool is_possible(const struct reading_figures *figures)
{
	return figures->blocks <= figures->blocks_bytes / 8 &&
			figures->blocks_bytes <= figures->carriers_bytes &&
			figures->single_blocks <= figures->single_blocks_bytes / 8 &&
			figures->single_blocks_bytes <= figures->single_carriers_bytes;
}

/* What a node never records would be made block by block, and never end. */
static enum csc_status check_figures(
		const struct recording *recording, const struct reading *reading, struct diag *diag)
{
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		for (int k = 0; k < READING_INSTANCES; k++) {
			if (!is_possible(&reading->instances[i][k])) {
				return DIAG_FAIL(diag,
						"'%s': snapshot %lld: blocks of %s, instance %d, do not fit "
						"into its carriers",
						recording->path, (long long)reading->snapshot,
						csc_allocator_infos[i].name, k);
			}
		}
	}
	return CSC_OK;
}

static enum csc_status read_figures(
		const struct recording *recording, struct reading *reading, struct diag *diag)
{
	sqlite3_stmt *rows = recording_ask(recording,
			"SELECT n.name, f.instance, f.section, f.key, f.current FROM snapshot_figure AS f "
			"JOIN (SELECT allocator_id, max(name) AS name FROM name_allocator "
			"WHERE runtime_id = ?1 GROUP BY 1) AS n USING (allocator_id) "
			"WHERE f.runtime_id = ?1 AND f.snapshot_id = ?2",
			diag);

	reading->instances = calloc(CSC_ALLOCATORS, sizeof(*reading->instances));
	if (!rows || !reading->instances) {
		sqlite3_finalize(rows);
		return DIAG_NO_MEMORY(diag);
	}
	(void)sqlite3_bind_int64(rows, 1, recording->facts.runtime);
	(void)sqlite3_bind_int64(rows, 2, reading->snapshot);
	while (recording_step_row(recording, rows, diag)) {
		const char *name = (const char *)sqlite3_column_text(rows, 0);
		int64_t instance = sqlite3_column_int64(rows, 1);
		const char *section = (const char *)sqlite3_column_text(rows, 2);
		const char *figure = (const char *)sqlite3_column_text(rows, 3);
		int64_t value = sqlite3_column_int64(rows, 4);
		char key[64] = "";
		const char *of;
		enum csc_allocator allocator;

		if (!name || !section || !figure || strlen(name) < 6) {
			continue;
		}
		/* blocks/ets_alloc: those of another allocator, in a carrier from a common pool. */
		of = strchr(figure, '/');
		(void)sqlite3_snprintf(sizeof(key), key, "%.*s",
				of ? (int)(of - figure) : (int)strlen(figure), figure);
		allocator = of ? find_allocator(of + 1, strlen(of + 1))
			       : find_allocator(name, strlen(name));
		if (value < 0 || value > MOST) {
			(void)DIAG_FAIL(diag, "'%s': snapshot %lld: '%s' of %s cannot be %lld",
					recording->path, (long long)reading->snapshot, figure, name,
					(long long)value);
			break;
		}
		if (allocator < CSC_ALLOCATORS && instance >= 0 && instance < READING_INSTANCES) {
			add_figure(&reading->instances[allocator][instance], section, key, name,
					value);
			add_figure(&reading->allocators[allocator], section, key, name, value);
		}
	}
	sqlite3_finalize(rows);
	if (diag_is_set(diag)) {
		return CSC_ERROR;
	}
	return check_figures(recording, reading, diag);
}

/* Sizes are bounds: U8(n + header), with tag and what is not worth cutting off. */
static enum csc_status read_windows(
		const struct recording *recording, struct reading *reading, struct diag *diag)
{
	static const char sql[] =
			"WITH e AS (SELECT b.id, b.allocator_id, b.ts_ns, b.op, b.instance, "
			"a.instance AS made, CASE WHEN b.op = 1 THEN -1 ELSE 1 END AS step, "
			"coalesce(b.size, a.size, 0) + 88 AS bytes FROM block_event AS b "
			"LEFT JOIN block_event AS a ON a.id = b.ended_id LEFT JOIN thread AS t "
			"ON t.id = b.thread_id WHERE b.id BETWEEN ?2 AND ?3 AND b.allocator_id "
			"IS NOT NULL AND b.address <> 0 AND b.ts_ns BETWEEN ?4 AND ?6 "
			"AND (t.runtime_id = ?1 OR t.id IS NULL)), "
			"s AS (SELECT *, sum(step) FILTER (WHERE ts_ns > ?5) OVER (PARTITION BY "
			"allocator_id ORDER BY id) AS level FROM e) "
			"SELECT n.name, sum(ts_ns > ?5), min(0, coalesce(min(level), 0)), "
			"max(0, coalesce(max(level), 0)), "
			"coalesce(-sum(bytes) FILTER (WHERE ts_ns > ?5 AND step < 0), 0), "
			"coalesce(sum(bytes) FILTER (WHERE ts_ns > ?5 AND step > 0), 0), "
			"count(*) FILTER (WHERE step < 0 AND made <> instance), "
			"coalesce(sum(bytes) FILTER (WHERE step < 0 AND made <> instance), 0) "
			"FROM s JOIN (SELECT allocator_id, max(name) AS name FROM name_allocator "
			"WHERE runtime_id = ?1 GROUP BY 1) AS n USING (allocator_id) GROUP BY 1";
	const int64_t values[] = { recording->facts.runtime, recording->facts.first_row,
		recording->facts.last_row, reading->begin_ns - QUEUE_NS, reading->begin_ns,
		reading->read_ns };
	sqlite3_stmt *rows = recording_ask(recording, sql, diag);

	if (!rows) {
		return CSC_ERROR;
	}
	for (int i = 0; i < 6; i++) {
		(void)sqlite3_bind_int64(rows, i + 1, values[i]);
	}
	while (recording_step_row(recording, rows, diag)) {
		const char *name = (const char *)sqlite3_column_text(rows, 0);
		enum csc_allocator allocator =
				name ? find_allocator(name, strlen(name)) : CSC_ALLOCATORS;

		if (allocator < CSC_ALLOCATORS) {
			reading->windows[allocator] = (struct reading_window){
				.events = sqlite3_column_int64(rows, 1),
				.blocks_low = sqlite3_column_int64(rows, 2),
				.blocks_high = sqlite3_column_int64(rows, 3),
				.bytes_low = sqlite3_column_int64(rows, 4),
				.bytes_high = sqlite3_column_int64(rows, 5),
				.queued = sqlite3_column_int64(rows, 6),
				.queued_bytes = sqlite3_column_int64(rows, 7),
			};
		}
	}
	sqlite3_finalize(rows);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

/*
 * Bytes for each entry of a node of 64 bits, and beside all of them, a header of a block included.
 * Measured on nodes of OTP 23, 25, 27 and 29 with +P and +Q, by the single-block carriers that
 * +Musbct 600 makes of both tables; OTP 24 lies between two that agree, and of OTP 26 nothing is
 * known.
 */
static int64_t entry_bytes(const struct recording *recording)
{
	long release = strtol(recording->release, NULL, 10);

	if (recording->facts.word_bytes != 8 || release < 23 || release == 26 || release > 29) {
		return 0;
	}
	return release < 26 ? 12 : 16;
}

#define TABLE_REST 72

/* Entries of a table: a power of two. */
#define MOST_ENTRIES (INT64_C(1) << 27)

static enum csc_status read_tables(
		const struct recording *recording, struct reading *reading, struct diag *diag)
{
	static const char *const keys[READING_TABLES] = { "process_limit", "port_limit" };
	sqlite3_stmt *rows = recording_ask(recording,
			"SELECT CAST(value AS INTEGER) FROM runtime_fact WHERE runtime_id = ?1 "
			"AND key = ?2 ORDER BY id DESC LIMIT 1",
			diag);

	if (!rows) {
		return CSC_ERROR;
	}
	for (int i = 0; i < READING_TABLES; i++) {
		int64_t entries = 1;
		int64_t limit = 0;

		(void)sqlite3_bind_int64(rows, 1, recording->facts.runtime);
		(void)sqlite3_bind_text(rows, 2, keys[i], -1, SQLITE_STATIC);
		if (recording_step_row(recording, rows, diag)) {
			limit = sqlite3_column_int64(rows, 0);
		}
		(void)sqlite3_reset(rows);
		while (entries < limit && entries <= MOST_ENTRIES) {
			entries *= 2;
		}
		if (limit > 0 && limit <= MOST_ENTRIES && entry_bytes(recording) > 0) {
			reading->table_bytes[i] = entry_bytes(recording) * entries + TABLE_REST;
		}
	}
	sqlite3_finalize(rows);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

/* From numbers of the recording to ours. */
static enum csc_status translate(const struct recording *recording, uint32_t mask,
		uint32_t *ret_allocators, struct diag *diag)
{
	sqlite3_stmt *rows = recording_ask(recording,
			"SELECT allocator_id, max(name) FROM name_allocator WHERE runtime_id = ? "
			"GROUP BY 1",
			diag);

	if (!rows) {
		return CSC_ERROR;
	}
	*ret_allocators = 0;
	(void)sqlite3_bind_int64(rows, 1, recording->facts.runtime);
	while (recording_step_row(recording, rows, diag)) {
		int64_t number = sqlite3_column_int64(rows, 0);
		const char *name = (const char *)sqlite3_column_text(rows, 1);
		enum csc_allocator allocator =
				name ? find_allocator(name, strlen(name)) : CSC_ALLOCATORS;

		if (number >= 0 && number < 32 && (mask >> number & 1) != 0 &&
				allocator < CSC_ALLOCATORS) {
			*ret_allocators |= UINT32_C(1) << allocator;
		}
	}
	sqlite3_finalize(rows);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

enum csc_status readings_find(
		const struct recording *recording, struct readings *ret_readings, struct diag *diag)
{
	struct readings readings = { 0 };
	uint32_t mask = 0;

	if (choose(recording, &readings, &mask, diag) != CSC_OK ||
			translate(recording, mask, &readings.allocators, diag) != CSC_OK ||
			find_row(recording, &readings.first, diag) != CSC_OK ||
			find_row(recording, &readings.last, diag) != CSC_OK ||
			read_figures(recording, &readings.first, diag) != CSC_OK ||
			read_figures(recording, &readings.last, diag) != CSC_OK ||
			read_tables(recording, &readings.first, diag) != CSC_OK ||
			read_windows(recording, &readings.first, diag) != CSC_OK ||
			read_windows(recording, &readings.last, diag) != CSC_OK) {
		readings_finish(&readings);
		return CSC_ERROR;
	}
	*ret_readings = readings;
	return CSC_OK;
}

enum csc_status reading_load(const struct recording *recording, const struct reading_moment *moment,
		struct reading *ret_reading, struct diag *diag)
{
	struct reading reading = { .snapshot = moment->snapshot, .begin_ns = moment->begin_ns };

	if (read_figures(recording, &reading, diag) != CSC_OK) {
		reading_finish(&reading);
		return CSC_ERROR;
	}
	*ret_reading = reading;
	return CSC_OK;
}

void reading_finish(struct reading *reading)
{
	free(reading->instances);
	reading->instances = NULL;
}

void readings_finish(struct readings *readings)
{
	reading_finish(&readings->first);
	reading_finish(&readings->last);
	free(readings->moments);
	*readings = (struct readings){ 0 };
}
