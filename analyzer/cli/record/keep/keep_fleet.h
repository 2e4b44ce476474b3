/*
 * SPDX-License-Identifier: MIT
 *
 * What a keeper sends to a fleet: the minutes of its node and its alarms.  All goes through a
 * spool; a process of its own sends it, so that the keeper waits for no server.
 */
#ifndef CSC_KEEP_FLEET_H
#define CSC_KEEP_FLEET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "diag.h"
#include "keep_options.h"
#include "keep_spool.h"

/* The line of a minute is at most so long, in bytes. */
enum { FLEET_LINE_BYTES = 2048 };

struct keep_fleet {
	/* NULL: nothing is sent. */
	const struct keep_options *options;
	struct keep_spool spool;

	/* The life of the node that minutes are of, 0: not known; whether its identity is in the
	 * spool. */
	pid_t pid;
	bool is_known;

	/* The last snapshot, as the node answered it, and its time; 0: there is none. */
	char line[FLEET_LINE_BYTES];
	int64_t ts;

	/* No minute before this one's end is written (seconds since 1970). */
	int64_t last_minute;

	/* When the first minute of the next push was written (seconds since 1970); 0: there is
	 * none.
	 */
	int64_t begun;

	/* The process that sends, 0: none; what it reads its failure from. */
	pid_t sender;
	int says;

	/* After a failure the next try is at this time (monotonic seconds), and so long after. */
	int64_t next_try;
	unsigned int pause;
	bool is_away;
};

/*
 * Opens the spool in the keeper's folder, and closes what a killed keeper left open there.  Nothing
 * is asked of the server.  Errors: an address or a file that cannot be used, the folder cannot be
 * made.
 */
enum csc_status keep_fleet_open(struct keep_fleet *fleet, const struct keep_options *options,
		const char *folder, struct diag *diag);

/* From here on minutes are of this process. */
void keep_fleet_begin(struct keep_fleet *fleet, pid_t pid);

/* Takes the minute out of an answer of the node. */
void keep_fleet_take(struct keep_fleet *fleet, char *answer);

/*
 * Takes the minutes out of a trace of readings, each of which is later than those before, and the
 * identity out of the first.  Takes as long as to load it.
 */
enum csc_status keep_fleet_take_part(
		struct keep_fleet *fleet, const char *trace, struct diag *diag);

/* Whether a recording of the node is needed, by which its minutes are labelled. */
bool keep_fleet_needs_identity(const struct keep_fleet *fleet);

/* Loads the trace for that; in a process of its own.  keep_fleet_known() in the keeper then. */
enum csc_status keep_fleet_identify(
		const struct keep_fleet *fleet, const char *trace, struct diag *diag);
void keep_fleet_known(struct keep_fleet *fleet);

/* Puts a database of an alarm into the spool; in a process of its own.  Its minutes are
 * sent only where this life of the node has sent none. */
enum csc_status keep_fleet_add_alarm(
		const struct keep_fleet *fleet, const char *database, struct diag *diag);

/* Sends what is due, without waiting; to be called every few seconds. */
void keep_fleet_turn(struct keep_fleet *fleet);

/* The node is gone, or is not kept any more: its last minute is over. */
void keep_fleet_end(struct keep_fleet *fleet);

/* Sends what there is for some seconds, and leaves the rest to the next keeper. */
void keep_fleet_close(struct keep_fleet *fleet);

#endif
