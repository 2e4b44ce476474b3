/*
 * SPDX-License-Identifier: MIT
 *
 * Processes of containers, which have another number there than here.
 */
#ifndef CSC_NAMESPACE_H
#define CSC_NAMESPACE_H

#include <sys/types.h>

/*
 * The process that a node names as "PID@NAMESPACE", as it is numbered here; ret_rest: what follows
 * behind blanks.  Where no process here has that number in that namespace, PID as it is.
 */
pid_t namespace_read_pid(const char *text, const char **ret_rest);

#endif
