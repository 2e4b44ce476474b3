/*
 * SPDX-License-Identifier: MIT
 *
 * One event to one row.
 */
#include "intake_event.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "field_value.h"
#include "growing.h"
#include "intake_stream.h"
#include "plan.h"
#include "store_batch.h"
#include "store_problem.h"

/* An event being read. */
struct event {
	const bt_event *event;
	const bt_field *payload;
	const struct plan *plan;
	struct stream_state *stream;
	int64_t ts_ns;
};

static size_t plan_slot(const bt_event_class *event_class)
{
	return ((uintptr_t)event_class >> 5) % PLAN_CACHE;
}

static enum csc_status find_plan(struct intake *intake, const struct stream_state *stream,
		const bt_event_class *event_class, const struct plan **ret_plan, struct diag *diag)
{
	struct plan **slot = &intake->plan_cache[plan_slot(event_class)];
	enum csc_status status;

	if (*slot && (*slot)->event_class == event_class) {
		*ret_plan = *slot;
		return CSC_OK;
	}

	for (size_t i = 0; i < intake->plan_count; i++) {
		if (intake->plans[i]->event_class == event_class) {
			*slot = intake->plans[i];
			*ret_plan = *slot;
			return CSC_OK;
		}
	}

	if (!csc_grow_by_one(&intake->plans, intake->plan_count, sizeof(struct plan *))) {
		return DIAG_NO_MEMORY(diag);
	}

	status = plan_create(intake->store, event_class,
			intake->catalog->traces[stream->trace].word_bits,
			&intake->plans[intake->plan_count], diag);
	if (status == CSC_OK) {
		*slot = intake->plans[intake->plan_count++];
		*ret_plan = *slot;
	}

	return status;
}

static int64_t context_integer(const bt_field *context, uint64_t member, bool is_signed)
{
	int64_t value;

	if (member == PLAN_NO_MEMBER) {
		return ROW_NULL;
	}

	return field_integer(bt_field_structure_borrow_member_field_by_index_const(context, member),
			       is_signed, &value)
			? value
			: ROW_NULL;
}

/* Reads the contexts of an event into its stream's state. */
static enum csc_status read_context(
		struct intake *intake, const struct event *event, struct diag *diag)
{
	const bt_field *context = bt_event_borrow_common_context_field_const(event->event);
	const struct plan *plan = event->plan;
	struct stream_state *state = event->stream;
	int64_t vpid = context_integer(context, plan->vpid_member, plan->is_vpid_signed);
	int64_t vtid = context_integer(context, plan->vtid_member, plan->is_vtid_signed);
	const char *procname = NULL;
	enum csc_status status = CSC_OK;

	if (vpid == ROW_NULL) {
		vpid = intake->catalog->traces[state->trace].vpid;
	}

	if (plan->procname_member != PLAN_NO_MEMBER) {
		procname = field_text(bt_field_structure_borrow_member_field_by_index_const(
				context, plan->procname_member));
	}

	intake->catalog->without_vpid += vpid == ROW_NULL;
	intake->catalog->without_vtid += vtid == ROW_NULL;
	intake->catalog->without_procname += !procname;
	if (state->runtime < 0 || state->vpid != vpid || state->vtid != vtid ||
			state->has_procname != (procname != NULL) ||
			(procname && strcmp(state->procname, procname) != 0)) {
		status = intake_change_thread(intake, state, vpid, vtid, procname, diag);
	}

	if (status == CSC_OK && state->thread >= 0) {
		struct catalog_thread *thread = &intake->catalog->thread_counts[state->thread];

		if (thread->events++ == 0) {
			thread->first_ns = event->ts_ns;
		}

		thread->last_ns = event->ts_ns;
	}

	return status;
}

static const bt_field *field_of(const struct event *event, size_t field)
{
	assert(event->payload && field < event->plan->model->field_count);
	return bt_field_structure_borrow_member_field_by_index_const(
			event->payload, event->plan->member[field]);
}

/* Notes an event whose value cannot be kept. */
static enum csc_status reject(struct intake *intake, const struct event *event, size_t field,
		int64_t bits, struct diag *diag)
{
	const struct plan *plan = event->plan;
	const char *stream = intake->catalog->streams[event->stream->number].name;
	bool is_negative = bits < 0 &&
			bt_field_class_type_is(bt_field_get_class_type(field_of(event, field)),
					BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);

	return store_problem(intake->store, "value_out_of_range", SEVERITY_DATA_LOSS, 1, diag,
			"event '%s:%s' at %lld ns in '%s' is left out: its field '%s' has the value "
			"%s%llu, which is out of range",
			plan->provider_name, plan->name, (long long)event->ts_ns,
			stream ? stream : "", plan->model->fields[field].name,
			is_negative ? "-" : "",
			is_negative ? -(unsigned long long)bits : (unsigned long long)bits);
}

/* Keeps the fields that the model does not have. */
static enum csc_status keep_extras(struct intake *intake, const struct event *event,
		const char *table, int64_t event_id, struct diag *diag)
{
	const bt_field_class *class;
	enum csc_status status = CSC_OK;

	if (event->plan->extra_count == 0) {
		return CSC_OK;
	}

	class = bt_field_borrow_class_const(event->payload);
	for (size_t i = 0; i < event->plan->extra_count && status == CSC_OK; i++) {
		uint64_t member = event->plan->extras[i];
		const char *name = bt_field_class_structure_member_get_name(
				bt_field_class_structure_borrow_member_by_index_const(
						class, member));

		status = field_keep(intake->store, table, event_id, name,
				bt_field_structure_borrow_member_field_by_index_const(
						event->payload, member),
				diag);
	}

	return status;
}

/* Numbers the instance that emits it. */
static enum csc_status find_instance(struct intake *intake, int32_t runtime, const char *type,
		int64_t number, const struct instance_cache **ret_instance, struct diag *diag)
{
	size_t letters = (size_t)(unsigned char)type[0] * 5 +
			(type[0] ? (size_t)(unsigned char)type[1] : 0);
	size_t slot = (letters + (size_t)number * 11 + (size_t)runtime) % INSTANCE_CACHE;
	struct instance_cache *cache = &intake->instance_cache[slot];

	if (cache->number == number && cache->runtime == runtime &&
			strcmp(cache->type, type) == 0) {
		*ret_instance = cache;
		return CSC_OK;
	}

	cache->allocator = catalog_allocator(intake->catalog, type);
	cache->instance = cache->allocator < 0 ? -1
					       : catalog_instance(intake->catalog, runtime,
								 cache->allocator, (int32_t)number);
	if (cache->instance < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	/* A name that does not fit is looked up each time. */
	cache->number = number;
	cache->runtime = strlen(type) < sizeof(cache->type) ? runtime : -1;
	(void)strncpy(cache->type, type, sizeof(cache->type) - 1);
	*ret_instance = cache;
	return CSC_OK;
}

/* The fields of a carrier event are type, instance, size and, for some, the counters. */
enum { FIELD_TYPE, FIELD_INSTANCE, FIELD_SIZE, FIELD_COUNTERS };

static enum csc_status take_carrier(
		struct intake *intake, const struct event *event, struct diag *diag)
{
	int64_t values[EVENT_MODEL_MAX_FIELDS] = { 0 };
	size_t field_count = event->plan->model->field_count;
	const struct instance_cache *instance;
	struct carrier_row *row;
	enum csc_status status;
	const char *type;

	for (size_t i = FIELD_INSTANCE; i < field_count; i++) {
		if (!field_integer(field_of(event, i), event->plan->is_signed[i], &values[i])) {
			return reject(intake, event, i, values[i], diag);
		}
	}

	if (values[FIELD_INSTANCE] < 0 || values[FIELD_INSTANCE] > INT32_MAX) {
		return reject(intake, event, FIELD_INSTANCE, values[FIELD_INSTANCE], diag);
	}

	type = field_text(field_of(event, FIELD_TYPE));
	status = find_instance(intake, event->stream->runtime, type, values[FIELD_INSTANCE],
			&instance, diag);
	if (status != CSC_OK) {
		return status;
	}

	row = store_carrier_row(intake->store);
	row->ts_ns = event->ts_ns;
	row->kind = (int32_t)event->plan->model->kind;
	row->size = values[FIELD_SIZE];
	row->instance = instance->instance;
	row->thread = event->stream->thread;
	row->runtime = event->stream->runtime;
	row->allocator = instance->allocator;
	row->instance_number = (int32_t)values[FIELD_INSTANCE];
	for (size_t i = 0; i < CARRIER_COUNTERS; i++) {
		row->counter[i] = FIELD_COUNTERS + i < field_count ? values[FIELD_COUNTERS + i]
								   : ROW_NULL;
	}

	intake->catalog->carrier_events++;
	if (event->stream->thread >= 0) {
		intake->catalog->thread_counts[event->stream->thread].carrier_events++;
	}

	return keep_extras(intake, event, "carrier_event", row->id, diag);
}

/* The values behind the addresses of an event of our own. */
static void fill_own(struct block_row *row, const int64_t *values)
{
	row->size = values[0];
	row->type_id = values[1];
	row->allocator_id = values[2];
	row->instance = values[3];
	row->is_libc = false;
}

/* Turns the values of a block event, in the order of its list, into a row. */
static bool fill_block(struct block_row *row, enum block_event_kind kind, const int64_t *values)
{
	switch (kind) {
	case BLOCK_EVENT_block_alloc_by_process:
		row->process = values[5];
		/* fall through */
	case BLOCK_EVENT_block_alloc:
	case BLOCK_EVENT_block_free:
		row->op = kind == BLOCK_EVENT_block_free ? BLOCK_FREE : BLOCK_ALLOC;
		row->address = values[0];
		fill_own(row, values + 1);
		return true;
	case BLOCK_EVENT_block_realloc_by_process:
		row->process = values[6];
		/* fall through */
	case BLOCK_EVENT_block_realloc:
		row->op = BLOCK_REALLOC;
		row->address = values[0];
		row->old_address = values[1];
		fill_own(row, values + 2);
		return true;
	case BLOCK_EVENT_malloc:
		row->size = values[0];
		row->address = values[1];
		return true;
	case BLOCK_EVENT_free:
		row->op = BLOCK_FREE;
		row->size = ROW_NULL;
		row->address = values[0];
		return true;
	case BLOCK_EVENT_calloc:
		row->address = values[2];
		return !__builtin_mul_overflow(values[0], values[1], &row->size);
	case BLOCK_EVENT_realloc:
		row->op = BLOCK_REALLOC;
		row->old_address = values[0];
		row->size = values[1];
		row->address = values[2];
		return true;
	case BLOCK_EVENT_memalign:
		row->size = values[1];
		row->address = values[2];
		return true;
	case BLOCK_EVENT_posix_memalign:
		row->address = values[3] == 0 ? values[0] : 0;
		row->size = values[2];
		return true;
	default:
		break;
	}

	return false;
}

/* Before the first block of a thread after it has begun to run another process or port. */
static enum csc_status note_process(
		struct intake *intake, int32_t thread, int64_t block_id, struct diag *diag)
{
	struct catalog_thread *state;
	struct process_row *row;
	const char *who;

	if (thread < 0 || !intake->catalog->thread_counts[thread].pid_changed) {
		return CSC_OK;
	}

	state = &intake->catalog->thread_counts[thread];
	row = store_process_row(intake->store);
	*row = (struct process_row){ block_id, thread, { ROW_NO_TEXT, 0 } };
	state->pid_changed = false;
	who = state->port[0] == '\0' ? state->pid : state->port;
	return *who == '\0' || store_text(intake->store, who, &row->pid) ? CSC_OK
									 : DIAG_NO_MEMORY(diag);
}

static enum csc_status take_block(
		struct intake *intake, const struct event *event, struct diag *diag)
{
	struct block_row filled = {
		.ts_ns = event->ts_ns,
		.op = BLOCK_ALLOC,
		.old_address = ROW_NULL,
		.type_id = ROW_NULL,
		.allocator_id = ROW_NULL,
		.instance = ROW_NULL,
		.process = ROW_NULL,
		.thread = event->stream->thread,
		.runtime = event->stream->runtime,
		.is_libc = true,
	};
	int64_t values[EVENT_MODEL_MAX_FIELDS] = { 0 };
	struct block_row *row;
	int64_t first_id = 0;

	for (size_t i = 0; i < event->plan->model->field_count; i++) {
		if (!field_integer(field_of(event, i), event->plan->is_signed[i], &values[i])) {
			return reject(intake, event, i, values[i], diag);
		}
	}

	if (!fill_block(&filled, (enum block_event_kind)event->plan->model->kind, values)) {
		return reject(intake, event, 0, values[0], diag);
	}

	/* The old block of a realloc that did not fail ends in a row of its own. */
	if (filled.op == BLOCK_REALLOC && filled.old_address != 0 &&
			(filled.address != 0 || filled.size == 0)) {
		struct block_row *old = store_block_row(intake->store);

		first_id = old->id;
		*old = filled;
		old->id = first_id;
		old->op = BLOCK_FREE;
		old->address = filled.old_address;
		old->size = ROW_NULL;
		old->process = ROW_NULL;
		old->is_realloc_free = true;
	}

	row = store_block_row(intake->store);
	filled.id = row->id;
	*row = filled;
	intake->catalog->block_events++;
	if (note_process(intake, row->thread, first_id ? first_id : row->id, diag) != CSC_OK) {
		return CSC_ERROR;
	}

	return keep_extras(intake, event, "block_event", row->id, diag);
}

/* The fields of process_scheduled, in the order of its list. */
enum { SCHEDULED_PID, SCHEDULED_ENTRY, SCHEDULED_TYPE };

/*
 * A thread begins or ends to run a process or a port: "in", "in_exiting", "out", "out_exited" …  A
 * port may run within the turn of the process that called it.
 */
static void note_schedule(struct intake *intake, const struct event *event)
{
	static const char begins[] = "in";
	bool is_port = event->plan->model->kind == DYNTRACE_EVENT_port_scheduled;
	struct catalog_thread *state;
	const char *type;
	char *who;

	if (event->stream->thread < 0) {
		return;
	}

	state = &intake->catalog->thread_counts[event->stream->thread];
	who = is_port ? state->port : state->pid;
	type = field_text(field_of(event, SCHEDULED_TYPE));
	*who = '\0';
	if (strncmp(type, begins, sizeof(begins) - 1) == 0) {
		(void)strncpy(who, field_text(field_of(event, SCHEDULED_PID)),
				CATALOG_PID_BYTES - 1);
	}
	if (!is_port) {
		state->port[0] = '\0';
	}
	state->pid_changed = true;
}

static enum csc_status take_otp(struct intake *intake, const struct event *event, struct diag *diag)
{
	const struct plan *plan = event->plan;
	struct otp_row *row = store_otp_row(intake->store);

	row->ts_ns = event->ts_ns;
	row->runtime = event->stream->runtime;
	row->thread = event->stream->thread;
	if (!store_text(intake->store, plan->name, &row->event) ||
			!store_text(intake->store, plan->provider_name, &row->provider)) {
		return DIAG_NO_MEMORY(diag);
	}

	for (size_t i = 0; plan->action == PLAN_OTP && i < plan->model->field_count; i++) {
		struct row_any *value = &row->value[plan->column[i]];
		const bt_field *field = field_of(event, i);
		enum csc_status status = CSC_OK;

		if (plan->model->fields[i].kind == FIELD_STRING) {
			value->kind = ANY_TEXT;
			if (!store_text(intake->store, field_text(field), &value->as.text)) {
				return DIAG_NO_MEMORY(diag);
			}
		} else if (field_any_integer(field, &value->as.integer)) {
			value->kind = ANY_INTEGER;
		} else {
			value->kind = ANY_NULL;
			status = store_problem(intake->store, "field_out_of_range",
					SEVERITY_DATA_LOSS, 1, diag,
					"field '%s' of event '%s:%s' at %lld ns is beyond 2^63 - 1; "
					"it is kept as text in extra_field",
					plan->model->fields[i].name, plan->provider_name,
					plan->name, (long long)event->ts_ns);
			if (status == CSC_OK) {
				status = field_keep(intake->store, "otp_event", row->id,
						plan->model->fields[i].name, field, diag);
			}
		}

		if (status != CSC_OK) {
			return status;
		}
	}

	if (plan->action == PLAN_OTP &&
			(plan->model->kind == DYNTRACE_EVENT_process_scheduled ||
					plan->model->kind == DYNTRACE_EVENT_port_scheduled)) {
		note_schedule(intake, event);
	}

	intake->catalog->otp_events++;
	return keep_extras(intake, event, "otp_event", row->id, diag);
}

static enum csc_status take_core_event(
		struct intake *intake, const struct event *event, struct diag *diag)
{
	const struct event_model *model = event->plan->model;
	struct core_event_row *row = store_core_event_row(intake->store, model->kind);

	row->ts_ns = event->ts_ns;
	row->runtime = event->stream->runtime;
	row->thread = event->stream->thread;
	for (size_t i = 0; i < model->field_count; i++) {
		struct row_any *value = &row->value[i];
		const bt_field *field = field_of(event, i);

		if (model->fields[i].kind == FIELD_STRING) {
			value->kind = ANY_TEXT;
			if (!store_text(intake->store, field_text(field), &value->as.text)) {
				return DIAG_NO_MEMORY(diag);
			}
		} else if (field_integer(field, event->plan->is_signed[i], &value->as.integer) ||
				(model->fields[i].kind == FIELD_COUNTER &&
						value->as.integer != ROW_NULL)) {
			value->kind = ANY_INTEGER;
		} else {
			/* The row stays, without the value; load_problem has its name. */
			enum csc_status status = reject(intake, event, i, value->as.integer, diag);

			value->kind = ANY_NULL;
			if (status != CSC_OK) {
				return status;
			}
		}
	}

	return keep_extras(intake, event, model->name, row->id, diag);
}

enum csc_status intake_take_event(
		struct intake *intake, const bt_message *message, struct diag *diag)
{
	struct event event = { .event = bt_message_event_borrow_event_const(message) };
	struct catalog *catalog = intake->catalog;
	enum csc_status status = intake_find_stream(
			intake, bt_event_borrow_stream_const(event.event), &event.stream, diag);

	if (status == CSC_OK) {
		status = find_plan(intake, event.stream, bt_event_borrow_class_const(event.event),
				&event.plan, diag);
	}

	if (status != CSC_OK) {
		return status;
	}

	if (bt_clock_snapshot_get_ns_from_origin(
			    bt_message_event_borrow_default_clock_snapshot_const(message),
			    &event.ts_ns) != BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK ||
			event.ts_ns == ROW_NULL) {
		const char *name = catalog->streams[event.stream->number].name;

		return DIAG_FAIL(diag, "an event of '%s' has a time that does not fit 64 bits",
				name ? name : "");
	}

	if (catalog->event_total++ == 0) {
		catalog->first_ns = event.ts_ns;
	}

	catalog->last_ns = event.ts_ns;
	catalog->event_counts[event.plan->event].events++;
	catalog->streams[event.stream->number].events++;
	if (event.plan->action == PLAN_COUNT_ONLY) {
		return CSC_OK;
	}

	event.payload = bt_event_borrow_payload_field_const(event.event);
	status = store_begin_event(intake->store, diag);
	if (status == CSC_OK) {
		status = read_context(intake, &event, diag);
	}

	if (status != CSC_OK) {
		return status;
	}

	switch (event.plan->action) {
	case PLAN_CARRIER:
		return take_carrier(intake, &event, diag);
	case PLAN_BLOCK:
		return take_block(intake, &event, diag);
	case PLAN_CORE_EVENT:
		return take_core_event(intake, &event, diag);
	case PLAN_OTP:
	case PLAN_GENERIC:
		return take_otp(intake, &event, diag);
	case PLAN_COUNT_ONLY:
		break;
	}

	return CSC_OK;
}
