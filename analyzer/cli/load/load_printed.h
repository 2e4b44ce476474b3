/*
 * SPDX-License-Identifier: MIT
 *
 * What `carrierscope record --print-expression` makes a node print, in a file: a trace is made of
 * it.
 */
#ifndef CSC_LOAD_PRINTED_H
#define CSC_LOAD_PRINTED_H

#include <stdbool.h>

#include "input.h"

/* Whether a line of the begin of an input is of a node's readings; reads nothing away. */
bool load_printed_is_in(struct reader_input *input);

/*
 * Writes the readings in an input as a trace, the folder *ret_folder, which is made, in a temporary
 * one.  Errors: there is no packet that is whole, or no room.
 */
enum csc_status load_printed_unpack(
		struct reader_input *input, char **ret_folder, struct diag *diag);

/* Removes such a folder, and frees its name; NULL is fine. */
void load_printed_remove(char *folder);

#endif
