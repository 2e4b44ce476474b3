/*
 * SPDX-License-Identifier: MIT
 *
 * Words of packed_block, and the view where there is none.
 */
#include "maker_events.h"

#include "judge_sql.h"
#include "packed_block.h"

/* Keys of the sums: source and moment are no columns of an event. */
enum { KEY_THREAD = 2, KEY_ALLOCATOR, KEY_TYPE, KEY_PROCESS, KEY_SINCE };

/* Columns of an event that is not packed: the keys but the first two are the last. */
enum event_column {
	EVENT_ID,
	EVENT_TIME,
	EVENT_OP,
	EVENT_ADDRESS,
	EVENT_SIZE,
	EVENT_ENDED,
	EVENT_KEYS
};
enum packed_column { PACKED_ID, PACKED_WORD, PACKED_PLACE };

enum csc_status maker_events_open(struct maker_events *events, sqlite3 *db, struct diag *diag)
{
	enum csc_status status;

	events->db = db;
	status = judge_sql_prepare(db,
			sqlite3_mprintf("SELECT b.id, b.ts_ns, b.op, b.address, b.size, b.ended_id, "
					"b.thread_id, b.allocator_id, b.type_id, b.process, "
					"iif(%d AND b.process IS NULL, (SELECT max(p.from_id) FROM main.block_process AS p "
					"WHERE p.thread_id = b.thread_id AND p.from_id <= b.id), NULL) "
					"FROM main.block_event AS b WHERE b.id = ?1",
					events->has_process),
			&events->one, diag);
	if (status == CSC_OK) {
		status = judge_sql_prepare(events->db,
				sqlite3_mprintf("SELECT max(from_id) FROM main.block_process "
						"WHERE thread_id = ?1 AND from_id <= ?2"),
				&events->since, diag);
	}
	if (status == CSC_OK) {
		events->packed = packed_blocks_open(events->db);
		status = events->packed ? CSC_OK : DIAG_NO_MEMORY(diag);
	}
	return status;
}

void maker_events_close(struct maker_events *events)
{
	(void)sqlite3_finalize(events->one);
	(void)sqlite3_finalize(events->since);
	packed_blocks_close(events->packed);
	*events = (struct maker_events){ 0 };
}

void maker_key_read(struct maker_key *key, int from, sqlite3_stmt *row, int column)
{
	for (int i = from; i < MAKER_KEYS; i++) {
		int at = column + i - from;

		/* NULL is read as 0. */
		key->value[i] = sqlite3_column_int64(row, at);
		if (key->value[i] == 0 && sqlite3_column_type(row, at) == SQLITE_NULL) {
			key->nulls |= (uint64_t)1 << i;
		}
	}
}

/* Reads an event from the view. */
static enum csc_status read_event(struct maker_events *events, int64_t id,
		struct maker_event *ret_event, struct diag *diag)
{
	sqlite3_stmt *row = events->one;
	int result;

	(void)sqlite3_bind_int64(row, 1, id);
	result = sqlite3_step(row);
	if (result == SQLITE_ROW) {
		*ret_event = (struct maker_event){
			.id = id,
			.ts_ns = sqlite3_column_int64(row, EVENT_TIME),
			.size = sqlite3_column_int64(row, EVENT_SIZE),
			.ended_id = sqlite3_column_int64(row, EVENT_ENDED),
			.is_made = sqlite3_column_int64(row, EVENT_OP) != 1 &&
					sqlite3_column_int64(row, EVENT_ADDRESS) != 0,
			.has_size = sqlite3_column_type(row, EVENT_SIZE) != SQLITE_NULL,
			.key.value[0] = events->source_id,
		};
		maker_key_read(&ret_event->key, KEY_THREAD, row, EVENT_KEYS);
		result = SQLITE_DONE;
	}
	(void)sqlite3_reset(row);
	return judge_sql_check(events->db, result, diag);
}

static void set_key(struct maker_key *key, int place, int64_t value, bool is_null)
{
	key->value[place] = is_null ? 0 : value;
	if (is_null) {
		key->nulls |= UINT64_C(1) << place;
	}
}

/* The row of block_process that says what a thread ran. */
static void find_since(struct maker_events *events, const struct packed_kind *kind,
		struct maker_event *event)
{
	bool is_wanted = events->has_process && kind->nulls & PACKED_NULL_PROCESS;

	if (is_wanted) {
		(void)sqlite3_bind_int64(events->since, 1, kind->thread);
		(void)sqlite3_bind_int64(events->since, 2, event->id);
		if (kind->nulls & PACKED_NULL_THREAD) {
			(void)sqlite3_bind_null(events->since, 1);
		}
		is_wanted = sqlite3_step(events->since) == SQLITE_ROW &&
				sqlite3_column_type(events->since, 0) != SQLITE_NULL;
	}
	set_key(&event->key, KEY_SINCE, is_wanted ? sqlite3_column_int64(events->since, 0) : 0,
			!is_wanted);
	(void)sqlite3_reset(events->since);
}

enum csc_status maker_events_read(struct maker_events *events, sqlite3_stmt *packed,
		struct maker_event *ret_event, struct diag *diag)
{
	int64_t id = sqlite3_column_int64(packed, PACKED_ID);
	struct unpacked_row row;
	struct maker_event event;

	if (!packed_blocks_unpack(events->packed, id, sqlite3_column_int64(packed, PACKED_WORD),
			    sqlite3_column_int64(packed, PACKED_PLACE), &row)) {
		return read_event(events, id, ret_event, diag);
	}

	event = (struct maker_event){
		.id = id,
		.ts_ns = row.ts_ns,
		.size = row.size,
		.ended_id = row.ended,
		.is_made = row.op != 1 && row.address != 0,
		.has_size = row.has_size,
		.key.value[0] = events->source_id,
	};
	if (event.is_made) {
		const struct packed_kind *kind = row.kind;

		set_key(&event.key, KEY_THREAD, kind->thread, kind->nulls & PACKED_NULL_THREAD);
		set_key(&event.key, KEY_ALLOCATOR, kind->allocator,
				kind->nulls & PACKED_NULL_ALLOCATOR);
		set_key(&event.key, KEY_TYPE, kind->type, kind->nulls & PACKED_NULL_TYPE);
		set_key(&event.key, KEY_PROCESS, kind->process, kind->nulls & PACKED_NULL_PROCESS);
		find_since(events, kind, &event);
	}
	*ret_event = event;
	return CSC_OK;
}
