/*
 * SPDX-License-Identifier: MIT
 *
 * What settings made of a board's load, as text and as JSON.
 */
#ifndef CSC_ADVISE_BOARD_ANSWER_H
#define CSC_ADVISE_BOARD_ANSWER_H

#include <stdio.h>

#include "board_trial.h"

/* Runs of each setting: other courses of the same load. */
enum { BOARD_RUNS = 5 };

/* Survivors do so much of what the log's settings could do, in percent. */
enum { BOARD_SURVIVAL_PERCENT = 150 };

struct board_setting {
	/* Weak; `name` NULL: flags alone. */
	const char *name;
	const char *flags;
	uint64_t trim_bytes;
	bool is_own;

	/* Runs that survived, and least and most operations in percent of the log's settings. */
	unsigned int survived;
	double percent_low;
	double percent_high;

	/* Of the worst run, at its end. */
	uint64_t free_bytes;
	uint64_t free_largest;
	uint64_t hole_bytes;
	uint64_t peak_bytes;

	/* Not NULL: it could not be run; weak. */
	const char *refusal;
};

struct board_answer {
	/* Weak. */
	const char *log;
	const struct board_trial *trial;
	const struct board_setting *settings;
	size_t setting_count;

	/* How the log's settings ended: least and most of the runs, in bytes. */
	uint64_t used_low;
	uint64_t used_high;
	uint64_t asked_low;
	uint64_t asked_high;

	/* What survives in all runs and leaves most free; NULL: nothing does.  Flags come before
	 * lines of the port. */
	const struct board_setting *best;
};

void board_answer_print(const struct board_answer *answer, FILE *out);

/* One object, with all that the text has. */
void board_answer_print_json(const struct board_answer *answer, FILE *out);

#endif
