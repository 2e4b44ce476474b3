/*
 * SPDX-License-Identifier: MIT
 *
 * How a node names its recorder to others.
 */
#ifndef CSC_RECORDER_NAME_H
#define CSC_RECORDER_NAME_H

/* The most of a command line that a name has, in bytes. */
enum { RECORDER_COMMAND_BYTES = 160 };

/*
 * "carrierscope record --node shop (OS pid 4711 of alice on host)": this process's own command
 * line, without a COMMAND after "--"; a long one ends in "...".  Printable ASCII without quotes and
 * backslashes, so that it can stand in a string of Erlang.  The caller frees it; NULL: no memory.
 */
char *recorder_name(void);

#endif
