/* SPDX-License-Identifier: MIT */
/* The command line of carrierscope-twin: options, and what only goes together. */
#include "request.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flag_table.h"

/* Options without a letter. */
enum option_key {
	OPTION_OPS = 1000,
	OPTION_WORKLOAD,
	OPTION_REPLAY,
	OPTION_PRINT,
	OPTION_OTP,
	OPTION_WORD,
	OPTION_SCHEDULERS,
	OPTION_SEED,
	OPTION_SCALE,
	OPTION_THREADS,
	OPTION_LIMIT,
	OPTION_STATS,
	OPTION_STATISTICS,
	OPTION_QUIET,
	OPTION_NO_TRACE,
	OPTION_BOARD,
	OPTION_TRUTH,
	OPTION_TRUTH_CLOCK,
	OPTION_PAUSE,
	OPTION_EVENTS,
};

static const struct argp_option options[] = {
	{ .doc = "What to do:" },
	{ "workload", OPTION_WORKLOAD, "FILE", 0,
			"run a workload (plain or gzip, - is standard input), print the statistics",
			0 },
	{ "ops", OPTION_OPS, "FILE", 0, "run an operation file, print what happened", 0 },
	{ "replay", OPTION_REPLAY, "DATABASE", OPTION_HIDDEN, NULL, 0 },
	{ "statistics", OPTION_STATISTICS, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "print-options", OPTION_PRINT, NULL, 0,
			"print the settings in force, as system_info(allocator) does", 0 },
	{ .doc = "The runtime:" },
	{ "otp", OPTION_OTP, "RELEASE", 0, "24rc0, 24.0.1, 25 (default), 27, 28 or 29", 0 },
	{ "word", OPTION_WORD, "BYTES", 0, "4 or 8 (default); workloads have 8", 0 },
	{ "schedulers", OPTION_SCHEDULERS, "S", 0, "number of schedulers", 0 },
	{ "no-trace", OPTION_NO_TRACE, NULL, 0,
			"emit no LTTng-UST events, even if a session records", 0 },
	{ "events", OPTION_EVENTS, "KIND", 0,
			"of blocks: single (default), or batches of them in one event each", 0 },
	{ .doc = "Running a workload:" },
	{ "seed", OPTION_SEED, "N", 0, "instead of that of the file", 0 },
	{ "scale", OPTION_SCALE, "PERCENT", 0, "of the operations in each phase", 0 },
	{ "board", OPTION_BOARD, "FILE", 0, "on this board, which says the word size", 0 },
	{ "threads", OPTION_THREADS, NULL, 0, "each scheduler is a thread", 0 },
	{ "memory-limit", OPTION_LIMIT, "BYTES", 0, "for all carriers; k, m, g may follow", 0 },
	{ "stats", OPTION_STATS, "FILE", 0, "write the statistics there, of --ops as well", 0 },
	{ "truth", OPTION_TRUTH, "FILE", 0,
			"write the figures of 16 moments, the end and each change of carriers there",
			0 },
	{ "truth-clock", OPTION_TRUTH_CLOCK, "FILE", 0,
			"with --truth: times are the number of 8 bytes in this file", 0 },
	{ "pause-at", OPTION_PAUSE, "PERCENT", 0,
			"after that share of the operations say \"paused\", wait for a line", 0 },
	{ "quiet", OPTION_QUIET, NULL, 0, "print nothing but errors", 0 },
	{ 0 },
};

/* A number that ends the program when it is none. */
static uint64_t parse_number(struct argp_state *state, const char *name, const char *value,
		uint64_t least, uint64_t most)
{
	char *end = NULL;
	unsigned long long number;

	errno = 0;
	number = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno || number < least || number > most) {
		argp_error(state, "--%s: '%s' is not a number from %llu to %llu", name, value,
				(unsigned long long)least, (unsigned long long)most);
	}
	return number;
}

/* A number with a unit. */
static uint64_t parse_bytes(struct argp_state *state, const char *value)
{
	static const char units[] = "kmg";
	char *end = NULL;
	unsigned long long number = strtoull(value, &end, 10);
	const char *unit = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
	unsigned int shift = unit ? 10 * (unsigned int)(unit - units + 1) : 0;

	if (!isdigit((unsigned char)*value) || (*end && (!unit || end[1])) || !number ||
			number > (UINT64_MAX >> shift) >> 1) {
		argp_error(state, "--memory-limit: '%s' is not a number of bytes", value);
	}
	return (uint64_t)number << shift;
}

/* What only goes together. */
static void check_request(struct argp_state *state, const struct request *request)
{
	if (!request->ops + !request->workload.path + !request->has_print != 2) {
		argp_error(state, "say one of --workload, --ops and --print-options");
	}
	if (request->board && !request->workload.path) {
		argp_error(state, "--board: only a workload runs on a board");
	}
	if (request->workload.path && request->word_bytes == 4) {
		argp_error(state, "--word: workloads have words of 8 bytes, or a --board");
	}
	if ((request->workload.truth_path || request->workload.pause_percent) &&
			(!request->workload.path || request->workload.is_threaded)) {
		argp_error(state, "--truth and --pause-at: only of a workload in turns");
	}
	if (request->workload.truth_clock_path && !request->workload.truth_path) {
		argp_error(state, "--truth-clock: belongs to --truth");
	}
	if (request->workload.pause_percent && request->workload.path &&
			strcmp(request->workload.path, "-") == 0) {
		argp_error(state, "--pause-at: standard input is the workload already");
	}
}

/* Behind the options: what +M flags there are. */
static char *append_flags(int key, const char *text, void *input)
{
	char *list = NULL;
	size_t bytes = 0;
	FILE *out;

	(void)input;
	if (key != ARGP_KEY_HELP_EXTRA || !(out = open_memstream(&list, &bytes))) {
		return (char *)text;
	}
	flag_list(out);
	fclose(out);
	return list;
}

/* Sets the member of an option that is a bool or a plain text; false: it is another one. */
static bool set_member(struct request *request, int key, const char *value)
{
	struct member {
		int key;
		size_t offset;
	};
	static const struct member flags[] = {
		{ OPTION_PRINT, offsetof(struct request, has_print) },
		{ OPTION_THREADS, offsetof(struct request, workload.is_threaded) },
		{ OPTION_QUIET, offsetof(struct request, workload.is_quiet) },
		{ OPTION_NO_TRACE, offsetof(struct request, is_silent) },
	};
	static const struct member texts[] = {
		{ OPTION_OPS, offsetof(struct request, ops) },
		{ OPTION_WORKLOAD, offsetof(struct request, workload.path) },
		{ OPTION_STATS, offsetof(struct request, workload.stats_path) },
		{ OPTION_BOARD, offsetof(struct request, board) },
		{ OPTION_TRUTH, offsetof(struct request, workload.truth_path) },
		{ OPTION_TRUTH_CLOCK, offsetof(struct request, workload.truth_clock_path) },
	};
	char *base = (char *)request;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (flags[i].key == key) {
			*(bool *)(base + flags[i].offset) = true;
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].key == key) {
			*(const char **)(base + texts[i].offset) = value;
			return true;
		}
	}
	return false;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct request *request = state->input;

	if (set_member(request, key, value)) {
		return 0;
	}

	switch (key) {
	case OPTION_REPLAY:
		argp_error(state,
				"--replay: recordings are replayed by carrierscope replay %s -- FLAGS and "
				"carrierscope advise %s",
				value, value);
		return 0;
	case OPTION_STATISTICS:
		/* As earlier versions had it: the figures alone, printed. */
		request->workload.stats_path = "-";
		return 0;
	case OPTION_OTP:
		request->otp = value;
		if (!csc_generation_find(value)) {
			argp_error(state, "--otp: '%s' is none of 24rc0, 24.0.1, 25, 27, 28, 29",
					value);
		}
		return 0;
	case OPTION_EVENTS:
		request->has_batches = strcmp(value, "batches") == 0;
		if (!request->has_batches && strcmp(value, "single") != 0) {
			argp_error(state, "--events: '%s' is neither single nor batches", value);
		}
		return 0;
	case OPTION_WORD:
		request->word_bytes = strcmp(value, "4") == 0 ? 4 : 8;
		if (request->word_bytes == 8 && strcmp(value, "8") != 0) {
			argp_error(state, "--word: '%s' is neither 4 nor 8", value);
		}
		return 0;
	case OPTION_SCHEDULERS:
		request->workload.override.schedulers =
				(uint32_t)parse_number(state, "schedulers", value, 1, 1024);
		return 0;
	case OPTION_SEED:
		request->seed = parse_number(state, "seed", value, 0, UINT64_MAX);
		request->workload.override.seed = &request->seed;
		return 0;
	case OPTION_SCALE:
		request->workload.override.scale_percent =
				parse_number(state, "scale", value, 1, 1000000);
		return 0;
	case OPTION_LIMIT:
		request->workload.limit_bytes = parse_bytes(state, value);
		return 0;
	case OPTION_PAUSE:
		request->workload.pause_percent = parse_number(state, "pause-at", value, 1, 100);
		return 0;
	case ARGP_KEY_ARG:
		if (request->flag_count == FLAGS_MAX) {
			argp_error(state, "more than %d flags", FLAGS_MAX);
		}
		request->flags[request->flag_count++] = value;
		return 0;
	case ARGP_KEY_END:
		check_request(state, request);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void request_parse(int argc, char **argv, struct request *request)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "[[--] +M FLAGS]",
		.doc = "Runs the memory allocators of the Erlang runtime without the runtime."
		       "\vExit codes: 0 done, 1 failed or out of memory, 2 usage or a bad file.",
		.help_filter = append_flags,
	};

	argp_program_version = "carrierscope-twin " CSC_VERSION;
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, request);
}
