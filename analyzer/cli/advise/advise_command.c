/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope advise`: the flags that save memory in a recording.
 */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "advice_text.h"
#include "advise.h"
#include "source_options.h"
#include "sweep_rows.h"
#include "verify.h"

enum { KEY_OBJECTIVE = 256, KEY_BUDGET, KEY_LETTERS, KEY_FLAGS, KEY_FOR, KEY_VERIFY };

/* Sets of the user's own. */
enum { OWN_MAX = 32, MOST_SECONDS = 86400 };

struct advise_options {
	struct sweep_request request;
	const char *verify;
	const char *flags_path;
	uint32_t letters;
	unsigned int budget_seconds;
	int objective;
	int target;
};

static const char *const objectives[] = { "peak", "end", "average", NULL };
static const char *const targets[] = { "erl", "vm.args", "rabbitmq", "ejabberd", "mix-release",
	NULL };

static const struct argp_option table[] = {
	{ "objective", KEY_OBJECTIVE, "WHAT", 0,
			"which memory of carriers is to be small: peak (default), end or average",
			0 },
	{ "budget", KEY_BUDGET, "SECONDS", 0, "search about so long at most", 0 },
	{ "letters", KEY_LETTERS, "LETTERS", 0,
			"allocators that may be changed, such as BHE (default: those that have 2 % of "
			"the memory)",
			0 },
	{ "flags", KEY_FLAGS, "CANDIDATES", 0,
			"also try your own: a file with a set of flags on each line", 0 },
	{ "for", KEY_FOR, "FILE", 0,
			"print the lines for: erl (default), vm.args, rabbitmq, ejabberd or mix-release",
			0 },
	{ "verify", KEY_VERIFY, "NEW", 0,
			"compare what was advised for FILE with NEW, recorded with the advised flags",
			0 },
	SOURCE_OPTION_RUNTIME,
	SOURCE_OPTION_OTP,
	SOURCE_OPTION_SCHEDULERS,
	SOURCE_OPTION_JOBS,
	COMMAND_OPTION_HELP,
	{ 0 },
};

static int take_word(const struct argp_state *state, const char *option, const char *const *words,
		const char *word)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], word) == 0) {
			return i;
		}
	}
	command_misuse(state, "invalid value '%s' for %s; see --help", word, option);
}

static uint32_t take_letters(const struct argp_state *state, const char *text)
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
		options->objective = take_word(state, "--objective", objectives, argument);
		return 0;
	case KEY_BUDGET:
		options->budget_seconds = (unsigned int)source_number(
				state, "--budget", argument, 1, MOST_SECONDS);
		return 0;
	case KEY_LETTERS:
		options->letters = take_letters(state, argument);
		return 0;
	case KEY_FLAGS:
		options->flags_path = argument;
		return 0;
	case KEY_FOR:
		options->target = take_word(state, "--for", targets, argument);
		return 0;
	case KEY_VERIFY:
		options->verify = argument;
		return 0;
	case ARGP_KEY_ARG:
		command_take_file(state, "advise", argument, &options->request.path);
		return 0;
	default:
		return command_parse_common(key, state);
	}
}

/* The user's own sets of flags. */
struct own {
	char *lines[OWN_MAX];
	size_t count;
};

static enum csc_status take_line(const struct advise_options *options, struct own *own, char *line,
		struct diag *diag)
{
	line[strcspn(line, "#\r\n")] = 0;
	line += strspn(line, " \t");
	if (!*line) {
		return CSC_OK;
	}
	if (own->count == OWN_MAX) {
		return DIAG_FAIL(diag, "'%s' has more than %d sets of flags", options->flags_path,
				OWN_MAX);
	}
	own->lines[own->count] = strdup(line);
	return own->lines[own->count++] ? CSC_OK : DIAG_NO_MEMORY(diag);
}

static enum csc_status read_own(
		const struct advise_options *options, struct own *own, struct diag *diag)
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
		status = take_line(options, own, line, diag);
	}
	free(line);
	(void)fclose(file);
	return status;
}

/* Ctrl-C ends the search, and what it has found is printed. */
static volatile int stop;

static void take_interrupt(int signal_number)
{
	(void)signal_number;
	stop = 1;
}

static void catch_interrupt(void)
{
	struct sigaction action = { .sa_handler = take_interrupt };

	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(SIGINT, &action, NULL);
}

static int64_t deadline_ns(unsigned int seconds)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return seconds ? ((int64_t)now.tv_sec + seconds) * INT64_C(1000000000) + now.tv_nsec : 0;
}

static enum csc_status keep(void *context, const struct sweep_job *jobs,
		const struct sweep_result *results, size_t count, struct diag *diag)
{
	return sweep_file_keep(context, jobs, results, count, diag);
}

/* Flags of the user's own that the release refuses are a misuse. */
static enum csc_status check_own(struct sweep *sweep, const struct own *own, struct diag *diag)
{
	for (size_t i = 0; i < own->count; i++) {
		if (sweep_check(sweep, own->lines[i], diag) != CSC_OK) {
			return CSC_ERROR;
		}
	}
	return CSC_OK;
}

static enum csc_status note_advice(
		struct sweep_file *file, const struct advice *advice, struct diag *diag)
{
	const struct search_answer *answer = advice->answer;

	return file ? sweep_file_advise(file, answer->candidates[answer->best].flags,
				      advice->refusal ? NULL : &answer->after, diag)
		    : CSC_OK;
}

/* Searches, prints, keeps. */
static int search(const struct advise_options *options, struct sweep *sweep, const struct own *own,
		struct search_answer *answer)
{
	struct diag diag = { 0 };
	struct diag unkept = { 0 };
	struct sweep_file *file = sweep_file_open(
			options->request.path, sweep_facts(sweep)->recording.runtime, &unkept);
	const struct search_request request = {
		.objective = (enum sweep_objective)options->objective,
		.letters = options->letters,
		.flags = (const char *const *)own->lines,
		.flag_count = own->count,
		.stop = &stop,
		.deadline_ns = deadline_ns(options->budget_seconds),
		.keep = file ? keep : NULL,
		.context = file
	};
	struct advice advice = { .database = options->request.path,
		.facts = sweep_facts(sweep),
		.answer = answer,
		.objective = request.objective,
		.target = (enum advice_target)options->target,
		.max_mappings = source_max_mappings() };
	enum csc_status status;

	if (!file) {
		command_print("results are not kept: %s", unkept.text);
	}
	catch_interrupt();
	status = sweep_search(sweep, &request, answer, &diag);
	if (status == CSC_OK) {
		advice.refusal = advice_refusal(&advice);
		advice_print_table(&advice, stdout);
		advice_print(&advice, stdout);
		status = note_advice(file, &advice, &diag);
	}
	sweep_file_close(file);
	if (status != CSC_OK) {
		return answer->plain.is_done ? source_refuse(&diag) : command_fail(&diag);
	}
	return stop ? EXIT_INTERRUPTED : EXIT_DONE;
}

static int advise(const struct advise_options *options)
{
	struct own own = { .count = 0 };
	struct diag diag = { 0 };
	struct search_answer *answer = calloc(1, sizeof(*answer));
	struct sweep *sweep = NULL;
	int status = EXIT_FAILED;

	if (!answer) {
		(void)DIAG_NO_MEMORY(&diag);
	} else if (read_own(options, &own, &diag) == CSC_OK) {
		sweep = sweep_open(&options->request, &diag);
	}
	if (!sweep) {
		(void)command_fail(&diag);
	} else if (check_own(sweep, &own, &diag) != CSC_OK) {
		command_print("%s", diag.text);
		status = EXIT_USAGE;
	} else {
		status = search(options, sweep, &own, answer);
	}
	sweep_close(sweep);
	free(answer);
	for (size_t i = 0; i < own.count; i++) {
		free(own.lines[i]);
	}
	return status;
}

int command_advise(int argc, char **argv)
{
	struct advise_options options = { 0 };

	command_read(argc, argv, table, parse, "FILE",
			"Search for the +M flags that save memory in the recording FILE, by replays of its "
			"blocks.\v"
			"What was replayed is kept in FILE: carrierscope report sweep FILE.\n\n"
			"Exit status: 0 done, also if nothing helps; 1 failed, or --verify: more memory than "
			"predicted; 2 misuse; 3 the recording does not allow an answer (lost events, too few "
			"blocks); 130 interrupted.\n\n"
			"Example:\n  carrierscope advise run.db --for vm.args",
			&options);
	if (options.verify) {
		struct sweep_request outcome = options.request;

		outcome.path = options.verify;
		return verify(options.request.path, &outcome);
	}
	return advise(&options);
}
