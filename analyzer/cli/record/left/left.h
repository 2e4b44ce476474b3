/*
 * SPDX-License-Identifier: MIT
 *
 * What recorders and keepers leave that were killed.
 */
#ifndef CSC_LEFT_H
#define CSC_LEFT_H

#include <stdbool.h>
#include <sys/types.h>

#include "note.h"

/*
 * Ends sessions of dead recorders, after what a keeper's ring holds is written to its folder, and a
 * daemon that one started; removes what nobody needs.  Only what has the mark of a process that is
 * dead is touched.  What they recorded stays, with its note.  Yields how many sessions it ended.
 */
unsigned int left_end(void);

/* Whether there is something to make a database of. */
bool left_has_trace(const struct note *note);

/* Says on standard error, a sentence each, what waits for `record --clean`; `mark`: of this process
 * alone; NULL: of all. */
void left_say(const char *mark);

/* Removes the trace and the note. */
void left_remove(struct note *note);

/*
 * Starts a process that waits until this one is dead, and then does left_end() and left_say(),
 * after `before`.  It is in a session of its own: what is sent to this one's group does not reach
 * it.  0: it cannot be started; then the next command does it.
 */
pid_t left_watch(const struct note *note, void (*before)(void *context), void *context);

/* Ends it: all was ended in order. */
void left_unwatch(pid_t watcher);

#endif
