/*
 * SPDX-License-Identifier: MIT
 *
 * The writer: takes batches from the queue, derives, inserts.
 */
#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "growing.h"
#include "shapes.h"
#include "store_block_sums.h"
#include "store_db.h"
#include "store_writer.h"

/* How many rows before its turn a block's slot is fetched, and then the block. */
enum { LOOK_FAR = 24, LOOK_AHEAD = 10 };

enum csc_status store_feeds_open(struct store *store, struct diag *diag)
{
	const struct {
		struct feed *feed;
		const struct feed_shape *shape;
	} feeds[] = {
		{ &store->carrier_feed, shape_carrier_event() },
		{ &store->block_feed, &shape_packed_block },
		{ &store->block_kind_feed, &shape_packed_block_kind },
		{ &store->block_time_feed, &shape_packed_block_time },
		{ &store->unpacked_feed, &shape_unpacked_block },
		{ &store->process_feed, &shape_block_process },
		{ &store->otp_feed, shape_otp_event() },
		{ &store->extra_feed, &shape_extra_field },
		{ &store->lost_feed, &shape_lost_interval },
		{ &store->ledger_feed, &shape_ledger },
	};

	for (size_t i = 0; event_model_core_event(i); i++) {
		const struct feed_shape *shape = shape_core_event(i);
		enum csc_status status = shape
				? feed_open(&store->core_event_feeds[i], store->db, shape, diag)
				: CSC_OK;

		if (status != CSC_OK) {
			return status;
		}
	}

	for (size_t i = 0; i < sizeof(feeds) / sizeof(feeds[0]); i++) {
		enum csc_status status = feed_open(feeds[i].feed, store->db, feeds[i].shape, diag);

		if (status != CSC_OK) {
			return status;
		}
	}

	return CSC_OK;
}

void store_feeds_close(struct store *store)
{
	feed_close(&store->carrier_feed);
	feed_close(&store->block_feed);
	feed_close(&store->block_kind_feed);
	feed_close(&store->block_time_feed);
	feed_close(&store->unpacked_feed);
	feed_close(&store->process_feed);
	feed_close(&store->otp_feed);
	for (size_t i = 0; i < SHAPE_CORE_EVENT_MAX; i++) {
		feed_close(&store->core_event_feeds[i]);
	}
	feed_close(&store->extra_feed);
	feed_close(&store->lost_feed);
	feed_close(&store->ledger_feed);
}

static uint64_t mix(uint64_t hash, int64_t value)
{
	hash = (hash ^ (uint64_t)value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 32);
}

static enum csc_status note_keyframe(
		struct store *store, const struct carrier_row *row, struct diag *diag)
{
	if (!csc_grow(&store->keyframes, &store->keyframe_capacity, store->keyframe_count + 1,
			    sizeof(*store->keyframes))) {
		return DIAG_NO_MEMORY(diag);
	}

	store->keyframes[store->keyframe_count++] = (struct keyframe){ row->id, row->ts_ns };
	return CSC_OK;
}

static enum csc_status flush_ledger(struct store *store, struct diag *diag)
{
	enum csc_status status = feed_insert(
			&store->ledger_feed, store->ledger, store->ledger_count, NULL, diag);

	store->ledger_count = 0;
	return status;
}

/* Derives what a carrier row leaves out and turns its numbers into ids. */
static enum csc_status complete_carrier(
		struct store *store, struct carrier_row *row, struct diag *diag)
{
	struct ledger_row *ledger = &store->ledger[store->ledger_count];
	enum csc_status status;
	size_t ledger_rows;
	uint64_t hash = store->content_hash;

	status = analysis_take(&store->analysis, row, ledger, &ledger_rows, diag);
	if (status == CSC_OK && (row->id - store->bases.carrier_event - 1) % KEYFRAME_EVERY == 0) {
		status = note_keyframe(store, row, diag);
	}

	if (status != CSC_OK) {
		return status;
	}

	hash = mix(mix(mix(hash, row->ts_ns), row->kind | row->instance << 2), row->size);
	for (size_t i = 0; i < CARRIER_COUNTERS; i++) {
		hash = mix(hash, row->counter[i]);
	}

	store->content_hash = hash;
	for (size_t i = 0; i < ledger_rows; i++) {
		ledger[i].id = store->bases.ledger + ++store->ledger_ids;
		ledger[i].instance_id += store->bases.instance + 1;
	}

	store->ledger_count += ledger_rows;
	row->instance += (int32_t)store->bases.instance + 1;
	row->thread = row->thread < 0 ? 0 : row->thread + (int32_t)store->bases.thread + 1;
	return store->ledger_count + ANALYSIS_MAX_LEDGER_ROWS > LEDGER_ROWS
			? flush_ledger(store, diag)
			: CSC_OK;
}

static enum csc_status complete_block(struct store *store, struct block_row *row, struct diag *diag)
{
	enum csc_status status = block_lives_take(&store->block_lives, row, diag);

	if (status == CSC_OK && row->is_libc) {
		status = libc_use_take(&store->libc_use, row, diag);
	}
	if (status == CSC_OK && block_lives_is_list_due(&store->block_lives)) {
		status = store_list_live(store, row->id, diag);
	}

	row->thread = row->thread < 0 ? 0 : row->thread + (int32_t)store->bases.thread + 1;
	store->content_hash = mix(mix(mix(store->content_hash, row->ts_ns), row->address), row->op);
	if (status == CSC_OK) {
		block_packer_take(&store->packer, row);
	}
	return status;
}

/* The fields of name_type, in the order of its list. */
enum { NAME_TYPE_TYPE, NAME_TYPE_CLASS };

/* Learns the classes of types before the blocks of the batch are taken. */
static enum csc_status learn_classes(
		struct store *store, const struct batch *batch, struct diag *diag)
{
	for (size_t i = 0; i < batch->core_event_count; i++) {
		const struct core_event_row *row = &batch->core_events[i];

		if (row->event == BLOCK_EVENT_name_type &&
				row->value[NAME_TYPE_TYPE].kind == ANY_INTEGER &&
				row->value[NAME_TYPE_CLASS].kind == ANY_INTEGER &&
				!block_accounts_classify(&store->block_lives.accounts,
						row->value[NAME_TYPE_TYPE].as.integer,
						row->value[NAME_TYPE_CLASS].as.integer)) {
			return DIAG_NO_MEMORY(diag);
		}
	}

	return CSC_OK;
}

/* Inserts the rows of events with tables of their own, each run of one kind at once. */
static enum csc_status write_core_events(
		struct store *store, const struct batch *batch, struct diag *diag)
{
	enum csc_status status = CSC_OK;
	size_t begin = 0;

	for (size_t i = 0; i < batch->core_event_count; i++) {
		struct core_event_row *row = &batch->core_events[i];

		row->runtime += (int32_t)store->bases.runtime + 1;
		row->thread = row->thread < 0 ? 0 : row->thread + (int32_t)store->bases.thread + 1;
	}

	while (begin < batch->core_event_count && status == CSC_OK) {
		int32_t event = batch->core_events[begin].event;
		size_t end = begin + 1;

		while (end < batch->core_event_count && batch->core_events[end].event == event) {
			end++;
		}

		status = feed_insert(&store->core_event_feeds[event], &batch->core_events[begin],
				end - begin, batch->arena, diag);
		begin = end;
	}

	return status;
}

/* Turns numbers of threads and runtimes into ids, where complete_*() does not. */
static void number_rows(const struct store *store, struct batch *batch)
{
	for (size_t i = 0; i < batch->process_count; i++) {
		batch->processes[i].thread += (int32_t)store->bases.thread + 1;
	}

	for (size_t i = 0; i < batch->otp_count; i++) {
		struct otp_row *row = &batch->otps[i];

		row->runtime += (int32_t)store->bases.runtime + 1;
		row->thread = row->thread < 0 ? 0 : row->thread + (int32_t)store->bases.thread + 1;
	}
}

/* Inserts all rows of a batch. */
static enum csc_status insert_rows(
		struct store *store, const struct batch *batch, struct diag *diag)
{
	const struct block_packer *packer = &store->packer;
	const struct {
		struct feed *feed;
		const void *rows;
		size_t count;
	} parts[] = {
		{ &store->block_feed, packer->rows, packer->row_count },
		{ &store->block_kind_feed, packer->kinds, packer->kind_count },
		{ &store->block_time_feed, packer->times, packer->time_count },
		{ &store->unpacked_feed, packer->unpacked, packer->unpacked_count },
		{ &store->process_feed, batch->processes, batch->process_count },
		{ &store->otp_feed, batch->otps, batch->otp_count },
		{ &store->extra_feed, batch->extras, batch->extra_count },
		{ &store->lost_feed, batch->losts, batch->lost_count },
	};
	enum csc_status status = feed_insert(&store->carrier_feed, batch->carriers,
			batch->carrier_count, batch->arena, diag);

	if (status == CSC_OK) {
		status = flush_ledger(store, diag);
	}
	for (size_t i = 0; status == CSC_OK && i < sizeof(parts) / sizeof(parts[0]); i++) {
		status = feed_insert(
				parts[i].feed, parts[i].rows, parts[i].count, batch->arena, diag);
	}

	return status == CSC_OK ? write_core_events(store, batch, diag) : status;
}

static enum csc_status write_batch(struct store *store, struct batch *batch, struct diag *diag)
{
	enum csc_status status = learn_classes(store, batch, diag);

	for (size_t i = 0; i < batch->carrier_count && status == CSC_OK; i++) {
		status = complete_carrier(store, &batch->carriers[i], diag);
	}

	for (size_t i = 0; i < batch->block_count && status == CSC_OK; i++) {
		if (i + LOOK_FAR < batch->block_count) {
			const struct block_row *later = &batch->blocks[i + LOOK_FAR];
			const struct block_row *soon = &batch->blocks[i + LOOK_AHEAD];

			block_table_expect(
					&store->block_lives.live, later->runtime, later->address);
			block_table_expect_soon(
					&store->block_lives.live, soon->runtime, soon->address);
		}
		status = complete_block(store, &batch->blocks[i], diag);
	}

	number_rows(store, batch);
	store->process_rows += (int64_t)batch->process_count;
	if (status == CSC_OK) {
		status = insert_rows(store, batch, diag);
	}

	block_packer_forget(&store->packer);
	batch->carrier_count = 0;
	batch->block_count = 0;
	batch->process_count = 0;
	batch->otp_count = 0;
	batch->core_event_count = 0;
	batch->extra_count = 0;
	batch->lost_count = 0;
	batch->arena_length = 0;
	return status;
}

static void *writer_main(void *data)
{
	struct store *store = data;

	(void)pthread_mutex_lock(&store->lock);
	for (;;) {
		struct batch *batch = &store->batches[store->written % BATCHES];
		enum csc_status status = store->writer_status;
		struct diag diag = { 0 };

		if (store->written == store->filled) {
			if (store->is_stopping) {
				break;
			}
			(void)pthread_cond_wait(&store->changed, &store->lock);
			continue;
		}

		(void)pthread_mutex_unlock(&store->lock);
		/* After a failure batches are only taken off the queue. */
		if (status == CSC_OK) {
			status = write_batch(store, batch, &diag);
		}

		(void)pthread_mutex_lock(&store->lock);
		if (store->writer_status == CSC_OK && status != CSC_OK) {
			store->writer_status = status;
			store->writer_diag = diag;
		}

		store->written++;
		if (store->filled - store->written == BATCHES / 2 ||
				store->filled == store->written) {
			(void)pthread_cond_broadcast(&store->changed);
		}
	}

	(void)pthread_mutex_unlock(&store->lock);
	return NULL;
}

enum csc_status store_writer_start(struct store *store, struct diag *diag)
{
	sigset_t all;
	sigset_t before;
	int result;

	/* Signals are the caller's; a file that grew too large must be an error, not SIGXFSZ. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	store->is_stopping = false;
	result = pthread_create(&store->writer, NULL, writer_main, store);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (result != 0) {
		return DIAG_FAIL(diag, "cannot start the writer: %s", strerror(result));
	}

	store->has_writer = true;
	return CSC_OK;
}

/* Yields the writer's failure; call with the lock held. */
static enum csc_status writer_outcome(struct store *store, struct diag *diag)
{
	if (store->writer_status != CSC_OK && !diag->file) {
		*diag = store->writer_diag;
	}

	return store->writer_status;
}

enum csc_status store_writer_submit(struct store *store, struct diag *diag)
{
	enum csc_status status;

	assert(store->has_writer);
	(void)pthread_mutex_lock(&store->lock);
	assert(store->filled - store->written < BATCHES);
	store->filled++;
	(void)pthread_cond_broadcast(&store->changed);
	/* Who waits once goes on with half a queue: waking is slow. */
	if (store->filled - store->written >= BATCHES) {
		while (store->filled - store->written > BATCHES / 2) {
			(void)pthread_cond_wait(&store->changed, &store->lock);
		}
	}

	status = writer_outcome(store, diag);
	(void)pthread_mutex_unlock(&store->lock);
	return status;
}

enum csc_status store_writer_drain(struct store *store, struct diag *diag)
{
	enum csc_status status;

	(void)pthread_mutex_lock(&store->lock);
	while (store->written < store->filled) {
		(void)pthread_cond_wait(&store->changed, &store->lock);
	}

	status = writer_outcome(store, diag);
	(void)pthread_mutex_unlock(&store->lock);
	return status;
}

void store_writer_stop(struct store *store)
{
	if (!store->has_writer) {
		return;
	}

	(void)pthread_mutex_lock(&store->lock);
	store->is_stopping = true;
	(void)pthread_cond_broadcast(&store->changed);
	(void)pthread_mutex_unlock(&store->lock);
	(void)pthread_join(store->writer, NULL);
	store->has_writer = false;
}
