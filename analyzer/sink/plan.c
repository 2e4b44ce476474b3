/*
 * SPDX-License-Identifier: MIT
 *
 * Compares an event class of the trace with the lists.
 */
#include "plan.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growing.h"

static enum csc_status plan_problem(struct plan *plan, const char *name, enum severity severity,
		struct diag *diag, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Notes what is to be known of the class; `name` is a static text. */
static enum csc_status plan_problem(struct plan *plan, const char *name, enum severity severity,
		struct diag *diag, const char *format, ...)
{
	struct plan_problem *problem;
	va_list arguments;
	int length;

	if (!csc_grow_by_one(&plan->problems, plan->problem_count, sizeof(*problem))) {
		return DIAG_NO_MEMORY(diag);
	}

	problem = &plan->problems[plan->problem_count];
	*problem = (struct plan_problem){ name, severity, NULL };
	va_start(arguments, format);
	length = vasprintf(&problem->sentence, format, arguments);
	va_end(arguments);
	if (length < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	plan->problem_count++;
	return CSC_OK;
}

static const bt_field_class_structure_member *find_member(
		const bt_field_class *structure, const char *name, uint64_t *ret_index)
{
	uint64_t count = structure ? bt_field_class_structure_get_member_count(structure) : 0;

	for (uint64_t i = 0; i < count; i++) {
		const bt_field_class_structure_member *member =
				bt_field_class_structure_borrow_member_by_index_const(structure, i);

		if (strcmp(bt_field_class_structure_member_get_name(member), name) == 0) {
			*ret_index = i;
			return member;
		}
	}

	*ret_index = PLAN_NO_MEMBER;
	return NULL;
}

static bool is_integer(const bt_field_class *class)
{
	bt_field_class_type type = bt_field_class_get_type(class);

	return bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER);
}

static bool is_signed_integer(const bt_field_class *class)
{
	bt_field_class_type type = bt_field_class_get_type(class);

	return bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);
}

static bool is_string(const bt_field_class *class)
{
	return bt_field_class_get_type(class) == BT_FIELD_CLASS_TYPE_STRING;
}

/* The member of a context with the wanted kind; PLAN_NO_MEMBER if it is not there. */
static uint64_t context_member(const bt_field_class *context, const char *name, bool wants_string,
		bool *ret_is_signed)
{
	uint64_t index;
	const bt_field_class_structure_member *member = find_member(context, name, &index);
	const bt_field_class *class;

	if (!member) {
		return PLAN_NO_MEMBER;
	}

	class = bt_field_class_structure_member_borrow_field_class_const(member);
	*ret_is_signed = is_signed_integer(class);
	return (wants_string ? is_string(class) : is_integer(class)) ? index : PLAN_NO_MEMBER;
}

static void plan_contexts(struct plan *plan)
{
	const bt_stream_class *stream_class =
			bt_event_class_borrow_stream_class_const(plan->event_class);
	const bt_field_class *context =
			bt_stream_class_borrow_event_common_context_field_class_const(stream_class);
	bool is_signed;

	plan->vpid_member = context_member(context, "vpid", false, &plan->is_vpid_signed);
	plan->vtid_member = context_member(context, "vtid", false, &plan->is_vtid_signed);
	plan->procname_member = context_member(context, "procname", true, &is_signed);
}

/* A field `unsigned long` must be as wide as on the machine of the trace. */
static enum csc_status check_width(const struct plan *plan, const struct field_model *field,
		const bt_field_class *class, int64_t word_bits, struct diag *diag)
{
	uint64_t bits = bt_field_class_integer_get_field_value_range(class);

	if (plan->action != PLAN_CARRIER || field->kind != FIELD_UNSIGNED || word_bits == 0 ||
			bits == (uint64_t)word_bits) {
		return CSC_OK;
	}

	return DIAG_FAIL(diag,
			"the trace has architecture_bit_width = %lld, but field '%s' of event '%s' "
			"has %llu bits",
			(long long)word_bits, field->name,
			bt_event_class_get_name(plan->event_class), (unsigned long long)bits);
}

/* Finds the model's fields in the payload; false: not all are there as they should be. */
static enum csc_status plan_fields(struct plan *plan, const bt_field_class *payload,
		int64_t word_bits, bool *ret_is_whole, struct diag *diag)
{
	*ret_is_whole = true;
	for (size_t i = 0; i < plan->model->field_count; i++) {
		const struct field_model *field = &plan->model->fields[i];
		const bt_field_class_structure_member *member =
				find_member(payload, field->name, &plan->member[i]);
		const char *event = bt_event_class_get_name(plan->event_class);
		const bt_field_class *class;
		enum csc_status status;

		if (!member && field->is_added) {
			plan->is_unknown[i] = true;
			plan->member[i] = UINT64_MAX;
			continue;
		}

		if (!member) {
			*ret_is_whole = false;
			status = plan_problem(plan, "field_missing", SEVERITY_DATA_LOSS, diag,
					"event '%s' has no field '%s'; its events are kept field by "
					"field in otp_event and extra_field",
					event, field->name);
			if (status != CSC_OK) {
				return status;
			}
			continue;
		}

		class = bt_field_class_structure_member_borrow_field_class_const(member);
		if (field->kind == FIELD_STRING ? !is_string(class) : !is_integer(class)) {
			*ret_is_whole = false;
			status = plan_problem(plan, "field_retyped", SEVERITY_DATA_LOSS, diag,
					"field '%s' of event '%s' is not %s; its events are kept "
					"field by field in otp_event and extra_field",
					field->name, event,
					field->kind == FIELD_STRING ? "a string" : "an integer");
		} else if (field->kind != FIELD_STRING) {
			plan->is_signed[i] = is_signed_integer(class);
			status = check_width(plan, field, class, word_bits, diag);
		} else {
			status = CSC_OK;
		}

		if (status != CSC_OK) {
			return status;
		}
	}

	return CSC_OK;
}

/* Lists the members of the payload that no field of the model is. */
static enum csc_status plan_extras(
		struct plan *plan, const bt_field_class *payload, struct diag *diag)
{
	uint64_t count = payload ? bt_field_class_structure_get_member_count(payload) : 0;
	size_t known = plan->action == PLAN_GENERIC ? 0 : plan->model->field_count;

	if (count == 0) {
		return CSC_OK;
	}

	plan->extras = calloc(count, sizeof(*plan->extras));
	if (!plan->extras) {
		return DIAG_NO_MEMORY(diag);
	}

	for (uint64_t i = 0; i < count; i++) {
		bool is_known = false;

		for (size_t k = 0; k < known; k++) {
			is_known = is_known || plan->member[k] == i;
		}

		if (!is_known) {
			plan->extras[plan->extra_count++] = i;
		}
	}

	if (plan->action != PLAN_GENERIC && plan->extra_count > 0) {
		const bt_field_class_structure_member *first =
				bt_field_class_structure_borrow_member_by_index_const(
						payload, plan->extras[0]);

		return plan_problem(plan, "field_unknown", SEVERITY_NOTICE, diag,
				"event '%s' has a field '%s' that is not known; it is kept in "
				"extra_field",
				bt_event_class_get_name(plan->event_class),
				bt_field_class_structure_member_get_name(first));
	}

	return CSC_OK;
}

static void plan_columns(struct plan *plan)
{
	for (size_t i = 0; i < plan->model->field_count; i++) {
		size_t column = 0;

		while (strcmp(otp_field_at(column)->name, plan->model->fields[i].name) != 0) {
			column++;
		}

		plan->column[i] = column;
	}
}

static enum csc_status plan_known(struct plan *plan, const bt_field_class *payload,
		int64_t word_bits, struct diag *diag)
{
	static const enum plan_action actions[] = {
		[TABLE_CARRIER_EVENT] = PLAN_CARRIER,
		[TABLE_BLOCK_EVENT] = PLAN_BLOCK,
		[TABLE_OTP_EVENT] = PLAN_OTP,
		[TABLE_CORE_EVENT] = PLAN_CORE_EVENT,
		[TABLE_BLOCK_BATCH] = PLAN_BATCH,
	};
	enum csc_status status;
	bool is_whole;

	plan->action = actions[plan->model->table];
	status = plan_fields(plan, payload, word_bits, &is_whole, diag);
	if (status == CSC_OK && !is_whole) {
		plan->action = PLAN_GENERIC;
	}

	if (status == CSC_OK && plan->action == PLAN_OTP) {
		plan_columns(plan);
	}

	return status;
}

static enum csc_status fill(struct plan *plan, const bt_event_class *event_class, int64_t word_bits,
		struct diag *diag)
{
	const char *full_name = bt_event_class_get_name(event_class);
	const bt_field_class *payload =
			bt_event_class_borrow_payload_field_class_const(event_class);
	enum csc_status status = CSC_OK;

	full_name = full_name ? full_name : "";
	plan->full_name = full_name;
	plan->event = -1;
	plan->stream_class = bt_stream_class_get_id(
			bt_event_class_borrow_stream_class_const(event_class));
	plan->event_class_id = bt_event_class_get_id(event_class);
	plan->name = event_name_of(full_name);
	plan->provider = provider_kind_of(full_name);
	plan->provider_name = strndup(full_name,
			plan->name > full_name ? (size_t)(plan->name - full_name - 1) : 0);
	if (!plan->provider_name) {
		return DIAG_NO_MEMORY(diag);
	}

	plan_contexts(plan);
	plan->model = event_model_find(plan->provider, plan->name);
	if (plan->model) {
		status = plan_known(plan, payload, word_bits, diag);
	} else if (plan->provider == PROVIDER_OTP || plan->provider == PROVIDER_DYNTRACE) {
		plan->action = PLAN_GENERIC;
		status = plan_problem(plan, "event_unknown", SEVERITY_NOTICE, diag,
				"event '%s' is not known; it is kept field by field in otp_event and "
				"extra_field",
				full_name);
	} else {
		plan->action = PLAN_COUNT_ONLY;
	}

	plan->value_count = plan->action == PLAN_GENERIC || plan->action == PLAN_COUNT_ONLY
			? 0
			: plan->model->field_count;
	return status == CSC_OK && plan->action != PLAN_COUNT_ONLY
			? plan_extras(plan, payload, diag)
			: status;
}

enum csc_status plan_create(const bt_event_class *event_class, int64_t word_bits,
		struct plan **ret_plan, struct diag *diag)
{
	struct plan *plan = calloc(1, sizeof(*plan));
	enum csc_status status;

	assert(word_bits == 0 || word_bits == 32 || word_bits == 64);
	if (!plan) {
		return DIAG_NO_MEMORY(diag);
	}

	plan->event_class = event_class;
	bt_event_class_get_ref(event_class);
	status = fill(plan, event_class, word_bits, diag);
	if (status == CSC_OK) {
		*ret_plan = plan;
	} else {
		plan_destroy(plan);
	}

	return status;
}

void plan_destroy(struct plan *plan)
{
	if (!plan) {
		return;
	}

	bt_event_class_put_ref(plan->event_class);
	free(plan->provider_name);
	free(plan->extras);
	for (size_t i = 0; i < plan->problem_count; i++) {
		free(plan->problems[i].sentence);
	}

	free(plan->problems);
	free(plan);
}
