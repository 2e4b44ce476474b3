/*
 * SPDX-License-Identifier: MIT
 *
 * The LTTng session daemon of the user that records.  Where none runs a recorder starts one, others
 * may use it from then on, and the last of them ends it.
 */
#ifndef CSC_RECORD_DAEMON_H
#define CSC_RECORD_DAEMON_H

#include <sys/types.h>

#include "diag.h"

/*
 * Waits until no other recorder of this user starts or ends a daemon, at most half a minute: held
 * from before daemon_start() until the session is made, a daemon that was found is not ended
 * meanwhile.  -1: it is held by another one still; then it is done without.  After 2 s it is said
 * on standard error who is waited for.
 */
int daemon_take_turn(void);

/* -1: nothing. */
void daemon_leave_turn(int turn);

/* Starts a session daemon unless one answers; *daemon is its pid then, and as it was otherwise. */
enum csc_status daemon_start(pid_t *daemon, struct diag *diag);

/*
 * The same before a node is asked to load LTTng's library, for a user who is not root: the library
 * does without this user's daemons for good where none of them has ever run.
 */
enum csc_status daemon_prepare(pid_t *daemon, struct diag *diag);

/*
 * Ends the daemon that a recorder started, this one or another, if no session is left in it.
 * `pid`: its process; 0: it is looked for.
 */
void daemon_end(pid_t pid);

/* The same of a daemon whose starter is dead; also where it does not answer. */
void daemon_end_left(void);

#endif
