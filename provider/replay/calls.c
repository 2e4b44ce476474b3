/* SPDX-License-Identifier: MIT */
/* Rows of two tables as one list of steps. */
#include "calls.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "block_rows.h"
#include "recording_internal.h"

struct calls {
	/* Borrowed. */
	const struct recording *recording;

	/* Each stands at its next row, if it has one. */
	struct block_rows *rows;
	struct block_row row;
	sqlite3_stmt *works;
	int64_t work_ns;
	bool has_row;
	bool has_work;
};

static void next_work(struct calls *calls, struct diag *diag)
{
	calls->has_work = recording_step_row(calls->recording, calls->works, diag);
	if (calls->has_work) {
		calls->work_ns = sqlite3_column_int64(calls->works, 0);
	}
}

struct calls *calls_open(const struct recording *recording, struct diag *diag)
{
	struct calls *calls = calloc(1, sizeof(*calls));

	if (!calls) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	calls->recording = recording;
	calls->rows = block_rows_open(recording, recording->from_row, recording->to_row, diag);
	if (calls->rows) {
		calls->works = recording_ask(recording,
				"SELECT ts_ns, kind, scheduler FROM runtime_work "
				"WHERE runtime_id = ?1 ORDER BY id",
				diag);
	}
	if (!calls->works) {
		calls_close(calls);
		return NULL;
	}
	(void)sqlite3_bind_int64(calls->works, 1, recording->facts.runtime);
	calls->has_row = block_rows_next(calls->rows, &calls->row, diag);
	next_work(calls, diag);
	if (diag_is_set(diag)) {
		calls_close(calls);
		return NULL;
	}
	return calls;
}

void calls_close(struct calls *calls)
{
	if (calls) {
		block_rows_close(calls->rows);
		sqlite3_finalize(calls->works);
		free(calls);
	}
}

static void read_work(struct calls *calls, struct recording_step *ret_step, struct diag *diag)
{
	int kind = sqlite3_column_int(calls->works, 1);

	*ret_step = (struct recording_step){
		.kind = kind == 0	    ? RECORDING_ROUND
				: kind == 1 ? RECORDING_AUX
					    : RECORDING_SECOND,
		.ts_ns = calls->work_ns,
		.scheduler = (uint32_t)sqlite3_column_int(calls->works, 2),
	};
	next_work(calls, diag);
}

/* What a row ends is before it. */
static bool makes_sense(const struct calls *calls, int64_t ended, int64_t row)
{
	return ended == 0 || (ended >= calls->recording->facts.first_row && ended < row);
}

/*
 * One row, or the two of a reallocation: the first frees the old block and has no size.  A row
 * that could not have been made by the loader is refused.
 */
static enum csc_status read_call(
		struct calls *calls, struct recording_step *ret_step, struct diag *diag)
{
	const struct block_row *row = &calls->row;
	int64_t ended = row->ended;
	int32_t op = row->op;
	bool is_half = op == OP_FREE && !row->has_size;
	int64_t id = row->id;
	bool is_nothing;

	if (is_half) {
		calls->has_row = block_rows_next(calls->rows, &calls->row, diag);
		if (!calls->has_row || row->id != id + 1 || row->op != OP_REALLOC) {
			return DIAG_FAIL(diag,
					"'%s': row %lld of block_event is half of a reallocation",
					calls->recording->path, (long long)id);
		}
		op = OP_REALLOC;
		id++;
	}
	/* A reallocation to nothing is a free. */
	is_nothing = row->address == 0;
	if (op < OP_ALLOC || op > OP_REALLOC || row->size < 0 || !makes_sense(calls, ended, id) ||
			!makes_sense(calls, row->ended, id)) {
		return DIAG_FAIL(diag, "'%s': row %lld of block_event does not make sense",
				calls->recording->path, (long long)id);
	}
	*ret_step = (struct recording_step){
		.kind = op == OP_FREE || is_nothing ? RECORDING_FREE
				: op == OP_REALLOC  ? RECORDING_REALLOC
						    : RECORDING_ALLOC,
		.ts_ns = row->ts_ns,
		.scheduler = row->instance,
		.type = row->type,
		.bytes = (uint64_t)row->size,
		.row = id,
		.ended = ended,
		.is_new = op == OP_REALLOC && !is_half,
	};
	/* Both halves may end a block; the address of the second was then in use as well. */
	ret_step->other_ended = is_half ? row->ended : 0;
	calls->has_row = block_rows_next(calls->rows, &calls->row, diag);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

bool calls_next(struct calls *calls, struct recording_step *ret_step, struct diag *diag)
{
	if (!calls->has_row && !calls->has_work) {
		return false;
	}
	if (calls->has_work && (!calls->has_row || calls->work_ns < calls->row.ts_ns)) {
		read_work(calls, ret_step, diag);
	} else {
		read_call(calls, ret_step, diag);
	}
	return !diag_is_set(diag);
}
