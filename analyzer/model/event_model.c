/*
 * SPDX-License-Identifier: MIT
 *
 * Reads the lists of tp/ as data.
 */
#include "event_model.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "heap_figures.h"
#include "otp_counters.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define KIND_OF(type) ((type)-1 < (type)1 ? FIELD_SIGNED : FIELD_UNSIGNED)

/* What the vocabulary of the lists means here, in all readings. */
#define lttng_ust_field_integer(type, name, source) { #name, KIND_OF(type), false },
#define lttng_ust_field_integer_hex(type, name, source) { #name, KIND_OF(type), false },
#undef csc_field_counter
#define csc_field_counter(name) { #name, FIELD_COUNTER, false },
#undef csc_field_added
#define csc_field_added(name, source) { #name, FIELD_COUNTER, true },
#define lttng_ust_field_string(name, source) { #name, FIELD_STRING, false },

/* First reading: one array of fields for each class. */
#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args)
#define LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, fields)    \
	static const struct field_model name##_fields[] = { fields };     \
	_Static_assert(COUNT_OF(name##_fields) <= EVENT_MODEL_MAX_FIELDS, \
			#name " has more fields than a row has room for");
#include "carrierscope_events.inc"
#include "lttng_ust_libc_events.inc"
#include "otp_carrier_events.inc"
#include "otp_dyntrace_events.inc"
#include "otp_events.inc"
#undef LTTNG_UST_TRACEPOINT_EVENT_CLASS
#undef LTTNG_UST_TRACEPOINT_EVENT_INSTANCE

/* Second reading: one row for each event. */
#define LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, fields)
#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args) \
	{ #name, TABLE_CARRIER_EVENT, CARRIER_EVENT_##name, class##_fields,              \
		COUNT_OF(class##_fields) },
static const struct event_model carrier_models[] = {
#include "otp_carrier_events.inc"
};
#undef LTTNG_UST_TRACEPOINT_EVENT_INSTANCE

#define IS_BLOCK(kind)                                                            \
	((kind) == BLOCK_EVENT_block_alloc || (kind) == BLOCK_EVENT_block_free || \
			(kind) == BLOCK_EVENT_block_realloc ||                    \
			(kind) == BLOCK_EVENT_block_alloc_by_process ||           \
			(kind) == BLOCK_EVENT_block_realloc_by_process)
#define TABLE_OF(kind)                                                                          \
	(IS_BLOCK(kind)							    ? TABLE_BLOCK_EVENT \
					: (kind) == BLOCK_EVENT_block_batch ? TABLE_BLOCK_BATCH \
									    : TABLE_CORE_EVENT)
#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args) \
	{ #name, TABLE_OF(BLOCK_EVENT_##name), BLOCK_EVENT_##name, class##_fields,       \
		COUNT_OF(class##_fields) },
static const struct event_model own_models[] = {
#include "carrierscope_events.inc"
};
#undef LTTNG_UST_TRACEPOINT_EVENT_INSTANCE

#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args) \
	{ #name, TABLE_BLOCK_EVENT, BLOCK_EVENT_##name, class##_fields, COUNT_OF(class##_fields) },
static const struct event_model libc_models[] = {
#include "lttng_ust_libc_events.inc"
};
#undef LTTNG_UST_TRACEPOINT_EVENT_INSTANCE

#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args) \
	{ #name, TABLE_OTP_EVENT, 0, class##_fields, COUNT_OF(class##_fields) },
static const struct event_model otp_models[] = {
#include "otp_events.inc"
};
#undef LTTNG_UST_TRACEPOINT_EVENT_INSTANCE

#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args) \
	{ #name, TABLE_OTP_EVENT, DYNTRACE_EVENT_##name, class##_fields, COUNT_OF(class##_fields) },
static const struct event_model dyntrace_models[] = {
#include "otp_dyntrace_events.inc"
};
#undef LTTNG_UST_TRACEPOINT_EVENT_INSTANCE

static const struct {
	const char *name;
	enum provider_kind kind;
} providers[] = {
	{ "org_erlang_otp", PROVIDER_OTP },
	{ "com_ericsson_otp", PROVIDER_OTP },
	{ "org_erlang_dyntrace", PROVIDER_DYNTRACE },
	{ "com_ericsson_dyntrace", PROVIDER_DYNTRACE },
	{ "carrierscope", PROVIDER_CARRIERSCOPE },
	{ "lttng_ust_libc", PROVIDER_LIBC },
};

const char *event_name_of(const char *full_name)
{
	const char *colon = strrchr(full_name, ':');

	return colon && colon > full_name ? colon + 1 : full_name;
}

enum provider_kind provider_kind_of(const char *full_name)
{
	const char *colon = strrchr(full_name, ':');

	for (size_t i = 0; colon && i < COUNT_OF(providers); i++) {
		size_t length = strlen(providers[i].name);

		if ((size_t)(colon - full_name) == length &&
				memcmp(full_name, providers[i].name, length) == 0) {
			return providers[i].kind;
		}
	}

	return PROVIDER_OTHER;
}

static const struct event_model *find_model(
		const struct event_model *models, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(models[i].name, name) == 0) {
			return &models[i];
		}
	}

	return NULL;
}

/* Names that events of our own had before 0.1.0: recordings from then can still be loaded. */
static const struct {
	const char *old_name;
	const char *name;
} renamed[] = {
	{ "carrier_born", "carrier_alloc" },
	{ "carrier_gone", "carrier_free" },
	{ "carrier_resized", "carrier_realloc" },
};

static const char *current_name(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(renamed); i++) {
		if (strcmp(renamed[i].old_name, name) == 0) {
			return renamed[i].name;
		}
	}

	return name;
}

const struct event_model *event_model_find(enum provider_kind provider, const char *name)
{
	const struct event_model *model;

	switch (provider) {
	case PROVIDER_OTP:
		model = find_model(carrier_models, COUNT_OF(carrier_models), name);
		return model ? model : find_model(otp_models, COUNT_OF(otp_models), name);
	case PROVIDER_DYNTRACE:
		return find_model(dyntrace_models, COUNT_OF(dyntrace_models), name);
	case PROVIDER_CARRIERSCOPE:
		return find_model(own_models, COUNT_OF(own_models), current_name(name));
	case PROVIDER_LIBC:
		return find_model(libc_models, COUNT_OF(libc_models), name);
	case PROVIDER_OTHER:
		break;
	}

	return NULL;
}

const struct event_model *event_model_carrier(enum carrier_event_kind kind)
{
	return &carrier_models[kind];
}

const struct event_model *event_model_core_event(size_t number)
{
	return number < COUNT_OF(own_models) ? &own_models[number] : NULL;
}

/* Adds the fields of `models` that `fields` does not have yet. */
static size_t collect_fields(const struct field_model **fields, size_t field_count,
		const struct event_model *models, size_t model_count)
{
	for (size_t i = 0; i < model_count; i++) {
		for (size_t k = 0; k < models[i].field_count; k++) {
			const struct field_model *field = &models[i].fields[k];
			size_t at = 0;

			while (at < field_count && strcmp(fields[at]->name, field->name) != 0) {
				at++;
			}

			if (at == field_count && field_count < OTP_FIELD_MAX) {
				fields[field_count++] = field;
			}
		}
	}

	return field_count;
}

/* The union of fields; made on the first call, which the loader makes before it has threads. */
static const struct field_model *otp_fields[OTP_FIELD_MAX];
static size_t otp_fields_known;

size_t otp_field_count(void)
{
	if (otp_fields_known == 0) {
		size_t count = collect_fields(otp_fields, 0, otp_models, COUNT_OF(otp_models));

		otp_fields_known = collect_fields(
				otp_fields, count, dyntrace_models, COUNT_OF(dyntrace_models));
	}

	return otp_fields_known;
}

const struct field_model *otp_field_at(size_t index)
{
	return index < otp_field_count() ? otp_fields[index] : NULL;
}
