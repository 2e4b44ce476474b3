/*
 * SPDX-License-Identifier: MIT
 *
 * A ring's last batch in the trace is found again among its marks, by number, records and time:
 * what follows that mark has no batch.  No other process has the same.
 */
#include "intake_rings.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "catalog.h"
#include "growing.h"
#include "intake_batch.h"
#include "intake_record.h"
#include "intake_source.h"
#include "packer_stream.h"
#include "ring_left.h"
#include "store.h"

/* A trace that ends so long before its process is of a session that was ended. */
#define SESSION_NS UINT64_C(2000000000)

static const char other_process[] = "it is of another process of that number";

/* Batches that are made of one file, before any is held. */
struct join {
	struct intake *intake;
	const struct held_process *process;
	struct ring_left left;
	struct ring_records records;
	struct batch_writer writer;
	struct held_batch **batches;
	size_t batch_count;
	size_t batch_capacity;

	/* A batch of the trace was found again; its offset. */
	bool is_known;
	int64_t offset_ns;
	uint64_t record_count;
	uint64_t dropped;

	/* Why nothing is taken; NULL: nothing is wrong. */
	const char *why;
};

static const struct ring_state *state_of(const struct join *join, uint32_t at)
{
	struct intake *intake = join->intake;
	int32_t number = numbering_find(&intake->rings, join->process->runtime, at + 1, NULL);

	return number >= 0 && (size_t)number < intake->ring_capacity &&
					intake->ring_states[number].is_known
			? &intake->ring_states[number]
			: NULL;
}

/* Where what no batch of the trace has begins; NULL and why: that is not known. */
static const struct ring_mark *find_begin(
		struct join *join, const struct ring_state *state, const struct ring_page *page)
{
	const struct ring_mark *mark;

	if (!state) {
		mark = &page->mark[(page->ordinal - 1) % RING_MARKS];
		if (page->from.number == page->ordinal + 1) {
			return &page->from;
		}
		/* Whoever listened has had nothing of it. */
		if (mark->number == page->ordinal && mark->position == page->head &&
				mark->said == page->dropped) {
			return mark;
		}
		join->why = "batches before what is in it are not in the trace";
		return NULL;
	}
	mark = &page->mark[(state->next_ordinal - 1) % RING_MARKS];
	if (mark->number != state->next_ordinal) {
		join->why = page->ordinal + 1 < state->next_ordinal
				? other_process
				: "batches before what is in it are not in the trace";
		return NULL;
	}
	if (mark->records != state->records ||
			(state->records > 0 && mark->last_ns != state->last_raw_ns)) {
		join->why = other_process;
		return NULL;
	}
	return mark;
}

/* Looks for rings that are in the trace. */
static void find_known(struct join *join)
{
	for (uint32_t i = 0; i < join->left.head.rings && !join->why; i++) {
		const struct ring_state *state = state_of(join, i);
		struct ring_page page;

		if (!state || !ring_left_page(&join->left, i, &page, &join->why) ||
				!find_begin(join, state, &page)) {
			continue;
		}
		if (state->records > 0 || !join->is_known) {
			join->is_known = join->is_known || state->records > 0;
			join->offset_ns = state->offset_ns;
		}
	}
	if (!join->why && !join->is_known) {
		join->why = "nothing in the trace shows that it is of this process";
	}
	if (!join->why &&
			join->left.head.horizon_ns > (uint64_t)join->process->horizon_ns -
							(uint64_t)join->offset_ns + SESSION_NS) {
		join->why = "the trace ends before the process did";
	}
}

/* Makes the writer's batch one that can be held. */
static enum csc_status end_batch(
		struct join *join, uint32_t at, int32_t thread, uint64_t ordinal, struct diag *diag)
{
	struct held_batch *batch;
	const char *payload;
	size_t bytes;

	if (!csc_grow(&join->batches, &join->batch_capacity, join->batch_count + 1,
			    sizeof(struct held_batch *)) ||
			!(batch = held_new_batch(&join->intake->held))) {
		return DIAG_NO_MEMORY(diag);
	}
	bytes = batch_end(&join->writer, &payload);
	join->batches[join->batch_count++] = batch;
	batch->limit_ns = INT64_MAX;
	batch->offset_ns = join->offset_ns;
	batch->stream = join->intake->streams[join->process->stream->number];
	batch->runtime = join->process->runtime;
	batch->thread = thread;
	batch->ring = at + 1;
	batch->ordinal = ordinal;
	batch->last_ns = (int64_t)(join->writer.state.time_ns + (uint64_t)join->offset_ns);
	batch->emitted_ns = batch->last_ns;
	batch->records = join->writer.record_count;
	batch->read = 0;
	batch->late = 0;
	batch->late_ns = 0;
	memcpy(batch->payload, payload, bytes);
	batch_open(&batch->reader, batch->payload, bytes);
	join->record_count += batch->records;
	batch_begin(&join->writer);
	return CSC_OK;
}

/* What is older than what was taken of its process came too late for its place. */
static bool is_late(const struct join *join, const struct batch_record *record)
{
	return (int64_t)(record->time_ns + (uint64_t)join->offset_ns) < join->process->taken_ns;
}

static enum csc_status read_ring(struct join *join, uint32_t at, const struct ring_page *page,
		const struct ring_mark *begin, struct diag *diag)
{
	int32_t thread = intake_find_thread(
			join->intake, join->process->runtime, page->thread, NULL);
	struct batch_record record;
	uint64_t ordinal = begin->number;
	enum csc_status status = thread >= 0 ? CSC_OK : DIAG_NO_MEMORY(diag);
	int result = 0;

	if (!ring_left_begin(&join->left, at, page, begin, &join->records, &join->why)) {
		return status;
	}
	join->dropped += page->dropped - begin->said;
	batch_begin(&join->writer);
	while (status == CSC_OK && (result = ring_left_next(&join->records, &record)) > 0) {
		if (is_late(join, &record)) {
			join->why = "what is in it is older than what the trace had before";
			return status;
		}
		if (!batch_add(&join->writer, &record)) {
			status = end_batch(join, at, thread, ordinal++, diag);
			(void)batch_add(&join->writer, &record);
		}
	}
	if (result < 0) {
		join->why = "it is damaged";
	}
	return status == CSC_OK && join->writer.record_count > 0
			? end_batch(join, at, thread, ordinal, diag)
			: status;
}

static enum csc_status read_rings(struct join *join, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (uint32_t i = 0; i < join->left.head.rings && status == CSC_OK && !join->why; i++) {
		struct ring_page page;
		const struct ring_mark *begin;

		if (!ring_left_page(&join->left, i, &page, &join->why)) {
			break;
		}
		begin = find_begin(join, state_of(join, i), &page);
		if (begin && (begin->position != page.head || begin->said != page.dropped)) {
			status = read_ring(join, i, &page, begin, diag);
		}
	}
	return status;
}

/* Holds what was made, of each ring from the oldest on: records of one time stay in order. */
static enum csc_status hold(struct join *join, struct diag *diag)
{
	struct intake *intake = join->intake;
	struct catalog *catalog = intake->catalog;
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < join->batch_count && status == CSC_OK; i++) {
		struct held_batch *batch = join->batches[i];
		bool has_next = false;

		join->batches[i] = NULL;
		catalog->last_ns = batch->last_ns > catalog->last_ns ? batch->last_ns
								     : catalog->last_ns;
		status = intake_next_record(intake, batch, &has_next, diag);
		if (status != CSC_OK || !has_next) {
			held_spare(&intake->held, batch);
		} else if (!held_add_batch(&intake->held, batch)) {
			held_spare(&intake->held, batch);
			status = DIAG_NO_MEMORY(diag);
		}
	}
	if (status == CSC_OK && join->dropped > 0) {
		status = intake_add_loss(intake, join->process->stream->number, "dropped_records",
				join->process->horizon_ns, catalog->last_ns,
				(int64_t)(join->dropped & INT64_MAX), diag);
	}
	if (status == CSC_OK && join->dropped > 0) {
		status = store_problem(intake->store, "dropped_records", SEVERITY_DATA_LOSS,
				(int64_t)(join->dropped & INT64_MAX), diag,
				"the node dropped block events where a thread's ring was full: see "
				"lost_interval; figures that overlap it are marked");
	}
	return status;
}

/* Takes a file; *ret_is_joined is set if that was done. */
static enum csc_status join_file(struct join *join, int folder, const char *name, int64_t pid,
		bool *ret_is_joined, struct diag *diag)
{
	enum ring_left_state state = ring_left_open(&join->left, folder, name, pid, &join->why);
	enum csc_status status = CSC_OK;

	if (state == RING_LEFT_OPEN) {
		find_known(join);
		if (!join->why) {
			status = read_rings(join, diag);
		}
		ring_left_close(&join->left);
	}
	if (status == CSC_OK && !join->why && state == RING_LEFT_OPEN) {
		*ret_is_joined = true;
		status = store_problem(join->intake->store, "rings_taken", SEVERITY_INFO,
				(int64_t)join->record_count, diag,
				"process %" PRId64 " was killed: %s its rings, '" RING_FILE_FOLDER
				"/%s'",
				pid,
				join->record_count > 0 ? "its last block events are from"
						       : "the trace has all block events of",
				name);
		if (status == CSC_OK) {
			status = hold(join, diag);
		}
	}
	for (size_t i = 0; i < join->batch_count; i++) {
		if (join->batches[i]) {
			held_spare(&join->intake->held, join->batches[i]);
		}
	}
	return status;
}

static enum csc_status join_any(struct intake *intake, struct held_process *process, int folder,
		DIR *directory, struct diag *diag)
{
	int64_t pid = intake->catalog->runtimes.entries[process->runtime].a;
	struct join *join = calloc(1, sizeof(*join));
	struct ring_slot *slots = calloc(RING_MOST_SLOTS, sizeof(*slots));
	enum csc_status status = join && slots ? CSC_OK : DIAG_NO_MEMORY(diag);
	bool is_joined = false;
	struct dirent *entry;
	const char *why = NULL;
	char name[sizeof(entry->d_name)] = "";
	char prefix[64];

	(void)snprintf(prefix, sizeof(prefix), RING_FILE_PREFIX "%" PRId64 "-", pid);
	while (status == CSC_OK && !is_joined && (entry = readdir(directory))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0) {
			free(join->batches);
			*join = (struct join){
				.intake = intake, .process = process, .records.slots = slots
			};
			status = join_file(join, folder, entry->d_name, pid, &is_joined, diag);
			if (join->why) {
				why = join->why;
				(void)snprintf(name, sizeof(name), "%s", entry->d_name);
			}
		}
	}
	if (is_joined) {
		process->horizon_ns = INT64_MAX;
	} else if (status == CSC_OK && why) {
		/* Others of that number, as of other containers, are of no interest beside it. */
		status = store_problem(intake->store, "rings_not_taken", SEVERITY_NOTICE, 1, diag,
				"what lay in rings when process %" PRId64
				" ended is not taken from '" RING_FILE_FOLDER "/%s': %s",
				pid, name, why);
	}
	free(join ? join->batches : NULL);
	free(join);
	free(slots);
	return status;
}

static enum csc_status join_process(
		struct intake *intake, struct held_process *process, struct diag *diag)
{
	int folder = open(RING_FILE_FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = folder < 0 ? NULL : fdopendir(folder);
	enum csc_status status = CSC_OK;

	if (directory) {
		status = join_any(intake, process, folder, directory, diag);
		(void)closedir(directory);
	} else if (folder >= 0) {
		(void)close(folder);
	}
	return status;
}

enum csc_status intake_join_rings(struct intake *intake, struct diag *diag)
{
	struct held *held = &intake->held;
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < held->process_count && status == CSC_OK; i++) {
		if (held->processes[i].horizon_ns != INT64_MAX) {
			status = join_process(intake, &held->processes[i], diag);
		}
	}
	return status;
}
