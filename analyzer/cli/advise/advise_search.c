/*
 * SPDX-License-Identifier: MIT
 *
 * A search, what it prints and what it keeps.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "advice_json.h"
#include "advice_text.h"
#include "advise_options.h"
#include "source_options.h"

/* Ctrl-C ends the search, and what it has found is printed. */
static volatile int stop;

static void note_interrupt(int signal_number)
{
	(void)signal_number;
	stop = 1;
}

void advise_catch_interrupt(void)
{
	struct sigaction action = { .sa_handler = note_interrupt };

	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(SIGINT, &action, NULL);
}

bool advise_is_interrupted(void)
{
	return stop;
}

static int64_t deadline_ns(unsigned int seconds)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return seconds ? ((int64_t)now.tv_sec + seconds) * INT64_C(1000000000) + now.tv_nsec : 0;
}

static enum csc_status keep_results(void *context, const struct sweep_job *jobs,
		const struct sweep_result *results, size_t count, struct diag *diag)
{
	return sweep_file_keep(context, jobs, results, count, diag);
}

static bool find_result(void *context, const struct sweep_job *job, struct sweep_result *ret_result)
{
	return sweep_file_find(context, job, ret_result);
}

/* When the search ends at the latest by what was said last, in seconds; 0: nothing was said. */
static double said;

/*
 * A short search needs no warning.  On a terminal a line shows what is left; elsewhere there is one
 * at the beginning, and another one whenever the last one has turned out wrong.
 */
static void expect(void *context, const struct search_time *left)
{
	enum { WORTH_SAYING_SECONDS = 10 };

	(void)context;
	if (said == 0 && left->most < WORTH_SAYING_SECONDS) {
		return;
	}
	if (said == 0) {
		command_print("this may take %.0f to %.0f s by the time of the replays so far; Ctrl-C "
			      "ends it, and the next one goes on from there",
				left->least, left->most);
		said = left->passed + left->most;
	} else if (command_shows_progress()) {
		(void)fprintf(stderr, "\r%.0f %% searched, %.0f to %.0f s left     ",
				100 * left->done, left->least, left->most);
	} else if (left->passed + left->least > said) {
		command_print("this takes longer than was said: %.0f to %.0f s more", left->least,
				left->most);
		said = left->passed + left->most;
	}
}

/* The line on the terminal ends before results are printed. */
static void expect_no_more(void)
{
	if (said > 0 && command_shows_progress()) {
		(void)fputc('\n', stderr);
	}
}

/* What cannot be removed is written over. */
static void forget_results(void *context)
{
	struct diag diag = { 0 };

	(void)sweep_file_forget(context, &diag);
}

struct search_request advise_request(const struct advise_options *options,
		const struct advise_own *own, struct sweep_file *file)
{
	return (struct search_request){
		.objective = (enum sweep_objective)options->objective,
		.letters = options->letters,
		.flags = (const char *const *)own->lines,
		.flag_count = own->count,
		.stop = &stop,
		.deadline_ns = deadline_ns(options->budget_seconds),
		.expect = options->budget_seconds ? NULL : expect,
		.keep = file ? keep_results : NULL,
		.find = file ? find_result : NULL,
		.forget = file ? forget_results : NULL,
		.context = file,
	};
}

static enum csc_status keep_advice(struct sweep_file *file, const struct sweep *sweep,
		const struct advice *advice, struct diag *diag)
{
	const struct sweep_finding finding = {
		.sweep = sweep,
		.answer = advice->answer,
		.objective = advice->objective,
		.refusal = *advice->refusal ? advice->refusal : NULL,
	};

	return file ? sweep_file_advise(file, &finding, diag) : CSC_OK;
}

/* `file` NULL: nothing is kept. */
static int search(const struct advise_options *options, struct sweep *sweep,
		const struct advise_own *own, struct sweep_file *file, struct search_answer *answer)
{
	/* Too large for a stack. */
	static struct advice advice;
	struct search_request request = advise_request(options, own, file);
	struct diag diag = { 0 };
	enum csc_status status;

	advise_catch_interrupt();
	request.least_share = advice_least_share(
			request.objective, sweep_facts(sweep)->recording.has_work);
	status = sweep_search(sweep, &request, answer, &diag);
	expect_no_more();
	if (status != CSC_OK) {
		return source_fail(&diag);
	}
	advice_make(&(struct advice_request){ .database = options->request.path,
				    .sweep = sweep,
				    .answer = answer,
				    .objective = request.objective,
				    .target = (enum advice_target)options->target,
				    .max_mappings = source_max_mappings() },
			&advice);
	if (options->format == ADVISE_JSON) {
		advice_print_json(&advice, stdout);
	} else {
		advice_print_text(&advice, stdout);
	}
	if ((answer->is_predicted || answer->is_hopeless) &&
			keep_advice(file, sweep, &advice, &diag) != CSC_OK) {
		return source_fail(&diag);
	}
	return stop ? EXIT_INTERRUPTED : EXIT_DONE;
}

int advise_search(const struct advise_options *options, struct sweep *sweep,
		const struct advise_own *own)
{
	struct diag unkept = { 0 };
	struct search_answer *answer = calloc(1, sizeof(*answer));
	struct sweep_file *file;
	int status;

	if (!answer) {
		(void)DIAG_NO_MEMORY(&unkept);
		return command_fail(&unkept);
	}
	file = sweep_file_open(
			options->request.path, sweep_facts(sweep)->recording.runtime, &unkept);
	if (!file) {
		command_print("results are not kept: %s", unkept.text);
	}
	status = search(options, sweep, own, file, answer);
	sweep_file_close(file);
	free(answer);
	return status;
}
