/*
 * SPDX-License-Identifier: MIT
 *
 * One record of any kind but a batch.
 */
#ifndef CSC_INTAKE_RECORD_H
#define CSC_INTAKE_RECORD_H

#include "diag.h"
#include "packed.h"

struct intake;

/* Takes a record whose turn it is. */
enum csc_status intake_take_now(
		struct intake *intake, const struct packed *record, struct diag *diag);

#endif
