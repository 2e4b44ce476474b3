/*
 * SPDX-License-Identifier: MIT
 *
 * A heap profile as pprof has it: a message of protocol buffers, compressed by gzip.
 *
 * Frames are functions: the allocator is the root, then block type, process and function; the kind
 * stands where a profile of a program has the source file.  Labels: node, allocator, pid, instance.
 *
 * Source: the published profile.proto of pprof (field numbers and their meaning).
 */
#ifndef CSC_PPROF_H
#define CSC_PPROF_H

#include <stdbool.h>
#include <stdio.h>

#include "diag.h"
#include "gzip.h"
#include "numbering.h"
#include "protobuf.h"
#include "stack.h"

struct pprof {
	struct stack_profile profile;
	struct gzip gzip;

	/* Texts by their place in the table of strings; functions by kind (a),
	 * file (b, its text's place) and name; locations by function (a) and line (b). */
	struct numbering texts;
	struct numbering functions;
	struct numbering locations;

	/* Room for a field of the profile, a message in it, and one in that. */
	struct protobuf field;
	struct protobuf message;
	struct protobuf part;
	bool has_failed;
};

/* Begins one; `stream` is borrowed.  Errors: out of memory. */
enum csc_status pprof_open(struct pprof *pprof, FILE *stream, const struct stack_profile *profile,
		struct diag *diag);

/* A stack whose values are all 0 is left out. */
void pprof_add(struct pprof *pprof, const struct stack *stack);

/* Ends it, in every case.  Errors: out of memory; errors of the stream: see ferror(). */
enum csc_status pprof_close(struct pprof *pprof, struct diag *diag);

#endif
