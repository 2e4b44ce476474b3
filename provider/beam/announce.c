/* SPDX-License-Identifier: MIT */
/* The thread that notices sessions. */
#include "announce.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "carrierscope_tp.h"

#include "current_process.h"
#include "sessions.h"
#include "stack_way.h"

/* How often it looks whether a session has come. */
#define LOOK_MS 50

/* After so many looks comes a beat: one in a second. */
#define BEAT_LOOKS 20

static struct {
	const struct emulator *emulator;
	struct announcement announcement;
	uint32_t hook_id;
	uint32_t dump_id;
	bool is_again;
	/* Of the sessions that have it all. */
	uintptr_t stamp;

	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t ending;
	bool is_ending;
	void (*beat)(void);
} announcer = {
	.mutex = PTHREAD_MUTEX_INITIALIZER,
};

void announcement_free(struct announcement *announcement)
{
	for (size_t i = 0; i < announcement->option_count; i++) {
		free(announcement->options[i].name);
		free(announcement->options[i].value);
	}
	free(announcement->options);
	facts_free(&announcement->facts);
	free(announcement->release);
	*announcement = (struct announcement){ .release = NULL };
}

static void announce_names(const struct emulator *emulator)
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

static void announce_hook(void)
{
	const struct hook_options *options = hook_options();
	char way[EMULATOR_WAY_BYTES];

	emulator_print_way(&announcer.emulator->evidence, way);
	fact_emit("table_found_by", way);
	fact_emit("process_found_by", current_process_found_by());
	fact_emit("port_found_by", current_process_port_found_by());
	fact_emit("stack_found_by", stack_way_found_by());

	lttng_ust_tracepoint(carrierscope, hook_begin, announcer.hook_id,
			(uint8_t)announcer.is_again, options->allocators, options->type_count,
			options->min_bytes, (uint8_t)options->sample_by,
			options->sample_by == SAMPLE_NONE ? 0 : options->sample_every,
			announcer.announcement.uptime_ms);
}

/* Carriers and blocks that are there are not recorded: nobody may walk them while they are used. */
static void announce_all(void)
{
	const struct emulator *emulator = announcer.emulator;

	announcer.dump_id++;
	lttng_ust_tracepoint(carrierscope, state_begin, announcer.dump_id,
			announcer.announcement.release, (uint8_t)sizeof(void *),
			emulator->unit_bytes, emulator->schedulers, emulator->instances_max);
	facts_emit(&announcer.announcement.facts);
	announce_names(emulator);
	for (size_t i = 0; i < announcer.announcement.option_count; i++) {
		const struct announced_option *option = &announcer.announcement.options[i];

		lttng_ust_tracepoint(carrierscope, option, option->allocator, option->name,
				option->value);
	}
	announce_hook();
	lttng_ust_tracepoint(carrierscope, state_end, announcer.dump_id, 0, 0);
}

/* Announces all if a session has come. */
static void look(void)
{
	if (sessions_stamp() == announcer.stamp) {
		return;
	}
	sessions_settle();
	/* Once more: for what has come since. */
	announcer.stamp = sessions_stamp();
	if (announcer.stamp != 0) {
		announce_all();
	}
}

static void *run(void *unused)
{
	unsigned int looks = 0;

	(void)unused;
	pthread_mutex_lock(&announcer.mutex);
	while (!announcer.is_ending) {
		struct timespec until;

		pthread_mutex_unlock(&announcer.mutex);
		look();
		if (++looks % BEAT_LOOKS == 0) {
			announcer.beat();
		}
		pthread_mutex_lock(&announcer.mutex);
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += LOOK_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		if (!announcer.is_ending) {
			pthread_cond_timedwait(&announcer.ending, &announcer.mutex, &until);
		}
	}
	pthread_mutex_unlock(&announcer.mutex);
	return NULL;
}

/* By a clock that nobody sets. */
static void make_ending(void)
{
	pthread_condattr_t attributes;

	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&announcer.ending, &attributes);
	(void)pthread_condattr_destroy(&attributes);
}

bool announce_start(const struct emulator *emulator, struct announcement *announcement,
		void (*beat)(void), struct diag *diag)
{
	sigset_t all;
	sigset_t before;
	int error;

	announcer.emulator = emulator;
	announcer.beat = beat;
	announcement_free(&announcer.announcement);
	announcer.announcement = *announcement;
	*announcement = (struct announcement){ .release = NULL };
	announcer.hook_id++;
	announcer.is_again = false;
	announcer.is_ending = false;
	announcer.stamp = 0;
	look();
	announcer.is_again = true;
	make_ending();
	/* Signals are the emulator's business. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&announcer.thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error != 0) {
		return DIAG_FALSE(diag, "a thread cannot be started: %s", strerror(error));
	}
	pthread_setname_np(announcer.thread, "carrierscope");
	return true;
}

void announce_stop(void)
{
	struct hook_counts counts;

	pthread_mutex_lock(&announcer.mutex);
	announcer.is_ending = true;
	pthread_cond_signal(&announcer.ending);
	pthread_mutex_unlock(&announcer.mutex);
	pthread_join(announcer.thread, NULL);
	(void)pthread_cond_destroy(&announcer.ending);
	hook_settle();
	hook_counts(&counts);
	lttng_ust_tracepoint(carrierscope, hook_end, announcer.hook_id, counts.allocs, counts.frees,
			counts.reallocs, counts.failures, counts.untracked);
}

uint32_t announce_hook_id(void)
{
	return announcer.hook_id;
}
