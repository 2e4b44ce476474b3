/*
 * SPDX-License-Identifier: MIT
 *
 * The first lines of a dump: when, why, what node.
 */
#include "dump_head.h"

#include <time.h>

#include "dump_state.h"

/* The weekday and the month of ctime(3), which does not follow the locale. */
static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

static bool two_digits(struct text text, int *ret_number)
{
	int64_t number;
	bool is_huge;

	if (!text_number(text, &number, &is_huge) || number > 9999) {
		return false;
	}

	*ret_number = (int)number;
	return true;
}

/* "Sat Nov 21 01:33:43 2026", taken for UTC: the dump does not record its zone. */
static int64_t read_ctime(struct text text)
{
	struct text rest = text;
	struct text month;
	struct text clock;
	struct tm tm = { 0 };
	size_t at;

	(void)text_word(&rest);
	month = text_word(&rest);
	if (month.length != 3) {
		return ROW_NULL;
	}

	for (at = 0; months[at] != '\0' && memcmp(months + at, month.at, 3) != 0; at += 3) {
	}

	tm.tm_mon = (int)(at / 3);
	if (months[at] == '\0' || !two_digits(text_word(&rest), &tm.tm_mday)) {
		return ROW_NULL;
	}

	clock = text_word(&rest);
	if (!two_digits(text_cut(clock, ':', &clock), &tm.tm_hour) ||
			!two_digits(text_cut(clock, ':', &clock), &tm.tm_min) ||
			!two_digits(clock, &tm.tm_sec) ||
			!two_digits(text_word(&rest), &tm.tm_year) || tm.tm_year < 1970 ||
			tm.tm_year > 2261 || tm.tm_mday < 1 || tm.tm_mday > 31 || tm.tm_hour > 23 ||
			tm.tm_min > 59 || tm.tm_sec > 60) {
		return ROW_NULL;
	}

	tm.tm_year -= 1900;
	return (int64_t)timegm(&tm) * INT64_C(1000000000);
}

static void add_slogan(struct dump *dump, struct text text)
{
	size_t room = sizeof(dump->slogan) - dump->slogan_length;
	size_t length = text.length < room ? text.length : room;

	memcpy(dump->slogan + dump->slogan_length, text.at, length);
	dump->slogan_length += length;
}

static void take_key(struct dump *dump, struct text key, struct text value)
{
	bool is_huge;

	if (text_is(key, "System version")) {
		snapshot_system_version(dump->store, dump->snapshot, value);
	} else if (text_is(key, "Compiled")) {
		snapshot_fact(dump->store, dump->snapshot, "compiled", value);
	} else if (text_is(key, "Taints")) {
		keep(&dump->taints, value);
	} else if (text_is(key, "Atoms")) {
		if (!text_number(value, &dump->atoms, &is_huge) || is_huge) {
			dump->atoms = ROW_NULL;
		}
	} else if (text_is(key, "Calling Thread")) {
		keep(&dump->calling_thread, value);
	}
}

void dump_head_line(struct dump *dump, struct text line)
{
	static const char *const keys[] = { "System version", "Compiled", "Taints", "Atoms",
		"Calling Thread" };
	struct text value;
	struct text key = text_cut(line, ':', &value);

	dump->head_lines++;
	if (dump->head_lines == 1 && !text_is(key, "Slogan")) {
		keep(&dump->time_text, text_trim(line));
		dump_need_snapshot(dump, read_ctime(line));
		return;
	}

	dump_need_snapshot(dump, ROW_NULL);

	if (!dump->has_slogan && text_is(key, "Slogan")) {
		/* Of a dump that a person asked for, the runtime ends no line there. */
		size_t glued = text_find(value, "System version: Erlang");

		dump->has_slogan = true;
		dump->is_in_slogan = glued == value.length;
		add_slogan(dump, text_trim((struct text){ value.at, glued }));
		if (glued < value.length) {
			take_key(dump, TEXT("System version"),
					text_trim(text_from(
							value, glued + strlen("System version:"))));
		}
		return;
	}

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (text_is(key, keys[i])) {
			dump->is_in_slogan = false;
			take_key(dump, key, text_trim(value));
			return;
		}
	}

	/* A slogan may go on for lines. */
	if (dump->is_in_slogan) {
		add_slogan(dump, TEXT("\n"));
		add_slogan(dump, line);
	}
}

/* What the slogan has of memory that could not be allocated. */
struct failure {
	struct text allocator;
	struct text operation;
	int64_t bytes;
	struct text type;
};

/* 'eheap_alloc: Cannot allocate 529782288 bytes of memory (of type "heap").' */
static bool read_failure(struct text slogan, struct failure *ret_failure)
{
	struct failure failure = { .bytes = ROW_NULL };
	struct text rest;
	bool is_huge;

	failure.allocator = text_cut(slogan, ':', &rest);
	if (!text_is(text_word(&rest), "Cannot")) {
		return false;
	}

	failure.operation = text_word(&rest);
	if (!text_is(failure.operation, "allocate") && !text_is(failure.operation, "reallocate")) {
		return false;
	}

	if (!text_number(text_word(&rest), &failure.bytes, &is_huge)) {
		return false;
	}

	if (is_huge) {
		failure.bytes = ROW_NULL;
	}

	(void)text_cut(rest, '"', &rest);
	failure.type = text_cut(rest, '"', &rest);
	*ret_failure = failure;
	return true;
}

/*
 * Other slogans: what they begin with and, where that is not enough, what they have in them.
 * Source: "How to Interpret the Erlang Crash Dumps", and slogans of OTP 17 to 29.
 */
static const char *cause_of(struct text slogan)
{
	static const struct {
		const char *begin;
		const char *words;
		const char *cause;
	} causes[] = {
		{ "no more index entries in atom_tab", "", "atom_table_full" },
		{ "Failed to create", "thread", "thread_creation" },
		{ "Kernel pid terminated", "", "kernel_process" },
		{ "Could not start kernel pid", "", "boot" },
		{ "init terminating in do_boot", "", "boot" },
		{ "Init terminating in do_boot", "", "boot" },
		{ "Runtime terminating during boot", "", "boot" },
		{ "Received SIGUSR1", "", "user_signal" },
		{ "Crash dump requested by user", "", "user_request" },
		{ "Unexpected op code", "", "beam_code" },
		{ "No function ", "", "beam_code" },
		{ "Module ", " undefined", "beam_code" },
		{ "Function ", " undefined", "beam_code" },
		{ "no next heap size found", "", "too_large" },
		{ "driver_select called with too large file descriptor", "", "system_limit" },
		{ "Driver_select called with too large file descriptor", "", "system_limit" },
	};

	for (size_t i = 0; slogan.at && i < sizeof(causes) / sizeof(causes[0]); i++) {
		if (text_begins(slogan, causes[i].begin) &&
				(causes[i].words[0] == '\0' ||
						text_find(slogan, causes[i].words) <
								slogan.length)) {
			return causes[i].cause;
		}
	}

	return "other";
}

void dump_head_write(struct dump *dump)
{
	static const char *const ends[] = {
		[DUMP_CUT] = "cut",
		[DUMP_WHOLE] = "end",
		[DUMP_SIZE_LIMIT] = "size_limit",
	};
	struct text slogan = { dump->has_slogan ? dump->slogan : NULL, dump->slogan_length };
	struct failure failure = { .bytes = ROW_NULL };
	bool is_memory = slogan.at && read_failure(slogan, &failure);
	struct insert *rows = store_rows(dump->store, "crash_dump",
			"snapshot_id, format, time_text, slogan, cause, "
			"failed_allocator, failed_operation, failed_bytes, "
			"failed_type, calling_thread, atoms, taints, ended, "
			"end_offset_bytes, binaries, binary_bytes");

	insert_integer(rows, dump->snapshot);
	text_insert(rows, kept_text(&dump->format));
	text_insert(rows, kept_text(&dump->time_text));
	text_insert(rows, slogan);
	insert_text(rows, is_memory ? "out_of_memory" : cause_of(slogan));
	text_insert(rows, failure.allocator);
	text_insert(rows, failure.operation);
	insert_integer(rows, failure.bytes);
	text_insert(rows, failure.type.length > 0 ? failure.type : (struct text){ NULL, 0 });
	text_insert(rows, kept_text(&dump->calling_thread));
	insert_integer(rows, dump->atoms);
	text_insert(rows, kept_text(&dump->taints));
	insert_text(rows, ends[dump->end]);
	insert_integer(rows, (int64_t)dump->end_offset_bytes);
	insert_integer(rows, dump->binaries);
	insert_integer(rows, dump->binary_bytes);
	insert_row(rows);
}
