/* SPDX-License-Identifier: MIT */
/*
 * Files and lines of return addresses, where the emulator exports the function by which its own
 * stack traces have them.
 *
 * What that function writes is learned at each start: the places of the function's header, of the
 * line and of the list of files are those at which all witnesses of a stack trace are right.  No
 * witness, no lines.  It is called by a NIF on a scheduler, as the emulator does, and never in a
 * hook.
 */
#ifndef CSC_BEAM_STACK_LINES_H
#define CSC_BEAM_STACK_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include <erl_nif.h>

#include "stack_way.h"

/* What a stack trace says of a return address. */
struct stack_line_witness {
	uintptr_t address;
	uintptr_t header;
	uint32_t line;
	/* A string. */
	ERL_NIF_TERM file;
};

/* After stack_way_learn().  False: there are no lines. */
bool stack_lines_learn(ErlNifEnv *env, const struct stack_line_witness *witnesses, size_t count);

/* Whether the last ones were right. */
bool stack_lines_are_known(void);

/* {Line, File}; undefined: nobody knows, or another function is there now. */
ERL_NIF_TERM stack_lines_get(
		ErlNifEnv *env, uintptr_t address, const struct stack_function *function);

#endif
