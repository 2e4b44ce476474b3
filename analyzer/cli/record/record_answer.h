/*
 * SPDX-License-Identifier: MIT
 *
 * From the trace of a recording to a database and its verdict.
 */
#ifndef CSC_RECORD_ANSWER_H
#define CSC_RECORD_ANSWER_H

#include <stdbool.h>

/* All borrowed. */
struct record_result {
	const char *database;
	const char *trace;

	/* An older database; NULL: none. */
	const char *compared;
	bool is_forced;
	bool keeps_trace;
};

/*
 * Loads the trace, removes it, prints the verdict and what differs from the older database.  Yields
 * an exit status.  A trace that cannot be loaded stays if its disk has room, which is said.
 */
int record_answer(const struct record_result *result, bool *ret_is_loaded);

#endif
