/*
 * SPDX-License-Identifier: MIT
 *
 * Runs of a board's load.
 */
#include "board_trial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "flags.h"
#include "rtems_heap.h"
#include "runtime.h"
#include "workload_run.h"

/* Words of flags in all. */
enum { WORDS_MAX = 256 };

static enum csc_status settle(const struct board_trial *trial, const char *flags,
		uint64_t trim_bytes, struct csc_options *ret_options, struct diag *diag)
{
	const struct flags_machine machine = { .dirty_schedulers = 1 };
	char *words[WORDS_MAX];
	char *copy = strdup(flags);
	char *rest = NULL;
	int count = 0;
	enum csc_status status;

	if (!copy) {
		return DIAG_NO_MEMORY(diag);
	}
	for (; count < trial->found->word_count; count++) {
		words[count] = (char *)trial->found->words[count];
	}
	for (char *word = strtok_r(copy, " \t", &rest); word && count < WORDS_MAX;
			word = strtok_r(NULL, " \t", &rest)) {
		/* On a board flags of the emulator begin with '-'. */
		if (strncmp(word, "-M", 2) == 0) {
			*word = '+';
		}
		words[count++] = word;
	}
	if (count == WORDS_MAX) {
		free(copy);
		return DIAG_FAIL(diag, "more than %d words of flags", WORDS_MAX - 1);
	}
	csc_options_init(ret_options, trial->generation, trial->board->word_bytes, 1);
	ret_options->carrier_trim = trim_bytes ? trim_bytes : trial->board->trim_bytes;
	status = flags_take(ret_options, &machine, count, words, diag);
	free(copy);
	return status;
}

enum csc_status board_trial_check(
		const struct board_trial *trial, const char *flags, struct diag *diag)
{
	struct csc_options options;

	return settle(trial, flags, 0, &options, diag);
}

/* Where the load begins among all operations, and what the end was like. */
struct watch {
	struct runtime *runtime;
	struct board_outcome *outcome;
	uint64_t start_operations;
};

static void on_phase(void *context, size_t number, const struct scheduler_figures *figures)
{
	(void)context;
	(void)number;
	(void)figures;
}

static bool on_burst(void *context, const struct workload_run *run, uint64_t done, uint64_t all)
{
	const struct watch *watch = context;

	(void)all;
	/* One that fails leaves the rest of its operations out. */
	if (!run->is_over && done > watch->start_operations) {
		watch->outcome->operations = done - watch->start_operations;
	}
	return false;
}

/* All blocks are there. */
static void on_end(void *context, const struct workload_run *run)
{
	const struct watch *watch = context;
	const struct rtems_heap *heap = runtime_heap(watch->runtime);
	struct address_space_figures space;
	struct rtems_walk walk;

	(void)run;
	rtems_heap_walk(heap, &walk);
	runtime_address_space(watch->runtime, &space);
	watch->outcome->used_bytes = walk.used_bytes;
	watch->outcome->free_bytes = walk.free_bytes;
	watch->outcome->free_largest = walk.free_largest;
	watch->outcome->hole_bytes = rtems_heap_hole_bytes(
			heap, runtime_unit_bytes(runtime_options(watch->runtime)));
	watch->outcome->carriers_bytes = space.bytes;
	watch->outcome->peak_bytes = space.peak_bytes;
}

static enum csc_status play_workload(const struct workload *workload, struct runtime *runtime,
		uint64_t start_operations, struct board_outcome *outcome)
{
	struct watch watch = { runtime, outcome, start_operations };
	const struct workload_run_report report = { &watch, on_phase, on_end, on_burst };
	struct scheduler_figures figures = { 0 };
	struct scheduler_failure failure = { 0 };
	enum csc_status status = workload_run(
			workload, runtime, false, &report, &figures, &failure, &outcome->diag);

	if (diag_is_set(&outcome->diag)) {
		return CSC_ERROR;
	}
	outcome->is_alive = status == CSC_OK;
	outcome->asked_bytes = failure.bytes;
	return CSC_OK;
}

static enum csc_status play(const struct board_trial *trial, const struct board_run *run,
		struct board_outcome *outcome)
{
	const struct workload_override override = { .word_bytes = trial->board->word_bytes };
	struct runtime_config config = { .board = trial->board };
	struct workload *workload = NULL;
	struct runtime *runtime = NULL;
	enum csc_status status = CSC_ERROR;
	char *text = board_load_text(
			trial->found, trial->board, trial->load, run->seed, run->operations);

	if (!text) {
		return DIAG_NO_MEMORY(&outcome->diag);
	}
	workload = workload_parse(text, "the load", trial->generation, &override, &outcome->diag);
	if (workload &&
			settle(trial, run->flags, run->trim_bytes, &config.options,
					&outcome->diag) == CSC_OK) {
		runtime = runtime_create(&config, &outcome->diag);
	}
	if (runtime) {
		status = play_workload(workload, runtime, trial->load->start_operations, outcome);
	}
	runtime_destroy(runtime);
	workload_destroy(workload);
	free(text);
	return status;
}

/* Waits for one process; a run that was ended by a signal is not done. */
static void wait_one(const pid_t *pids, size_t count, struct board_outcome *outcomes)
{
	int status = 0;
	pid_t pid = wait(&status);

	for (size_t i = 0; i < count && pid > 0; i++) {
		if (pids[i] == pid && WIFSIGNALED(status)) {
			outcomes[i].is_done = false;
			(void)DIAG_FAIL(&outcomes[i].diag, "the run was ended by signal %d",
					WTERMSIG(status));
		}
	}
}

static enum csc_status run_all(const struct board_trial *trial, const struct board_run *runs,
		size_t count, struct board_outcome *outcomes, struct diag *diag)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t room = trial->workers ? trial->workers : (size_t)(processors > 0 ? processors : 1);
	pid_t *pids = calloc(count + 1, sizeof(*pids));
	size_t running = 0;
	size_t started = 0;

	if (!pids) {
		return DIAG_NO_MEMORY(diag);
	}
	for (; started < count; started++) {
		if (running == room) {
			wait_one(pids, started, outcomes);
			running--;
		}
		pids[started] = fork();
		if (pids[started] < 0) {
			(void)DIAG_FAIL(diag, "cannot start a process: %s", strerror(errno));
			break;
		}
		if (pids[started] == 0) {
			struct board_outcome *outcome = &outcomes[started];

			(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
			outcome->is_done = play(trial, &runs[started], outcome) == CSC_OK;
			_exit(0);
		}
		running++;
	}
	for (; running > 0; running--) {
		wait_one(pids, started, outcomes);
	}
	free(pids);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

enum csc_status board_trial_run(const struct board_trial *trial, const struct board_run *runs,
		size_t count, struct board_outcome *ret_outcomes, struct diag *diag)
{
	size_t bytes = (count + 1) * sizeof(*ret_outcomes);
	struct board_outcome *shared = mmap(
			NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	enum csc_status status;

	if (shared == MAP_FAILED) {
		return DIAG_NO_MEMORY(diag);
	}
	status = run_all(trial, runs, count, shared, diag);
	memcpy(ret_outcomes, shared, count * sizeof(*ret_outcomes));
	(void)munmap(shared, bytes);
	return status;
}
