/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope record` without hooks.
 */
#ifndef CSC_RECORD_READINGS_H
#define CSC_RECORD_READINGS_H

#include <stdbool.h>

#include "push.h"
#include "record_options.h"

/* What the node is to do; nobody asks for it yet. */
struct push_order record_readings_order(const struct record_options *options);

/* Reads the node.  *ret_has_begun: the trace has readings, which are judged also where this fails.
 */
enum csc_status record_readings(
		const struct push_request *request, bool *ret_has_begun, struct diag *diag);

/* Prints the expression, for those who paste it into a shell; an exit status. */
int record_readings_print(const struct record_options *options);

#endif
