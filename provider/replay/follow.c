/* SPDX-License-Identifier: MIT */
/* A replay beside all readings of the node. */
#include "follow.h"

#include <stdlib.h>

#include "api.h"

struct follower {
	const struct readings *readings;
	const struct follow_listener *listener;

	/* Instances of each allocator, at most. */
	uint32_t instances;

	/* By reading, allocator, instance. */
	struct reading_figures *figures;

	/* By allocator and instance. */
	struct followed {
		/* The next reading; calls of the replay before the first. */
		size_t next;
		int64_t calls_before;
		/* Bytes that the replay had too few at the first reading. */
		int64_t bytes_before;
	} * followed;

	/* The reading that begins next; the call before this one. */
	size_t next;
	enum csc_allocator last_allocator;
	uint32_t last_scheduler;

	/* Bytes that the node had in blocks and the replay had not, times ns. */
	double waiting;
};

static const struct reading_figures *figures_of(const struct follower *follower, size_t moment,
		enum csc_allocator allocator, uint32_t index)
{
	return &follower->figures[(moment * CSC_ALLOCATORS + (size_t)allocator) *
					follower->instances +
			index];
}

static struct followed *followed_of(
		const struct follower *follower, enum csc_allocator allocator, uint32_t index)
{
	return &follower->followed[(size_t)allocator * follower->instances + index];
}

static enum csc_status load_moment(struct follower *follower, const struct recording *recording,
		size_t moment, struct diag *diag)
{
	struct reading reading;

	if (reading_load(recording, &follower->readings->moments[moment], &reading, diag) !=
			CSC_OK) {
		return CSC_ERROR;
	}
	for (size_t i = 0; i < CSC_ALLOCATORS; i++) {
		for (uint32_t k = 0; k < follower->instances; k++) {
			follower->figures[(moment * CSC_ALLOCATORS + i) * follower->instances + k] =
					reading.instances[i][k];
		}
	}
	reading_finish(&reading);
	return CSC_OK;
}

struct follower *follow_begin(const struct recording *recording, const struct readings *readings,
		const struct csc_options *options, const struct follow_listener *listener,
		struct diag *diag)
{
	struct follower *follower = calloc(1, sizeof(*follower));
	uint32_t instances = options->schedulers + 1 + options->dirty_instances;

	if (!follower) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	*follower = (struct follower){
		.readings = readings, .listener = listener, .last_scheduler = UINT32_MAX
	};
	follower->instances = instances < READING_INSTANCES ? instances : READING_INSTANCES;
	follower->figures = calloc(readings->moment_count * CSC_ALLOCATORS * follower->instances,
			sizeof(*follower->figures));
	follower->followed = calloc(
			(size_t)CSC_ALLOCATORS * follower->instances, sizeof(*follower->followed));
	if (!follower->figures || !follower->followed) {
		(void)DIAG_NO_MEMORY(diag);
	}
	for (size_t i = 0; !diag_is_set(diag) && i < readings->moment_count; i++) {
		(void)load_moment(follower, recording, i, diag);
	}
	if (diag_is_set(diag)) {
		follow_free(follower);
		return NULL;
	}
	return follower;
}

void follow_free(struct follower *follower)
{
	if (follower) {
		free(follower->figures);
		free(follower->followed);
		free(follower);
	}
}

static uint64_t blocks_bytes(const struct csc_statistics *statistics)
{
	return statistics->mbcs.blocks_bytes.now + statistics->pool_blocks_bytes +
			statistics->sbcs.blocks_bytes.now;
}

/* Objects that fix_alloc keeps, and what temp_alloc has, wait for nobody. */
static void note_waiting(struct follower *follower, size_t moment, enum csc_allocator allocator,
		uint32_t index, const struct csc_statistics *statistics)
{
	const struct reading_figures *node = figures_of(follower, moment, allocator, index);
	const struct reading_moment *moments = follower->readings->moments;
	struct followed *followed = followed_of(follower, allocator, index);
	int64_t more = node->blocks_bytes + node->single_blocks_bytes -
			(int64_t)blocks_bytes(statistics);

	if (moment == 0) {
		followed->bytes_before = more;
	} else if (allocator != CSC_FIX && allocator != CSC_TEMP) {
		follower->waiting += (double)(more - followed->bytes_before) *
				(double)(moments[moment].begin_ns - moments[moment - 1].begin_ns);
	}
}

static void tell_pair(const struct follower *follower, size_t moment, enum csc_allocator allocator,
		uint32_t index, const struct csc_statistics *statistics)
{
	const struct follow_listener *listener = follower->listener;

	if (listener) {
		const struct follow_pair pair = { moment, allocator, index,
			figures_of(follower, moment, allocator, index), statistics };

		listener->hear(listener->context, &pair);
	}
}

/* Calls that the node counted since the first reading. */
static int64_t calls_until(const struct follower *follower, size_t moment,
		enum csc_allocator allocator, uint32_t index)
{
	return figures_of(follower, moment, allocator, index)->calls_made -
			figures_of(follower, 0, allocator, index)->calls_made;
}

/* False: there is no such instance. */
static bool find_statistics(const struct player *player, enum csc_allocator allocator,
		uint32_t index, struct csc_statistics *ret_statistics, int64_t *ret_calls)
{
	const struct runtime *runtime = player_runtime(player);
	const struct csc_instance *instance = runtime_instance(runtime, allocator, index);

	if (!instance) {
		return false;
	}
	runtime_api(runtime)->statistics(
			runtime_instance(runtime, allocator, index), false, ret_statistics);
	*ret_calls = (int64_t)(ret_statistics->calls[CSC_CALL_ALLOC] +
			ret_statistics->calls[CSC_CALL_REALLOC]);
	return true;
}

void follow_start(struct follower *follower, const struct player *player)
{
	struct csc_statistics statistics;

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		for (uint32_t k = 0; k < follower->instances; k++) {
			enum csc_allocator allocator = (enum csc_allocator)i;

			(void)find_statistics(player, allocator, k, &statistics,
					&followed_of(follower, allocator, k)->calls_before);
		}
	}
}

/* Readings that the instance can have answered by now: begun, and it has made the calls. */
static void follow_past(struct follower *follower, const struct player *player,
		enum csc_allocator allocator, uint32_t index, int64_t ts_ns)
{
	const struct readings *readings = follower->readings;
	struct followed *followed = followed_of(follower, allocator, index);
	struct csc_statistics statistics;
	int64_t calls;

	if (followed->next == readings->moment_count ||
			readings->moments[followed->next].begin_ns > ts_ns ||
			!find_statistics(player, allocator, index, &statistics, &calls)) {
		return;
	}
	while (followed->next < readings->moment_count &&
			readings->moments[followed->next].begin_ns <= ts_ns &&
			(ts_ns == INT64_MAX ||
					calls - followed->calls_before >=
							calls_until(follower, followed->next,
									allocator, index))) {
		note_waiting(follower, followed->next, allocator, index, &statistics);
		tell_pair(follower, followed->next, allocator, index, &statistics);
		followed->next++;
	}
}

static void follow_all(struct follower *follower, const struct player *player, int64_t ts_ns)
{
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		for (uint32_t k = 0; k < follower->instances; k++) {
			follow_past(follower, player, (enum csc_allocator)i, k, ts_ns);
		}
	}
}

void follow_call(void *context, const struct player *player, enum csc_allocator allocator,
		uint32_t scheduler, int64_t ts_ns)
{
	struct follower *follower = context;
	const struct readings *readings = follower->readings;

	if (follower->last_scheduler < follower->instances) {
		follow_past(follower, player, follower->last_allocator, follower->last_scheduler,
				ts_ns);
	}
	if (follower->next < readings->moment_count &&
			readings->moments[follower->next].begin_ns <= ts_ns) {
		follower->next++;
		follow_all(follower, player, ts_ns);
	}
	follower->last_allocator = allocator;
	follower->last_scheduler = scheduler;
}

void follow_end(struct follower *follower, const struct player *player)
{
	follow_all(follower, player, INT64_MAX);
}

int64_t follow_wait_ns(const struct follower *follower, const struct player *player)
{
	uint64_t bytes = player_counts(player)->foreign_bytes;

	if (follower->readings->moment_count < FOLLOW_READINGS || follower->waiting <= 0 ||
			!bytes) {
		return 0;
	}
	return (int64_t)(follower->waiting / (double)bytes);
}
