/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope advise`: the flags that save memory in a recording.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "advise_options.h"
#include "board_advise.h"
#include "board_case.h"
#include "source_options.h"
#include "verify.h"

enum {
	KEY_OBJECTIVE = 256,
	KEY_BUDGET,
	KEY_LETTERS,
	KEY_FLAGS,
	KEY_FOR,
	KEY_VERIFY,
	KEY_FORMAT,
	KEY_SHARD,
	KEY_MERGE,
	KEY_BOARD
};

enum { MOST_SECONDS = 86400 };

static const char *const objectives[] = { "peak", "end", "average", "rss", NULL };
static const char *const formats[] = { "table", "json", NULL };
static const char *const targets[] = { "erl", "vm.args", "rabbitmq", "ejabberd", "mix-release",
	NULL };

static const struct argp_option table[] = {
	COMMAND_OPTION_FORMAT(KEY_FORMAT, "how: table (default) or json"),
	{ "objective", KEY_OBJECTIVE, "WHAT", 0,
			"what is to be small: peak (default), end, average (of carriers) or rss (resident "
			"memory at its peak)",
			0 },
	{ "budget", KEY_BUDGET, "TIME", 0, "search about so long at most, such as 30s or 2m", 0 },
	{ "letters", KEY_LETTERS, "LETTERS", 0,
			"allocators that may be changed, such as BHE (default: those that have 2 % of "
			"the memory)",
			0 },
	{ "flags", KEY_FLAGS, "CANDIDATES", 0,
			"also try your own: a file with a set of flags on each line", 0 },
	{ "for", KEY_FOR, "TARGET", 0,
			"print the lines for: erl (default), vm.args, rabbitmq, ejabberd or mix-release",
			0 },
	{ "verify", KEY_VERIFY, "NEW", 0,
			"compare what was advised for FILE with NEW, recorded with the advised flags; "
			"again for each repeat, and repeats with the flags of FILE behind FILE: how far "
			"they differ is the node's own noise",
			0 },
	{ "board", KEY_BOARD, "BOARD", 0,
			"FILE is the log of this board: grisp1, grisp2, grisp-nano or the path of a board "
			"file; which settings would have kept it alive, tried on the twin",
			0 },
	{ NULL, 0, NULL, 0, "On several machines:", 1 },
	{ "shard", KEY_SHARD, "I/N", 0, "replay only the Ith of N shares, into the file of -o", 1 },
	{ "output", 'o', "PART", 0, "where a share goes; it goes on with what is there", 1 },
	{ "merge", KEY_MERGE, NULL, 0, "take the shares of all PARTs, then search: FILE PART...",
			1 },
	SOURCE_OPTION_RUNTIME,
	SOURCE_OPTION_OTP,
	SOURCE_OPTION_SCHEDULERS,
	SOURCE_OPTION_JOBS,
	SOURCE_OPTION_MEMORY,
	COMMAND_OPTION_HELP,
	{ 0 },
};

static int parse_word(const struct argp_state *state, const char *option, const char *const *words,
		const char *word)
{
	char known[128] = "";

	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], word) == 0) {
			return i;
		}
	}
	for (int i = 0; words[i]; i++) {
		(void)snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s",
				i == 0 ? "" : (words[i + 1] ? ", " : " or "), words[i]);
	}
	command_misuse(state, "'%s' is no value for %s: use %s", word, option, known);
}

static void parse_shard(
		const struct argp_state *state, const char *text, struct advise_options *options)
{
	char *rest = NULL;
	unsigned long shard = strtoul(text, &rest, 10);
	unsigned long shards = *rest == '/' ? strtoul(rest + 1, &rest, 10) : 0;

	if (*rest || strchr(text, '-') || shard < 1 || shard > shards ||
			shards > ADVISE_PARTS_MAX) {
		command_misuse(state, "invalid value '%s' for --shard: I/N, such as 3/16", text);
	}
	options->shard = (uint32_t)shard;
	options->shards = (uint32_t)shards;
}

static void add_argument(const struct argp_state *state, struct advise_options *options,
		const char *argument)
{
	if (!options->request.path) {
		options->request.path = argument;
	} else if (options->part_count == ADVISE_PARTS_MAX) {
		command_misuse(state, "more than %d parts", ADVISE_PARTS_MAX);
	} else {
		options->parts[options->part_count++] = argument;
	}
}

static void check(const struct argp_state *state, const struct advise_options *options)
{
	if (options->part_count > 0 && !options->is_merge && options->verify_count == 0) {
		command_misuse(state, "advise takes one FILE: '%s' is one too many",
				options->parts[0]);
	}
	if (options->verify_count > 0 && (options->is_merge || options->shard > 0)) {
		command_misuse(state, "--verify goes with neither --merge nor --shard");
	}
	if ((options->shard > 0) != (options->output != NULL)) {
		command_misuse(state, "--shard I/N and -o PART belong together");
	}
	if (options->board &&
			(options->verify_count > 0 || options->shard > 0 || options->is_merge ||
					options->budget_seconds || options->letters)) {
		command_misuse(state, "with --board go --flags, --otp, --jobs and --format alone");
	}
	if (options->shard > 0 && options->is_merge) {
		command_misuse(state, "--shard and --merge exclude each other");
	}
}

static uint32_t parse_letters(const struct argp_state *state, const char *text)
{
	uint32_t letters = 0;

	for (const char *at = text; *at; at++) {
		int i = 0;

		while (i < CSC_ALLOCATORS && csc_allocator_infos[i].letter != *at) {
			i++;
		}
		if (i == CSC_ALLOCATORS) {
			command_misuse(state,
					"invalid value '%s' for --letters: '%c' is no allocator",
					text, isprint((unsigned char)*at) ? *at : '?');
		}
		letters |= UINT32_C(1) << i;
	}
	if (!letters) {
		command_misuse(state, "--letters names no allocator");
	}
	return letters;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): argp wants it so */
static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct advise_options *options = state->input;

	if (source_parse(&options->request, key, argument, state)) {
		return 0;
	}
	switch (key) {
	case KEY_OBJECTIVE:
		options->objective = parse_word(state, "--objective", objectives, argument);
		return 0;
	case KEY_BUDGET:
		options->budget_seconds =
				command_take_seconds(state, "--budget", argument, MOST_SECONDS);
		return 0;
	case KEY_LETTERS:
		options->letters = parse_letters(state, argument);
		return 0;
	case KEY_FLAGS:
		options->flags_path = argument;
		return 0;
	case KEY_FOR:
		options->target = parse_word(state, "--for", targets, argument);
		return 0;
	case KEY_FORMAT:
		options->format = command_take_format(state, formats, argument);
		return 0;
	case KEY_VERIFY:
		if (options->verify_count == ADVISE_VERIFY_MAX) {
			command_misuse(state, "more than %d times --verify", ADVISE_VERIFY_MAX);
		}
		options->verify[options->verify_count++] = argument;
		return 0;
	case KEY_SHARD:
		parse_shard(state, argument, options);
		return 0;
	case KEY_BOARD:
		options->board = argument;
		return 0;
	case KEY_MERGE:
		options->is_merge = true;
		return 0;
	case 'o':
		options->output = argument;
		return 0;
	case ARGP_KEY_FINI:
		check(state, options);
		return 0;
	case ARGP_KEY_ARG:
		add_argument(state, options, argument);
		return 0;
	default:
		return command_parse_common(key, state);
	}
}

static enum csc_status add_line(const struct advise_options *options, struct advise_own *own,
		char *line, struct diag *diag)
{
	line[strcspn(line, "#\r\n")] = 0;
	line += strspn(line, " \t");
	if (!*line) {
		return CSC_OK;
	}
	if (own->count == ADVISE_OWN_MAX) {
		return DIAG_FAIL(diag, "'%s' has more than %d sets of flags", options->flags_path,
				ADVISE_OWN_MAX);
	}
	own->lines[own->count] = strdup(line);
	return own->lines[own->count++] ? CSC_OK : DIAG_NO_MEMORY(diag);
}

static enum csc_status read_own(
		const struct advise_options *options, struct advise_own *own, struct diag *diag)
{
	FILE *file = options->flags_path ? fopen(options->flags_path, "r") : NULL;
	enum csc_status status = CSC_OK;
	char *line = NULL;
	size_t room = 0;

	if (!options->flags_path) {
		return CSC_OK;
	}
	if (!file) {
		return DIAG_FAIL(
				diag, "cannot read '%s': %s", options->flags_path, strerror(errno));
	}
	while (status == CSC_OK && getline(&line, &room, file) >= 0) {
		status = add_line(options, own, line, diag);
	}
	if (status == CSC_OK && ferror(file)) {
		status = DIAG_FAIL(
				diag, "cannot read '%s': %s", options->flags_path, strerror(errno));
	}
	free(line);
	(void)fclose(file);
	return status;
}

/* What a search for less resident memory needs. */
static enum csc_status check_objective(
		const struct advise_options *options, const struct sweep *sweep, struct diag *diag)
{
	if (options->objective != OBJECTIVE_RSS ||
			sweep_facts(sweep)->recording.resident_bytes >= 0) {
		return CSC_OK;
	}
	return DIAG_REFUSE(diag,
			"'%s' does not have the node's resident memory, which a snapshot reads: record with "
			"carrierscope record --every-block -o NEW.db, or use --objective peak",
			options->request.path);
}

/* Flags of the user's own that the release refuses are a misuse. */
static enum csc_status check_own(
		struct sweep *sweep, const struct advise_own *own, struct diag *diag)
{
	for (size_t i = 0; i < own->count; i++) {
		if (sweep_check(sweep, own->lines[i], diag) != CSC_OK) {
			return CSC_ERROR;
		}
	}
	return CSC_OK;
}

static void free_own(struct advise_own *own)
{
	for (size_t i = 0; i < own->count; i++) {
		free(own->lines[i]);
	}
}

/* A log is no recording. */
static int advise_board(const struct advise_options *options)
{
	struct advise_own own = { .count = 0 };
	struct diag diag = { 0 };
	int status;

	if (read_own(options, &own, &diag) == CSC_OK) {
		const struct board_request request = {
			.source = &options->request,
			.board = options->board,
			.own = own.lines,
			.own_count = own.count,
			.is_json = options->format == ADVISE_JSON,
		};

		status = board_advise(&request);
	} else {
		status = source_fail(&diag);
	}
	free_own(&own);
	return status;
}

static int advise(struct advise_options *options)
{
	struct advise_own own = { .count = 0 };
	struct diag diag = { 0 };
	struct sweep *sweep = NULL;
	int status = EXIT_FAILED;

	if (!options->is_merge && board_case_recognise(options->request.path)) {
		command_print("'%s' is the log of a board: use --board BOARD",
				options->request.path);
		return EXIT_USAGE;
	}
	if ((!options->is_merge || advise_find_recording(options, &diag) == CSC_OK) &&
			read_own(options, &own, &diag) == CSC_OK) {
		sweep = sweep_open(&options->request, &diag);
	}
	if (sweep && options->is_merge) {
		(void)advise_merge(options, sweep, &diag);
	}
	if (!sweep || diag_is_set(&diag) || check_objective(options, sweep, &diag) != CSC_OK) {
		status = source_fail(&diag);
	} else if (check_own(sweep, &own, &diag) != CSC_OK) {
		command_print("'%s': %s", options->flags_path, diag.text);
		status = EXIT_USAGE;
	} else if (options->shard > 0) {
		status = advise_shard(options, sweep, &own);
	} else {
		status = advise_search(options, sweep, &own);
	}
	sweep_close(sweep);
	free_own(&own);
	return status;
}

int command_advise(int argc, char **argv)
{
	static struct advise_options options;

	command_read(argc, argv, table, parse, "FILE [PART...]",
			"Search for the +M flags that save memory in the recording FILE, by replays of its "
			"blocks.\v"
			"What was replayed is kept in FILE: carrierscope report sweep FILE.\n\n"
			"Exit status: 0 done, also if nothing helps; 1 failed, or --verify: more memory than "
			"predicted, or a saving within the node's own noise; 2 misuse; 3 the recording does not allow an answer (lost events, samples or too few blocks, several "
			"runtimes, an unknown release; a log without the lines that are needed); 130 interrupted.\n\n"
			"Example:\n  carrierscope advise run.db --for vm.args\n"
			"  carrierscope advise board.log --board grisp1",
			&options);
	if (options.board) {
		return advise_board(&options);
	}
	if (options.verify_count > 0) {
		const struct verify_request request = {
			.source = &options.request,
			.before = options.parts,
			.before_count = options.part_count,
			.after = options.verify,
			.after_count = options.verify_count,
			.is_json = options.format == ADVISE_JSON,
		};

		return verify(&request);
	}
	return advise(&options);
}
