/* SPDX-License-Identifier: MIT */
/* The thread that notices sessions. */
#include "telling.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "carrierscope_tp.h"

#include "sessions.h"

/* How often it looks whether a session has come. */
#define LOOK_MS 50

static struct {
	const struct emulator *emulator;
	struct telling telling;
	uint32_t hook_id;
	uint32_t dump_id;
	bool is_again;
	/* Of the sessions that were told. */
	uintptr_t stamp;

	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t ending;
	bool is_ending;
} teller = {
	.mutex = PTHREAD_MUTEX_INITIALIZER,
	.ending = PTHREAD_COND_INITIALIZER,
};

void telling_free(struct telling *telling)
{
	for (size_t i = 0; i < telling->option_count; i++) {
		free(telling->options[i].name);
		free(telling->options[i].value);
	}
	free(telling->options);
	facts_free(&telling->facts);
	free(telling->release);
	*telling = (struct telling){ .release = NULL };
}

static void tell_names(const struct emulator *emulator)
{
	for (size_t i = 1; i < emulator->entry_count; i++) {
		lttng_ust_tracepoint(carrierscope, name_allocator, (uint8_t)i,
				emulator->allocator_names[i]);
	}
	for (size_t i = 1; i < emulator->class_count; i++) {
		lttng_ust_tracepoint(
				carrierscope, name_class, (uint8_t)i, emulator->class_names[i]);
	}
	for (size_t i = 1; i < emulator->type_count; i++) {
		uint32_t word = emulator->type_words[i];

		lttng_ust_tracepoint(carrierscope, name_type, (uint16_t)i, (uint8_t)(word >> 4 & 7),
				(uint8_t)type_allocator(word), emulator->type_names[i]);
	}
}

static void tell_hook(void)
{
	const struct hook_options *options = hook_options();
	char way[EMULATOR_WAY_BYTES];

	emulator_say_way(&teller.emulator->evidence, way);
	fact_tell("table_found_by", way);

	lttng_ust_tracepoint(carrierscope, hook_begin, teller.hook_id, (uint8_t)teller.is_again,
			options->allocators, options->type_count, options->min_bytes,
			(uint8_t)options->sample_by,
			options->sample_by == SAMPLE_NONE ? 0 : options->sample_every,
			teller.telling.uptime_ms);
}

/* Carriers and blocks that are there are not told: nobody may walk them while they are used. */
static void tell_all(void)
{
	const struct emulator *emulator = teller.emulator;

	teller.dump_id++;
	lttng_ust_tracepoint(carrierscope, state_begin, teller.dump_id, teller.telling.release,
			(uint8_t)sizeof(void *), emulator->unit_bytes, emulator->schedulers,
			emulator->instances_max);
	facts_tell(&teller.telling.facts);
	tell_names(emulator);
	for (size_t i = 0; i < teller.telling.option_count; i++) {
		const struct telling_option *option = &teller.telling.options[i];

		lttng_ust_tracepoint(carrierscope, option, option->allocator, option->name,
				option->value);
	}
	tell_hook();
	lttng_ust_tracepoint(carrierscope, state_end, teller.dump_id, 0, 0);
}

/* Tells all if a session has come. */
static void look(void)
{
	if (sessions_stamp() == teller.stamp) {
		return;
	}
	sessions_settle();
	/* Once more: what has come since is told as well. */
	teller.stamp = sessions_stamp();
	if (teller.stamp != 0) {
		tell_all();
	}
}

static void *tell(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&teller.mutex);
	while (!teller.is_ending) {
		struct timespec until;

		pthread_mutex_unlock(&teller.mutex);
		look();
		pthread_mutex_lock(&teller.mutex);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LOOK_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		if (!teller.is_ending) {
			pthread_cond_timedwait(&teller.ending, &teller.mutex, &until);
		}
	}
	pthread_mutex_unlock(&teller.mutex);
	return NULL;
}

bool telling_start(
		const struct emulator *emulator, struct telling *telling, struct refusal *refusal)
{
	sigset_t all;
	sigset_t before;
	int error;

	teller.emulator = emulator;
	telling_free(&teller.telling);
	teller.telling = *telling;
	*telling = (struct telling){ .release = NULL };
	teller.hook_id++;
	teller.is_again = false;
	teller.is_ending = false;
	teller.stamp = 0;
	look();
	teller.is_again = true;
	/* Signals are the emulator's business. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&teller.thread, NULL, tell, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error != 0) {
		return refuse(refusal, "a thread cannot be started: %s", strerror(error));
	}
	pthread_setname_np(teller.thread, "carrierscope");
	return true;
}

void telling_stop(void)
{
	struct hook_counts counts;

	pthread_mutex_lock(&teller.mutex);
	teller.is_ending = true;
	pthread_cond_signal(&teller.ending);
	pthread_mutex_unlock(&teller.mutex);
	pthread_join(teller.thread, NULL);
	hook_counts(&counts);
	lttng_ust_tracepoint(carrierscope, hook_end, teller.hook_id, counts.allocs, counts.frees,
			counts.reallocs, counts.failures, counts.untracked);
}

uint32_t telling_hook_id(void)
{
	return teller.hook_id;
}
