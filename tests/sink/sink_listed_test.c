/*
 * SPDX-License-Identifier: MIT
 *
 * Each event of the lists in tp/ comes with its fields.
 */
#include "sink_board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read_lists.h"

/* The documented events, read from the lists once more, with the types of their fields. */
struct listed_field {
	const char *name;

	/* 0: a text; else the bits, negative if signed. */
	int bits;
};

struct listed_event {
	const char *name;
	const struct listed_field *fields;
	size_t field_count;
};

#define lttng_ust_field_string(name, source) { #name, 0 },
#define lttng_ust_field_integer(type, name, source) \
	{ #name, (type)-1 < (type)1 ? -(int)sizeof(type) * 8 : (int)sizeof(type) * 8 },

#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args)
#define LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, fields) \
	static const struct listed_field fields_of_##name[] = { fields };
#include "otp_dyntrace_events.inc"
#include "otp_events.inc"
#undef LTTNG_UST_TRACEPOINT_EVENT_CLASS
#undef LTTNG_UST_TRACEPOINT_EVENT_INSTANCE

#define LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, fields)
#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args) \
	{ #name, fields_of_##class, COUNT_OF(fields_of_##class) },
static const struct listed_event otp_list[] = {
#include "otp_events.inc"
};
static const struct listed_event dyntrace_list[] = {
#include "otp_dyntrace_events.inc"
};

static void script_listed(
		FILE *out, const char *provider, const struct listed_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct listed_event *event = &events[i];

		(void)fprintf(out, "class %c%zu s \"%s:%s\" {", provider[0], i, provider,
				event->name);
		for (size_t k = 0; k < event->field_count; k++) {
			int bits = event->fields[k].bits;

			(void)fprintf(out, "%s:%s", event->fields[k].name,
					bits == 0		     ? "str,"
							: bits < 0   ? "i32,"
							: bits == 64 ? "u64,"
								     : "u32,");
		}

		(void)fprintf(out, "}\nevent %c%zu %zu " WHO " {", provider[0], i, i);
		for (size_t k = 0; k < event->field_count; k++) {
			int bits = event->fields[k].bits;

			(void)fprintf(out,
					bits == 0		   ? "%s\"%zu.%zu\""
							: bits < 0 ? "%s-1%zu%zu"
								   : "%s1%zu%zu",
					k ? "," : "", i, k);
		}

		(void)fputs("}\n", out);
	}
}

static void check_listed(struct fixture *fixture, const char *provider,
		const struct listed_event *events, size_t count)
{
	char sql[512];
	char expected[64];

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < events[i].field_count; k++) {
			int bits = events[i].fields[k].bits;

			(void)snprintf(expected, sizeof(expected),
					bits == 0		   ? "%zu.%zu"
							: bits < 0 ? "-1%zu%zu"
								   : "1%zu%zu",
					i, k);
			(void)snprintf(sql, sizeof(sql),
					"SELECT \"%s\" FROM otp_event WHERE event = '%s' AND "
					"provider = '%s'",
					events[i].fields[k].name, events[i].name, provider);
			assert_string_equal(ask(fixture, sql), expected);
		}
	}
}

static void load_listed(struct fixture *fixture, const char *otp, const char *dyntrace)
{
	FILE *out = open_script(fixture);

	(void)fputs("trace t\n" STREAM "begin s\n", out);
	script_listed(out, otp, otp_list, COUNT_OF(otp_list));
	/* Classes are named by the first letter: providers must differ there. */
	script_listed(out, dyntrace, dyntrace_list, COUNT_OF(dyntrace_list));
	(void)fclose(out);
	assert_true(load(fixture, fixture->script, NULL));
	check_listed(fixture, otp, otp_list, COUNT_OF(otp_list));
	check_listed(fixture, dyntrace, dyntrace_list, COUNT_OF(dyntrace_list));
	assert_string_equal(ask(fixture, "SELECT count(*) FROM otp_event"), "38");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM extra_field"), "0");
	assert_string_equal(ask(fixture, "SELECT count(*) FROM load_problem"), "0");
	assert_string_equal(
			ask(fixture,
					"SELECT count(*) FROM otp_event WHERE event = "
					"'driver_stop_select' AND pid IS NULL AND bytes IS NULL AND "
					"driver IS NOT NULL AND \"from\" IS NULL"),
			"1");
}

static void test_every_documented_event_has_its_fields_in_columns(void **state)
{
	load_listed(*state, "org_erlang_otp", "com_ericsson_dyntrace");
}

static void test_every_documented_event_is_read_under_its_other_name(void **state)
{
	load_listed(*state, "com_ericsson_otp", "org_erlang_dyntrace");
}

int sink_listed_tests(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_every_documented_event_has_its_fields_in_columns),
		CASE(test_every_documented_event_is_read_under_its_other_name),
	};

	return cmocka_run_group_tests_name("sink: listed events", tests, NULL, NULL);
}
