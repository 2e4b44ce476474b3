/*
 * SPDX-License-Identifier: MIT
 *
 * A folder of a test's own below /tmp.
 */
#ifndef CSC_TEST_SCRATCH_H
#define CSC_TEST_SCRATCH_H

#include <stdbool.h>

struct scratch {
	char folder[64];

	/* A file in it that a test may make. */
	char path[96];
};

/* Makes the folder /tmp/csc_NAME_test_…; false: it cannot.  `name` has 30 characters at most. */
bool scratch_open(struct scratch *scratch, const char *name);

/* How many files are in it. */
int scratch_count(const struct scratch *scratch);

/* Removes the files. */
void scratch_empty(const struct scratch *scratch);

/* Removes it with its files; nothing if it was not made. */
void scratch_close(const struct scratch *scratch);

#endif
