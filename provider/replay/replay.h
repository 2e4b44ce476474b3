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

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "compare.h"
#include "diag.h"
#include "options.h"

/* Calls after which all threads pass when they are not recorded: the twin's own burst. */
#define REPLAY_BURST 100

/* Replays of a comparison, at most. */
#define REPLAYS_MAX 8

struct replay_request {
	/* Weak: the database. */
	const char *path;

	/* runtime.id; 0: the only one. */
	int64_t runtime;

	/* Instead of what is recorded; NULL and 0: as recorded. */
	const struct csc_generation *generation;
	uint32_t schedulers;

	/* For all carriers, in bytes; 0: no limit. */
	uint64_t limit_bytes;

	/* Of a comparison: how often, each time on another schedule; 1 to REPLAYS_MAX. */
	int replays;

	/* Of a comparison: where the first replay beside all readings goes (follow.h); NULL:
	 * nowhere. */
	const char *follow_path;

	/* Where the statistics of the last replay (of a comparison, the first) go, as terms; NULL:
	 * nowhere. */
	const char *stats_path;

	/* +M flags of a second replay; none: there is no second one. */
	char **flags;
	int flag_count;
};

enum replay_result {
	REPLAY_DONE,
	/* `diag` says why. */
	REPLAY_FAILED,
	/* Nothing was lost, and yet the blocks are not those of the recording. */
	REPLAY_DIFFERS,
};

/*
 * Replays what passed between two readings of the node's own counters, and prints these beside
 * those of the replay (compare.h).  The flags, if any, are in force in it.
 */
enum replay_result replay_compare(const struct replay_request *request, enum compare_format format,
		bool has_instances, FILE *out, struct diag *diag);

/* Schedules of a trial. */
#define TRIAL_SCHEDULES 5

/*
 * Replays on several schedules without the flags and with them, prints the result of both, and
 * keeps it in table flag_trial of the database.
 */
enum replay_result replay_save(const struct replay_request *request, FILE *out, struct diag *diag);

/* The same with each set of flags that view flag_candidate names.  Those that are refused are said
 * in `out`; REPLAY_DIFFERS: some were. */
enum replay_result replay_try(const struct replay_request *request, FILE *out, struct diag *diag);

/* Replays and prints a table to `out`. */
enum replay_result replay_run(const struct replay_request *request, FILE *out, struct diag *diag);

#endif
