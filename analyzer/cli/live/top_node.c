/*
 * SPDX-License-Identifier: MIT
 *
 * carrierscope_top.erl says what an answer has.
 */
#include "top_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIELDS = 7 };

/* Empty: unknown. */
static int64_t number_of(const char *text)
{
	char *end;
	long long number = strtoll(text, &end, 10);

	return end == text || *end ? TOP_UNKNOWN : number;
}

/* Of what is always there. */
static int64_t bytes_of(const char *text)
{
	int64_t bytes = number_of(text);

	return bytes < 0 ? 0 : bytes;
}

static void take_node(char *const fields[], struct top_reading *reading)
{
	(void)snprintf(reading->node, sizeof(reading->node), "%s", fields[1]);
	reading->pid = strtol(fields[2], NULL, 10);
	reading->resident = number_of(fields[4]);
	reading->processes = number_of(fields[5]);
	reading->ports = number_of(fields[6]);
}

static void take_allocator(char *const fields[], struct top_reading *reading)
{
	struct top_allocator *one;

	if (reading->allocator_count == TOP_ALLOCATORS) {
		return;
	}
	one = &reading->allocators[reading->allocator_count++];
	(void)snprintf(one->name, sizeof(one->name), "%s", fields[1]);
	one->carriers = bytes_of(fields[2]);
	one->blocks = bytes_of(fields[3]);
	one->pool = bytes_of(fields[4]);
	one->growth = TOP_UNKNOWN;
}

static void take_holder(char *const fields[], struct top_reading *reading)
{
	struct top_holder *one;

	if (reading->holder_count == TOP_HOLDERS) {
		return;
	}
	one = &reading->holders[reading->holder_count++];
	(void)snprintf(one->kind, sizeof(one->kind), "%s", fields[1]);
	(void)snprintf(one->id, sizeof(one->id), "%s", fields[2]);
	(void)snprintf(one->text, sizeof(one->text), "%s", fields[3]);
	one->bytes = bytes_of(fields[4]);
	one->binaries = bytes_of(fields[5]);
	one->growth = TOP_UNKNOWN;
}

static void take_record(char *record, struct top_reading *reading)
{
	char *fields[FIELDS];
	char empty[] = "";
	size_t count = 0;

	for (char *at = record; at && count < FIELDS; count++) {
		fields[count] = strsep(&at, "|");
	}
	for (; count < FIELDS; count++) {
		fields[count] = empty;
	}
	if (strcmp(fields[0], "node") == 0) {
		take_node(fields, reading);
	} else if (strcmp(fields[0], "alloc") == 0) {
		take_allocator(fields, reading);
	} else if (strcmp(fields[0], "held") == 0) {
		take_holder(fields, reading);
	}
}

enum csc_status top_node_parse(char *answer, struct top_reading *ret_reading, struct diag *diag)
{
	struct timespec now;

	memset(ret_reading, 0, sizeof(*ret_reading));
	clock_gettime(CLOCK_REALTIME, &now);
	ret_reading->ts_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	ret_reading->lost_events = TOP_UNKNOWN;
	for (char *at = answer; at && *at;) {
		take_record(strsep(&at, ";"), ret_reading);
	}
	if (!*ret_reading->node || ret_reading->allocator_count == 0) {
		return DIAG_FAIL(diag,
				"the node's answer has no reading; is its module carrierscope_top of another version?");
	}
	top_reading_sum(ret_reading);
	return CSC_OK;
}

enum csc_status top_node_read(const struct record_node *node, unsigned int every_ms,
		struct top_reading *ret_reading, struct diag *diag)
{
	char answer[NODE_ANSWER_BYTES];
	char call[64];
	enum csc_status status;

	(void)snprintf(call, sizeof(call), "look(%d, %u)", TOP_HOLDERS, every_ms);
	status = record_node_ask(node, "carrierscope_top", call, answer, diag);
	return status == CSC_OK ? top_node_parse(answer, ret_reading, diag) : status;
}
