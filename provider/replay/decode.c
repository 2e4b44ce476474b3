/* SPDX-License-Identifier: MIT */
/* From the database to decoded calls. */
#include <stdlib.h>
#include <string.h>

#include "block_rows.h"
#include "calls.h"
#include "decoded_internal.h"
#include "guard.h"
#include "recording_internal.h"

/* While it is read. */
struct decoder {
	struct decoded *decoded;
	struct diag *diag;

	/* By row from first_row on: its slot; 0: none. */
	uint32_t *slot_of_row;
	int64_t first_row;
	int64_t last_row;

	/* Slots that may be used again. */
	uint32_t *vacant;
	size_t vacant_count;
	size_t vacant_room;

	/* By type: most bytes asked for by an alloc. */
	uint64_t *fix_bytes;
};

/* Of types of fixed size: the largest that is asked for. */
static void note_size(struct decoder *decoder, uint32_t type, uint64_t bytes)
{
	if (type < NO_TYPE && decoder->fix_bytes[type] < bytes) {
		decoder->fix_bytes[type] = bytes;
	}
}

/* Types by number, without sizes. */
static enum csc_status read_types(struct decoder *decoder, const struct recording *recording)
{
	sqlite3_stmt *rows = recording_ask(recording,
			"SELECT t.type_id, max(t.name), max(n.name) FROM name_type AS t "
			"LEFT JOIN name_allocator AS n ON n.runtime_id = t.runtime_id "
			"AND n.allocator_id = t.allocator_id WHERE t.runtime_id = ?1 GROUP BY 1",
			decoder->diag);
	struct decoded *decoded = decoder->decoded;

	if (!rows) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(rows, 1, recording->facts.runtime);
	while (recording_step_row(recording, rows, decoder->diag)) {
		const char *name = (const char *)sqlite3_column_text(rows, 1);
		const char *allocator = (const char *)sqlite3_column_text(rows, 2);
		struct decoded_type *grown = realloc(decoded->types,
				(decoded->type_count + 1) * sizeof(*decoded->types));

		if (!grown) {
			(void)DIAG_NO_MEMORY(decoder->diag);
			break;
		}
		decoded->types = grown;
		grown += decoded->type_count++;
		*grown = (struct decoded_type){ .number = (uint32_t)sqlite3_column_int(rows, 0) };
		(void)strncpy(grown->name, name ? name : "", sizeof(grown->name) - 1);
		(void)strncpy(grown->allocator, allocator ? allocator : "",
				sizeof(grown->allocator) - 1);
	}
	sqlite3_finalize(rows);
	return diag_is_set(decoder->diag) ? CSC_ERROR : CSC_OK;
}

/* Sizes that are asked for in rows that are not decoded. */
static enum csc_status read_sizes(struct decoder *decoder, const struct recording *recording,
		int64_t first_row, int64_t last_row)
{
	struct block_rows *rows;
	struct block_row row;

	if (first_row > last_row) {
		return CSC_OK;
	}
	rows = block_rows_open(recording, first_row, last_row, decoder->diag);
	while (rows && block_rows_next(rows, &row, decoder->diag)) {
		if (row.op == OP_ALLOC && row.size > 0) {
			note_size(decoder, row.type, (uint64_t)row.size);
		}
	}
	block_rows_close(rows);
	return diag_is_set(decoder->diag) ? CSC_ERROR : CSC_OK;
}

/* Types of fixed size get the sizes that were asked for. */
static void set_sizes(struct decoder *decoder)
{
	for (size_t i = 0; i < decoder->decoded->type_count; i++) {
		struct decoded_type *type = &decoder->decoded->types[i];

		if (type->number < NO_TYPE && strcmp(type->allocator, "fix_alloc") == 0) {
			type->bytes = decoder->fix_bytes[type->number];
		}
	}
}

static uint32_t *slot_at(const struct decoder *decoder, int64_t row)
{
	return &decoder->slot_of_row[row - decoder->first_row];
}

/* A slot for what a row makes; one that a start state has given it stays. */
static uint32_t occupy(struct decoder *decoder, int64_t row)
{
	uint32_t *slot = slot_at(decoder, row);

	if (*slot == 0) {
		*slot = decoder->vacant_count ? decoder->vacant[--decoder->vacant_count]
					      : ++decoder->decoded->slots;
	}
	return *slot;
}

/* The slot of a block that ends; it may be used again if `is_over`. */
static uint32_t vacate(struct decoder *decoder, int64_t row, bool is_over)
{
	uint32_t slot = row ? *slot_at(decoder, row) : 0;

	if (row == 0 || slot == 0) {
		return row ? NO_BLOCK : 0;
	}
	*slot_at(decoder, row) = 0;
	if (!is_over) {
		return slot;
	}
	if (decoder->vacant_count == decoder->vacant_room) {
		size_t room = decoder->vacant_room ? 2 * decoder->vacant_room : 1024;
		uint32_t *grown = realloc(decoder->vacant, room * sizeof(*grown));

		if (!grown) {
			(void)DIAG_NO_MEMORY(decoder->diag);
			return slot;
		}
		decoder->vacant = grown;
		decoder->vacant_room = room;
	}
	decoder->vacant[decoder->vacant_count++] = slot;
	return slot;
}

/*
 * What is freed without having been seen made is found under the row that frees it, if the start
 * state has it.
 */
static uint32_t unmade(struct decoder *decoder, int64_t row)
{
	uint32_t slot = *slot_at(decoder, row);

	return slot ? vacate(decoder, row, true) : NO_BLOCK;
}

static void pack(struct decoder *decoder, const struct recording_step *step)
{
	struct packed_step packed = {
		.ts_ns = step->ts_ns,
		.bytes = step->bytes & ((UINT64_C(1) << BYTES_BITS) - 1),
		.scheduler = (uint16_t)(step->scheduler < UINT16_MAX ? step->scheduler
								     : UINT16_MAX),
		.type = step->type < NO_TYPE ? (uint16_t)step->type : NO_TYPE,
		.kind = (uint8_t)step->kind,
		.is_new = step->is_new,
	};

	if (step->kind == RECORDING_ALLOC) {
		note_size(decoder, step->type, step->bytes);
	}
	if (step->kind == RECORDING_FREE) {
		packed.ended = vacate(decoder, step->ended, true);
		packed.made = packed.ended ? packed.ended : unmade(decoder, step->row);
	} else if (step->kind == RECORDING_ALLOC || step->kind == RECORDING_REALLOC) {
		packed.made = occupy(decoder, step->row);
		packed.ended = vacate(decoder, step->ended, true);
		/* Not everything that ends in this way is ended by a player. */
		packed.other_ended = vacate(decoder, step->other_ended, false);
	}
	decoder->decoded->whole.steps[decoder->decoded->whole.count++] = packed;
}

/* A block of the start gets a slot before all calls. */
static enum csc_status decode_start(struct decoder *decoder, struct start_state *start)
{
	for (size_t i = 0; start && i < start->count; i++) {
		int64_t row = start->blocks[i].row;

		if (row < decoder->first_row || row > decoder->last_row) {
			return DIAG_FAIL(decoder->diag, "row %lld of block_event is not there",
					(long long)row);
		}
		start->blocks[i].row = occupy(decoder, row);
	}
	decoder->decoded->start_slots = decoder->decoded->slots;
	return CSC_OK;
}

static enum csc_status decode_step(struct decoder *decoder, const struct recording *recording,
		const struct recording_step *step, size_t room)
{
	if (step->bytes >> BYTES_BITS) {
		return DIAG_FAIL(decoder->diag, "'%s': row %lld of block_event does not make sense",
				recording->path, (long long)step->row);
	}
	if (decoder->decoded->whole.count == room) {
		return DIAG_FAIL(decoder->diag, "'%s' has changed while it was read",
				recording->path);
	}
	pack(decoder, step);
	return CSC_OK;
}

static enum csc_status decode_steps(
		struct decoder *decoder, const struct recording *recording, size_t room)
{
	struct calls *calls = calls_open(recording, decoder->diag);
	struct recording_step step;

	while (calls && calls_next(calls, &step, decoder->diag) &&
			decode_step(decoder, recording, &step, room) == CSC_OK) {
	}
	calls_close(calls);
	return diag_is_set(decoder->diag) ? CSC_ERROR : CSC_OK;
}

/* Works of all of the recording, and a call for each row at most. */
static enum csc_status count_steps(
		const struct recording *recording, size_t *ret_count, struct diag *diag)
{
	sqlite3_stmt *rows = recording_ask(
			recording, "SELECT count(*) FROM runtime_work WHERE runtime_id = ?", diag);

	if (!rows) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(rows, 1, recording->facts.runtime);
	if (recording_step_row(recording, rows, diag)) {
		*ret_count = (size_t)sqlite3_column_int64(rows, 0) +
				(size_t)(recording->to_row - recording->from_row) + 1;
	}
	sqlite3_finalize(rows);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

static enum csc_status decode(struct decoder *decoder, struct recording *recording,
		struct start_state *start, uint64_t memory_bytes)
{
	size_t room = 0;

	if (!decoder->decoded || !decoder->slot_of_row || !decoder->fix_bytes) {
		return DIAG_NO_MEMORY(decoder->diag);
	}
	decoder->decoded->slots = NO_BLOCK;
	if (count_steps(recording, &room, decoder->diag) != CSC_OK ||
			decoded_make_room(&decoder->decoded->whole, room, memory_bytes,
					decoder->diag) != CSC_OK ||
			read_types(decoder, recording) != CSC_OK ||
			decode_start(decoder, start) != CSC_OK) {
		return CSC_ERROR;
	}
	if (decode_steps(decoder, recording, room) != CSC_OK ||
			read_sizes(decoder, recording, decoder->first_row,
					recording->from_row - 1) != CSC_OK ||
			read_sizes(decoder, recording, recording->to_row + 1, decoder->last_row) !=
					CSC_OK) {
		return CSC_ERROR;
	}
	set_sizes(decoder);
	return CSC_OK;
}

enum csc_status recording_decode(struct recording *recording, struct start_state *start,
		uint64_t memory_bytes, struct diag *diag)
{
	struct decoder decoder = {
		.decoded = calloc(1, sizeof(*decoder.decoded)),
		.diag = diag,
		.slot_of_row = calloc(
				(size_t)(recording->facts.last_row - recording->facts.first_row) +
						1,
				sizeof(*decoder.slot_of_row)),
		.fix_bytes = calloc(NO_TYPE, sizeof(*decoder.fix_bytes)),
		.first_row = recording->facts.first_row,
		.last_row = recording->facts.last_row,
	};
	enum csc_status status;

	guard_watch();
	status = decode(&decoder, recording, start, memory_bytes);
	guard_rest();
	free(decoder.slot_of_row);
	free(decoder.vacant);
	free(decoder.fix_bytes);
	if (status != CSC_OK) {
		decoded_destroy(decoder.decoded);
		return CSC_ERROR;
	}
	recording->decoded = decoder.decoded;
	decoder.decoded->now = decoder.decoded->whole;
	return CSC_OK;
}
