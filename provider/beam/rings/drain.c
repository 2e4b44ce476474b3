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
static void give_back(struct ring *ring, uint64_t tail)
{
	uint64_t size = ring->own.mask + 1;
	uint64_t soft = tail + size - size / 4;

	__atomic_store_n(&ring->tail, tail, __ATOMIC_RELEASE);
	if (__atomic_load_n(&ring->wants_name, __ATOMIC_ACQUIRE)) {
		soft = 0;
	}
	__atomic_store_n(&ring->soft, soft, __ATOMIC_RELEASE);
}

static void emit(struct ring *ring, const struct ring_reader *reader, uint64_t lost)
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
	if (reader->emit(&batch)) {
		ring->ordinal++;
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
	uint64_t head = __atomic_load_n(&ring->own.head, __ATOMIC_ACQUIRE);
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
			emit(ring, reader, lost);
			lost = 0;
			/* This record is not out yet, but has been read. */
			give_back(ring, at);
			(void)batch_add(&ring->writer, &record);
		}
		ring->last_ns = record.time_ns;
		lost += ring->lost;
		ring->lost = 0;
	}
	if (ring->writer.record_count > 0) {
		emit(ring, reader, lost);
	}
	give_back(ring, head);
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
	emit(ring, reader, lost);
}
