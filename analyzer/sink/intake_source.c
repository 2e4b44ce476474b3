/*
 * SPDX-License-Identifier: MIT
 *
 * Classes that are met first, and the threads that events come from.
 */
#include "intake_source.h"

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

/* Finds process and thread of an event, which are not those of the stream's latest. */
static enum csc_status change_thread(struct intake *intake, struct stream_state *state,
		const struct packed_context *context, const char *procname, struct diag *diag)
{
	struct catalog *catalog = intake->catalog;
	const struct catalog_trace *trace = &catalog->traces[state->trace->number];
	const char *main_name = trace->procname;

	state->runtime = catalog_runtime(catalog, trace->hostname, context->vpid);
	if (state->runtime < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	if (!main_name && procname && context->vpid != ROW_NULL && context->vtid == context->vpid) {
		main_name = procname;
	}

	if (main_name && !catalog_name_runtime(catalog, state->runtime, main_name)) {
		return DIAG_NO_MEMORY(diag);
	}

	state->thread = -1;
	if (context->vtid != ROW_NULL || procname) {
		state->thread = catalog_thread(catalog, state->runtime, context->vtid, procname);
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
