/* SPDX-License-Identifier: MIT */
/*
 * Which Erlang code called the emulator.
 *
 * A function of Erlang that is called last, or that calls no other, has no return address on the
 * stack of its process.  Where it calls the emulator, it has one on the stack of the thread, behind
 * the frames of C.  Those are walked by the tables that compilers write for exceptions and
 * debuggers
 * (.eh_frame: DWARF 5, 6.4, and the Linux Standard Base): of the emulator and of this library. Code
 * of others ends the walk, and is what it finds.
 */
#ifndef CSC_BEAM_NATIVE_WALK_H
#define CSC_BEAM_NATIVE_WALK_H

#include <stdbool.h>
#include <stdint.h>

/* Finds the tables; false: one of both objects has none that is understood.  While nothing is
 * hooked. */
bool native_walk_open(uintptr_t in_emulator);

/* The return address behind the frames of the emulator and of this library; 0: they cannot be
 * walked.  It may be in any code. */
uintptr_t native_walk_caller(void);

#endif
