/* SPDX-License-Identifier: MIT */
/*
 * A workload: who asks for what memory, for how long, and who gives it back.
 *
 * A file is lines of words; '#' begins a comment.  What a line says (man page: the whole format):
 *
 *	seed N | schedulers N | burst N | flags +M...
 *	size NAME constant N | uniform LOW HIGH | lognormal MEDIAN SIGMA LOW HIGH
 *	size NAME list BYTES:WEIGHT... | zipf EXPONENT BYTES... | heap LOW HIGH
 *	life NAME operations N | uniform LOW HIGH | exponential MEAN | phases N | forever
 *	source NAME TYPE size SIZE|fixed life LIFE [freed-by same|other|SCHEDULER]
 *	phase NAME operations N [on all|N|N-M] [second N]
 *	make SOURCE WEIGHT | resize SOURCE WEIGHT | grow SOURCE WEIGHT | drop SOURCE PERCENT
 *
 * A file is read and checked as a whole before anything runs.
 */
#ifndef CSC_WORKLOAD_H
#define CSC_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "runtime.h"

/* What a file may have of each. */
#define WORKLOAD_NAME_MAX 32
#define WORKLOAD_SIZES_MAX 32
#define WORKLOAD_LIVES_MAX 32
#define WORKLOAD_SOURCES_MAX 64
#define WORKLOAD_PHASES_MAX 64
#define WORKLOAD_ACTIONS_MAX 32
#define WORKLOAD_VALUES_MAX 48
#define WORKLOAD_FLAGS_MAX 64

enum size_kind {
	SIZE_UNIFORM,
	SIZE_LOGNORMAL,
	SIZE_LIST,
	/* The runtime's sizes of process heaps. */
	SIZE_HEAP,
};

struct workload_size {
	char name[WORKLOAD_NAME_MAX];
	enum size_kind kind;

	/* In bytes; heap: in words. */
	uint64_t low;
	uint64_t high;

	/* Heap: of the target. */
	uint32_t word_bytes;

	double median;
	double sigma;

	/* Of a list: bytes, and the sum of the weights up to here. */
	uint64_t values[WORKLOAD_VALUES_MAX];
	double weights[WORKLOAD_VALUES_MAX];
	size_t value_count;
};

enum life_kind {
	LIFE_UNIFORM,
	LIFE_EXPONENTIAL,
	LIFE_PHASES,
	LIFE_FOREVER,
};

struct workload_life {
	char name[WORKLOAD_NAME_MAX];
	enum life_kind kind;

	/* In operations of the scheduler, or in phases; exponential: `low` is the mean. */
	uint64_t low;
	uint64_t high;
};

/* Who frees: a number of a scheduler, or one of these. */
#define FREED_BY_SAME UINT32_MAX
#define FREED_BY_OTHER (UINT32_MAX - 1)

struct workload_source {
	char name[WORKLOAD_NAME_MAX];
	struct runtime_kind kind;

	/* Index; -1: objects of fixed size. */
	int size;
	size_t life;
	uint32_t freed_by;
	size_t line;
};

enum action_verb {
	ACTION_MAKE,
	ACTION_RESIZE,
	ACTION_GROW,
	ACTION_DROP,
};

struct workload_action {
	enum action_verb verb;
	size_t source;

	/* Weight; drop: percent. */
	uint64_t value;
};

struct workload_phase {
	char name[WORKLOAD_NAME_MAX];

	/* Of each scheduler that takes part. */
	uint64_t operations;
	uint32_t first_scheduler;
	/* UINT32_MAX: all. */
	uint32_t last_scheduler;

	/* Operations in a second; 0: the clock stands still. */
	uint64_t second;

	struct workload_action actions[WORKLOAD_ACTIONS_MAX];
	size_t action_count;
	size_t line;
};

struct workload {
	uint64_t seed;
	uint32_t schedulers;

	/* Operations that a scheduler does in one go. */
	uint64_t burst;

	char *flags[WORKLOAD_FLAGS_MAX];
	size_t flag_count;

	struct workload_size sizes[WORKLOAD_SIZES_MAX];
	size_t size_count;
	struct workload_life lives[WORKLOAD_LIVES_MAX];
	size_t life_count;
	struct workload_source sources[WORKLOAD_SOURCES_MAX];
	size_t source_count;
	struct workload_phase phases[WORKLOAD_PHASES_MAX];
	size_t phase_count;
};

/* What the command line says instead of the file. */
struct workload_override {
	/* NULL: nothing. */
	const uint64_t *seed;
	/* 0: nothing. */
	uint32_t schedulers;
	/* Of the operations in a phase; 0: nothing. */
	uint64_t scale_percent;

	/* Of the target; 0: 8. */
	uint32_t word_bytes;
};

/*
 * Reads `path` ("-" is standard input), plain or compressed.  NULL: `diag` says
 * "file:line: sentence".
 */
struct workload *workload_read(const char *path, const struct csc_generation *generation,
		const struct workload_override *override, struct diag *diag);

/* The same for text that ends with 0 and is cut to pieces; `path` is for messages. */
struct workload *workload_parse(char *text, const char *path,
		const struct csc_generation *generation, const struct workload_override *override,
		struct diag *diag);

void workload_destroy(struct workload *workload);

#endif
