/* SPDX-License-Identifier: MIT */
/* Slots to records of batches. */
#include "drain.h"

bool ring_lock(struct ring *ring)
{
	return !__atomic_test_and_set(&ring->is_locked, __ATOMIC_ACQUIRE);
}

void ring_unlock(struct ring *ring)
{
	__atomic_clear(&ring->is_locked, __ATOMIC_RELEASE);
}

/* Slots before `tail` are free: the thread may go on until three quarters are filled. */
void ring_give_back(struct ring *ring, uint64_t tail)
{
	uint64_t size = ring->own.mask + 1;
	uint64_t soft = tail + size - size / 4;

	__atomic_store_n(&ring_page(ring)->tail, tail, __ATOMIC_RELAXED);
	__atomic_store_n(&ring->tail, tail, __ATOMIC_RELEASE);
	if (__atomic_load_n(&ring->wants_name, __ATOMIC_ACQUIRE)) {
		soft = 0;
	}
	__atomic_store_n(&ring->soft, soft, __ATOMIC_RELEASE);
}

/* What follows a batch begins at `position`: it is said before the batch is out, so that whoever
 * has the batch finds it. */
static void put_mark(struct ring *ring, const struct ring_batch *batch, uint64_t position)
{
	struct ring_mark *mark = &ring_page(ring)->mark[batch->ordinal % RING_MARKS];

	__atomic_store_n(&mark->number, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	mark->position = position;
	mark->last_ns = ring->last_ns;
	mark->records = batch->records;
	mark->process = ring->process;
	mark->said = ring->said;
	__atomic_store_n(&mark->number, batch->ordinal + 1, __ATOMIC_RELEASE);
}

void ring_forget(struct ring *ring, uint64_t position)
{
	struct ring_page *page = ring_page(ring);

	page->mark[ring->ordinal % RING_MARKS].number = 0;
	__atomic_store_n(&page->intact, position, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	page->from.number = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	page->from.position = position;
	page->from.last_ns = ring->last_ns;
	page->from.process = ring->process;
	page->from.said = ring->said;
	__atomic_store_n(&page->from.number, ring->ordinal + 1, __ATOMIC_RELEASE);
}

/* What follows the batch begins at `position`. */
static void emit(struct ring *ring, const struct ring_reader *reader, uint64_t lost,
		uint64_t position)
{
	struct batch_writer *writer = &ring->writer;
	struct ring_batch batch = {
		.ring = ring->number,
		.thread = __atomic_load_n(&ring->owner, __ATOMIC_RELAXED),
		.ordinal = ring->ordinal,
		.first_ns = writer->first_ns,
		.last_ns = writer->state.time_ns,
		.horizon_ns = reader->horizon_ns,
		.records = writer->record_count,
		.lost = lost,
	};

	(void)batch_end(writer, &batch.payload);
	if (batch.records == 0) {
		batch.first_ns = ticks_of_clock();
		batch.last_ns = batch.first_ns;
	}
	ring->said += lost;
	put_mark(ring, &batch, position);
	if (reader->emit(&batch)) {
		ring->ordinal++;
		__atomic_store_n(&ring_page(ring)->ordinal, ring->ordinal, __ATOMIC_RELEASE);
	} else {
		ring_forget(ring, position);
	}
	batch_begin(writer);
}

static void make_record(const struct ring *ring, const struct ring_reader *reader,
		const struct ring_slot *slot, struct ticks_piece *piece,
		struct batch_record *record)
{
	uint64_t type = slot->bytes >> RING_TYPE_BIT;
	size_t allocator = type & 15;
	uint16_t instance = __atomic_load_n(&ring->instance, __ATOMIC_RELAXED);
	uint64_t ns;

	if (slot->ticks < piece->from || slot->ticks >= piece->until) {
		*piece = ticks_piece_of(slot->ticks);
	}
	ns = ticks_piece_ns(piece, slot->ticks);
	/* Ticks of one thread may stand in another order by a few. */
	record->time_ns = ns > ring->last_ns ? ns : ring->last_ns;
	record->address = slot->address & RING_MOST_ADDRESS;
	record->bytes = slot->bytes & RING_MOST_BYTES;
	record->type = (uint16_t)(type >> 7);
	record->allocator = (uint8_t)allocator;
	record->kind = (uint8_t)(slot->address >> RING_KIND_BIT);
	record->instance = instance < reader->instances[allocator] ? instance : 0;
	record->has_process = record->kind != BATCH_FREE && ring->process != RING_NO_PROCESS;
	record->process = record->has_process ? ring->process : 0;
	if (record->kind != BATCH_REALLOC) {
		record->old_address = 0;
	}
}

void ring_drain(struct ring *ring, const struct ring_reader *reader)
{
	uint64_t head = ring_head(ring, __ATOMIC_ACQUIRE);
	struct batch_record record = { .time_ns = 0 };
	struct ticks_piece piece = { .until = 0 };
	/* Of what is in the batch already. */
	uint64_t lost = 0;

	batch_begin(&ring->writer);
	for (uint64_t at = ring->tail; at != head; at++) {
		const struct ring_slot *slot = ring_slot_at(ring, at);

		switch (slot->address >> RING_KIND_BIT) {
		case SLOT_PROCESS:
			ring->process = slot->ticks;
			continue;
		case SLOT_OLD:
			record.old_address = slot->ticks;
			continue;
		case SLOT_LOST:
			ring->lost += slot->ticks;
			continue;
		default:
			break;
		}
		make_record(ring, reader, slot, &piece, &record);
		if (!batch_add(&ring->writer, &record)) {
			/* This record is not out yet, nor is a resize's old address before it. */
			uint64_t position = at - (record.kind == BATCH_REALLOC);

			emit(ring, reader, lost, position);
			lost = 0;
			ring_give_back(ring, position);
			(void)batch_add(&ring->writer, &record);
		}
		ring->last_ns = record.time_ns;
		lost += ring->lost;
		ring->lost = 0;
	}
	if (ring->writer.record_count > 0) {
		emit(ring, reader, lost, head);
	}
	ring_give_back(ring, head);
}

void ring_emit_empty(struct ring *ring, const struct ring_reader *reader, bool counts_lost)
{
	uint64_t lost = ring->lost;

	if (counts_lost) {
		lost += __atomic_exchange_n(&ring->own.dropped, 0, __ATOMIC_RELAXED);
		ring->lost = 0;
	} else {
		lost = 0;
	}
	batch_begin(&ring->writer);
	emit(ring, reader, lost, ring->tail);
}
