/*
 * SPDX-License-Identifier: MIT
 *
 * The metadata of a copy.
 */
#ifndef CSC_SALVAGE_METADATA_H
#define CSC_SALVAGE_METADATA_H

#include "diag.h"

struct salvage;
struct salvage_trace;

/* Settles format and layout, and writes the copy's metadata. */
enum csc_status salvage_metadata_settle(struct salvage *salvage, struct salvage_trace *trace,
		const char *metadata_file, struct diag *diag);

#endif
