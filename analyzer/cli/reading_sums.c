/*
 * SPDX-License-Identifier: MIT
 *
 * Figures come in the order of time: most rows belong to the sums of the row before.
 */
#include "reading_sums.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "growing.h"
#include "numbering.h"

enum { TEXT_BYTES = 64 };

enum column {
	FIGURE_ID,
	FIGURE_TIME,
	FIGURE_RUNTIME,
	FIGURE_SNAPSHOT,
	FIGURE_ALLOCATOR,
	FIGURE_INSTANCE,
	FIGURE_SECTION,
	FIGURE_KEY,
	FIGURE_CURRENT,
	FIGURE_MAX_EVER
};

/* What _read_sum has, in the order of its columns. */
enum sum {
	MBC_CARRIERS,
	MBC_BYTES,
	MBC_BLOCKS_BYTES,
	SBC_CARRIERS,
	SBC_BYTES,
	SBC_BLOCKS,
	SBC_BLOCKS_BYTES,
	POOL_BYTES,
	POOL_BLOCKS_BYTES,
	PEAK_BYTES,
	PEAK_BLOCKS_BYTES,
	SUMS
};

/* Which sums a figure is added to: what there is now, and what there was at most. */
static const struct kind {
	const char *section;
	const char *key;
	int current;
	int most;
} kinds[] = {
	{ "mbcs", "carriers", MBC_CARRIERS, SUMS },
	{ "mbcs", "carriers_size", MBC_BYTES, PEAK_BYTES },
	{ "mbcs", "blocks_size", MBC_BLOCKS_BYTES, PEAK_BLOCKS_BYTES },
	{ "sbcs", "carriers", SBC_CARRIERS, SUMS },
	{ "sbcs", "carriers_size", SBC_BYTES, PEAK_BYTES },
	{ "sbcs", "blocks", SBC_BLOCKS, SUMS },
	{ "sbcs", "blocks_size", SBC_BLOCKS_BYTES, PEAK_BLOCKS_BYTES },
	{ "mbcs_pool", "carriers_size", POOL_BYTES, SUMS },
	{ "mbcs_pool", "blocks_size", POOL_BLOCKS_BYTES, SUMS },
};

/* A sum that nothing was added to is NULL. */
struct amount {
	int64_t value;
	bool is_known;
};

struct reading {
	int64_t first_id;
	int64_t figures;
};

/* An allocator at a reading. */
struct allocator_sum {
	int64_t allocator_id;
	struct amount sums[SUMS];
	int64_t instances;

	/* The last one; each comes once, and they ascend. */
	int64_t instance;
};

struct calls {
	int64_t first_ns;
	struct amount calls;
};

struct reading_sums {
	/* By runtime, snapshot, and for the others an allocator's number or name. */
	struct numbering reading_keys;
	struct numbering allocator_keys;
	struct numbering calls_keys;
	struct reading *readings;
	size_t reading_room;
	struct allocator_sum *allocators;
	size_t allocator_room;
	struct calls *calls;
	size_t calls_room;

	/* Of the row before: numbers of its reading and of its allocator, -1: none. */
	int32_t reading;
	int32_t allocator;

	/* Whether a load may have written all rows so far. */
	bool is_ours;
};

/* Text of a row, which is not terminated. */
struct words {
	const char *at;
	size_t length;
};

static struct words words_of(sqlite3_stmt *row, int column)
{
	/* As a blob: as text it would be copied. */
	const char *at = sqlite3_column_blob(row, column);

	return (struct words){ at ? at : "", (size_t)sqlite3_column_bytes(row, column) };
}

static bool is_word(struct words words, const char *word)
{
	return words.length == strlen(word) && memcmp(words.at, word, words.length) == 0;
}

/* A number; NULL is read as 0, and is not ours. */
static int64_t number_in(struct reading_sums *sums, sqlite3_stmt *row, int column)
{
	int64_t value = sqlite3_column_int64(row, column);

	if (value == 0 && sqlite3_column_type(row, column) == SQLITE_NULL) {
		sums->is_ours = false;
	}

	return value;
}

static void add(struct reading_sums *sums, struct amount *amount, sqlite3_stmt *row, int column)
{
	int64_t value = sqlite3_column_int64(row, column);

	if (value == 0 && sqlite3_column_type(row, column) == SQLITE_NULL) {
		return;
	}

	amount->is_known = true;
	if (__builtin_add_overflow(amount->value, value, &amount->value)) {
		sums->is_ours = false;
	}
}

/* The number of a key; room for its item is made.  -1: out of memory. */
static int32_t number_of(struct numbering *keys, int64_t runtime, int64_t snapshot,
		const char *text, void *items, size_t *room, size_t item_size)
{
	int32_t number = numbering_find(keys, runtime, snapshot, text);

	return number >= 0 && csc_grow_zeroed(items, room, (size_t)number + 1, item_size) ? number
											  : -1;
}

static bool take_reading(struct reading_sums *sums, sqlite3_stmt *row)
{
	int64_t runtime = number_in(sums, row, FIGURE_RUNTIME);
	int64_t snapshot = number_in(sums, row, FIGURE_SNAPSHOT);
	int64_t id = sqlite3_column_int64(row, FIGURE_ID);
	const struct numbering_entry *last =
			sums->reading >= 0 ? &sums->reading_keys.entries[sums->reading] : NULL;
	struct reading *reading;

	if (!last || last->a != runtime || last->b != snapshot) {
		sums->allocator = -1;
		sums->reading = number_of(&sums->reading_keys, runtime, snapshot, NULL,
				&sums->readings, &sums->reading_room, sizeof(*sums->readings));
		if (sums->reading < 0) {
			return false;
		}
	}

	reading = &sums->readings[sums->reading];
	reading->first_id =
			reading->figures++ == 0 || id < reading->first_id ? id : reading->first_id;
	return true;
}

/* The sums of the allocator of a row; NULL: out of memory. */
static struct allocator_sum *allocator_of(struct reading_sums *sums, sqlite3_stmt *row)
{
	int64_t id = number_in(sums, row, FIGURE_ALLOCATOR);
	char text[TEXT_BYTES];

	if (sums->allocator < 0 || sums->allocators[sums->allocator].allocator_id != id) {
		(void)snprintf(text, sizeof(text), "%lld", (long long)id);
		sums->allocator = number_of(&sums->allocator_keys,
				sqlite3_column_int64(row, FIGURE_RUNTIME),
				sqlite3_column_int64(row, FIGURE_SNAPSHOT), text, &sums->allocators,
				&sums->allocator_room, sizeof(*sums->allocators));
		if (sums->allocator < 0) {
			return NULL;
		}
		sums->allocators[sums->allocator].allocator_id = id;
	}

	return &sums->allocators[sums->allocator];
}

static void count_instance(
		struct reading_sums *sums, struct allocator_sum *allocator, sqlite3_stmt *row)
{
	int64_t instance = number_in(sums, row, FIGURE_INSTANCE);

	if (allocator->instances == 0 || instance > allocator->instance) {
		allocator->instance = instance;
		allocator->instances++;
	} else if (instance < allocator->instance) {
		sums->is_ours = false;
	}
}

/* Adds a figure of carriers or blocks; those in other allocators' carriers end in their names. */
static bool take_bytes(struct reading_sums *sums, sqlite3_stmt *row, struct words section,
		struct words key)
{
	struct allocator_sum *allocator = allocator_of(sums, row);
	const char *slash = memchr(key.at, '/', key.length);

	if (!allocator) {
		return false;
	}

	key.length = slash ? (size_t)(slash - key.at) : key.length;
	count_instance(sums, allocator, row);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct kind *kind = &kinds[i];

		if (is_word(key, kind->key) && is_word(section, kind->section)) {
			add(sums, &allocator->sums[kind->current], row, FIGURE_CURRENT);
			if (kind->most < SUMS) {
				add(sums, &allocator->sums[kind->most], row, FIGURE_MAX_EVER);
			}
		}
	}

	return true;
}

static bool take_calls(struct reading_sums *sums, sqlite3_stmt *row, struct words key)
{
	char text[TEXT_BYTES];
	int64_t ts_ns = number_in(sums, row, FIGURE_TIME);
	struct calls *calls;
	int32_t number;

	sums->is_ours = sums->is_ours && key.length < sizeof(text) &&
			!memchr(key.at, '\0', key.length);
	if (!sums->is_ours) {
		return true;
	}

	memcpy(text, key.at, key.length);
	text[key.length] = '\0';
	number = number_of(&sums->calls_keys, sqlite3_column_int64(row, FIGURE_RUNTIME),
			sqlite3_column_int64(row, FIGURE_SNAPSHOT), text, &sums->calls,
			&sums->calls_room, sizeof(*sums->calls));
	if (number < 0) {
		return false;
	}

	calls = &sums->calls[number];
	calls->first_ns = calls->first_ns == 0 || ts_ns < calls->first_ns ? ts_ns : calls->first_ns;
	add(sums, &calls->calls, row, FIGURE_CURRENT);
	return true;
}

/* Whether a key is between two, as SQLite compares them. */
static bool is_between(struct words key, const char *first, const char *last)
{
	size_t first_length = strlen(first);
	size_t last_length = strlen(last);
	size_t some = key.length < first_length ? key.length : first_length;
	int order = memcmp(key.at, first, some);

	if (order < 0 || (order == 0 && key.length < first_length)) {
		return false;
	}

	some = key.length < last_length ? key.length : last_length;
	order = memcmp(key.at, last, some);
	return order < 0 || (order == 0 && key.length <= last_length);
}

static bool has_allocated(struct words key)
{
	static const char suffix[] = "_alloc";
	size_t length = sizeof(suffix) - 1;

	return key.length >= length && memcmp(key.at + key.length - length, suffix, length) == 0;
}

/* Counts a row; false: out of memory. */
static bool take_figure(struct reading_sums *sums, sqlite3_stmt *row)
{
	struct words section = words_of(row, FIGURE_SECTION);
	bool is_calls = is_word(section, "calls");
	struct words key;

	if (!take_reading(sums, row)) {
		return false;
	}
	if (!is_calls && !is_word(section, "mbcs") && !is_word(section, "sbcs") &&
			!is_word(section, "mbcs_pool")) {
		return true;
	}

	key = words_of(row, FIGURE_KEY);
	if (is_calls) {
		return !has_allocated(key) || take_calls(sums, row, key);
	}

	return !is_between(key, "blocks", "carriers_size") || take_bytes(sums, row, section, key);
}

static enum csc_status count_figures(sqlite3 *db, struct reading_sums *sums, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT id, ts_ns, runtime_id, snapshot_id, allocator_id, instance, "
					"section, \"key\", current, max_ever FROM main.snapshot_figure"),
			&row, diag);

	while (status == CSC_OK && sums->is_ours && (result = sqlite3_step(row)) == SQLITE_ROW) {
		if (!take_figure(sums, row)) {
			status = DIAG_NO_MEMORY(diag);
		}
	}

	if (status == CSC_OK && sums->is_ours) {
		status = database_check(db, result, diag);
	}
	(void)sqlite3_finalize(row);
	return status;
}

static void bind_amount(sqlite3_stmt *insert, int number, struct amount amount)
{
	(void)(amount.is_known ? sqlite3_bind_int64(insert, number, amount.value)
			       : sqlite3_bind_null(insert, number));
}

/* Writes rows `keys` of a table, whose columns behind runtime and snapshot `bind` binds. */
static enum csc_status write_rows(sqlite3 *db, const char *sql, const struct numbering *keys,
		const void *items, size_t item_size,
		void (*bind)(sqlite3_stmt *insert, const char *text, const void *item),
		struct diag *diag)
{
	sqlite3_stmt *insert = NULL;
	enum csc_status status = database_prepare(db, sqlite3_mprintf("%s", sql), &insert, diag);

	for (size_t i = 0; i < keys->count && status == CSC_OK; i++) {
		int result;

		(void)sqlite3_bind_int64(insert, 1, keys->entries[i].a);
		(void)sqlite3_bind_int64(insert, 2, keys->entries[i].b);
		bind(insert, keys->entries[i].text, (const char *)items + i * item_size);
		result = sqlite3_step(insert);
		(void)sqlite3_reset(insert);
		status = database_check(db, result, diag);
	}

	(void)sqlite3_finalize(insert);
	return status;
}

static void bind_reading(sqlite3_stmt *insert, const char *text, const void *item)
{
	const struct reading *reading = item;

	(void)text;
	(void)sqlite3_bind_int64(insert, 3, reading->first_id);
	(void)sqlite3_bind_int64(insert, 4, reading->figures);
}

static void bind_allocator(sqlite3_stmt *insert, const char *text, const void *item)
{
	const struct allocator_sum *allocator = item;

	(void)text;
	(void)sqlite3_bind_int64(insert, 3, allocator->allocator_id);
	(void)sqlite3_bind_int64(insert, 4, allocator->instances);
	for (int i = 0; i < SUMS; i++) {
		bind_amount(insert, 5 + i, allocator->sums[i]);
	}
}

static void bind_calls(sqlite3_stmt *insert, const char *text, const void *item)
{
	const struct calls *calls = item;

	(void)sqlite3_bind_text(insert, 3, text, -1, SQLITE_STATIC);
	(void)sqlite3_bind_int64(insert, 4, calls->first_ns);
	bind_amount(insert, 5, calls->calls);
}

/* Makes the tables, with the columns of the views and an index of ids, and fills them. */
static enum csc_status write_tables(sqlite3 *db, const struct reading_sums *sums, struct diag *diag)
{
	static const char *const create[] = {
		"CREATE TEMP TABLE _read_count (runtime_id, snapshot_id, first_id, figures)",
		"CREATE TEMP TABLE _read_sum (runtime_id, snapshot_id, allocator_id, instances, mbc_carriers, "
		"mbc_bytes, mbc_blocks_bytes, sbc_carriers, sbc_bytes, sbc_blocks, sbc_blocks_bytes, pool_bytes, "
		"pool_blocks_bytes, peak_bytes, peak_blocks_bytes)",
		"CREATE TEMP TABLE _read_calls (runtime_id, snapshot_id, allocator, ts_ns, calls)",
		"CREATE INDEX temp._read_sum_id ON _read_sum (runtime_id, snapshot_id)",
	};
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < sizeof(create) / sizeof(create[0]) && status == CSC_OK; i++) {
		status = database_run(db, sqlite3_mprintf("%s", create[i]), diag);
	}
	if (status == CSC_OK) {
		status = write_rows(db, "INSERT INTO temp._read_count VALUES (?1, ?2, ?3, ?4)",
				&sums->reading_keys, sums->readings, sizeof(*sums->readings),
				bind_reading, diag);
	}
	if (status == CSC_OK) {
		status = write_rows(db,
				"INSERT INTO temp._read_sum VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
				"?11, ?12, ?13, ?14, ?15)",
				&sums->allocator_keys, sums->allocators, sizeof(*sums->allocators),
				bind_allocator, diag);
	}

	return status == CSC_OK
			? write_rows(db, "INSERT INTO temp._read_calls VALUES (?1, ?2, ?3, ?4, ?5)",
					  &sums->calls_keys, sums->calls, sizeof(*sums->calls),
					  bind_calls, diag)
			: status;
}

enum csc_status reading_sums_stage(sqlite3 *db, struct diag *diag)
{
	struct reading_sums sums = { .reading = -1, .allocator = -1, .is_ours = true };
	enum csc_status status = count_figures(db, &sums, diag);

	if (status == CSC_OK && sums.is_ours) {
		status = write_tables(db, &sums, diag);
	}

	numbering_finish(&sums.reading_keys);
	numbering_finish(&sums.allocator_keys);
	numbering_finish(&sums.calls_keys);
	free(sums.readings);
	free(sums.allocators);
	free(sums.calls);
	return status;
}
