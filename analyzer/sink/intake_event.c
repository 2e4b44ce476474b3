/*
 * SPDX-License-Identifier: MIT
 *
 * One event to one row.
 */
#include "intake_event.h"

#include <assert.h>
#include <string.h>

#include "catalog.h"
#include "field_value.h"
#include "intake_source.h"
#include "packed.h"
#include "packer_stream.h"
#include "plan.h"
#include "store_batch.h"
#include "store_problem.h"

/* An event being taken. */
struct event {
	const struct packed_event *record;
	const struct plan *plan;
	struct stream_state *stream;
	int64_t ts_ns;
};

/* Value i; false: it is out of range. */
static bool value_of(const struct event *event, size_t i, int64_t *ret_value)
{
	assert(i < event->plan->value_count);
	*ret_value = event->record->values[i];
	return (event->record->out_of_range >> i & 1) == 0;
}

static const char *text_of(const struct event *event, size_t i)
{
	assert(i < event->plan->value_count);
	return packed_text(event->record, event->record->values[i]);
}

/* Notes an event whose value cannot be kept. */
static enum csc_status reject(struct intake *intake, const struct event *event, size_t field,
		int64_t bits, struct diag *diag)
{
	const struct plan *plan = event->plan;
	bool is_negative = bits < 0 && plan->is_signed[field];

	return store_problem(intake->store, "value_out_of_range", SEVERITY_DATA_LOSS, 1, diag,
			"event '%s:%s' at %lld ns in '%s' is left out: its field '%s' has the value "
			"%s%llu, which is out of range",
			plan->provider_name, plan->name, (long long)event->ts_ns,
			event->stream->name ? event->stream->name : "",
			plan->model->fields[field].name, is_negative ? "-" : "",
			is_negative ? -(unsigned long long)bits : (unsigned long long)bits);
}

/* Keeps one value that has no column. */
static enum csc_status keep(struct intake *intake, const char *table, int64_t event_id,
		const char *name, const struct row_any *value, const char *text, struct diag *diag)
{
	struct extra_row *row = store_extra_row(intake->store);

	if (!row) {
		return store_problem(intake->store, "field_cut", SEVERITY_NOTICE, 1, diag,
				"an event has more values in unknown fields than are kept; '%s' is the "
				"first one left out",
				name);
	}

	row->event_id = event_id;
	row->value = *value;
	if ((text && !store_text(intake->store, text, &row->value.as.text)) ||
			!store_text(intake->store, table, &row->event_table) ||
			!store_text(intake->store, name, &row->field)) {
		return DIAG_NO_MEMORY(diag);
	}

	return CSC_OK;
}

static enum csc_status keep_leaf(struct intake *intake, const char *table, int64_t event_id,
		const struct packed_leaf *leaf, struct diag *diag)
{
	struct row_any value = { .kind = leaf->kind };

	if (leaf->name == 0) {
		return store_problem(intake->store, "field_cut", SEVERITY_NOTICE, 1, diag, "%s",
				packed_text(leaf, leaf->text));
	}

	if (leaf->kind == ANY_REAL) {
		value.as.real = leaf->as.real;
	} else {
		value.as.integer = leaf->as.integer;
	}

	return keep(intake, table, event_id, packed_text(leaf, leaf->name), &value,
			leaf->text ? packed_text(leaf, leaf->text) : NULL, diag);
}

/* Keeps the fields that the model does not have. */
static enum csc_status keep_extras(struct intake *intake, const struct event *event,
		const char *table, int64_t event_id, struct diag *diag)
{
	const struct packed_event *record = event->record;
	const struct packed_leaf *leaf = (const void *)packed_text(record, record->leaves);
	enum csc_status status = CSC_OK;

	for (uint32_t i = 0; i < record->leaf_count && status == CSC_OK; i++) {
		status = keep_leaf(intake, table, event_id, leaf, diag);
		leaf = (const void *)packed_text(leaf, leaf->bytes);
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
		if (!value_of(event, i, &values[i])) {
			return reject(intake, event, i, values[i], diag);
		}
	}

	if (values[FIELD_INSTANCE] < 0 || values[FIELD_INSTANCE] > INT32_MAX) {
		return reject(intake, event, FIELD_INSTANCE, values[FIELD_INSTANCE], diag);
	}

	type = text_of(event, FIELD_TYPE);
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

enum csc_status intake_put_block(struct intake *intake, const struct block_row *filled,
		int64_t *ret_id, struct diag *diag)
{
	struct block_row *row;
	int64_t first_id = 0;

	/* The old block of a realloc that did not fail ends in a row of its own. */
	if (filled->op == BLOCK_REALLOC && filled->old_address != 0 &&
			(filled->address != 0 || filled->size == 0)) {
		struct block_row *old = store_block_row(intake->store);

		first_id = old->id;
		*old = *filled;
		old->id = first_id;
		old->op = BLOCK_FREE;
		old->address = filled->old_address;
		old->size = ROW_NULL;
		old->process = ROW_NULL;
		old->is_realloc_free = true;
	}

	row = store_block_row(intake->store);
	*ret_id = row->id;
	*row = *filled;
	row->id = *ret_id;
	intake->catalog->block_events++;
	intake->last_block_ns = filled->ts_ns;
	return note_process(intake, filled->thread, first_id ? first_id : *ret_id, diag);
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
	const int64_t *values = event->record->values;
	uint32_t out_of_range = event->record->out_of_range;
	enum csc_status status;
	int64_t id;

	assert(event->plan->value_count == event->plan->model->field_count);
	if (out_of_range != 0) {
		size_t first = (size_t)__builtin_ctz(out_of_range);

		return reject(intake, event, first, values[first], diag);
	}

	if (!fill_block(&filled, (enum block_event_kind)event->plan->model->kind, values)) {
		return reject(intake, event, 0, values[0], diag);
	}

	status = intake_put_block(intake, &filled, &id, diag);
	return status == CSC_OK ? keep_extras(intake, event, "block_event", id, diag) : status;
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
	type = text_of(event, SCHEDULED_TYPE);
	*who = '\0';
	if (strncmp(type, begins, sizeof(begins) - 1) == 0) {
		(void)strncpy(who, text_of(event, SCHEDULED_PID), CATALOG_PID_BYTES - 1);
	}
	if (!is_port) {
		state->port[0] = '\0';
	}
	state->pid_changed = true;
}

/* Takes one value of an event that fills a column of otp_event. */
static enum csc_status take_otp_value(struct intake *intake, const struct event *event, size_t i,
		struct otp_row *row, struct diag *diag)
{
	const struct plan *plan = event->plan;
	const char *name = plan->model->fields[i].name;
	struct row_any *value = &row->value[plan->column[i]];
	static const struct row_any as_text = { .kind = ANY_TEXT };
	char buffer[FIELD_BEYOND_BYTES];
	enum csc_status status;

	if (plan->model->fields[i].kind == FIELD_STRING) {
		value->kind = ANY_TEXT;
		return store_text(intake->store, text_of(event, i), &value->as.text)
				? CSC_OK
				: DIAG_NO_MEMORY(diag);
	}

	value->kind = ANY_INTEGER;
	if (value_of(event, i, &value->as.integer)) {
		return CSC_OK;
	}

	value->kind = ANY_NULL;
	status = store_problem(intake->store, "field_out_of_range", SEVERITY_DATA_LOSS, 1, diag,
			"field '%s' of event '%s:%s' at %lld ns is beyond 2^63 - 1; "
			"it is kept as text in extra_field",
			name, plan->provider_name, plan->name, (long long)event->ts_ns);
	return status == CSC_OK ? keep(intake, "otp_event", row->id, name, &as_text,
						  field_beyond(value->as.integer,
								  plan->is_signed[i], buffer),
						  diag)
				: status;
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

	for (size_t i = 0; i < plan->value_count; i++) {
		enum csc_status status = take_otp_value(intake, event, i, row, diag);

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

		if (event->plan->is_unknown[i]) {
			value->kind = ANY_NULL;
		} else if (model->fields[i].kind == FIELD_STRING) {
			value->kind = ANY_TEXT;
			if (!store_text(intake->store, text_of(event, i), &value->as.text)) {
				return DIAG_NO_MEMORY(diag);
			}
		} else if (value_of(event, i, &value->as.integer) ||
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
		struct intake *intake, const struct packed_event *record, struct diag *diag)
{
	struct event event = {
		.record = record,
		.plan = record->plan,
		.stream = record->head.stream,
		.ts_ns = record->head.order_ns,
	};
	struct catalog *catalog = intake->catalog;
	enum csc_status status = record->plan->event >= 0
			? CSC_OK
			: intake_number_plan(intake, record->plan, event.stream, diag);

	if (status != CSC_OK) {
		return status;
	}

	if (catalog->event_total++ == 0) {
		catalog->first_ns = event.ts_ns;
	}

	catalog->last_ns = event.ts_ns;
	record->head.stream->event_ns = event.ts_ns;
	catalog->event_counts[event.plan->event].events++;
	catalog->streams[event.stream->number].events++;
	if (event.plan->action == PLAN_COUNT_ONLY) {
		return CSC_OK;
	}

	status = store_begin_event(intake->store, diag);
	if (status == CSC_OK) {
		status = intake_take_context(intake, record, diag);
	}

	if (status != CSC_OK) {
		return status;
	}

	switch (event.plan->action) {
	case PLAN_CARRIER:
		return take_carrier(intake, &event, diag);
	case PLAN_BLOCK:
		return take_block(intake, &event, diag);
	case PLAN_BATCH:
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
