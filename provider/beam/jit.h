/* SPDX-License-Identifier: MIT */
/*
 * What the emulator's JIT keeps for debuggers: for each module that was ever loaded an entry with a
 * symbol file, as GDB's JIT interface wants them (its manual, "JIT Interface": the exported
 * variable
 * __jit_debug_descriptor).  The memory is malloc's, in none of the allocators' carriers. OTP 25.2.3
 * never takes an entry out: some 9 KiB are lost with each load of a module of 12 KiB, though it is
 * purged (tests/beam: case jit).
 */
#ifndef CSC_BEAM_JIT_H
#define CSC_BEAM_JIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Bytes of all symbol files, exact at a moment of the call, without what malloc adds.  False: there
 * is no JIT, or its list changed all the time, or has more than 200,000 entries.  Follows the list
 * by reads that cannot fault, some 2 microseconds each: for a dirty scheduler.
 */
bool jit_debug_bytes(uint64_t *ret_bytes);

#endif
