/*
 * SPDX-License-Identifier: MIT
 *
 * Rows of the batch that is being filled, and the texts they have.
 */
#include "store_batch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "growing.h"
#include "store_db.h"
#include "store_writer.h"

/* What the texts of a batch take at first. */
enum { ARENA_FIRST_BYTES = 1 << 16 };

enum csc_status store_batches_allocate(struct store *store, struct diag *diag)
{
	if (block_packer_open(&store->packer, BATCH_BLOCKS, store->bases.packed_kind, diag) !=
			CSC_OK) {
		return CSC_ERROR;
	}
	store->ledger = malloc(LEDGER_ROWS * sizeof(*store->ledger));
	if (!store->ledger) {
		return DIAG_NO_MEMORY(diag);
	}

	for (size_t i = 0; i < BATCHES; i++) {
		struct batch *batch = &store->batches[i];

		/* Only what is used of these costs memory. */
		batch->carriers = malloc(BATCH_CARRIERS * sizeof(*batch->carriers));
		batch->blocks = malloc(BATCH_BLOCKS * sizeof(*batch->blocks));
		batch->processes = malloc(BATCH_PROCESSES * sizeof(*batch->processes));
		batch->otps = malloc(BATCH_OTPS * sizeof(*batch->otps));
		batch->core_events = malloc(BATCH_CORE_EVENTS * sizeof(*batch->core_events));
		batch->extras = malloc(BATCH_EXTRAS * sizeof(*batch->extras));
		batch->losts = malloc(BATCH_LOSTS * sizeof(*batch->losts));
		if (!batch->carriers || !batch->blocks || !batch->processes || !batch->otps ||
				!batch->core_events || !batch->extras || !batch->losts) {
			return DIAG_NO_MEMORY(diag);
		}
	}

	return CSC_OK;
}

void store_batches_free(struct store *store)
{
	for (size_t i = 0; i < BATCHES; i++) {
		free(store->batches[i].carriers);
		free(store->batches[i].blocks);
		free(store->batches[i].processes);
		free(store->batches[i].otps);
		free(store->batches[i].core_events);
		free(store->batches[i].extras);
		free(store->batches[i].losts);
		free(store->batches[i].arena);
	}

	block_packer_close(&store->packer);
	free(store->ledger);
}

static struct batch *current_batch(struct store *store)
{
	return &store->batches[store->filled % BATCHES];
}

enum csc_status store_begin_event(struct store *store, struct diag *diag)
{
	const struct batch *batch = current_batch(store);

	if (batch->carrier_count < BATCH_CARRIERS && batch->block_count + 1 < BATCH_BLOCKS &&
			batch->process_count < BATCH_PROCESSES && batch->otp_count < BATCH_OTPS &&
			batch->core_event_count < BATCH_CORE_EVENTS &&
			batch->extra_count < BATCH_EXTRAS / 2 && batch->lost_count < BATCH_LOSTS &&
			batch->arena_length < BATCH_ARENA_BYTES) {
		return CSC_OK;
	}

	return store_writer_submit(store, diag);
}

/* The next of the rows of a batch, of which it has fewer than `most`. */
static void *next_row(void *rows, size_t row_size, size_t *count, size_t most)
{
	assert(*count < most);
	(void)most;
	return (char *)rows + (*count)++ * row_size;
}

struct carrier_row *store_carrier_row(struct store *store)
{
	struct batch *batch = current_batch(store);
	struct carrier_row *row = next_row(
			batch->carriers, sizeof(*row), &batch->carrier_count, BATCH_CARRIERS);

	row->id = store->bases.carrier_event + ++store->carrier_ids;
	return row;
}

struct block_row *store_block_row(struct store *store)
{
	struct batch *batch = current_batch(store);
	struct block_row *row =
			next_row(batch->blocks, sizeof(*row), &batch->block_count, BATCH_BLOCKS);

	row->id = store->bases.block_event + ++store->block_ids;
	return row;
}

struct process_row *store_process_row(struct store *store)
{
	struct batch *batch = current_batch(store);

	return next_row(batch->processes, sizeof(*batch->processes), &batch->process_count,
			BATCH_PROCESSES);
}

struct otp_row *store_otp_row(struct store *store)
{
	struct batch *batch = current_batch(store);
	struct otp_row *row = next_row(batch->otps, sizeof(*row), &batch->otp_count, BATCH_OTPS);

	*row = (struct otp_row){ .id = store->bases.otp_event + ++store->otp_ids };
	return row;
}

struct core_event_row *store_core_event_row(struct store *store, unsigned int event)
{
	struct batch *batch = current_batch(store);
	struct core_event_row *row;

	assert(batch->core_event_count < BATCH_CORE_EVENTS && event < SHAPE_CORE_EVENT_MAX);
	row = &batch->core_events[batch->core_event_count++];
	*row = (struct core_event_row){
		.id = store->bases.core_event[event] + ++store->core_event_ids[event],
		.event = (int32_t)event,
	};
	return row;
}

struct extra_row *store_extra_row(struct store *store)
{
	struct batch *batch = current_batch(store);
	struct extra_row *row;

	if (batch->extra_count == BATCH_EXTRAS) {
		return NULL;
	}

	row = &batch->extras[batch->extra_count++];
	*row = (struct extra_row){ 0 };
	return row;
}

struct lost_row *store_lost_row(struct store *store, int32_t stream)
{
	struct batch *batch = current_batch(store);
	struct lost_row *row;

	assert(batch->lost_count < BATCH_LOSTS);
	row = &batch->losts[batch->lost_count++];
	*row = (struct lost_row){
		.id = store->bases.lost + ++store->lost_ids,
		.source_id = store->bases.source + 1,
		.stream_id = stream < 0 ? ROW_NULL : store->bases.stream + stream + 1,
		.begin_ns = ROW_NULL,
		.end_ns = ROW_NULL,
		.events = ROW_NULL,
		.packets = ROW_NULL,
		.file = { ROW_NO_TEXT, 0 },
		.offset_bytes = ROW_NULL,
		.length_bytes = ROW_NULL,
	};
	return row;
}

bool store_text(struct store *store, const char *text, struct row_text *ret_text)
{
	struct batch *batch = current_batch(store);
	size_t length = strlen(text);

	if (!batch->arena || batch->arena_length + length > batch->arena_capacity) {
		size_t needed = batch->arena_length + length;

		needed = needed < ARENA_FIRST_BYTES ? ARENA_FIRST_BYTES : needed;
		if (!csc_grow(&batch->arena, &batch->arena_capacity, needed, 1)) {
			return false;
		}
	}

	assert(batch->arena);
	memcpy(batch->arena + batch->arena_length, text, length);
	*ret_text = (struct row_text){ (uint32_t)batch->arena_length, (uint32_t)length };
	batch->arena_length += length;
	return true;
}
