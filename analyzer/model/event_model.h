/*
 * SPDX-License-Identifier: MIT
 *
 * The vocabulary as data: the lists of tp/, read a second time.  No event and
 * no field has its name anywhere else in C.
 */
#ifndef CSC_EVENT_MODEL_H
#define CSC_EVENT_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "read_lists.h"

/* What a value of a field is, in a trace and in a row. */
enum field_kind {
	FIELD_SIGNED,
	FIELD_UNSIGNED,
	FIELD_STRING,
	/* Unsigned in a trace; 2^63 and more is a value below zero, of the same 64 bits. */
	FIELD_COUNTER,
};

struct field_model {
	const char *name;
	enum field_kind kind;

	/* Older recordings do not have it: it is NULL in their rows. */
	bool is_added;
};

#define LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, fields)

/* The kinds of carrier events, numbered in the order of tp/otp_carrier_events.inc. */
#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args) \
	CARRIER_EVENT_##name,
enum carrier_event_kind {
#include "otp_carrier_events.inc"
	CARRIER_EVENT_COUNT,
};
#undef LTTNG_UST_TRACEPOINT_EVENT_INSTANCE

/*
 * The events of our own provider and of the C library's wrapper, numbered through
 * their lists.  Those that are about blocks share a table.
 */
#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args) \
	BLOCK_EVENT_##name,
enum block_event_kind {
#include "carrierscope_events.inc"
#include "lttng_ust_libc_events.inc"
	BLOCK_EVENT_COUNT,
};
#undef LTTNG_UST_TRACEPOINT_EVENT_INSTANCE

/* What the virtual machine's tracer records, numbered from 1 through its list. */
#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args) \
	DYNTRACE_EVENT_##name,
enum dyntrace_event_kind {
	DYNTRACE_EVENT_NONE,
#include "otp_dyntrace_events.inc"
};
#undef LTTNG_UST_TRACEPOINT_EVENT_INSTANCE
#undef LTTNG_UST_TRACEPOINT_EVENT_CLASS

/* Which table the events of a list fill. */
enum event_table {
	TABLE_CARRIER_EVENT,
	TABLE_BLOCK_EVENT,
	TABLE_OTP_EVENT,
	/* A table of its own, named like the event. */
	TABLE_CORE_EVENT,
	/* None: its records fill block_event. */
	TABLE_BLOCK_BATCH,
};

struct event_model {
	const char *name;
	enum event_table table;

	/* Its number in an enumeration above; 0 for TABLE_OTP_EVENT that has none. */
	unsigned int kind;

	const struct field_model *fields;
	size_t field_count;
};

/* The most fields an event of the lists has. */
enum { EVENT_MODEL_MAX_FIELDS = 24 };

/* Whose vocabulary a provider's events belong to. */
enum provider_kind {
	/* Events are counted, nothing more. */
	PROVIDER_OTHER,
	/* `org_erlang_otp`, `com_ericsson_otp`: every event is kept. */
	PROVIDER_OTP,
	/* `org_erlang_dyntrace`, `com_ericsson_dyntrace`: every event is kept. */
	PROVIDER_DYNTRACE,
	PROVIDER_CARRIERSCOPE,
	PROVIDER_LIBC,
};

/* The provider of a full event name such as "org_erlang_otp:carrier_create". */
enum provider_kind provider_kind_of(const char *full_name);

/* Yields the part behind the last ':'; all of `full_name` if no provider is before one. */
const char *event_name_of(const char *full_name);

/* Finds the model of an event; NULL: the lists do not know it. */
const struct event_model *event_model_find(enum provider_kind provider, const char *name);

/* Yields the model of an event of our own provider by its number, or NULL behind the last. */
const struct event_model *event_model_core_event(size_t number);

/* Yields the model of one kind of carrier event. */
const struct event_model *event_model_carrier(enum carrier_event_kind kind);

/*
 * The fields that events of TABLE_OTP_EVENT have, each name once, in the order
 * of first appearance: the columns of otp_event behind its own.
 */
enum { OTP_FIELD_MAX = 40 };
size_t otp_field_count(void);
const struct field_model *otp_field_at(size_t index);

#endif
