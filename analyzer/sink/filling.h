/*
 * SPDX-License-Identifier: MIT
 *
 * A database that is being filled from messages: the store, the intake before it, and what the
 * command learns of both.
 */
#ifndef CSC_FILLING_H
#define CSC_FILLING_H

#include <stdbool.h>

#include "diag.h"
#include "intake.h"
#include "load_channel.h"
#include "store.h"

/* All zeroes is none. */
struct filling {
	/* NULL once it is closed. */
	struct store *store;
	struct intake *intake;

	/* Borrowed; NULL under babeltrace2's own command. */
	struct load_channel *channel;
};

/*
 * Opens the database and stores what was lost before Babeltrace could read it.  What is there
 * after an error is for filling_destroy().  loader_name of the options is set here.
 */
enum csc_status filling_open(struct filling *filling, const struct store_options *options,
		struct load_channel *channel, struct diag *diag);

/* Reports the progress to the command. */
void filling_report(const struct filling *filling);

/* Ends the source, gives the file its name, and lets go of the store. */
enum csc_status filling_close(struct filling *filling, bool is_complete, struct diag *diag);

/* Gives up what was not closed. */
void filling_destroy(struct filling *filling);

#endif
