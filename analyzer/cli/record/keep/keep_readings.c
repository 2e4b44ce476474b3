/*
 * SPDX-License-Identifier: MIT
 */
#include "keep_readings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "files.h"
#include "keep_alarm.h"
#include "keep_aside.h"
#include "keep_judge.h"
#include "keep_say.h"
#include "push.h"
#include "recorder_name.h"

enum {
	/* Of the time, and of the memory that a ring may take; one more is being written.  More of
	 * them, up to the most, where a fleet gets its minutes sooner. */
	PARTS = 8,
	MOST_PARTS = 64,

	/* A node that ends its answer is gone if it cannot be asked again so often. */
	FAILURES = 3,
	PAUSE_SECONDS = 5,
	PATH_BYTES = 400
};

bool keep_readings_can(const struct keep_options *options, const struct diag *why)
{
	return why->is_refusal && options->sample_bytes == 0 && options->rotate_seconds == 0;
}

static int64_t seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec;
}

static void name_part(const struct keep_readings *keeper, unsigned int part,
		char ret_path[static PATH_BYTES])
{
	(void)snprintf(ret_path, PATH_BYTES, "%s/%u", keeper->trace, part);
}

/* The oldest go. */
static void prune(const struct keep_readings *keeper)
{
	char path[PATH_BYTES];
	unsigned int oldest = keeper->part > keeper->parts ? keeper->part - keeper->parts : 0;

	for (unsigned int part = oldest > 2 ? oldest - 2 : 0; part < oldest; part++) {
		name_part(keeper, part, path);
		files_remove_tree(path);
	}
}

/* ---- Judging ---- */

static enum csc_status judge_found(void *context, struct diag *diag)
{
	return keep_judge(context, diag);
}

static void add_alarm(void *context, const char *database)
{
	const struct keep_readings *keeper = context;
	struct diag diag = { 0 };

	if (keep_fleet_add_alarm(keeper->fleet, database, &diag) != CSC_OK) {
		command_print("'%s' is not sent to the fleet: %s", database, diag.text);
	}
}

/* What the node prints meanwhile waits in the pipe. */
static void do_nothing(void *context)
{
	(void)context;
}

static void judge(struct keep_readings *keeper, const char *trace, const char *reason,
		const char *sentence)
{
	struct diag diag = { 0 };
	struct keep_case found = { .folder = keeper->folder,
		.trace = trace,
		.reason = reason,
		.sentence = sentence,
		.node = keeper->shown,
		.on_alarm = keeper->options->on_alarm,
		.most_alarms = keeper->options->most_alarms,
		.after = keeper->fleet->options ? add_alarm : NULL,
		.context = keeper };

	keeper->has_failed = keep_aside(judge_found, &found, do_nothing, NULL, &diag) != CSC_OK;
	if (keeper->has_failed) {
		command_print("%s: nothing is kept: %s", sentence, diag.text);
	}
}

/* A rule of this name that is on and not silent; the name is the node's, and becomes one of a file.
 */
static bool takes_alarm(struct keep_readings *keeper, const char *alarm)
{
	size_t length = strcspn(alarm, " ");

	for (int i = 0; i < KEEP_REASONS; i++) {
		const char *name = keep_reason_names[i];

		if (strlen(name) == length && strncmp(name, alarm, length) == 0 &&
				keeper->options->rules[i].is_on &&
				seconds_now() >= keeper->silent_until[i]) {
			keeper->silent_until[i] =
					seconds_now() + (int64_t)keeper->options->quiet_seconds;
			return true;
		}
	}
	return false;
}

static void judge_alarm(void *context, const char *text)
{
	struct keep_readings *keeper = context;
	struct keep_alarm alarm;
	char answer[NODE_ANSWER_BYTES];

	if (!takes_alarm(keeper, text)) {
		return;
	}
	/* As a node with the module answers, whose numbers before are not needed. */
	(void)snprintf(answer, sizeof(answer), "1 0 0 0 %s", text);
	keep_alarm_read(answer, keeper->shown, &alarm);
	keep_say("%s", "alarm");
	judge(keeper, keeper->trace, alarm.reason, alarm.sentence);
}

static void judge_end(struct keep_readings *keeper)
{
	char sentence[400];

	keep_say("%s", "the node is gone");
	(void)snprintf(sentence, sizeof(sentence), "%s is gone, or cannot be reached any more",
			keeper->shown);
	judge(keeper, keeper->trace, "gone", sentence);
	files_remove_tree(keeper->trace);
	(void)files_make_folder(keeper->trace);
	keeper->is_said = false;
	keeper->has_life = false;
	keeper->failures = 0;
}

/* Parts of the life before, which are judged by themselves: the new one may have the same pid. */
static void judge_life(struct keep_readings *keeper)
{
	char gone[PATH_BYTES];
	char from[PATH_BYTES];
	char to[PATH_BYTES + 16];
	char sentence[400];

	keep_say("%s was started again: a new life begins", keeper->shown);
	(void)snprintf(gone, sizeof(gone), "%s/gone", keeper->trace);
	(void)files_make_folder(gone);
	for (unsigned int part = keeper->first_part; part < keeper->part; part++) {
		name_part(keeper, part, from);
		(void)snprintf(to, sizeof(to), "%s/%u", gone, part);
		/* The oldest are gone already. */
		(void)rename(from, to);
	}
	(void)snprintf(sentence, sizeof(sentence), "%s was started again: what it did before",
			keeper->shown);
	if (keeper->part > keeper->first_part) {
		judge(keeper, gone, "gone", sentence);
	}
	files_remove_tree(gone);
	/* Its minutes have another identity. */
	keep_fleet_end(keeper->fleet);
	keeper->first_part = keeper->part;
	keeper->is_restarted = true;
}

/* ---- The node ---- */

static void say_begin(void *context, uint32_t life)
{
	struct keep_readings *keeper = context;

	if (keeper->has_life && keeper->life != life) {
		judge_life(keeper);
	}
	keeper->has_life = true;
	keeper->life = life;
	keeper->failures = 0;
	keep_fleet_turn(keeper->fleet);
	if (!keeper->is_said) {
		keeper->is_said = true;
		keep_say("%s is recorded by readings", keeper->shown);
	}
}

/* Rules that a reading can see, as pairs of a map; a new text, NULL: out of memory. */
static char *make_rules(const struct keep_options *options)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&text, &bytes);
	const char *comma = "";

	for (int i = 0; stream && i < KEEP_REASONS; i++) {
		if (options->rules[i].is_on && i != KEEP_LONG_GC && i != KEEP_FAILURES) {
			(void)fprintf(stream, "%s%s => %llu", comma, keep_reason_names[i],
					(unsigned long long)options->rules[i].threshold);
			comma = ", ";
		}
	}
	if (!stream || fclose(stream) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void give_minutes(const struct keep_readings *keeper, const char *trace)
{
	struct diag diag = { 0 };

	if (keeper->fleet->options && keep_fleet_take_part(keeper->fleet, trace, &diag) != CSC_OK) {
		command_print("the fleet lacks minutes: %s", diag.text);
	}
}

/* One part: until its time is over or it is large, the node is gone, or an interrupt. */
static enum csc_status read_part(struct keep_readings *keeper, const char *rules,
		unsigned long long *ret_snapshots, struct diag *diag)
{
	const struct keep_options *options = keeper->options;
	char *by = recorder_name();
	char trace[PATH_BYTES];
	struct push_result result = { 0 };
	const struct push_request request = { .node = keeper->node,
		.order = { .seconds = keeper->part_seconds,
				.snapshots_ms = options->snapshot_seconds * 1000,
				.rules = rules,
				.quiet_ms = options->quiet_seconds * 1000,
				.history = keeper->history,
				.by = by ? by : "carrierscope keep" },
		.trace = trace,
		.is_interrupted = keeper->is_interrupted,
		.most_bytes = options->memory_bytes / keeper->parts,
		.alarm = judge_alarm,
		.history = keeper->history,
		.turn = say_begin,
		.context = keeper };
	enum csc_status status;

	name_part(keeper, keeper->part, trace);
	status = push_read(&request, &result, diag);
	free(by);
	if (result.snapshots > 0) {
		give_minutes(keeper, trace);
		keeper->part++;
		prune(keeper);
	}
	*ret_snapshots = result.snapshots;
	return status;
}

static void pause_for(const struct keep_readings *keeper)
{
	const struct timespec second = { .tv_sec = 1 };

	for (int i = 0; i < PAUSE_SECONDS && !*keeper->is_interrupted; i++) {
		(void)nanosleep(&second, NULL);
	}
}

/* True: the node is gone, and what was read of it was judged. */
static bool take_failure(
		struct keep_readings *keeper, unsigned long long snapshots, const struct diag *why)
{
	keeper->failures++;
	/* Whatever the node said may be why. */
	keeper->history[0] = '\0';
	/* What is read next may be another life of the node. */
	keep_fleet_end(keeper->fleet);
	if (!keeper->is_said || *keeper->is_interrupted) {
		return false;
	}
	/* It may be there still, as where memory is short; or one of its name is there again. */
	if (strstr(why->text, "cannot be read") ||
			(snapshots == 0 && keeper->failures < FAILURES)) {
		return false;
	}
	judge_end(keeper);
	return true;
}

static enum csc_status go_on(struct keep_readings *keeper, const char *rules, struct diag *diag)
{
	bool is_over = false;
	unsigned long long snapshots = 0;

	while (!is_over && !*keeper->is_interrupted) {
		struct diag why = { 0 };
		enum csc_status status = read_part(keeper, rules, &snapshots, &why);

		if (status == CSC_OK) {
			is_over = keeper->is_restarted && keeper->options->is_once;
			continue;
		}
		if (!keeper->is_said && keeper->part == 0 && !*keeper->is_interrupted) {
			*diag = why;
			return CSC_ERROR;
		}
		is_over = take_failure(keeper, snapshots, &why) && keeper->options->is_once;
		if (!is_over && !*keeper->is_interrupted) {
			pause_for(keeper);
		}
	}
	return CSC_OK;
}

static void divide_time(struct keep_readings *keeper)
{
	unsigned int history = keeper->options->history_seconds;
	unsigned int wanted = history / keeper->options->push_seconds;

	keeper->parts = PARTS;
	if (keeper->fleet->options && wanted > PARTS) {
		keeper->parts = wanted < MOST_PARTS ? wanted : MOST_PARTS;
	}
	keeper->part_seconds = history / keeper->parts + 1;
}

enum csc_status keep_readings(struct keep_readings *keeper, struct diag *diag)
{
	char *rules = make_rules(keeper->options);
	enum csc_status status;

	divide_time(keeper);
	keep_fleet_begin(keeper->fleet, 0);
	files_remove_tree(keeper->trace);
	if (!rules) {
		return DIAG_NO_MEMORY(diag);
	}
	status = files_make_folder(keeper->trace) == 0
			? go_on(keeper, rules, diag)
			: DIAG_FAIL(diag, "cannot make the folder '%s'", keeper->trace);
	free(rules);
	keep_fleet_end(keeper->fleet);
	files_remove_tree(keeper->trace);
	return status;
}
