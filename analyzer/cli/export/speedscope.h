/*
 * SPDX-License-Identifier: MIT
 *
 * A file of speedscope: a sampled profile for each value, whose stacks and weights are two arrays.
 * So the stacks are given twice, in the same order:
 *
 *	speedscope_open(); for each value { speedscope_begin(); speedscope_add_stack() ...;
 *	speedscope_begin_weights(); speedscope_add_weight() ...; speedscope_end(); }
 *	speedscope_close();
 *
 * Errors of the stream: see ferror().
 */
#ifndef CSC_SPEEDSCOPE_H
#define CSC_SPEEDSCOPE_H

#include "diag.h"
#include "json_writer.h"
#include "numbering.h"
#include "stack.h"

struct speedscope {
	struct json_writer json;

	/* By kind (a) and text. */
	struct numbering frames;

	/* Of the profile that is open, and the sum of its weights. */
	enum stack_value value;
	int64_t total;

	/* Profiles that were begun, and the place among them of the one that is shown first. */
	int profiles;
	int active;
	bool has_failed;
};

/* `stream` is borrowed. */
void speedscope_open(struct speedscope *file, FILE *stream);

void speedscope_begin(struct speedscope *file, enum stack_value value);
void speedscope_add_stack(struct speedscope *file, const struct stack *stack);
void speedscope_begin_weights(struct speedscope *file);
void speedscope_add_weight(struct speedscope *file, const struct stack *stack);
void speedscope_end(struct speedscope *file);

/* Ends it, in every case.  Errors: out of memory. */
enum csc_status speedscope_close(struct speedscope *file, struct diag *diag);

#endif
