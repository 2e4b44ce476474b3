/* SPDX-License-Identifier: MIT */
/* Blocks at the first reading, and bounds of their sizes. */
#include "start_state.h"

#include <stdlib.h>
#include <string.h>

#include "recording_internal.h"

/* Header of a block, the smallest block of any strategy and of the largest. */
#define HEADER_BYTES 8
#define LEAST_BYTES 40
#define GREATEST_LEAST_BYTES 64

/* A block may be as large as the smallest there, and by less than that larger than needed. */
#define SLACK_BYTES (GREATEST_LEAST_BYTES - LEAST_BYTES + GREATEST_LEAST_BYTES - 8)

uint64_t start_state_tag_bytes(const struct csc_options *options, enum csc_allocator allocator)
{
	/* Source: SOURCES.md 1.3. */
	uint64_t words = options->generation->tag_words;

	return options->allocators[allocator].settings.atags ? words * options->word_bytes : 0;
}

static enum csc_status keep(struct start_state *start, const struct start_block *block,
		size_t *room, struct diag *diag)
{
	if (start->count == *room) {
		size_t more = *room ? 2 * *room : 1024;
		struct start_block *grown = realloc(start->blocks, more * sizeof(*grown));

		if (!grown) {
			return DIAG_NO_MEMORY(diag);
		}
		start->blocks = grown;
		*room = more;
	}
	start->blocks[start->count++] = *block;
	return CSC_OK;
}

/* Blocks that were made before the first reading and live on; then those of unknown beginning. */
static enum csc_status find_blocks(const struct recording *recording,
		const struct readings *readings, struct start_state *start, struct diag *diag)
{
	static const char made[] =
			"SELECT b.id, b.size, b.type_id, b.instance FROM block_event AS b "
			"LEFT JOIN thread AS t ON t.id = b.thread_id WHERE b.id BETWEEN ?2 AND ?3 "
			"AND b.allocator_id IS NOT NULL AND b.op <> 1 AND b.address <> 0 "
			"AND (t.runtime_id = ?1 OR t.id IS NULL) AND b.id NOT IN (SELECT ended_id "
			"FROM block_event WHERE id BETWEEN ?2 AND ?3 AND ended_id IS NOT NULL) "
			"ORDER BY b.id";
	/* The first half of a reallocation is found under the row of the second. */
	static const char old[] =
			"SELECT b.id + (b.size IS NULL), coalesce(b.size, 0), b.type_id, b.instance "
			"FROM block_event AS b LEFT JOIN thread AS t ON t.id = b.thread_id "
			"WHERE b.id BETWEEN ?2 AND ?3 AND b.allocator_id IS NOT NULL AND b.op = 1 "
			"AND b.address <> 0 AND b.ended_id IS NULL "
			"AND (t.runtime_id = ?1 OR t.id IS NULL) ORDER BY b.id";
	const int64_t first = recording->facts.first_row;
	const int64_t ranges[2][2] = { { first, readings->first.row },
		{ readings->first.row + 1, readings->last.row } };
	size_t room = 0;

	for (int is_old = 0; is_old < 2; is_old++) {
		sqlite3_stmt *rows = recording_ask(recording, is_old ? old : made, diag);

		if (!rows) {
			return CSC_ERROR;
		}
		(void)sqlite3_bind_int64(rows, 1, recording->facts.runtime);
		(void)sqlite3_bind_int64(rows, 2, ranges[is_old][0]);
		(void)sqlite3_bind_int64(rows, 3, ranges[is_old][1]);
		while (!diag_is_set(diag) && recording_step_row(recording, rows, diag)) {
			(void)keep(start,
					&(struct start_block){
							.row = sqlite3_column_int64(rows, 0),
							.bytes = (uint64_t)sqlite3_column_int64(
									rows, 1),
							.type = (uint32_t)sqlite3_column_int(
									rows, 2),
							.scheduler = (uint32_t)sqlite3_column_int(
									rows, 3),
							.is_old = is_old != 0,
					},
					&room, diag);
		}
		sqlite3_finalize(rows);
	}
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

/*
 * Changes by allocator.  A block that is made and ended between the readings changes nothing; one
 * that is made and stays has a size within bounds; one that ends has a size recorded by its free,
 * or one within bounds, or an unknown one.
 */
static enum csc_status find_changes(const struct recording *recording,
		const struct readings *readings, const struct csc_options *options,
		struct start_state *start, struct diag *diag)
{
	static const char sql[] =
			"WITH tag AS MATERIALIZED (SELECT DISTINCT n.allocator_id AS id, n.name, "
			"instr(?5, ',' || n.name || ',') > 0 AS is_tagged FROM name_allocator AS n "
			"WHERE n.runtime_id = ?1), "
			"e AS (SELECT t.name, b.op <> 1 AND b.address <> 0 AS is_made, "
			"b.ended_id, b.op = 1 AND b.address <> 0 AS is_end, b.op = 1 AS is_recorded, "
			"max(?6, b.size + 15 + t.is_tagged * ?4 & ~7) AS bytes, "
			"max(?6, a.size + 15 + t.is_tagged * ?4 & ~7) AS old_bytes, "
			"b.size AS room, b.instance <> a.instance AS is_foreign "
			"FROM block_event AS b JOIN tag AS t ON t.id = b.allocator_id "
			"LEFT JOIN block_event AS a ON a.id = b.ended_id "
			"LEFT JOIN thread AS h ON h.id = b.thread_id "
			"WHERE b.id BETWEEN ?2 + 1 AND ?3 AND (h.runtime_id = ?1 OR h.id IS NULL)) "
			/* What is there at the end of what was made: no less than this, and how
			   many. */
			"SELECT name, "
			"total(bytes) FILTER (WHERE is_made) - "
			"total(old_bytes) FILTER (WHERE ended_id > ?2), "
			"count(*) FILTER (WHERE is_made) - count(*) FILTER (WHERE ended_id > ?2), "
			/* What ended of what was there: known to the byte, no less than, how many.
			 */
			"total(room + 8) FILTER (WHERE is_end AND room > 0 AND "
			"(ended_id IS NULL OR ended_id <= ?2)), "
			"total(old_bytes) FILTER (WHERE ended_id <= ?2 AND "
			"NOT (is_recorded AND coalesce(room, 0) > 0)), "
			"count(*) FILTER (WHERE ended_id <= ?2 AND "
			"NOT (is_recorded AND coalesce(room, 0) > 0)), "
			"count(*) FILTER (WHERE is_end AND ended_id IS NULL AND coalesce(room, 0) = 0), "
			"count(*) FILTER (WHERE is_foreign), "
			"count(*) FILTER (WHERE ended_id IS NOT NULL) FROM e GROUP BY 1";
	char tagged[256] = ",";
	uint64_t tag_bytes = 0;
	sqlite3_stmt *rows = recording_ask(recording, sql, diag);

	if (!rows) {
		return CSC_ERROR;
	}
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		uint64_t bytes = start_state_tag_bytes(options, (enum csc_allocator)i);
		size_t length = strlen(tagged);

		if (bytes) {
			tag_bytes = bytes;
			(void)sqlite3_snprintf((int)(sizeof(tagged) - length), tagged + length,
					"%s,", csc_allocator_infos[i].name);
		}
	}
	(void)sqlite3_bind_int64(rows, 1, recording->facts.runtime);
	(void)sqlite3_bind_int64(rows, 2, readings->first.row);
	(void)sqlite3_bind_int64(rows, 3, readings->last.row);
	(void)sqlite3_bind_int64(rows, 4, (int64_t)tag_bytes);
	(void)sqlite3_bind_text(rows, 5, tagged, -1, SQLITE_STATIC);
	(void)sqlite3_bind_int64(rows, 6, LEAST_BYTES);
	while (recording_step_row(recording, rows, diag)) {
		const char *name = (const char *)sqlite3_column_text(rows, 0);
		int64_t live = sqlite3_column_int64(rows, 1);
		int64_t live_count = sqlite3_column_int64(rows, 2);
		int64_t exact = sqlite3_column_int64(rows, 3);
		int64_t ended = sqlite3_column_int64(rows, 4);
		int64_t ended_count = sqlite3_column_int64(rows, 5);

		for (int i = 0; name && i < CSC_ALLOCATORS; i++) {
			if (strcmp(csc_allocator_infos[i].name, name) != 0) {
				continue;
			}
			start->changes[i] = (struct start_change){
				.bytes_low = live - exact - ended - ended_count * SLACK_BYTES,
				.bytes_high = live + live_count * SLACK_BYTES - exact - ended,
				.unknown = sqlite3_column_int64(rows, 6),
				.foreign = sqlite3_column_int64(rows, 7),
				.ended = sqlite3_column_int64(rows, 8),
			};
		}
	}
	sqlite3_finalize(rows);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

enum csc_status start_state_find(const struct recording *recording, const struct readings *readings,
		const struct csc_options *options, struct start_state *ret_start, struct diag *diag)
{
	struct start_state start = { 0 };

	if (find_blocks(recording, readings, &start, diag) != CSC_OK ||
			find_changes(recording, readings, options, &start, diag) != CSC_OK) {
		start_state_finish(&start);
		return CSC_ERROR;
	}
	*ret_start = start;
	return CSC_OK;
}

void start_state_finish(struct start_state *start)
{
	free(start->blocks);
	*start = (struct start_state){ 0 };
}
