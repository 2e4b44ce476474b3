/* SPDX-License-Identifier: MIT */
/* A decoded recording, and one replay of it. */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "block_types.h"
#include "decoded.h"
#include "flag_table.h"
#include "observer.h"
#include "player.h"
#include "prefill.h"
#include "replay_internal.h"
#include "sweep_internal.h"
#include "wait.h"

/* Words of one set of flags. */
#define WORDS_MAX 256

static double cpu_seconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The recorded options with flags. */
static enum csc_status settle(const struct sweep *sweep, const char *flags,
		struct csc_options *ret_options, struct diag *diag)
{
	char *words[WORDS_MAX];
	struct replay_request request = sweep->request;
	char *text = strdup(flags);
	char *rest = NULL;
	enum csc_status status;

	if (!text) {
		return DIAG_NO_MEMORY(diag);
	}
	request.flags = words;
	for (char *word = strtok_r(text, " \t\n", &rest); word;
			word = strtok_r(NULL, " \t\n", &rest)) {
		if (request.flag_count == WORDS_MAX) {
			free(text);
			return DIAG_FAIL(diag, "more than %d words of flags", WORDS_MAX);
		}
		words[request.flag_count++] = word;
	}
	status = replay_settle(&request, sweep->recording, true, ret_options, diag);
	free(text);
	return status;
}

enum csc_status sweep_check(const struct sweep *sweep, const char *flags, struct diag *diag)
{
	struct csc_options options;

	return settle(sweep, flags, &options, diag);
}

/* What a flag sets, as text. */
static bool is_same_flag(const struct flag *flag, struct csc_options *one,
		struct csc_options *other, int allocator)
{
	char text[24] = "";
	char others[24] = "";

	if (!flag->option && !flag->is_listed) {
		return true;
	}
	flag_print(flag, flag_base(flag, one, (enum csc_allocator)allocator), text);
	flag_print(flag, flag_base(flag, other, (enum csc_allocator)allocator), others);
	return strcmp(text, others) == 0;
}

bool sweep_has_flags(const struct sweep *sweep, const char *flags, struct diag *diag)
{
	struct csc_options recorded = sweep->facts.options;
	struct csc_options with;

	if (settle(sweep, flags, &with, diag) != CSC_OK) {
		return false;
	}
	for (const struct flag *flag = flag_table; flag->name; flag++) {
		for (int i = 0; i < (flag_is_each(flag) ? CSC_ALLOCATORS : 1); i++) {
			if (flag->offset && !is_same_flag(flag, &recorded, &with, i)) {
				return false;
			}
		}
	}
	return true;
}

static uint64_t reading_carriers(const struct reading *reading, int allocator)
{
	return (uint64_t)(reading->allocators[allocator].carriers_bytes +
			reading->allocators[allocator].single_carriers_bytes);
}

/* What the node had at its first reading beyond what the replay begins with. */
static void learn_base(const struct sweep *sweep, const struct observer *observer,
		struct sweep_result *result)
{
	for (int i = 0; sweep->facts.has_readings && i < CSC_ALLOCATORS; i++) {
		result->base_bytes[i] = (int64_t)reading_carriers(&sweep->readings.first, i) -
				(int64_t)observer->bytes[i];
		result->base_bytes[SWEEP_ALL] += result->base_bytes[i];
	}
}

static uint64_t shift(uint64_t bytes, int64_t base)
{
	return base < 0 && bytes < (uint64_t)-base ? 0 : bytes + (uint64_t)base;
}

static void add_base(struct sweep_result *result)
{
	for (int i = 0; i < SWEEP_ROWS; i++) {
		struct sweep_figure *figure = &result->figures[i];
		int64_t base = result->base_bytes[i];

		figure->peak_bytes = shift(figure->peak_bytes, base);
		figure->end_bytes = shift(figure->end_bytes, base);
		figure->average_bytes += (double)base;
		for (int k = 0; k < SWEEP_SAMPLES; k++) {
			result->most[k][i] = shift(result->most[k][i], base);
		}
	}
}

static void take_counts(const struct player *player, struct sweep_result *result)
{
	const struct player_counts *counts = player_counts(player);

	result->played = counts->calls;
	result->refused = counts->refused;
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		result->figures[i].copied_bytes = counts->copied_bytes[i];
		result->figures[SWEEP_ALL].copied_bytes += counts->copied_bytes[i];
	}
}

enum csc_status sweep_play(struct sweep *sweep, const struct sweep_job *job,
		struct sweep_result *ret_result, struct diag *diag)
{
	double begin = cpu_seconds();
	struct csc_options options;
	struct observer observer;
	struct player *player;
	enum csc_status status = CSC_OK;

	if (settle(sweep, job->flags, &options, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	recording_choose_cut(sweep->recording, job->is_part);
	observer_init(&observer, sweep->recording, &options, ret_result);
	player = player_create_heard(sweep->recording, &options, 0, replay_bursts[job->schedule],
			&observer.listener, diag);
	if (!player) {
		return CSC_ERROR;
	}
	if (sweep->facts.has_readings) {
		status = prefill(player, &sweep->start, &sweep->readings.first,
				sweep->readings.allocators, diag);
	}
	if (status == CSC_OK) {
		learn_base(sweep, &observer, ret_result);
		player_set_period(player,
				(int64_t)((double)sweep->wait_ns * wait_periods[job->schedule]));
		observer_start(&observer, player);
		status = player_run(player, sweep->recording, diag);
	}
	if (status == CSC_OK) {
		observer_finish(&observer);
		take_counts(player, ret_result);
		add_base(ret_result);
		ret_result->is_done = true;
		ret_result->cpu_seconds = cpu_seconds() - begin;
	}
	player_destroy(player);
	return status;
}

/* Two readings of a node, or the whole recording from its begin. */
static enum csc_status choose_start(struct sweep *sweep, struct diag *diag)
{
	struct diag none = { 0 };

	if (readings_find(sweep->recording, &sweep->readings, &none) != CSC_OK) {
		return CSC_OK;
	}
	sweep->facts.has_readings = true;
	if (start_state_find(sweep->recording, &sweep->readings, &sweep->facts.options,
			    &sweep->start, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	recording_limit(sweep->recording, sweep->readings.first.row + 1, sweep->readings.last.row);
	return CSC_OK;
}

static enum csc_status learn_ends(struct sweep *sweep, struct diag *diag)
{
	int64_t *ends = sweep->facts.node_end_bytes;

	ends[SWEEP_ALL] = -1;
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		if (sweep->facts.has_readings) {
			ends[i] = (int64_t)reading_carriers(&sweep->readings.last, i);
		} else if (recording_carriers(sweep->recording, csc_allocator_infos[i].name,
					   &ends[i], diag) != CSC_OK) {
			return CSC_ERROR;
		}
		if (ends[i] > 0) {
			ends[SWEEP_ALL] = (ends[SWEEP_ALL] < 0 ? 0 : ends[SWEEP_ALL]) + ends[i];
		} else {
			ends[i] = -1;
		}
	}
	return CSC_OK;
}

static enum csc_status learn(struct sweep *sweep, struct diag *diag)
{
	struct sweep_facts *facts = &sweep->facts;
	struct recording_span span;

	recording_facts(sweep->recording, &facts->recording);
	if (settle(sweep, "", &facts->options, diag) != CSC_OK ||
			choose_start(sweep, diag) != CSC_OK || learn_ends(sweep, diag) != CSC_OK ||
			recording_decode(sweep->recording,
					facts->has_readings ? &sweep->start : NULL,
					DECODED_MEMORY_BYTES, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	recording_span(sweep->recording, &span);
	facts->steps = span.steps;
	facts->first_ns = span.first_ns;
	facts->last_ns = span.last_ns;
	facts->schedules = facts->recording.has_work ? 1 : TRIAL_SCHEDULES;
	if (facts->has_readings && !facts->recording.has_work) {
		return wait_find(sweep->recording, &facts->options, 0, &sweep->start,
				&sweep->readings, &sweep->wait_ns, diag);
	}
	return CSC_OK;
}

struct sweep *sweep_open(const struct sweep_request *request, struct diag *diag)
{
	struct sweep *sweep = calloc(1, sizeof(*sweep));

	if (!sweep) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	sweep->workers = request->workers;
	sweep->request = (struct replay_request){
		.path = request->path,
		.runtime = request->runtime,
		.generation = request->generation,
		.schedulers = request->schedulers,
	};
	sweep->recording = recording_open(request->path, request->runtime, diag);
	if (!sweep->recording || learn(sweep, diag) != CSC_OK) {
		sweep_close(sweep);
		return NULL;
	}
	return sweep;
}

void sweep_close(struct sweep *sweep)
{
	if (sweep) {
		recording_close(sweep->recording);
		start_state_finish(&sweep->start);
		readings_finish(&sweep->readings);
		free(sweep);
	}
}

const struct sweep_facts *sweep_facts(const struct sweep *sweep)
{
	return &sweep->facts;
}

enum csc_status sweep_cut(struct sweep *sweep, uint32_t part, uint32_t parts, struct diag *diag)
{
	return recording_cut(sweep->recording, part, parts, DECODED_MEMORY_BYTES, diag);
}

double sweep_coverage(const struct sweep *sweep, const struct sweep_result *plain, int row)
{
	const int64_t *ends = sweep->facts.node_end_bytes;
	double known = 0;

	if (ends[row] <= 0) {
		return -1;
	}
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		double end = (double)plain->figures[i].end_bytes;

		if (ends[i] > 0 && (row == SWEEP_ALL || row == i)) {
			known += end < (double)ends[i] ? end : (double)ends[i];
		}
	}
	return known / (double)ends[row];
}
