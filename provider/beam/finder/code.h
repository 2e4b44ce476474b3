/* SPDX-License-Identifier: MIT */
/*
 * Which table the emulator's own code uses: functions of the interface for NIFs and drivers, which
 * every emulator exports, allocate through it.
 *
 * Their instructions are followed, along both ways of a branch, until one calls what it has loaded
 * from a variable while the first argument is the word of a block type.
 */
#ifndef CSC_BEAM_CODE_H
#define CSC_BEAM_CODE_H

#include "emulator.h"

#include "image.h"

/* Functions that are asked. */
#define CODE_FUNCTIONS 12

struct code_witness {
	/* Functions that call through the table, and such that call through another one. */
	size_t agreeing;
	size_t differing;
};

/*
 * Compares the functions with the table.  On architectures whose instructions are not known here,
 * no function agrees or differs.
 */
void code_ask(const struct image *image, const struct emulator *emulator, uintptr_t table,
		struct code_witness *ret_witness);

#endif
