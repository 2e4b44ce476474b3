/* SPDX-License-Identifier: MIT */
/*
 * The allocators' table of an emulator that hides its symbols, as OTP 29 does on every platform.
 *
 * What is found is what emulator_find() would have looked up.  Three witnesses are asked about the
 * table: functions that the emulator exports (code.h), sets of instances (table.h), and the symbol
 * table of its file (symtab.h).  None may differ, and one of the first two must agree.  Nothing is
 * written.
 */
#ifndef CSC_BEAM_FINDER_H
#define CSC_BEAM_FINDER_H

#include "emulator.h"

/*
 * Fills in the table, words, names and their counts, `specs` and `evidence`.  False: the sentence
 * says what is missing, there twice, or contradicts itself.  To be called where nothing is hooked.
 */
bool finder_find(struct emulator *ret_emulator, struct diag *diag);

#endif
