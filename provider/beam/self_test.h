/* SPDX-License-Identifier: MIT */
/*
 * Whether functions before an allocator see what the emulator allocates, before any are left there.
 */
#ifndef CSC_BEAM_SELF_TEST_H
#define CSC_BEAM_SELF_TEST_H

#include "emulator.h"

/*
 * Allocates, resizes and frees a block of the calling thread's by enif_alloc() and so on, with
 * functions of its own before driver_alloc: they must see exactly that.  All is as it was
 * afterwards.  False: the sentence says why nothing may be hooked.
 */
bool self_test_run(const struct emulator *emulator, struct diag *diag);

#endif
