/*
 * SPDX-License-Identifier: MIT
 *
 * Events come in the order of time: what is summed is that of one slot, and is written at its end.
 */
#include "maker_sums.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "growing.h"
#include "judge_sql.h"
#include "maker_events.h"

enum {
	/* Columns of a row of the table, behind the keys. */
	OUT_SLOT = 8,
	OUT_MADE = 9,
	/* What view _page_slot lets through, and some room. */
	EVENTS_MAX = 1 << 24,
	FIRST_ROOM = 256,
};

/* Columns of a live block: all keys are the last. */
enum live_column { LIVE_SIZE, LIVE_KEYS };

struct maker {
	struct maker_key key;

	/* Of the slot, or live at the moment of the key. */
	int64_t made;
	int64_t ended;
	double made_bytes;
	double ended_bytes;
	bool is_used;
};

/* Which block a row made; maker 0: none, else 1 + its number. */
struct made_block {
	int64_t size;
	uint32_t maker;
};

struct maker_sums {
	sqlite3 *db;
	sqlite3_stmt *insert;

	struct maker_events events;

	/* The source, as _page_slot has it. */
	int64_t first_ns;
	int64_t slot_ns;
	int64_t first_id;

	/* What is summed now. */
	int64_t slot;

	/* By the number of the row in its source. */
	struct made_block *blocks;
	int64_t block_count;

	struct maker *makers;
	size_t maker_count;
	size_t maker_room;

	/* Open addressing: 1 + number of a maker, or 0; a power of two. */
	uint32_t *slots;
	size_t slot_count;

	/* Numbers of the makers that the slot has. */
	uint32_t *used;
	size_t used_count;
	size_t used_room;
};

static uint64_t hash_of(const struct maker_key *key)
{
	uint64_t hash = key->nulls;

	for (int i = 0; i < MAKER_KEYS; i++) {
		hash = (hash ^ (uint64_t)key->value[i]) * 0x9e3779b97f4a7c15U;
		hash ^= hash >> 29;
	}

	return hash;
}

/* The place of a key in the table of numbers, or the free one where it belongs. */
static size_t place_of(const struct maker_sums *sums, const struct maker_key *key)
{
	size_t mask = sums->slot_count - 1;
	size_t place = hash_of(key) & mask;

	while (sums->slots[place] != 0 &&
			memcmp(&sums->makers[sums->slots[place] - 1].key, key, sizeof(*key)) != 0) {
		place = (place + 1) & mask;
	}

	return place;
}

/* At most half of the places are taken. */
static bool make_places(struct maker_sums *sums)
{
	size_t count = sums->slot_count > 0 ? 2 * sums->slot_count : FIRST_ROOM;
	uint32_t *slots;

	if (2 * sums->maker_count < sums->slot_count) {
		return true;
	}

	slots = calloc(count, sizeof(*slots));
	if (!slots) {
		return false;
	}

	free(sums->slots);
	sums->slots = slots;
	sums->slot_count = count;
	for (size_t i = 0; i < sums->maker_count; i++) {
		slots[place_of(sums, &sums->makers[i].key)] = (uint32_t)(i + 1);
	}

	return true;
}

/* 1 + the number of a maker; 0: out of memory. */
static uint32_t number_maker(struct maker_sums *sums, const struct maker_key *key)
{
	size_t place;

	if (!make_places(sums)) {
		return 0;
	}

	place = place_of(sums, key);
	if (sums->slots[place] == 0) {
		if (!csc_grow(&sums->makers, &sums->maker_room, sums->maker_count + 1,
				    sizeof(*sums->makers))) {
			return 0;
		}
		sums->makers[sums->maker_count++] = (struct maker){ .key = *key };
		sums->slots[place] = (uint32_t)sums->maker_count;
	}

	return sums->slots[place];
}

/* The maker as one of those that the slot has; NULL: out of memory. */
static struct maker *use_maker(struct maker_sums *sums, uint32_t number)
{
	struct maker *maker = &sums->makers[number - 1];

	if (!maker->is_used) {
		if (!csc_grow(&sums->used, &sums->used_room, sums->used_count + 1,
				    sizeof(*sums->used))) {
			return NULL;
		}
		sums->used[sums->used_count++] = number;
		maker->is_used = true;
	}

	return maker;
}

static enum csc_status insert_row(
		struct maker_sums *sums, const struct maker *maker, struct diag *diag)
{
	sqlite3_stmt *insert = sums->insert;
	int result;

	for (int i = 0; i < MAKER_KEYS; i++) {
		if (maker->key.nulls >> i & 1U) {
			(void)sqlite3_bind_null(insert, 1 + i);
		} else {
			(void)sqlite3_bind_int64(insert, 1 + i, maker->key.value[i]);
		}
	}
	(void)sqlite3_bind_int64(insert, OUT_SLOT, sums->slot);
	(void)sqlite3_bind_int64(insert, OUT_MADE, maker->made);
	(void)sqlite3_bind_double(insert, OUT_MADE + 1, maker->made_bytes);
	(void)sqlite3_bind_int64(insert, OUT_MADE + 2, maker->ended);
	(void)sqlite3_bind_double(insert, OUT_MADE + 3, maker->ended_bytes);
	result = sqlite3_step(insert);
	(void)sqlite3_reset(insert);
	return judge_sql_check(sums->db, result, diag);
}

/* Writes what the slot has, and begins another. */
static enum csc_status end_slot(struct maker_sums *sums, int64_t next, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < sums->used_count; i++) {
		struct maker *maker = &sums->makers[sums->used[i] - 1];

		if (status == CSC_OK) {
			status = insert_row(sums, maker, diag);
		}
		*maker = (struct maker){ .key = maker->key };
	}

	sums->used_count = 0;
	sums->slot = next;
	return status;
}

/* Adds a block to those of its maker; *ret_number: 1 + the number of that. */
static enum csc_status add_block(struct maker_sums *sums, const struct maker_key *key, int64_t size,
		uint32_t *ret_number, struct diag *diag)
{
	uint32_t number = number_maker(sums, key);
	struct maker *maker = number > 0 ? use_maker(sums, number) : NULL;

	if (!maker) {
		return DIAG_NO_MEMORY(diag);
	}

	maker->made++;
	maker->made_bytes += (double)size;
	*ret_number = number;
	return CSC_OK;
}

static enum csc_status count_one_made(struct maker_sums *sums, struct made_block *block,
		const struct maker_event *event, struct diag *diag)
{
	block->size = event->size;
	return add_block(sums, &event->key, block->size, &block->maker, diag);
}

static enum csc_status count_one_ended(
		struct maker_sums *sums, const struct made_block *block, struct diag *diag)
{
	struct maker *maker = use_maker(sums, block->maker);

	if (!maker) {
		return DIAG_NO_MEMORY(diag);
	}

	maker->ended++;
	maker->ended_bytes += (double)block->size;
	return CSC_OK;
}

/* Counts an event.  *ret_is_ours: false where no load writes such a row. */
static enum csc_status count_event(struct maker_sums *sums, const struct maker_event *event,
		bool *ret_is_ours, struct diag *diag)
{
	int64_t id = event->id - sums->first_id;
	int64_t slot = (event->ts_ns - sums->first_ns) / sums->slot_ns;
	int64_t ended = event->ended_id - sums->first_id;
	enum csc_status status = CSC_OK;

	*ret_is_ours = id >= 0 && id < sums->block_count && event->ts_ns > 0 &&
			(!event->is_made || event->has_size) &&
			(event->ended_id == 0 ||
					(ended >= 0 && ended < id &&
							sums->blocks[ended].maker > 0));
	if (!*ret_is_ours) {
		return CSC_OK;
	}

	if (slot != sums->slot) {
		status = end_slot(sums, slot, diag);
	}
	if (status == CSC_OK && event->is_made) {
		status = count_one_made(sums, &sums->blocks[id], event, diag);
	}
	if (status == CSC_OK && event->ended_id != 0) {
		status = count_one_ended(sums, &sums->blocks[ended], diag);
	}

	return status;
}

/* Counts the events of the source of a row of _page_slot. */
static enum csc_status count_source(
		struct maker_sums *sums, sqlite3_stmt *source, bool *ret_is_ours, struct diag *diag)
{
	int64_t last_id = sqlite3_column_int64(source, 4);
	sqlite3_stmt *events = NULL;
	int result = SQLITE_DONE;
	enum csc_status status;

	sums->events.source_id = sqlite3_column_int64(source, 0);
	sums->first_ns = sqlite3_column_int64(source, 1);
	sums->slot_ns = sqlite3_column_int64(source, 2);
	sums->first_id = sqlite3_column_int64(source, 3);
	sums->block_count = last_id - sums->first_id + 1;
	*ret_is_ours = sums->first_id > 0 && last_id >= sums->first_id && sums->slot_ns > 0 &&
			sums->block_count <= EVENTS_MAX;
	if (!*ret_is_ours) {
		return CSC_OK;
	}

	free(sums->blocks);
	sums->blocks = calloc((size_t)sums->block_count, sizeof(*sums->blocks));
	if (!sums->blocks) {
		return DIAG_NO_MEMORY(diag);
	}

	status = judge_sql_prepare(sums->db,
			sqlite3_mprintf("SELECT rowid, word, place FROM main.packed_block "
					"WHERE rowid BETWEEN %lld AND %lld",
					(long long)sums->first_id, (long long)last_id),
			&events, diag);
	while (status == CSC_OK && *ret_is_ours && (result = sqlite3_step(events)) == SQLITE_ROW) {
		struct maker_event event = { 0 };

		status = maker_events_read(&sums->events, events, &event, diag);
		if (status == CSC_OK) {
			status = count_event(sums, &event, ret_is_ours, diag);
		}
	}

	if (status == CSC_OK && *ret_is_ours) {
		status = judge_sql_check(sums->db, result, diag);
	}
	if (status == CSC_OK) {
		status = end_slot(sums, 0, diag);
	}
	(void)sqlite3_finalize(events);
	return status;
}

static enum csc_status count_sources(struct maker_sums *sums, bool *ret_is_ours, struct diag *diag)
{
	sqlite3_stmt *sources = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = maker_events_open(&sums->events, sums->db, diag);

	if (status == CSC_OK) {
		status = judge_sql_prepare(sums->db,
				sqlite3_mprintf("SELECT source_id, first_ts_ns, slot_ns, first_id, last_id "
						"FROM _page_slot WHERE first_id IS NOT NULL"),
				&sources, diag);
	}

	*ret_is_ours = true;
	while (status == CSC_OK && *ret_is_ours && (result = sqlite3_step(sources)) == SQLITE_ROW) {
		status = count_source(sums, sources, ret_is_ours, diag);
	}

	if (status == CSC_OK && *ret_is_ours) {
		status = judge_sql_check(sums->db, result, diag);
	}
	(void)sqlite3_finalize(sources);
	return status;
}

/* Whether a query yields a row. */
static enum csc_status find_row(sqlite3 *db, const char *sql, bool *ret_is_found, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	enum csc_status status = judge_sql_prepare(db, sqlite3_mprintf("%s", sql), &row, diag);

	*ret_is_found = status == CSC_OK && sqlite3_step(row) == SQLITE_ROW;
	(void)sqlite3_finalize(row);
	return status;
}

/* Counts a live block.  *ret_is_ours: false where no load writes such a row. */
static enum csc_status count_one_live(
		struct maker_sums *sums, sqlite3_stmt *block, bool *ret_is_ours, struct diag *diag)
{
	struct maker_key key = { 0 };
	uint32_t number;

	*ret_is_ours = sqlite3_column_type(block, LIVE_SIZE) != SQLITE_NULL;
	if (!*ret_is_ours) {
		return CSC_OK;
	}

	maker_key_read(&key, 0, block, LIVE_KEYS);
	return add_block(sums, &key, sqlite3_column_int64(block, LIVE_SIZE), &number, diag);
}

static enum csc_status count_live(struct maker_sums *sums, bool *ret_is_ours, struct diag *diag)
{
	sqlite3_stmt *blocks = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = judge_sql_prepare(sums->db,
			sqlite3_mprintf("SELECT b.size, i.source_id, NULL, b.thread_id, b.allocator_id, b.type_id, b.process, "
					"iif(b.process > 0 OR NOT %d, NULL, (SELECT max(p.from_id) FROM main.block_process AS p "
					"WHERE p.thread_id = b.thread_id AND p.from_id <= b.id)) "
					"FROM _block_live_id AS i CROSS JOIN main.block_event AS b ON b.id = i.id WHERE i.moment = 'peak'",
					sums->events.has_process),
			&blocks, diag);

	*ret_is_ours = true;
	while (status == CSC_OK && *ret_is_ours && (result = sqlite3_step(blocks)) == SQLITE_ROW) {
		status = count_one_live(sums, blocks, ret_is_ours, diag);
	}

	if (status == CSC_OK && *ret_is_ours) {
		status = judge_sql_check(sums->db, result, diag);
	}
	if (status == CSC_OK) {
		status = end_slot(sums, 0, diag);
	}
	(void)sqlite3_finalize(blocks);
	return status;
}

/* Makes a temporary table: CREATE, INSERT of a row, rows, and DROP where they are not ours. */
static enum csc_status make_table(sqlite3 *db, const char *create, const char *insert,
		const char *drop,
		enum csc_status (*count)(struct maker_sums *, bool *, struct diag *),
		struct diag *diag)
{
	struct maker_sums sums = { .db = db };
	bool is_ours = true;
	enum csc_status status = judge_sql_run(db, sqlite3_mprintf("%s", create), diag);

	if (status == CSC_OK) {
		status = judge_sql_prepare(db, sqlite3_mprintf("%s", insert), &sums.insert, diag);
	}
	if (status == CSC_OK) {
		status = find_row(db, "SELECT 1 FROM main.block_process LIMIT 1",
				&sums.events.has_process, diag);
	}
	if (status == CSC_OK) {
		status = count(&sums, &is_ours, diag);
	}

	(void)sqlite3_finalize(sums.insert);
	maker_events_close(&sums.events);
	free(sums.blocks);
	free(sums.makers);
	free(sums.slots);
	free(sums.used);
	return status == CSC_OK && !is_ours ? judge_sql_run(db, sqlite3_mprintf("%s", drop), diag)
					    : status;
}

enum csc_status maker_sums_make_changes(sqlite3 *db, struct diag *diag)
{
	return make_table(db,
			"CREATE TEMP TABLE _page_block_sum (source_id, thread_id, allocator_id, type_id, process, "
			"since_id, slot, made_blocks, made_bytes, ended_blocks, ended_bytes)",
			"INSERT INTO temp._page_block_sum VALUES (?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
			"DROP TABLE temp._page_block_sum", count_sources, diag);
}

enum csc_status maker_sums_make_peak(sqlite3 *db, struct diag *diag)
{
	return make_table(db,
			"CREATE TEMP TABLE _live_peak_sum (source_id, thread_id, allocator_id, type_id, process, "
			"since_id, blocks, bytes)",
			"INSERT INTO temp._live_peak_sum VALUES (?1, ?3, ?4, ?5, ?6, ?7, ?9, CAST(?10 AS INTEGER))",
			"DROP TABLE temp._live_peak_sum", count_live, diag);
}
