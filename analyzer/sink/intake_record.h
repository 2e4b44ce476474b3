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

/* Stores a stretch of a stream in which something is missing: `stream` is its number, -1: it could
 * not be opened; ROW_NULL: not known. */
enum csc_status intake_add_loss(struct intake *intake, int32_t stream, const char *cause,
		int64_t begin_ns, int64_t end_ns, int64_t events, struct diag *diag);

#endif
