/*
 * SPDX-License-Identifier: MIT
 *
 * A batch is opened when it comes; its records become rows when their time has come.
 */
#include "intake_batch.h"

#include <string.h>

#include "catalog.h"
#include "growing.h"
#include "intake_event.h"
#include "intake_record.h"
#include "intake_source.h"
#include "packer_stream.h"
#include "plan.h"
#include "store.h"

/* The fields of block_batch, in the order of its list. */
enum {
	BATCH_RING,
	BATCH_THREAD,
	BATCH_ORDINAL,
	BATCH_FIRST,
	BATCH_LAST,
	BATCH_HORIZON,
	BATCH_RECORDS,
	BATCH_LOST,
	BATCH_PAYLOAD,
};

/* So much later than its batch a record may be, as clocks are compared; more is damage. */
#define SLACK_NS UINT64_C(1000000000)

/* The events that records would have been. */
static const char *const record_events[RECORD_EVENTS] = {
	"carrierscope:block_alloc",
	"carrierscope:block_free",
	"carrierscope:block_realloc",
	"carrierscope:block_alloc_by_process",
	"carrierscope:block_realloc_by_process",
};

/* Notes that the rest of a batch cannot be read. */
static enum csc_status note_damage(
		struct intake *intake, const struct held_batch *batch, struct diag *diag)
{
	int64_t missing = batch->read < batch->records ? (int64_t)batch->records - batch->read : 0;
	enum csc_status status = intake_add_loss(intake, batch->stream->number, "batch_damaged",
			batch->read > 0 ? batch->next_ns : ROW_NULL, batch->emitted_ns, missing,
			diag);

	return status == CSC_OK
			? store_problem(intake->store, "batch_damaged", SEVERITY_DATA_LOSS, 1, diag,
					  "batch %llu of ring %u at %lld ns in '%s' is "
					  "damaged behind %u of %u records; those are loaded",
					  (unsigned long long)batch->ordinal, batch->ring,
					  (long long)batch->emitted_ns,
					  batch->stream->name ? batch->stream->name : "",
					  batch->read, batch->records)
			: status;
}

enum csc_status intake_next_record(struct intake *intake, struct held_batch *batch,
		bool *ret_has_next, struct diag *diag)
{
	int result = batch_next(&batch->reader, &batch->next);
	int64_t ts_ns;

	*ret_has_next = false;
	if (result <= 0 || batch->read == batch->records) {
		return result == 0 && batch->read == batch->records
				? CSC_OK
				: note_damage(intake, batch, diag);
	}

	ts_ns = (int64_t)(batch->next.time_ns + (uint64_t)batch->offset_ns);
	if (ts_ns > batch->emitted_ns && (uint64_t)ts_ns - (uint64_t)batch->emitted_ns > SLACK_NS) {
		return note_damage(intake, batch, diag);
	}

	batch->next_ns = ts_ns;
	batch->read++;
	*ret_has_next = true;
	return CSC_OK;
}

/* Counts a record as an event of its own. */
static enum csc_status count_record(struct intake *intake, const struct held_batch *batch,
		int64_t ts_ns, struct diag *diag)
{
	struct catalog *catalog = intake->catalog;
	const struct batch_record *record = &batch->next;
	size_t kind = record->kind +
			(record->has_process ? record->kind == BATCH_ALLOC ? 3U : 2U : 0U);
	struct catalog_thread *thread = &catalog->thread_counts[batch->thread];

	if (intake->record_events[kind] == 0) {
		int32_t number = catalog_event(catalog, record_events[kind]);

		if (number < 0) {
			return DIAG_NO_MEMORY(diag);
		}
		intake->record_events[kind] = number + 1;
	}

	catalog->event_counts[intake->record_events[kind] - 1].events++;
	catalog->streams[batch->stream->number].events++;
	catalog->event_total++;
	catalog->first_ns = ts_ns < catalog->first_ns ? ts_ns : catalog->first_ns;
	thread->first_ns =
			thread->events == 0 || ts_ns < thread->first_ns ? ts_ns : thread->first_ns;
	thread->last_ns = thread->events == 0 || ts_ns > thread->last_ns ? ts_ns : thread->last_ns;
	thread->events++;
	return CSC_OK;
}

/* Notes a record with a number that SQLite cannot hold. */
static enum csc_status reject(struct intake *intake, const struct held_batch *batch,
		const char *field, uint64_t value, struct diag *diag)
{
	return store_problem(intake->store, "value_out_of_range", SEVERITY_DATA_LOSS, 1, diag,
			"a record of batch %llu of ring %u at %lld ns in '%s' is left out: its %s "
			"has the value %llu, which is out of range",
			(unsigned long long)batch->ordinal, batch->ring, (long long)batch->next_ns,
			batch->stream->name ? batch->stream->name : "", field,
			(unsigned long long)value);
}

static enum csc_status take_record(
		struct intake *intake, struct held_batch *batch, struct diag *diag)
{
	static const enum block_op ops[] = {
		[BATCH_ALLOC] = BLOCK_ALLOC,
		[BATCH_FREE] = BLOCK_FREE,
		[BATCH_REALLOC] = BLOCK_REALLOC,
	};
	const struct batch_record *record = &batch->next;
	struct block_row row = {
		.ts_ns = batch->next_ns,
		.op = (int32_t)ops[record->kind],
		.address = (int64_t)record->address,
		.size = (int64_t)record->bytes,
		.type_id = record->type,
		.allocator_id = record->allocator,
		.instance = record->instance,
		.process = record->has_process ? (int64_t)record->process : ROW_NULL,
		.old_address = record->kind == BATCH_REALLOC ? (int64_t)record->old_address
							     : ROW_NULL,
		.thread = batch->thread,
		.runtime = batch->runtime,
	};
	enum csc_status status;
	int64_t id;

	if (row.ts_ns < intake->last_block_ns) {
		uint64_t late_ns = (uint64_t)intake->last_block_ns - (uint64_t)row.ts_ns;

		batch->late++;
		batch->late_ns = late_ns > batch->late_ns ? late_ns : batch->late_ns;
		row.ts_ns = intake->last_block_ns;
	}

	status = store_begin_event(intake->store, diag);
	if (status == CSC_OK) {
		status = count_record(intake, batch, row.ts_ns, diag);
	}
	if (status != CSC_OK) {
		return status;
	}

	if ((record->address | record->bytes | record->old_address | record->process) >> 63 == 0) {
		return intake_put_block(intake, &row, &id, diag);
	}

	return record->bytes >> 63 ? reject(intake, batch, "size", record->bytes, diag)
			: record->process >> 63
			? reject(intake, batch, "process", record->process, diag)
			: reject(intake, batch, "address", record->address | record->old_address,
					  diag);
}

static enum csc_status note_late(
		struct intake *intake, const struct held_batch *batch, struct diag *diag)
{
	return batch->late == 0
			? CSC_OK
			: store_problem(intake->store, "records_late", SEVERITY_NOTICE, batch->late,
					  diag,
					  "records of batch %llu of ring %u in '%s' came %llu "
					  "ns too late: they have the time of those that were "
					  "taken before",
					  (unsigned long long)batch->ordinal, batch->ring,
					  batch->stream->name ? batch->stream->name : "",
					  (unsigned long long)batch->late_ns);
}

/* Takes the records of the first batch up to that time; what lies behind its limit is left out. */
static enum csc_status take_records(struct intake *intake, struct held_batch *batch,
		int64_t until_ns, struct diag *diag)
{
	struct held_process *process = held_process(&intake->held, batch->runtime);
	enum csc_status status = CSC_OK;
	bool has_next = true;

	while (status == CSC_OK && has_next && batch->next_ns <= until_ns &&
			batch->next_ns <= batch->limit_ns) {
		if (process && batch->next_ns > process->taken_ns) {
			process->taken_ns = batch->next_ns;
		}
		status = take_record(intake, batch, diag);
		if (status == CSC_OK) {
			status = intake_next_record(intake, batch, &has_next, diag);
		}
	}

	if (status == CSC_OK && has_next && batch->next_ns > batch->limit_ns) {
		intake->left_out += batch->records - batch->read + 1;
		has_next = false;
	}
	if (status == CSC_OK && !has_next) {
		status = note_late(intake, batch, diag);
	}
	if (status == CSC_OK) {
		held_take_batch(&intake->held, !has_next);
	}

	return status;
}

enum csc_status intake_release(struct intake *intake, int64_t bound_ns, struct diag *diag)
{
	struct held *held = &intake->held;
	enum csc_status status = CSC_OK;

	while (status == CSC_OK) {
		const struct packed *record;
		struct held_batch *batch;
		int64_t until_ns;

		if (held_next(held, &record, &batch, &until_ns) > bound_ns || (!record && !batch)) {
			break;
		}

		if (batch) {
			status = take_records(intake, batch,
					until_ns < bound_ns ? until_ns : bound_ns, diag);
		} else {
			status = intake_take_now(intake, record, diag);
			held_take_record(held);
		}
	}

	held_rest(held);
	return status;
}

/* The thread that made a batch; its name is known if it emitted an event itself. */
static enum csc_status find_thread(struct intake *intake, const struct packed_context *context,
		const char *procname, struct held_batch *batch, int64_t vtid, struct diag *diag)
{
	batch->thread = intake_find_thread(
			intake, batch->runtime, vtid, vtid == context->vtid ? procname : NULL);
	return batch->thread >= 0 ? CSC_OK : DIAG_NO_MEMORY(diag);
}

/* Notes what was dropped before a batch was made, and batches before it that are not there. */
static enum csc_status note_gaps(struct intake *intake, const struct held_batch *batch,
		uint64_t lost, struct diag *diag)
{
	int32_t number = numbering_find(&intake->rings, batch->runtime, batch->ring, NULL);
	enum csc_status status = CSC_OK;
	struct ring_state *ring;

	if (number < 0 ||
			!csc_grow_zeroed(&intake->ring_states, &intake->ring_capacity,
					(size_t)number + 1, sizeof(*intake->ring_states))) {
		return DIAG_NO_MEMORY(diag);
	}

	ring = &intake->ring_states[number];
	if (ring->is_known && batch->ordinal > ring->next_ordinal) {
		status = intake_add_loss(intake, batch->stream->number, "missing_batches",
				ring->last_ns, batch->last_ns, ROW_NULL, diag);
		if (status == CSC_OK) {
			status = store_problem(intake->store, "missing_batches", SEVERITY_DATA_LOSS,
					(int64_t)(batch->ordinal - ring->next_ordinal), diag,
					"batches %llu to %llu of ring %u are not in the trace, each with "
					"hundreds of block events: see lost_interval",
					(unsigned long long)ring->next_ordinal,
					(unsigned long long)batch->ordinal - 1, batch->ring);
		}
	}
	if (status == CSC_OK && lost > 0) {
		status = intake_add_loss(intake, batch->stream->number, "dropped_records",
				ring->is_known ? ring->last_ns : ROW_NULL, batch->last_ns,
				(int64_t)(lost & INT64_MAX), diag);
		if (status == CSC_OK) {
			status = store_problem(intake->store, "dropped_records", SEVERITY_DATA_LOSS,
					(int64_t)(lost & INT64_MAX), diag,
					"the node dropped block events where a thread's ring was full: see "
					"lost_interval; figures that overlap it are marked");
		}
	}

	ring->is_known = true;
	ring->next_ordinal = batch->ordinal + 1;
	ring->last_ns = batch->last_ns;
	ring->records = batch->records;
	ring->last_raw_ns = (uint64_t)batch->last_ns - (uint64_t)batch->offset_ns;
	ring->offset_ns = batch->offset_ns;
	return status;
}

/* Fills a batch from its event and goes to its first record. */
static enum csc_status open_batch(struct intake *intake, const struct packed_event *record,
		struct held_batch *batch, bool *ret_has_next, struct diag *diag)
{
	const int64_t *values = record->values;
	const struct packed_context *context = (const void *)packed_text(record, record->context);
	const char *procname =
			context->procname ? packed_text(record, (int64_t)context->procname) : NULL;
	const char *payload = packed_text(record, values[BATCH_PAYLOAD]);
	size_t bytes = strlen(payload);
	enum csc_status status = intake_find_runtime(
			intake, record->head.stream, context, procname, &batch->runtime, diag);

	batch->stream = record->head.stream;
	batch->ring = (uint32_t)values[BATCH_RING];
	batch->ordinal = (uint64_t)values[BATCH_ORDINAL];
	batch->offset_ns = values[BATCH_PAYLOAD + 1];
	batch->emitted_ns = record->head.order_ns;
	batch->records = (uint32_t)values[BATCH_RECORDS];
	batch->last_ns = batch->records == 0
			? batch->emitted_ns
			: (int64_t)((uint64_t)values[BATCH_LAST] + (uint64_t)batch->offset_ns);
	batch->limit_ns = INT64_MAX;
	batch->read = 0;
	batch->late = 0;
	batch->late_ns = 0;
	bytes = bytes < BATCH_BYTES ? bytes : BATCH_BYTES;
	memcpy(batch->payload, payload, bytes);
	batch_open(&batch->reader, batch->payload, bytes);
	batch->thread = -1;
	/* A thread says its name by an empty one; ring 0 is of none that allocates. */
	if (status == CSC_OK && (batch->records > 0 || batch->ring > 0)) {
		status = find_thread(intake, context, procname, batch, values[BATCH_THREAD], diag);
	}
	if (status == CSC_OK) {
		status = note_gaps(intake, batch, (uint64_t)values[BATCH_LOST], diag);
	}

	return status == CSC_OK ? intake_next_record(intake, batch, ret_has_next, diag) : status;
}

/* Counts the event that a batch came in. */
static enum csc_status count_batch(
		struct intake *intake, const struct packed_event *record, struct diag *diag)
{
	struct catalog *catalog = intake->catalog;
	int64_t ts_ns = record->head.order_ns;
	enum csc_status status = record->plan->event >= 0
			? CSC_OK
			: intake_number_plan(intake, record->plan, record->head.stream, diag);

	if (status != CSC_OK) {
		return status;
	}
	if (catalog->event_total++ == 0) {
		catalog->first_ns = ts_ns;
		catalog->last_ns = ts_ns;
	}

	catalog->last_ns = ts_ns > catalog->last_ns ? ts_ns : catalog->last_ns;
	catalog->event_counts[record->plan->event].events++;
	catalog->streams[record->head.stream->number].events++;
	return CSC_OK;
}

enum csc_status intake_take_batch(
		struct intake *intake, const struct packed_event *record, struct diag *diag)
{
	struct held *held = &intake->held;
	uint64_t horizon_ns = (uint64_t)record->values[BATCH_HORIZON];
	struct held_batch *batch = held_new_batch(held);
	bool has_next = false;
	enum csc_status status = batch ? count_batch(intake, record, diag) : DIAG_NO_MEMORY(diag);

	if (status == CSC_OK) {
		status = open_batch(intake, record, batch, &has_next, diag);
	}
	held->now_ns = record->head.order_ns;
	if (status == CSC_OK &&
			!held_horizon(held, batch->runtime, batch->stream,
					horizon_ns > INT64_MAX
							? INT64_MAX
							: (int64_t)(horizon_ns +
									  (uint64_t)batch->offset_ns))) {
		status = DIAG_NO_MEMORY(diag);
	}
	if (status != CSC_OK || !has_next) {
		held_spare(held, batch);
	} else if (!held_add_batch(held, batch)) {
		held_spare(held, batch);
		status = DIAG_NO_MEMORY(diag);
	}

	return status == CSC_OK ? intake_release(intake, held_bound(held), diag) : status;
}

static int64_t at_most(int64_t value, int64_t most)
{
	return value < most ? value : most;
}

/* Notes that the last records of a process are not there: all that was taken of it is whole until
 * its horizon. */
static enum csc_status note_end(
		struct intake *intake, const struct held_process *process, struct diag *diag)
{
	const struct catalog *catalog = intake->catalog;
	/* Where it was silent for long, what came last of it was taken. */
	bool is_whole = process->taken_ns <= process->horizon_ns;
	enum csc_status status = intake_add_loss(intake, process->stream->number,
			is_whole ? "not_emitted" : "missing_batches", process->horizon_ns,
			catalog->last_ns, ROW_NULL, diag);

	for (size_t i = 0; i < catalog->threads.count && is_whole; i++) {
		struct catalog_thread *thread = &catalog->thread_counts[i];

		if (catalog->threads.entries[i].a == process->runtime && thread->events > 0) {
			thread->first_ns = at_most(thread->first_ns, process->horizon_ns);
			thread->last_ns = at_most(thread->last_ns, process->horizon_ns);
		}
	}

	return status == CSC_OK
			? store_problem(intake->store, "not_emitted", SEVERITY_NOTICE, 1, diag,
					  "a process was killed, or its session ended, before its "
					  "last block events were emitted: it is judged as it was %.3f "
					  "s before the end, %llu later block events are left out, and "
					  "the ring of each thread held up to %d more",
					  (double)(catalog->last_ns - process->horizon_ns) / 1e9,
					  (unsigned long long)intake->left_out, BATCH_WAITING)
			: status;
}

enum csc_status intake_end_batches(struct intake *intake, struct diag *diag)
{
	struct held *held = &intake->held;
	enum csc_status status;

	for (size_t i = 0; i < held->batch_count; i++) {
		struct held_batch *batch = held->batches[i];
		const struct held_process *process = held_process(held, batch->runtime);

		batch->limit_ns = process ? process->horizon_ns : INT64_MAX;
	}
	status = intake_release(intake, INT64_MAX, diag);
	for (size_t i = 0; status == CSC_OK && i < held->process_count; i++) {
		if (held->processes[i].horizon_ns != INT64_MAX) {
			status = note_end(intake, &held->processes[i], diag);
		}
	}

	return status;
}
