/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a recording once more, by the core: with the options that were recorded, and with
 * others.
 *
 * What a replay has of the recording: each call's scheduler, type, size and order.  What it has
 * not, unless it is recorded (runtime_work, which only the twin does): when threads passed
 * a point, did aux work, and when seconds passed.  Then all threads pass after every REPLAY_BURST
 * calls, and seconds pass as the time stamps say.
 */
#ifndef CSC_REPLAY_H
#define CSC_REPLAY_H

#include <stdint.h>

#include "diag.h"
#include "options.h"
#include "recording.h"

/* Calls after which all threads pass when they are not recorded: the twin's own burst. */
#define REPLAY_BURST 100

/* Schedules that a recording can be replayed on. */
#define REPLAYS_MAX 8

/* Calls after which all threads pass, by schedule; the first is REPLAY_BURST. */
extern const uint32_t replay_bursts[REPLAYS_MAX];

struct replay_request {
	/* Weak: the database. */
	const char *path;

	/* runtime.id; 0: the only one. */
	int64_t runtime;

	/* Instead of what is recorded; NULL and 0: as recorded. */
	const struct csc_generation *generation;
	uint32_t schedulers;

	/* +M flags, added to the recorded ones. */
	char **flags;
	int flag_count;
};

/* The options of the recording with the flags of the request, settled. */
enum csc_status replay_settle(const struct replay_request *request,
		const struct recording *recording, struct csc_options *ret_options,
		struct diag *diag);

#endif
