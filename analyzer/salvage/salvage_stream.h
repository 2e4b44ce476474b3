/*
 * SPDX-License-Identifier: MIT
 *
 * Packets of a stream.
 */
#ifndef CSC_SALVAGE_STREAM_H
#define CSC_SALVAGE_STREAM_H

#include "diag.h"

struct salvage;
struct salvage_file;
struct salvage_trace;

/* Puts the sound packets of a file into the copy. */
enum csc_status salvage_stream_repair(struct salvage *salvage, struct salvage_trace *trace,
		struct salvage_file *file, struct diag *diag);

#endif
