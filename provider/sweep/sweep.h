/* SPDX-License-Identifier: MIT */
/*
 * One recording, played with many settings: it is decoded once, and each setting is replayed by a
 * process of its own, as many at a time as there are processors.
 *
 * A replay begins with what a node's first reading had, if there are two, and ends with the last.
 * Its figures are then the node's at the first reading and what the replay has changed since.
 */
#ifndef CSC_SWEEP_H
#define CSC_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "options.h"
#include "recording.h"

/* Rows of figures: each allocator, by its number, and all of them. */
#define SWEEP_ALL CSC_ALLOCATORS
#define SWEEP_ROWS (CSC_ALLOCATORS + 1)

/* Moments of a curve, at equal distances. */
#define SWEEP_SAMPLES 256

/* Schedules that can be played: calls after which all threads pass; 0 is the usual one. */
#define SWEEP_SCHEDULES 8

struct sweep;

struct sweep_request {
	/* Weak: the database. */
	const char *path;

	/* runtime.id; 0: the only one. */
	int64_t runtime;

	/* Instead of what is recorded; NULL and 0: as recorded. */
	const struct csc_generation *generation;
	uint32_t schedulers;

	/* Processes at a time; 0: one for each processor. */
	uint32_t workers;

	/* Memory that these may have for themselves, together; 0: half of what is available. */
	uint64_t budget_bytes;
};

/* Of an allocator or of all: carriers, and what they cost. */
struct sweep_figure {
	uint64_t peak_bytes;
	uint64_t end_bytes;

	/* Weighted by time. */
	double average_bytes;

	/*
	 * Of all: carriers and what stays with the process when they are gone, in segment caches
	 * and in a super carrier.  How many of these pages were ever touched is not known.
	 */
	uint64_t held_peak_bytes;
	uint64_t held_end_bytes;
	double held_average_bytes;

	/* Requests to segments and malloc, answered from the segment cache or not. */
	uint64_t calls;

	/* By reallocations that moved a block. */
	uint64_t copied_bytes;

	/* Carriers at one time: the kernel may join adjacent ones to fewer mappings. */
	uint64_t mappings;
};

struct sweep_result {
	bool is_done;

	/* Why not. */
	struct diag diag;
	struct sweep_figure figures[SWEEP_ROWS];

	/* Most bytes of carriers in each interval. */
	uint64_t most[SWEEP_SAMPLES][SWEEP_ROWS];

	/* Bytes in blocks when the interval began, and at the end. */
	uint64_t blocks_bytes[SWEEP_SAMPLES];
	uint64_t end_blocks_bytes;

	/* Steps until the peak of all. */
	uint64_t peak_step;

	/* What the node had at the begin that a replay without flags has not: included in all
	 * figures. */
	int64_t base_bytes[SWEEP_ROWS];

	/* Calls that were replayed, requests that found no memory, CPU time. */
	uint64_t played;
	uint64_t refused;
	double cpu_seconds;
};

struct sweep_job {
	/* Weak: words with spaces between; "": as recorded. */
	const char *flags;

	/* 0 to SWEEP_SCHEDULES - 1. */
	uint32_t schedule;

	/* The part of sweep_cut() instead of all. */
	bool is_part;
};

/* NULL: `diag` says why. */
struct sweep *sweep_open(const struct sweep_request *request, struct diag *diag);
void sweep_close(struct sweep *sweep);

/* What is known of a recording that is swept. */
struct sweep_facts {
	struct recording_facts recording;
	uint64_t steps;
	int64_t first_ns;
	int64_t last_ns;

	/* It begins with a node's reading, and ends with another. */
	bool has_readings;

	/* The recorded options, settled. */
	struct csc_options options;

	/* Schedules worth playing: 1 where the work of threads is recorded. */
	uint32_t schedules;

	/* Of carriers at the end: what the node had; -1: not recorded. */
	int64_t node_end_bytes[SWEEP_ROWS];
};

const struct sweep_facts *sweep_facts(const struct sweep *sweep);

/* Whether these flags are accepted; otherwise `diag` has the sentence. */
enum csc_status sweep_check(const struct sweep *sweep, const char *flags, struct diag *diag);

/* Whether these flags change nothing: it ran with them. */
bool sweep_has_flags(const struct sweep *sweep, const char *flags, struct diag *diag);

/* Whether it ran with these options, as sweep_facts() of another recording has them. */
bool sweep_has_options(const struct sweep *sweep, const struct csc_options *options);

/* From now on parts are this one of so many. */
enum csc_status sweep_cut(struct sweep *sweep, uint32_t part, uint32_t parts, struct diag *diag);

/*
 * Plays all jobs and fills as many results; a job that fails says so in its result.  No more are
 * begun when `*stop` is set (NULL: never) or the monotonic clock passes `deadline_ns` (0: never);
 * their results are not done, and their `diag` is empty.
 * Where processes need more memory than they may have together, fewer run; one that needs more
 * alone fails.
 */
enum csc_status sweep_run(struct sweep *sweep, const struct sweep_job *jobs, size_t count,
		struct sweep_result *ret_results, const volatile int *stop, int64_t deadline_ns,
		struct diag *diag);

/*
 * For each size in bytes: most blocks of an allocator, by its number, that are live at the same
 * time and not smaller.
 */
enum csc_status sweep_count_large(struct sweep *sweep, const uint64_t *bytes, size_t count,
		uint64_t (*ret_most)[CSC_ALLOCATORS], struct diag *diag);

/* Processes at a time, if there is memory for them. */
uint32_t sweep_workers(const struct sweep *sweep);

/* Whether two replays are the same; of the recorded options: of one recording and program. */
bool sweep_is_same(const struct sweep_result *one, const struct sweep_result *other);

/* Share of the node's carriers that a replay without flags has, 0 to 1; -1: not recorded. */
double sweep_coverage(const struct sweep *sweep, const struct sweep_result *plain, int row);

#endif
