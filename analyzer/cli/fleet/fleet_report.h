/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope fleet report`: the answers of a fleet's server.
 */
#ifndef CSC_FLEET_REPORT_H
#define CSC_FLEET_REPORT_H

#include <stdio.h>

#include "diag.h"
#include "server.h"

/* In the order of their names in fleet_report.c. */
enum fleet_format { FLEET_TEXT, FLEET_CSV, FLEET_JSON, FLEET_HTML };

/* The answers, ended by NULL: fragmenting, leak, … */
extern const char *const fleet_answers[];

/*
 * Prints one answer, or all of them (NULL; not as CSV), each with how many of the known nodes it
 * saw.  Where a server of a cluster cannot be reached, that is said and the others answer.
 */
enum csc_status fleet_report_print(FILE *stream, struct server *server, const char *name,
		enum fleet_format format, struct diag *diag);

#endif
