/*
 * SPDX-License-Identifier: MIT
 *
 * What is made of a ring: a database, a text, a command of the user's.
 */
#ifndef CSC_KEEP_JUDGE_H
#define CSC_KEEP_JUDGE_H

#include "diag.h"

struct keep_case {
	/* Folder of the keeper; of the trace. */
	const char *folder;
	const char *trace;

	/* One word for the file's name, and a sentence. */
	const char *reason;
	const char *sentence;

	/* As it was asked for. */
	const char *node;

	/* NULL: none. */
	const char *on_alarm;

	/* Older ones are removed; 0: none. */
	unsigned int most_alarms;

	/* Called with the database that is kept; NULL: nothing is. */
	void (*after)(void *context, const char *database);
	void *context;
};

/*
 * Loads the trace, writes verdict and holders beside the database, prints the verdict, runs the
 * user's command and removes what is too old.  Errors: the trace cannot be loaded, such as on a
 * full disk.
 */
enum csc_status keep_judge(const struct keep_case *found, struct diag *diag);

#endif
