/*
 * SPDX-License-Identifier: MIT
 *
 * The mark of a process of ours, in names of its session, files and daemon: PID-START-PLACE.  A pid
 * comes again, with another start; PLACE is one boot and one namespace of pids.
 */
#ifndef CSC_MARK_H
#define CSC_MARK_H

#include <stdbool.h>
#include <sys/types.h>

enum { MARK_BYTES = 48 };

/* Of this process. */
void mark_own(char ret_mark[static MARK_BYTES]);

/* Its pid; 0: the text is no mark. */
pid_t mark_pid(const char *text);

/* Whether this process can see whether the other one lives. */
bool mark_is_here(const char *text);

/* Whether its process has ended, reaped or not.  False too of one that is not here, and of a text
 * that is no mark. */
bool mark_is_dead(const char *text);

#endif
