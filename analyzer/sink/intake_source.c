/*
 * SPDX-License-Identifier: MIT
 *
 * Classes that are met first, and the threads that events come from.
 */
#include "intake_source.h"

#include <string.h>

#include "catalog.h"
#include "growing.h"
#include "packed.h"
#include "packer_stream.h"
#include "plan.h"
#include "store_problem.h"

enum csc_status intake_number_plan(struct intake *intake, struct plan *plan,
		const struct stream_state *stream, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < intake->plan_count; i++) {
		const struct known_plan *known = &intake->plans[i];

		if (known->trace == stream->trace->number &&
				known->packer != stream->trace->packer &&
				known->plan->stream_class == plan->stream_class &&
				known->plan->event_class_id == plan->event_class_id) {
			plan->event = known->plan->event;
			return CSC_OK;
		}
	}

	if (!csc_grow_by_one(&intake->plans, intake->plan_count, sizeof(*intake->plans))) {
		return DIAG_NO_MEMORY(diag);
	}

	plan->event = catalog_event(intake->catalog, plan->full_name);
	if (plan->event < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	intake->plans[intake->plan_count++] = (struct known_plan){
		.plan = plan,
		.packer = stream->trace->packer,
		.trace = stream->trace->number,
	};
	for (size_t i = 0; i < plan->problem_count && status == CSC_OK; i++) {
		const struct plan_problem *problem = &plan->problems[i];

		status = store_problem(intake->store, problem->name, problem->severity, 1, diag,
				"%s", problem->sentence);
	}

	return status;
}

enum csc_status intake_find_runtime(struct intake *intake, const struct stream_state *state,
		const struct packed_context *context, const char *procname, int32_t *ret_runtime,
		struct diag *diag)
{
	struct catalog *catalog = intake->catalog;
	const struct catalog_trace *trace = &catalog->traces[state->trace->number];
	const char *main_name = trace->procname;

	*ret_runtime = catalog_runtime(catalog, trace->hostname, context->vpid);
	if (*ret_runtime < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	if (!main_name && procname && context->vpid != ROW_NULL && context->vtid == context->vpid) {
		main_name = procname;
	}

	return main_name && !catalog_name_runtime(catalog, *ret_runtime, main_name)
			? DIAG_NO_MEMORY(diag)
			: CSC_OK;
}

/* Finds a thread among those that made batches, which may get its name now; -1: it is none of them.
 */
static int32_t find_batch_thread(
		struct intake *intake, int32_t runtime, int64_t vtid, const char *name)
{
	for (size_t i = 0; i < intake->batch_thread_count; i++) {
		const struct batch_thread *thread = &intake->batch_threads[i];
		struct numbering_entry *entry;

		if (thread->runtime != runtime || thread->vtid != vtid) {
			continue;
		}

		entry = &intake->catalog->threads.entries[thread->number];
		if (!entry->text && name) {
			entry->text = strdup(name);
		}
		return !name || (entry->text && strcmp(entry->text, name) == 0) ? thread->number
										: -1;
	}

	return -1;
}

int32_t intake_find_thread(struct intake *intake, int32_t runtime, int64_t vtid, const char *name)
{
	int32_t number = find_batch_thread(intake, runtime, vtid, name);

	if (number >= 0) {
		return number;
	}
	if (!csc_grow_by_one(&intake->batch_threads, intake->batch_thread_count,
			    sizeof(*intake->batch_threads))) {
		return -1;
	}

	/* It may have emitted other events before. */
	for (size_t i = 0; i < intake->catalog->threads.count && number < 0 && !name; i++) {
		const struct numbering_entry *entry = &intake->catalog->threads.entries[i];

		number = entry->a == runtime && entry->b == vtid ? (int32_t)i : -1;
	}
	number = number >= 0 ? number : catalog_thread(intake->catalog, runtime, vtid, name);
	if (number >= 0) {
		intake->batch_threads[intake->batch_thread_count++] =
				(struct batch_thread){ runtime, vtid, number };
	}

	return number;
}

/* Finds process and thread of an event, which are not those of the stream's latest. */
static enum csc_status change_thread(struct intake *intake, struct stream_state *state,
		const struct packed_context *context, const char *procname, struct diag *diag)
{
	enum csc_status status = intake_find_runtime(
			intake, state, context, procname, &state->runtime, diag);

	if (status != CSC_OK) {
		return status;
	}

	state->thread = find_batch_thread(intake, state->runtime, context->vtid, procname);
	if (state->thread < 0 && (context->vtid != ROW_NULL || procname)) {
		state->thread = catalog_thread(
				intake->catalog, state->runtime, context->vtid, procname);
		if (state->thread < 0) {
			return DIAG_NO_MEMORY(diag);
		}
	}

	return CSC_OK;
}

enum csc_status intake_take_context(
		struct intake *intake, const struct packed_event *record, struct diag *diag)
{
	unsigned int flags = record->head.flags;
	struct stream_state *state = record->head.stream;

	intake->catalog->without_vpid += (flags & PACKED_WITHOUT_VPID) != 0;
	intake->catalog->without_vtid += (flags & PACKED_WITHOUT_VTID) != 0;
	intake->catalog->without_procname += (flags & PACKED_WITHOUT_PROCNAME) != 0;
	if (flags & PACKED_NEW_CONTEXT) {
		const struct packed_context *context =
				(const void *)packed_text(record, record->context);
		const char *procname = context->procname
				? packed_text(record, (int64_t)context->procname)
				: NULL;
		enum csc_status status = change_thread(intake, state, context, procname, diag);

		if (status != CSC_OK) {
			return status;
		}
	}

	if (state->thread >= 0) {
		struct catalog_thread *thread = &intake->catalog->thread_counts[state->thread];

		if (thread->events++ == 0) {
			thread->first_ns = record->head.order_ns;
		}

		thread->last_ns = record->head.order_ns;
	}

	return CSC_OK;
}
