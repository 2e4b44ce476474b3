/* SPDX-License-Identifier: MIT */
/* Kinds by their numbers, and the time that counts for a row. */
#include "packed_block.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

struct since {
	int64_t from_id;
	int64_t ts_ns;
};

struct packed_blocks {
	/* By number; `is_there` says whether there is one. */
	struct packed_kind *kinds;
	bool *is_there;
	int64_t kind_count;

	/* Sorted; the one that counted last. */
	struct since *times;
	size_t time_count;
	size_t at;
};

static int64_t get(sqlite3_stmt *row, int column, struct packed_kind *kind)
{
	if (sqlite3_column_type(row, column) == SQLITE_NULL) {
		kind->nulls |= UINT32_C(1) << (column - 1);
	}
	return sqlite3_column_int64(row, column);
}

static bool read_kinds(struct packed_blocks *blocks, sqlite3_stmt *most, sqlite3_stmt *rows)
{
	int64_t count = sqlite3_step(most) == SQLITE_ROW ? sqlite3_column_int64(most, 0) + 1 : 0;
	int result;

	/* No load numbers more. */
	if (count < 1 || count > PACKED_KINDS_MOST) {
		count = count < 1 ? 1 : PACKED_KINDS_MOST;
	}
	blocks->kinds = calloc((size_t)count, sizeof(*blocks->kinds));
	blocks->is_there = calloc((size_t)count, sizeof(*blocks->is_there));
	if (!blocks->kinds || !blocks->is_there) {
		return false;
	}
	blocks->kind_count = count;
	while ((result = sqlite3_step(rows)) == SQLITE_ROW) {
		int64_t number = sqlite3_column_int64(rows, 0);

		if (number >= 0 && number < count) {
			struct packed_kind *kind = &blocks->kinds[number];

			kind->thread = get(rows, 1, kind);
			kind->type = get(rows, 2, kind);
			kind->allocator = get(rows, 3, kind);
			kind->instance = get(rows, 4, kind);
			kind->process = get(rows, 5, kind);
			kind->zone = sqlite3_column_int64(rows, 6);
			blocks->is_there[number] = sqlite3_column_type(rows, 6) != SQLITE_NULL;
		}
	}
	return result == SQLITE_DONE;
}

static bool read_times(struct packed_blocks *blocks, sqlite3_stmt *rows)
{
	size_t room = 0;
	int result;

	while ((result = sqlite3_step(rows)) == SQLITE_ROW) {
		if (blocks->time_count == room) {
			size_t more = room ? 2 * room : FIRST_ROOM;
			struct since *grown = realloc(blocks->times, more * sizeof(*grown));

			if (!grown) {
				return false;
			}
			blocks->times = grown;
			room = more;
		}
		blocks->times[blocks->time_count++] = (struct since){
			sqlite3_column_int64(rows, 0),
			sqlite3_column_int64(rows, 1),
		};
	}
	return result == SQLITE_DONE;
}

struct packed_blocks *packed_blocks_open(sqlite3 *db)
{
	static const char *const texts[] = {
		"SELECT max(id) FROM main.packed_block_kind",
		("SELECT id, thread_id, type_id, allocator_id, instance, process, zone "
		 "FROM main.packed_block_kind"),
		"SELECT from_id, ts_ns FROM main.packed_block_time ORDER BY from_id",
	};
	sqlite3_stmt *rows[3] = { NULL };
	struct packed_blocks *blocks = calloc(1, sizeof(*blocks));
	bool is_open = blocks != NULL;

	for (int i = 0; i < 3; i++) {
		is_open = is_open &&
				sqlite3_prepare_v2(db, texts[i], -1, &rows[i], NULL) == SQLITE_OK;
	}
	is_open = is_open && read_kinds(blocks, rows[0], rows[1]) && read_times(blocks, rows[2]);
	for (int i = 0; i < 3; i++) {
		(void)sqlite3_finalize(rows[i]);
	}
	if (!is_open) {
		packed_blocks_close(blocks);
		return NULL;
	}
	return blocks;
}

void packed_blocks_close(struct packed_blocks *blocks)
{
	if (blocks) {
		free(blocks->kinds);
		free(blocks->is_there);
		free(blocks->times);
		free(blocks);
	}
}

/* The last time that is from a row on, at or before this one. */
static bool find_time(struct packed_blocks *blocks, int64_t id, int64_t *ret_ts_ns)
{
	if (blocks->time_count == 0 || blocks->times[0].from_id > id) {
		return false;
	}
	if (blocks->times[blocks->at].from_id > id) {
		blocks->at = 0;
	}
	/* A jump is rare: the next, or all of them halved. */
	if (blocks->at + 1 < blocks->time_count && blocks->times[blocks->at + 1].from_id <= id) {
		size_t low = blocks->at + 1;
		size_t high = low + 1 < blocks->time_count && blocks->times[low + 1].from_id > id
				? low + 1
				: blocks->time_count;

		while (high - low > 1) {
			size_t middle = low + (high - low) / 2;

			if (blocks->times[middle].from_id <= id) {
				low = middle;
			} else {
				high = middle;
			}
		}
		blocks->at = low;
	}
	*ret_ts_ns = blocks->times[blocks->at].ts_ns;
	return true;
}

/* So many bits of a word from one on. */
static int64_t field(int64_t word, unsigned int at, unsigned int bits)
{
	return (int64_t)((uint64_t)word >> at & ((UINT64_C(1) << bits) - 1));
}

bool packed_blocks_unpack(struct packed_blocks *blocks, int64_t id, int64_t word, int64_t place,
		struct unpacked_row *ret_row)
{
	bool is_end = place > 0;
	int64_t kind = word >> (is_end ? PACKED_END_KIND_AT : PACKED_KIND_AT);
	int64_t size = field(word, PACKED_SIZE_AT, is_end ? PACKED_MORE_BITS : PACKED_SIZE_BITS);
	int64_t since_ns;
	struct unpacked_row row;

	if (place == 0 || place >= id || place < -(INT64_C(1) << PACKED_ZONE_BITS) || kind < 0 ||
			kind >= blocks->kind_count || !blocks->is_there[kind] ||
			!find_time(blocks, id, &since_ns)) {
		return false;
	}
	row = (struct unpacked_row){
		.ts_ns = (int64_t)((uint64_t)since_ns + (uint64_t)field(word, 0, PACKED_TIME_BITS)),
		.kind = &blocks->kinds[kind],
		.op = (int32_t)field(word, PACKED_TIME_BITS, PACKED_OP_BITS),
		.has_size = size != PACKED_NO_SIZE,
		.is_more = is_end && size >= PACKED_SAME_SIZE,
	};
	if (is_end) {
		row.ended = id - place;
		row.more = row.is_more ? size - PACKED_SAME_SIZE : 0;
	} else {
		row.address = (int64_t)(((uint64_t)row.kind->zone << PACKED_ZONE_BITS) +
				((uint64_t)(-1 - place) << PACKED_ALIGN_BITS));
		row.size = row.has_size ? size - 1 : 0;
	}
	*ret_row = row;
	return true;
}
