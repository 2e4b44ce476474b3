/*
 * SPDX-License-Identifier: MIT
 *
 * What comes, at once or after it was held.
 */
#include "intake.h"

#include <stdlib.h>

#include "intake_batch.h"
#include "intake_ends.h"
#include "intake_record.h"
#include "intake_rings.h"
#include "intake_source.h"
#include "packer.h"
#include "packer_stream.h"
#include "plan.h"

enum csc_status intake_create(struct store *store, const struct sink_path *paths, size_t path_count,
		bool takes_rings, struct intake **ret_intake, struct diag *diag)
{
	struct intake *intake = calloc(1, sizeof(*intake));
	enum csc_status status;

	if (!intake) {
		return DIAG_NO_MEMORY(diag);
	}

	intake->store = store;
	intake->takes_rings = takes_rings;
	intake->catalog = store_catalog(store);
	intake->last_block_ns = INT64_MIN;
	for (size_t i = 0; i < INSTANCE_CACHE; i++) {
		intake->instance_cache[i].runtime = -1;
	}

	status = packer_create(paths, path_count, &intake->packer, diag);
	if (status != CSC_OK) {
		free(intake);
		return status;
	}

	*ret_intake = intake;
	return CSC_OK;
}

void intake_destroy(struct intake *intake)
{
	if (!intake) {
		return;
	}

	packer_destroy(intake->packer);
	held_finish(&intake->held);
	numbering_finish(&intake->rings);
	free(intake->ring_states);
	free(intake->batch_threads);
	free(intake->packing.bytes);
	free(intake->plans);
	free(intake->streams);
	free(intake->traces);
	free(intake);
}

static bool is_batch(const struct packed *record)
{
	return record->kind == PACKED_EVENT &&
			((const struct packed_event *)(const void *)record)->plan->action ==
			PLAN_BATCH;
}

enum csc_status intake_take_packed(
		struct intake *intake, const struct packed *record, struct diag *diag)
{
	struct held *held = &intake->held;

	if (is_batch(record)) {
		return intake_take_batch(
				intake, (const struct packed_event *)(const void *)record, diag);
	}
	if (!held_is_waiting(held) || record->kind == PACKED_STREAM) {
		return intake_take_now(intake, record, diag);
	}
	if (!held_add(held, record)) {
		return DIAG_NO_MEMORY(diag);
	}

	return intake_release(intake, held_bound(held), diag);
}

enum csc_status intake_take(struct intake *intake, const bt_message *message, struct diag *diag)
{
	struct packing *packing = &intake->packing;
	enum csc_status status;

	packing->length = 0;
	status = packer_take(intake->packer, 0, message, packing, diag);
	for (size_t at = 0; at < packing->length && status == CSC_OK;) {
		const struct packed *record = (const void *)(packing->bytes + at);

		status = intake_take_packed(intake, record, diag);
		at += record->bytes;
	}

	return status;
}

/*
 * Event classes that the trace declares and no event is of: they were recorded, and nothing
 * happened, which is another thing than not to have been recorded.
 */
static enum csc_status note_classes(struct intake *intake, struct diag *diag)
{
	for (size_t i = 0; i < intake->stream_count; i++) {
		const bt_stream_class *class =
				bt_stream_borrow_class_const(intake->streams[i]->stream);
		uint64_t count = bt_stream_class_get_event_class_count(class);

		for (uint64_t k = 0; k < count; k++) {
			const char *name = bt_event_class_get_name(
					bt_stream_class_borrow_event_class_by_index_const(
							class, k));

			if (name && catalog_event(intake->catalog, name) < 0) {
				return DIAG_NO_MEMORY(diag);
			}
		}
	}

	return CSC_OK;
}

enum csc_status intake_end(struct intake *intake, struct diag *diag)
{
	const struct catalog *catalog = intake->catalog;
	enum csc_status status = intake->takes_rings ? intake_join_rings(intake, diag) : CSC_OK;

	if (status == CSC_OK) {
		status = intake_end_batches(intake, diag);
	}
	if (status == CSC_OK) {
		status = intake_note_ends(intake, diag);
	}
	if (status == CSC_OK) {
		status = note_classes(intake, diag);
	}

	if (status == CSC_OK && catalog->without_vpid > 0) {
		status = store_problem(intake->store, "context_missing_vpid", SEVERITY_NOTICE,
				catalog->without_vpid, diag,
				"events do not name their process, and are kept under one unknown "
				"runtime; record with 'lttng add-context -u -t vpid -t vtid "
				"-t procname'");
	}

	if (status == CSC_OK && catalog->without_vtid > 0) {
		status = store_problem(intake->store, "context_missing_vtid", SEVERITY_INFO,
				catalog->without_vtid, diag,
				"events do not name their thread; record with "
				"'lttng add-context -u -t vtid'");
	}

	if (status == CSC_OK && catalog->without_procname > 0) {
		status = store_problem(intake->store, "context_missing_procname", SEVERITY_INFO,
				catalog->without_procname, diag,
				"events do not have the thread's name; record with "
				"'lttng add-context -u -t procname'");
	}

	return status;
}
