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

enum { FIELDS = 7, DIGITS = 3 };

/* What a '~' and three digits stand for; NULL: they are none. */
static const char *read_code(const char *text, unsigned int *ret_code)
{
	static const char digits[] =
			"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_.";
	unsigned int code = 0;

	for (int i = 1; i <= DIGITS; i++) {
		const char *digit = text[i] ? strchr(digits, text[i]) : NULL;

		if (!digit) {
			return NULL;
		}
		code = code << 6 | (unsigned int)(digit - digits);
	}

	*ret_code = code;
	return text + 1 + DIGITS;
}

/* A character as UTF-8; none that an answer cannot have. */
static size_t write_code(unsigned int code, char ret_bytes[static 4])
{
	if (code < 0x80 || (code >= 0xd800 && code < 0xe000)) {
		ret_bytes[0] = code == '~' ? '~' : '?';
		return 1;
	}
	if (code < 0x800) {
		ret_bytes[0] = (char)(0xc0 | code >> 6);
		ret_bytes[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		ret_bytes[0] = (char)(0xe0 | code >> 12);
		ret_bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
		ret_bytes[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	ret_bytes[0] = (char)(0xf0 | code >> 18);
	ret_bytes[1] = (char)(0x80 | (code >> 12 & 0x3f));
	ret_bytes[2] = (char)(0x80 | (code >> 6 & 0x3f));
	ret_bytes[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* A text of an answer as UTF-8, cut between two characters where there is no room. */
static void take_text(char *ret_text, size_t room, const char *text)
{
	size_t length = 0;

	while (*text) {
		char bytes[4] = { *text };
		unsigned int code;
		const char *after = *text == '~' ? read_code(text, &code) : NULL;
		size_t count = after ? write_code(code, bytes) : 1;

		if (length + count >= room) {
			break;
		}
		memcpy(ret_text + length, bytes, count);
		length += count;
		text = after ? after : text + 1;
	}
	ret_text[length] = '\0';
}

/* Empty, or more than any machine has, so that sums stay in range: unknown. */
static int64_t number_of(const char *text)
{
	static const long long most = 1LL << 56;
	char *end;
	long long number = strtoll(text, &end, 10);

	return end == text || *end || number > most || number < -most ? TOP_UNKNOWN : number;
}

/* Of what is always there. */
static int64_t bytes_of(const char *text)
{
	int64_t bytes = number_of(text);

	return bytes < 0 ? 0 : bytes;
}

static void take_node(char *const fields[], struct top_reading *reading)
{
	take_text(reading->node, sizeof(reading->node), fields[1]);
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
	take_text(one->name, sizeof(one->name), fields[1]);
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
	take_text(one->id, sizeof(one->id), fields[2]);
	take_text(one->text, sizeof(one->text), fields[3]);
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

/* From now on. */
static enum csc_status begin_watch(struct top_node *node, unsigned int every_ms, struct diag *diag)
{
	/* It ends when nobody reads it. */
	enum { MOST_SECONDS = 30 * 86400 };

	const struct push_order order = { .syntax = node->syntax,
		.seconds = MOST_SECONDS,
		.snapshots_ms = every_ms,
		.watched = TOP_HOLDERS,
		.by = "carrierscope top" };

	*diag = (struct diag){ 0 };
	return push_watch_begin(&node->watch, &node->node, &order, diag);
}

enum csc_status top_node_read(struct top_node *node, unsigned int every_ms,
		struct top_reading *ret_reading, struct diag *diag)
{
	char answer[NODE_ANSWER_BYTES] = "";
	char call[64];
	enum csc_status status = CSC_OK;

	if (node->watch.pid == 0) {
		(void)snprintf(call, sizeof(call), "look(%d, %u)", TOP_HOLDERS, every_ms);
		status = *node->node.ebin
				? record_node_ask(&node->node, "carrierscope_top", call, answer,
						  diag)
				: DIAG_REFUSE(diag, "module carrierscope is not installed");
		if (status == CSC_ERROR && diag->is_refusal) {
			status = begin_watch(node, every_ms, diag);
		}
	}
	if (status == CSC_OK && node->watch.pid > 0) {
		status = push_watch_read(&node->watch, answer, diag);
	}
	return status == CSC_OK ? top_node_parse(answer, ret_reading, diag) : status;
}

void top_node_end(struct top_node *node)
{
	push_watch_end(&node->watch);
}
