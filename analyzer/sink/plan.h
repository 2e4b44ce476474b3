/*
 * SPDX-License-Identifier: MIT
 *
 * How to read the events of one class: made when the class is first met.
 */
#ifndef CSC_PLAN_H
#define CSC_PLAN_H

#include <babeltrace2/babeltrace.h>

#include "diag.h"
#include "event_model.h"
#include "rows.h"

enum plan_action {
	/* Events of other providers are counted. */
	PLAN_COUNT_ONLY,
	PLAN_CARRIER,
	PLAN_BLOCK,
	/* Many block events; behind the values of the model: what is to be added to its times. */
	PLAN_BATCH,
	PLAN_OTP,
	/* An event with a table of its own. */
	PLAN_CORE_EVENT,
	/* An event of OTP that the lists do not know, or know otherwise: kept field by field. */
	PLAN_GENERIC,
};

/* Index of a member that is not there. */
#define PLAN_NO_MEMBER UINT64_MAX

/* Something to note of a class, once. */
struct plan_problem {
	/* Static. */
	const char *name;
	enum severity severity;

	/* Owned. */
	char *sentence;
};

struct plan {
	/* A reference is held, so that the address stays the name of the class. */
	const bt_event_class *event_class;

	enum plan_action action;
	enum provider_kind provider;
	const struct event_model *model;

	/* "org_erlang_otp", and the name behind it; borrowed from the event class. */
	char *provider_name;
	const char *name;

	/* "org_erlang_otp:carrier_create", borrowed; with the ids of its stream class and its own
	 * it is the same class in each graph of one trace. */
	const char *full_name;
	uint64_t stream_class;
	uint64_t event_class_id;

	/* The intake's alone: number in the catalog; -1: not met yet. */
	int32_t event;

	/* Values of an event that are read by the model: all of its fields, or none. */
	size_t value_count;

	struct plan_problem *problems;
	size_t problem_count;

	/* Field i of the model is this member of the payload; PLAN_OTP: of that column. */
	uint64_t member[EVENT_MODEL_MAX_FIELDS];
	bool is_signed[EVENT_MODEL_MAX_FIELDS];

	/* The payload has no such member: it was recorded before the field was added. */
	bool is_unknown[EVENT_MODEL_MAX_FIELDS];
	size_t column[EVENT_MODEL_MAX_FIELDS];

	/* Members that the model does not have; owned. */
	uint64_t *extras;
	size_t extra_count;

	/* Members of the common context. */
	uint64_t vpid_member;
	uint64_t vtid_member;
	uint64_t procname_member;
	bool is_vpid_signed;
	bool is_vtid_signed;
};

/*
 * Plans a class.  What the lists do not know, and what is missing or of another type, is among
 * its problems.  `word_bits` is what the trace records of
 * its machine, 0 if nothing; a field `unsigned long` of another width is an error.
 */
enum csc_status plan_create(const bt_event_class *event_class, int64_t word_bits,
		struct plan **ret_plan, struct diag *diag);

void plan_destroy(struct plan *plan);

#endif
