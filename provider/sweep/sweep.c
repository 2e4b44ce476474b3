/* SPDX-License-Identifier: MIT */
/* A decoded recording, and one replay of it. */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "address_space.h"
#include "block_types.h"
#include "decoded.h"
#include "flag_table.h"
#include "observer.h"
#include "player.h"
#include "prefill.h"
#include "replay.h"
#include "sweep_internal.h"
#include "wait.h"

/* Words of one set of flags. */
#define WORDS_MAX 256

/* Schedules that are played where the work of threads is not recorded. */
#define USUAL_SCHEDULES 5

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
	status = replay_settle(&request, sweep->recording, ret_options, diag);
	free(text);
	return status;
}

enum csc_status sweep_check(const struct sweep *sweep, const char *flags, struct diag *diag)
{
	struct csc_options options;

	return settle(sweep, flags, &options, diag);
}

/* A node prints of a super carrier what is left of it: 4 MiB less than the flag, and what alignment
 * took (measured: OTP 25, 32 to 1,000 MiB). */
enum { SUPER_LOSS_BYTES = 5 << 20 };

/* What a flag sets, as text; `one` is recorded. */
static bool is_same_flag(const struct flag *flag, struct csc_options *one,
		struct csc_options *other, int allocator)
{
	char text[24] = "";
	char others[24] = "";

	if (!flag->option && !flag->is_listed) {
		return true;
	}
	/* Where nothing is abandoned the pool means nothing, and a node says that there is none. */
	if (flag->kind == FLAG_POOL && one->allocators[allocator].settings.acul == 0 &&
			other->allocators[allocator].settings.acul == 0) {
		return true;
	}
	flag_print(flag, flag_base(flag, one, (enum csc_allocator)allocator), text);
	flag_print(flag, flag_base(flag, other, (enum csc_allocator)allocator), others);
	if (flag->kind == FLAG_MIB) {
		uint64_t bytes = strtoull(text, NULL, 10);
		uint64_t wanted = strtoull(others, NULL, 10);

		return bytes == wanted ||
				(bytes > 0 && bytes < wanted && wanted - bytes <= SUPER_LOSS_BYTES);
	}
	return strcmp(text, others) == 0;
}

bool sweep_has_options(const struct sweep *sweep, const struct csc_options *options)
{
	struct csc_options recorded = sweep->facts.options;
	struct csc_options with = *options;

	for (const struct flag *flag = flag_table; flag->name; flag++) {
		for (int i = 0; i < (flag_is_each(flag) ? CSC_ALLOCATORS : 1); i++) {
			if (flag->offset && !is_same_flag(flag, &recorded, &with, i)) {
				return false;
			}
		}
	}
	return true;
}

bool sweep_has_flags(const struct sweep *sweep, const char *flags, struct diag *diag)
{
	struct csc_options with;

	return settle(sweep, flags, &with, diag) == CSC_OK && sweep_has_options(sweep, &with);
}

static uint64_t reading_carriers(const struct reading *reading, int allocator)
{
	return (uint64_t)(reading->allocators[allocator].carriers_bytes +
			reading->allocators[allocator].single_carriers_bytes);
}

/*
 * What the node had at its first reading beyond what a replay without flags begins with.  Flags
 * change what there is before the first call as well: that difference stays in the figures.
 */
static void learn_base(struct sweep *sweep, const struct observer *observer)
{
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		sweep->base_bytes[i] = (int64_t)reading_carriers(&sweep->readings.first, i) -
				(int64_t)observer->bytes[i];
		sweep->base_bytes[SWEEP_ALL] += sweep->base_bytes[i];
	}
}

static uint64_t shift(uint64_t bytes, int64_t base)
{
	return base < 0 && bytes < (uint64_t)-base ? 0 : bytes + (uint64_t)base;
}

static void add_base(const struct sweep *sweep, struct sweep_result *result)
{
	memcpy(result->base_bytes, sweep->base_bytes, sizeof(result->base_bytes));
	for (int i = 0; i < SWEEP_ROWS; i++) {
		struct sweep_figure *figure = &result->figures[i];
		int64_t base = result->base_bytes[i];

		figure->peak_bytes = shift(figure->peak_bytes, base);
		figure->end_bytes = shift(figure->end_bytes, base);
		figure->average_bytes += (double)base;
		if (i == SWEEP_ALL) {
			figure->held_peak_bytes = shift(figure->held_peak_bytes, base);
			figure->held_end_bytes = shift(figure->held_end_bytes, base);
			figure->held_average_bytes += (double)base;
		}
		for (int k = 0; k < SWEEP_SAMPLES; k++) {
			result->most[k][i] = shift(result->most[k][i], base);
		}
	}
}

static void copy_counts(const struct player *player, struct sweep_result *result)
{
	const struct player_counts *counts = player_counts(player);

	result->played = counts->calls;
	result->refused = counts->refused;
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		result->figures[i].copied_bytes = counts->copied_bytes[i];
		result->figures[SWEEP_ALL].copied_bytes += counts->copied_bytes[i];
	}
}

/* What the node had, in a replay. */
static enum csc_status begin_replay(struct sweep *sweep, const struct csc_options *options,
		uint32_t schedule, struct observer *observer, struct player **ret_player,
		struct diag *diag)
{
	struct player *player = player_create_heard(sweep->recording, options, 0,
			replay_bursts[schedule], &observer->listener, diag);

	if (!player) {
		return CSC_ERROR;
	}
	if (sweep->facts.has_readings &&
			prefill(player, &sweep->start, &sweep->readings.first,
					sweep->readings.allocators, diag) != CSC_OK) {
		player_destroy(player);
		return CSC_ERROR;
	}
	*ret_player = player;
	return CSC_OK;
}

enum csc_status sweep_play(struct sweep *sweep, const struct sweep_job *job,
		struct sweep_result *ret_result, struct diag *diag)
{
	double begin = cpu_seconds();
	struct csc_options options;
	struct observer observer;
	struct player *player;
	enum csc_status status;

	if (settle(sweep, job->flags, &options, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	recording_choose_cut(sweep->recording, job->is_part);
	observer_init(&observer, sweep->recording, &options, ret_result);
	if (begin_replay(sweep, &options, job->schedule, &observer, &player, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	player_set_period(player, (int64_t)((double)sweep->wait_ns * wait_periods[job->schedule]));
	observer_start(&observer, player);
	status = player_run(player, sweep->recording, diag);
	if (status == CSC_OK) {
		observer_finish(&observer);
		copy_counts(player, ret_result);
		add_base(sweep, ret_result);
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

/* See learn_base(). */
static enum csc_status find_base(struct sweep *sweep, struct diag *diag)
{
	struct sweep_result *result = calloc(1, sizeof(*result));
	struct observer observer;
	struct player *player;

	if (!result) {
		return DIAG_NO_MEMORY(diag);
	}
	observer_init(&observer, sweep->recording, &sweep->facts.options, result);
	if (begin_replay(sweep, &sweep->facts.options, 0, &observer, &player, diag) == CSC_OK) {
		learn_base(sweep, &observer);
		player_destroy(player);
	}
	free(result);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

/* What another release would do is not in a recording: types and sizes are those of its own. */
static enum csc_status check_release(const struct sweep *sweep, struct diag *diag)
{
	const struct csc_generation *said = sweep->request.generation;
	const struct recording_facts *facts = &sweep->facts.recording;
	const struct csc_generation *own = csc_generation_find(facts->release);

	return !said || !own || said == own || facts->releases > 1
			? CSC_OK
			: DIAG_REFUSE(diag,
					  "'%s' is of OTP %s: --otp=%s is for a recording that does not have its release",
					  sweep->request.path, own->name, said->name);
}

static enum csc_status learn(struct sweep *sweep, struct diag *diag)
{
	struct sweep_facts *facts = &sweep->facts;
	struct recording_span span;

	recording_facts(sweep->recording, &facts->recording);
	if (check_release(sweep, diag) != CSC_OK ||
			settle(sweep, "", &facts->options, diag) != CSC_OK ||
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
	facts->schedules = facts->recording.has_work ? 1 : USUAL_SCHEDULES;
	if (facts->has_readings && find_base(sweep, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	if (facts->has_readings && !facts->recording.has_work &&
			wait_find(sweep->recording, &facts->options, 0, &sweep->start,
					&sweep->readings, &sweep->wait_ns, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	/* What replays of this process have left is of no use to those of others. */
	address_space_trim();
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
	sweep->budget_bytes = request->budget_bytes;
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

static bool is_same_figure(const struct sweep_figure *one, const struct sweep_figure *other)
{
	return one->peak_bytes == other->peak_bytes && one->end_bytes == other->end_bytes &&
			one->average_bytes == other->average_bytes &&
			one->held_peak_bytes == other->held_peak_bytes &&
			one->held_end_bytes == other->held_end_bytes &&
			one->held_average_bytes == other->held_average_bytes &&
			one->calls == other->calls && one->copied_bytes == other->copied_bytes &&
			one->mappings == other->mappings;
}

bool sweep_is_same(const struct sweep_result *one, const struct sweep_result *other)
{
	for (int i = 0; i < SWEEP_ROWS; i++) {
		if (!is_same_figure(&one->figures[i], &other->figures[i])) {
			return false;
		}
	}

	return memcmp(one->most, other->most, sizeof(one->most)) == 0 &&
			memcmp(one->blocks_bytes, other->blocks_bytes, sizeof(one->blocks_bytes)) ==
			0 &&
			one->end_blocks_bytes == other->end_blocks_bytes &&
			one->played == other->played;
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
