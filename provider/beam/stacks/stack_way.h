/* SPDX-License-Identifier: MIT */
/*
 * Where a running process has its stack, and how the code of a function begins.
 *
 * No release says it, so both are found by trials, as the running process is (current_process.h).
 *
 * Places.  A process asks how many words its stack and its heap have, and words of its structure
 * are searched for pointers that lie so far apart: begin and end of the heap, at whose end the
 * stack begins, and where the stack ends now.  Processes with different stacks must agree on one
 * place each. The first word of every stack is the same: who returns there ends.
 *
 * Headers.  Before the code of each function lie, in OTP 25 to 29, three words: the atoms of module
 * and name, and the arity.  How code begins is learned from functions whose begin the emulator
 * prints in a backtrace: bits that all of them have in common.  Each of them must be found again
 * from its return address, by a search to lower addresses for the first header.
 */
#ifndef CSC_BEAM_STACK_WAY_H
#define CSC_BEAM_STACK_WAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changed only while nothing is hooked. */
extern struct stack_way {
	bool is_known;
	/* Of the pointers in a process's structure, in words. */
	size_t heap;
	size_t stop;
	size_t end;
	/* The first word of every stack. */
	uintptr_t bottom;
	/* The first word of a function's code has these bits. */
	uintptr_t header_mask;
	uintptr_t header_value;
	/* Lowest bits of an atom. */
	uintptr_t atom_tag;
} stack_way;

/* What a header says: words of the emulator; module 0: there is none. */
struct stack_function {
	uintptr_t header;
	uintptr_t module;
	uintptr_t name;
	uintptr_t arity;
};

/* A return address, and the header of its function. */
struct stack_witness {
	uintptr_t address;
	uintptr_t header;
};

void stack_way_forget(void);

/* A trial by the process, which has so many words of stack and heap. */
void stack_way_try(const void *process, size_t stack_words, size_t heap_words);

/* False: it is not as described above. */
bool stack_way_learn(const struct stack_witness *witnesses, size_t count, uintptr_t any_atom);

/* After the trials: from here on it is known, or not.  ARE_NAMED: functions have their right names;
 * HAVE_LINES: lines are known, too.
 */
void stack_way_confirm(bool are_named, bool have_lines);

/* How it was found, or why not, as words that a report shows. */
const char *stack_way_found_by(void);

/* The function that a return address is in.  Any address may be asked about. */
struct stack_function stack_way_function(uintptr_t address);

#endif
