/* SPDX-License-Identifier: MIT */
/* One instruction of the architecture that this is compiled for. */
#ifndef CSC_BEAM_STEP_H
#define CSC_BEAM_STEP_H

#include "machine.h"

enum step_kind {
	/* On to what comes next. */
	STEP_ON,
	/* To the target, or on. */
	STEP_BRANCH,
	STEP_JUMP,
	STEP_CALL,
	STEP_RETURN,
	/* Not known, or no way on. */
	STEP_END,
};

struct step {
	enum step_kind kind;
	/* Length of the instruction. */
	size_t bytes;
	struct value target;
};

/* What decodes; kept for one search. */
struct stepper;

/* NULL: instructions are not known here, or there is no memory. */
struct stepper *stepper_new(void);
void stepper_free(struct stepper *stepper);

/* Sets the registers as at the entry of a function. */
void step_enter(struct machine *machine);

/* Applies the instruction at AT, which is code and readable, to the registers. */
struct step step_one(struct stepper *stepper, const struct image *image, uintptr_t at,
		struct machine *machine);

/* The first argument of the function that is called. */
struct value step_argument(const struct machine *machine);

/* A call into a function that is followed, and the return from it. */
void step_into(struct machine *machine);
void step_out(struct machine *machine);

/* What a call leaves of the registers. */
void step_over(struct machine *machine);

#endif
