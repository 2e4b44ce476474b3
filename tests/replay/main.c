/* SPDX-License-Identifier: MIT */
/* replay_check: what a replay is right about; see replay_check.h. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay_check.h"

enum { FLAGS_MAX = 512, REPLAYS = 5 };

/* As diff(1) has them. */
enum { EXIT_AGREES, EXIT_DIFFERS, EXIT_TROUBLE };

enum {
	OPTION_RUNTIME = 1000,
	OPTION_OTP,
	OPTION_SCHEDULERS,
	OPTION_LIMIT,
	OPTION_STATS,
	OPTION_COMPARE,
	OPTION_INSTANCES,
	OPTION_REPLAYS,
	OPTION_FOLLOW,
	OPTION_FORMAT,
};

static const struct argp_option options[] = {
	{ "runtime", OPTION_RUNTIME, "ID", 0, "which runtime of the database", 0 },
	{ "otp", OPTION_OTP, "RELEASE", 0, "instead of the recorded one", 0 },
	{ "schedulers", OPTION_SCHEDULERS, "S", 0, "instead of the recorded number", 0 },
	{ "memory-limit", OPTION_LIMIT, "MIB", 0, "for all carriers", 0 },
	{ "stats", OPTION_STATS, "FILE", 0, "write system_info of all instances there", 0 },
	{ "compare", OPTION_COMPARE, NULL, 0,
			"beside the node's own counters, from its first reading to its last: exit status "
			"0 agrees, 1 differs, 2 no comparison",
			0 },
	{ "instances", OPTION_INSTANCES, NULL, 0, "with --compare: also by instance", 0 },
	{ "replays", OPTION_REPLAYS, "N", 0, "with --compare: on so many schedules (5)", 0 },
	{ "follow", OPTION_FOLLOW, "FILE", 0,
			"with --compare: the first replay beside all readings of the node, as CSV",
			0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0, "with --compare: text (default), csv or json", 0 },
	{ 0 },
};

struct command {
	struct check_request request;
	bool is_comparison;
	bool has_format;
	char *flags[FLAGS_MAX];
};

static uint64_t parse_number(struct argp_state *state, const char *text, uint64_t most)
{
	char *end = NULL;
	unsigned long long number;

	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || end == text || *end || number < 1 || number > most) {
		argp_error(state, "'%s' is not a number from 1 to %llu", text,
				(unsigned long long)most);
	}
	return number;
}

static enum compare_format parse_format(struct argp_state *state, const char *text)
{
	static const char *const names[] = { "text", "csv", "json" };

	for (int i = 0; i < 3; i++) {
		if (strcmp(names[i], text) == 0) {
			return (enum compare_format)i;
		}
	}
	argp_error(state, "--format: '%s' is none of text, csv, json", text);
	return COMPARE_TEXT;
}

static void check_command(struct argp_state *state, const struct command *command)
{
	const struct check_request *request = &command->request;

	if (!request->replay.path) {
		argp_error(state, "say which DATABASE");
	}
	if (!command->is_comparison &&
			(request->has_instances || request->replays || request->follow_path ||
					command->has_format)) {
		argp_error(state,
				"--instances, --replays, --follow and --format belong to --compare");
	}
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct command *command = state->input;
	struct check_request *request = &command->request;

	switch (key) {
	case OPTION_RUNTIME:
		request->replay.runtime = (int64_t)parse_number(state, value, INT64_MAX);
		return 0;
	case OPTION_OTP:
		request->replay.generation = csc_generation_find(value);
		if (!request->replay.generation) {
			argp_error(state, "--otp: '%s' is none of 24rc0, 24.0.1, 25, 27, 28, 29",
					value);
		}
		return 0;
	case OPTION_SCHEDULERS:
		request->replay.schedulers = (uint32_t)parse_number(state, value, 1024);
		return 0;
	case OPTION_LIMIT:
		request->limit_bytes = parse_number(state, value, UINT32_MAX) << 20;
		return 0;
	case OPTION_STATS:
		request->stats_path = value;
		return 0;
	case OPTION_COMPARE:
		command->is_comparison = true;
		return 0;
	case OPTION_INSTANCES:
		request->has_instances = true;
		return 0;
	case OPTION_REPLAYS:
		request->replays = (int)parse_number(state, value, REPLAYS_MAX);
		return 0;
	case OPTION_FOLLOW:
		request->follow_path = value;
		return 0;
	case OPTION_FORMAT:
		request->format = parse_format(state, value);
		command->has_format = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!request->replay.path) {
			request->replay.path = value;
		} else if (request->replay.flag_count == FLAGS_MAX) {
			argp_error(state, "more than %d flags", FLAGS_MAX);
		} else {
			command->flags[request->replay.flag_count++] = value;
		}
		return 0;
	case ARGP_KEY_END:
		check_command(state, command);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse_option, .args_doc = "DATABASE [-- +M FLAGS]"
	};
	static struct command command;
	struct diag diag = { 0 };
	enum check_result result;

	argp_err_exit_status = EXIT_TROUBLE;
	argp_parse(&argp, argc, argv, 0, NULL, &command);
	command.request.replay.flags = command.flags;
	command.request.replays = command.request.replays ? command.request.replays : REPLAYS;
	result = command.is_comparison ? check_node(&command.request, stdout, &diag)
				       : check_recording(&command.request, stdout, &diag);
	if (fflush(stdout) != 0) {
		result = CHECK_FAILED;
		(void)DIAG_FAIL(&diag, "cannot write the result");
	}
	if (diag_is_set(&diag)) {
		fprintf(stderr, "replay_check: %s\n", diag.text);
	}
	if (result == CHECK_FAILED) {
		return command.is_comparison ? EXIT_TROUBLE : EXIT_DIFFERS;
	}
	return result == CHECK_DIFFERS ? EXIT_DIFFERS : EXIT_AGREES;
}
