/*
 * SPDX-License-Identifier: MIT
 *
 * What `carrierscope diff` begins with.
 */
#ifndef CSC_DIFFERENCE_SENTENCE_H
#define CSC_DIFFERENCE_SENTENCE_H

#include <stdbool.h>

#include "diag.h"

/* How long the old recording and the new one lasted. */
struct lengths {
	double seconds[2];

	/* So far apart that what adds up is compared by the second. */
	bool is_apart;
};

/* Lengths that differ by at most the part `tolerance` are the same. */
enum csc_status lengths_read(const char *const paths[2], double tolerance,
		struct lengths *ret_lengths, struct diag *diag);

/* "LEAK before, NORMAL now: resident 144.6 to 132.1 MiB, …": the caller frees it with
 * sqlite3_free(). */
enum csc_status difference_sentence(const char *const paths[2], const struct lengths *lengths,
		char **ret_sentence, struct diag *diag);

#endif
