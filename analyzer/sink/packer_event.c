/*
 * SPDX-License-Identifier: MIT
 *
 * The plan of an event, its context, its values, and what the plan does not know.
 */
#include "packer_event.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "field_value.h"
#include "growing.h"
#include "packer_stream.h"
#include "plan.h"

static size_t plan_slot(const bt_event_class *event_class)
{
	return ((uintptr_t)event_class >> 5) % PLAN_CACHE;
}

static enum csc_status find_plan(struct packer *packer, const struct stream_state *stream,
		const bt_event_class *event_class, struct plan **ret_plan, struct diag *diag)
{
	struct plan **slot = &packer->plan_cache[plan_slot(event_class)];
	enum csc_status status;

	if (*slot && (*slot)->event_class == event_class) {
		*ret_plan = *slot;
		return CSC_OK;
	}

	for (size_t i = 0; i < packer->plan_count; i++) {
		if (packer->plans[i]->event_class == event_class) {
			*slot = packer->plans[i];
			*ret_plan = *slot;
			return CSC_OK;
		}
	}

	if (!csc_grow_by_one(&packer->plans, packer->plan_count, sizeof(struct plan *))) {
		return DIAG_NO_MEMORY(diag);
	}

	status = plan_create(event_class, stream->trace->word_bits,
			&packer->plans[packer->plan_count], diag);
	if (status == CSC_OK) {
		*slot = packer->plans[packer->plan_count++];
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

static enum csc_status add_context(struct packing *packing, const struct packed_context *values,
		const char *procname, struct diag *diag)
{
	struct packed_context *context = packing_add(packing, sizeof(*context));
	size_t at = packing->length - packing->begin - sizeof(*context);
	size_t name = context && procname ? packing_add_text(packing, procname) : 0;
	struct packed_event *record;

	if (!context || (procname && name == 0)) {
		return DIAG_NO_MEMORY(diag);
	}

	record = packing_record(packing);
	record->context = (uint32_t)at;
	context = (struct packed_context *)(void *)((char *)record + at);
	*context = *values;
	context->procname = name;
	return CSC_OK;
}

/* Packs the context of an event where it is another than that of the stream's latest. */
static enum csc_status pack_context(struct packing *packing, struct stream_state *stream,
		const struct plan *plan, const bt_event *event, struct diag *diag)
{
	const bt_field *context = bt_event_borrow_common_context_field_const(event);
	struct packed_context values = {
		.vpid = context_integer(context, plan->vpid_member, plan->is_vpid_signed),
		.vtid = context_integer(context, plan->vtid_member, plan->is_vtid_signed),
	};
	const char *procname = NULL;
	struct packed_event *record = packing_record(packing);

	if (values.vpid == ROW_NULL) {
		values.vpid = stream->trace->vpid;
	}

	if (plan->procname_member != PLAN_NO_MEMBER) {
		procname = field_text(bt_field_structure_borrow_member_field_by_index_const(
				context, plan->procname_member));
	}

	record->head.flags = (uint16_t)((values.vpid == ROW_NULL ? PACKED_WITHOUT_VPID : 0) |
			(values.vtid == ROW_NULL ? PACKED_WITHOUT_VTID : 0) |
			(procname ? 0 : PACKED_WITHOUT_PROCNAME));
	if (plan->action == PLAN_BATCH) {
		/* It is not taken in its turn: it has its context with it, and changes none. */
		return add_context(packing, &values, procname, diag);
	}
	if (stream->has_context && stream->vpid == values.vpid && stream->vtid == values.vtid &&
			stream->has_procname == (procname != NULL) &&
			(!procname || strcmp(stream->procname, procname) == 0)) {
		return CSC_OK;
	}

	stream->has_context = true;
	stream->vpid = values.vpid;
	stream->vtid = values.vtid;
	/* A name that does not fit compares with nothing, and is packed each time. */
	stream->has_procname = procname && strlen(procname) < sizeof(stream->procname);
	if (procname) {
		(void)strncpy(stream->procname, procname, sizeof(stream->procname) - 1);
	}

	record->head.flags |= PACKED_NEW_CONTEXT;
	return add_context(packing, &values, procname, diag);
}

static enum csc_status pack_values(struct packing *packing, const struct plan *plan,
		const bt_field *payload, struct diag *diag)
{
	struct packed_event *record = packing_record(packing);

	for (size_t i = 0; i < plan->value_count; i++) {
		const bt_field *field;

		if (plan->is_unknown[i]) {
			record->values[i] = ROW_NULL;
			continue;
		}

		field = bt_field_structure_borrow_member_field_by_index_const(
				payload, plan->member[i]);

		if (plan->model->fields[i].kind == FIELD_STRING) {
			size_t text = packing_add_text(packing, field_text(field));

			if (text == 0) {
				return DIAG_NO_MEMORY(diag);
			}

			record = packing_record(packing);
			record->values[i] = (int64_t)text;
		} else if (!field_integer(field, plan->is_signed[i], &record->values[i])) {
			record->out_of_range |= UINT32_C(1) << i;
		}
	}

	return CSC_OK;
}

/* Packs the fields that the model does not have. */
static enum csc_status pack_extras(struct packing *packing, const struct plan *plan,
		const bt_field *payload, struct diag *diag)
{
	struct field_leaves leaves = { .packing = packing };
	const bt_field_class *class;
	struct packed_event *record;

	if (plan->extra_count == 0) {
		return CSC_OK;
	}

	class = bt_field_borrow_class_const(payload);
	for (size_t i = 0; i < plan->extra_count; i++) {
		uint64_t member = plan->extras[i];
		enum csc_status status = field_pack(&leaves,
				bt_field_class_structure_member_get_name(
						bt_field_class_structure_borrow_member_by_index_const(
								class, member)),
				bt_field_structure_borrow_member_field_by_index_const(
						payload, member),
				diag);

		if (status != CSC_OK) {
			return status;
		}
	}

	record = packing_record(packing);
	record->leaves = leaves.first;
	record->leaf_count = leaves.count;
	return CSC_OK;
}

/* What is to be added to times of the clock, in ns, to have them since the Unix epoch. */
static int64_t clock_offset_ns(const bt_message *message, int64_t ts_ns)
{
	const bt_clock_snapshot *snapshot =
			bt_message_event_borrow_default_clock_snapshot_const(message);
	uint64_t cycles = bt_clock_snapshot_get_value(snapshot);
	uint64_t frequency = bt_clock_class_get_frequency(
			bt_clock_snapshot_borrow_clock_class_const(snapshot));
	uint64_t rest = cycles % frequency;

	return (int64_t)((uint64_t)ts_ns - cycles / frequency * 1000000000 -
			(uint64_t)((double)rest * 1e9 / (double)frequency));
}

static enum csc_status pack(struct packing *packing, struct stream_state *stream, struct plan *plan,
		int64_t ts_ns, const bt_message *message, struct diag *diag)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	size_t values = plan->value_count + (plan->action == PLAN_BATCH);
	struct packed_event *record = packing_begin(
			packing, sizeof(*record) + values * sizeof(record->values[0]));
	enum csc_status status;

	if (!record) {
		return DIAG_NO_MEMORY(diag);
	}

	record->head.kind = PACKED_EVENT;
	record->head.order_ns = ts_ns;
	record->head.stream = stream;
	record->plan = plan;
	if (plan->action == PLAN_COUNT_ONLY) {
		return packing_end(packing) ? CSC_OK : DIAG_NO_MEMORY(diag);
	}

	if (plan->action == PLAN_BATCH) {
		record->values[plan->value_count] = clock_offset_ns(message, ts_ns);
	}

	status = pack_context(packing, stream, plan, event, diag);
	if (status == CSC_OK) {
		status = pack_values(packing, plan, payload, diag);
	}

	if (status == CSC_OK) {
		status = pack_extras(packing, plan, payload, diag);
	}

	return status == CSC_OK && !packing_end(packing) ? DIAG_NO_MEMORY(diag) : status;
}

enum csc_status packer_pack_event(struct packer *packer, struct stream_state *stream,
		const bt_message *message, struct packing *packing, struct diag *diag)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	struct plan *plan = NULL;
	enum csc_status status =
			find_plan(packer, stream, bt_event_borrow_class_const(event), &plan, diag);
	int64_t ts_ns;

	if (status != CSC_OK) {
		return status;
	}

	if (bt_clock_snapshot_get_ns_from_origin(
			    bt_message_event_borrow_default_clock_snapshot_const(message),
			    &ts_ns) != BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK ||
			ts_ns == ROW_NULL) {
		return DIAG_FAIL(diag, "an event of '%s' has a time that does not fit 64 bits",
				stream->name ? stream->name : "");
	}

	stream->order_ns = ts_ns;
	return pack(packing, stream, plan, ts_ns, message, diag);
}
