/*
 * SPDX-License-Identifier: MIT
 *
 * Settings for a board that ran out of memory, tried on the twin.
 */
#include "board_advise.h"

#include <stdlib.h>
#include <string.h>

#include "block_types.h"
#include "board_answer.h"
#include "board_known.h"
#include "source_options.h"

/* Operations of the load, at most, until the log's settings have to fail. */
#define MOST_OPERATIONS (10 * BOARD_LOAD_GROWTH)

/* The load is the log's only if it ends with about as much in use: within this share. */
#define LIKENESS 0.15

#define TRIM_BYTES 12

/* The first is what the log has. */
static const struct board_setting shipped[] = {
	{ .name = "as in the log", .flags = "" },
	{ .flags = "-Mea min" },
	{ .flags = "-Muycs 256" },
	{ .flags = "-Musmbcs 256" },
	{ .flags = "-Musmbcs 256 -Muycs 256" },
	{ .flags = "-Musmbcs 2048" },
	{ .flags = "-Musmbcs 4096" },
	{ .flags = "-Mut false" },
	{ .flags = "-Musbct 8192" },
	{ .flags = "-Muas bf" },
	{ .flags = "-Muas aobf" },
	{ .flags = "-Muas gf" },
	{ .flags = "-Muas aoff" },
	{ .flags = "-Muas aoffcaobf" },
	{ .flags = "-Muas ageffcaoff" },
	{ .flags = "-Muas ageffcbf" },
	{ .flags = "-Muas ageffcaobf" },
	{ .name = "port: carriers 12 bytes smaller", .flags = "", .trim_bytes = TRIM_BYTES },
	{ .name = "port: carriers 12 bytes smaller, and",
			.flags = "-Muycs 256",
			.trim_bytes = TRIM_BYTES },
	{ .name = "port: carriers 12 bytes smaller, and",
			.flags = "-Mut false",
			.trim_bytes = TRIM_BYTES },
};
#define SHIPPED (sizeof(shipped) / sizeof(shipped[0]))

/* All that is needed until it is printed. */
struct trials {
	struct board_case found;
	struct board_load load;
	struct board_trial trial;
	struct board_setting *settings;
	size_t count;
	struct board_run *runs;
	struct board_outcome *outcomes;
	struct board_answer answer;
};

/* The log's settings, until they fail: operations of each run in `ret_operations`. */
static enum csc_status run_recorded(struct trials *trials, const char *log,
		uint64_t ret_operations[BOARD_RUNS], struct diag *diag)
{
	struct board_answer *answer = &trials->answer;
	struct board_run runs[BOARD_RUNS];
	struct board_outcome outcomes[BOARD_RUNS];

	for (unsigned int i = 0; i < BOARD_RUNS; i++) {
		runs[i] = (struct board_run){
			.flags = "",
			.seed = i + 1,
			.operations = MOST_OPERATIONS,
		};
	}
	if (board_trial_run(&trials->trial, runs, BOARD_RUNS, outcomes, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	answer->used_low = answer->asked_low = UINT64_MAX;
	for (unsigned int i = 0; i < BOARD_RUNS; i++) {
		const struct board_outcome *outcome = &outcomes[i];

		if (!outcome->is_done) {
			return DIAG_FAIL(diag, "the load of '%s' cannot be run: %s", log,
					outcome->diag.text);
		}
		if (outcome->is_alive || outcome->operations == 0) {
			return DIAG_REFUSE(diag,
					"with the settings of '%s' the twin's load of it %s, so no other "
					"setting can be judged: record the runtime itself "
					"(carrierscope record) or give --board the file of this board",
					log, outcome->is_alive ? "does not fail" : "fails at once");
		}
		ret_operations[i] = outcome->operations;
		answer->used_low = outcome->used_bytes < answer->used_low ? outcome->used_bytes
									  : answer->used_low;
		answer->used_high = outcome->used_bytes > answer->used_high ? outcome->used_bytes
									    : answer->used_high;
		answer->asked_low = outcome->asked_bytes < answer->asked_low ? outcome->asked_bytes
									     : answer->asked_low;
		answer->asked_high = outcome->asked_bytes > answer->asked_high
				? outcome->asked_bytes
				: answer->asked_high;
	}
	return CSC_OK;
}

/* The twin's load has to end with about as much in use as the log. */
static enum csc_status check_likeness(
		const struct trials *trials, const char *log, struct diag *diag)
{
	double used = (double)trials->found.used_bytes;
	double likely = ((double)trials->answer.used_low + (double)trials->answer.used_high) / 2;

	if (likely > used * (1 + LIKENESS) || likely < used * (1 - LIKENESS)) {
		return DIAG_REFUSE(diag,
				"the twin's load of '%s' ends with %.1f MiB in use and the board with %.1f, "
				"which is too far away to judge settings: give --board the file of this board",
				log, likely / 1048576.0, used / 1048576.0);
	}
	return CSC_OK;
}

/* Flags that the release refuses are not run. */
static enum csc_status make_settings(
		const struct board_request *request, struct trials *trials, struct diag *diag)
{
	trials->settings = calloc(SHIPPED + request->own_count, sizeof(*trials->settings));
	if (!trials->settings) {
		return DIAG_NO_MEMORY(diag);
	}
	for (size_t i = 0; i < SHIPPED; i++) {
		struct diag refused = { 0 };

		if (board_trial_check(&trials->trial, shipped[i].flags, &refused) == CSC_OK) {
			trials->settings[trials->count++] = shipped[i];
		}
	}
	for (size_t i = 0; i < request->own_count; i++) {
		trials->settings[trials->count++] = (struct board_setting){
			.name = "yours",
			.flags = request->own[i],
			.is_own = true,
		};
	}
	return CSC_OK;
}

static enum csc_status run_settings(
		struct trials *trials, const uint64_t operations[BOARD_RUNS], struct diag *diag)
{
	size_t count = trials->count * BOARD_RUNS;

	trials->runs = calloc(count, sizeof(*trials->runs));
	trials->outcomes = calloc(count, sizeof(*trials->outcomes));
	if (!trials->runs || !trials->outcomes) {
		return DIAG_NO_MEMORY(diag);
	}
	for (size_t i = 0; i < count; i++) {
		const struct board_setting *setting = &trials->settings[i / BOARD_RUNS];

		trials->runs[i] = (struct board_run){
			.flags = setting->flags,
			.trim_bytes = setting->trim_bytes,
			.seed = i % BOARD_RUNS + 1,
			.operations = operations[i % BOARD_RUNS] * BOARD_SURVIVAL_PERCENT / 100,
		};
	}
	return board_trial_run(&trials->trial, trials->runs, count, trials->outcomes, diag);
}

/* Of a setting: what its runs have. */
static void sum_up(struct board_setting *setting, const struct board_outcome *outcomes,
		const uint64_t operations[BOARD_RUNS])
{
	setting->percent_low = BOARD_SURVIVAL_PERCENT;
	setting->free_bytes = setting->free_largest = UINT64_MAX;
	for (unsigned int i = 0; i < BOARD_RUNS; i++) {
		const struct board_outcome *outcome = &outcomes[i];
		double percent = outcome->is_alive
				? BOARD_SURVIVAL_PERCENT
				: 100.0 * (double)outcome->operations / (double)operations[i];

		if (!outcome->is_done) {
			setting->refusal = outcome->diag.text;
			continue;
		}
		setting->survived += outcome->is_alive;
		setting->percent_low =
				percent < setting->percent_low ? percent : setting->percent_low;
		setting->percent_high =
				percent > setting->percent_high ? percent : setting->percent_high;
		if (outcome->free_bytes < setting->free_bytes) {
			setting->free_bytes = outcome->free_bytes;
			setting->free_largest = outcome->free_largest;
			setting->hole_bytes = outcome->hole_bytes;
			setting->peak_bytes = outcome->peak_bytes;
		}
	}
}

/* Flags before lines of the port, then the one that leaves most free. */
static bool is_better(const struct board_setting *one, const struct board_setting *other)
{
	if (!other || (one->trim_bytes == 0) != (other->trim_bytes == 0)) {
		return !other || one->trim_bytes == 0;
	}
	return one->free_bytes > other->free_bytes;
}

static void choose(struct trials *trials)
{
	for (size_t i = 0; i < trials->count; i++) {
		const struct board_setting *setting = &trials->settings[i];

		if (!setting->refusal && setting->survived == BOARD_RUNS &&
				is_better(setting, trials->answer.best)) {
			trials->answer.best = setting;
		}
	}
}

static enum csc_status try_all(
		const struct board_request *request, struct trials *trials, struct diag *diag)
{
	const char *log = request->source->path;
	uint64_t operations[BOARD_RUNS];

	if (board_load_plan(&trials->found, trials->trial.board, &trials->load, diag) != CSC_OK ||
			make_settings(request, trials, diag) != CSC_OK ||
			run_recorded(trials, log, operations, diag) != CSC_OK ||
			check_likeness(trials, log, diag) != CSC_OK ||
			run_settings(trials, operations, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	for (size_t i = 0; i < trials->count; i++) {
		sum_up(&trials->settings[i], &trials->outcomes[i * BOARD_RUNS], operations);
	}
	choose(trials);
	trials->answer.log = log;
	trials->answer.trial = &trials->trial;
	trials->answer.settings = trials->settings;
	trials->answer.setting_count = trials->count;
	return CSC_OK;
}

/* What the log, the board and the release do not allow together. */
static enum csc_status check(
		const struct board_request *request, const struct trials *trials, struct diag *diag)
{
	const struct board_trial *trial = &trials->trial;
	uint64_t header = 2 * (uint64_t)trial->board->word_bytes;
	uint64_t heap_bytes = (uint64_t)trials->found.size_bytes + header;
	struct diag refused = { 0 };

	if (trial->board->heap.bytes != heap_bytes) {
		return DIAG_REFUSE(diag,
				"the heap of '%s' has %lld bytes and that of board '%s' %llu: give --board a "
				"board file with the line 'heap ADDRESS %llu' (carrierscope-twin(1), BOARD "
				"FILES)",
				request->source->path, (long long)trials->found.size_bytes,
				trial->board->name,
				(unsigned long long)(trial->board->heap.bytes - header),
				(unsigned long long)heap_bytes);
	}
	if (board_trial_check(trial, "", &refused) != CSC_OK) {
		return DIAG_REFUSE(diag,
				"OTP %s refuses the flags that '%s' starts the runtime with (%s): "
				"use --otp RELEASE",
				trial->generation->name, request->source->path, refused.text);
	}
	if (!memory_type_find(trials->found.type, trial->generation)) {
		return DIAG_REFUSE(diag,
				"OTP %s has no blocks of type '%s', which '%s' could not have: use --otp "
				"RELEASE",
				trial->generation->name, trials->found.type, request->source->path);
	}
	return CSC_OK;
}

/* Whether the release takes the user's own flags. */
static bool check_own(const struct board_request *request, const struct trials *trials)
{
	for (size_t i = 0; i < request->own_count; i++) {
		struct diag refused = { 0 };

		if (board_trial_check(&trials->trial, request->own[i], &refused) != CSC_OK) {
			command_print("%s", refused.text);
			return false;
		}
	}
	return true;
}

int board_advise(const struct board_request *request)
{
	struct trials trials = { 0 };
	struct diag diag = { 0 };
	struct board *board = board_known(request->board, &diag);
	int status = EXIT_FAILED;

	if (!board) {
		command_print("%s", diag.text);
		return EXIT_USAGE;
	}
	trials.trial = (struct board_trial){
		.found = &trials.found,
		.board = board,
		.load = &trials.load,
		.generation = request->source->generation ? request->source->generation
				: board->generation	  ? board->generation
							  : csc_generation_find("25"),
		.workers = request->source->workers,
	};
	if (board_case_read(request->source->path, &trials.found, &diag) == CSC_OK &&
			check(request, &trials, &diag) == CSC_OK) {
		status = check_own(request, &trials) ? EXIT_DONE : EXIT_USAGE;
	}
	if (status == EXIT_DONE && try_all(request, &trials, &diag) == CSC_OK) {
		(request->is_json ? board_answer_print_json : board_answer_print)(
				&trials.answer, stdout);
	}
	if (diag_is_set(&diag)) {
		status = source_fail(&diag);
	}
	free(trials.settings);
	free(trials.runs);
	free(trials.outcomes);
	board_destroy(board);
	return status;
}
