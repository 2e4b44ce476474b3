/*
 * SPDX-License-Identifier: MIT
 *
 * The list is read once more, for its fields' types.
 */
#include "own_events.h"

#include "heap_figures.h"
#include "read_lists.h"

#define lttng_ust_field_string(name, source) "\t\tstring _" #name ";\n"
#define lttng_ust_field_integer(type, name, source) "\t\t" #type " _" #name ";\n"
#define lttng_ust_field_integer_hex(type, name, source) "\t\t" #type " _" #name ";\n"

#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args)
#define LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, fields) \
	static const char name##_fields[] = fields;
#include "carrierscope_events.inc"
#undef LTTNG_UST_TRACEPOINT_EVENT_CLASS
#undef LTTNG_UST_TRACEPOINT_EVENT_INSTANCE

#define LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, fields)
#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args) \
	{ #provider ":" #name, class##_fields },
/* clang-format off */
const struct own_event own_events[] = {
#include "carrierscope_events.inc"
};
/* clang-format on */

const size_t own_event_count = sizeof(own_events) / sizeof(own_events[0]);
