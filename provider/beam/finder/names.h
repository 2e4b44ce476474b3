/* SPDX-License-Identifier: MIT */
/*
 * Words and names of an emulator that does not export them.
 *
 * Words of block types are an array of 32 bits each whose element i is i * 128 + class * 16 +
 * allocator, 0 first.  Names are arrays of pointers to strings, the first of which is an anchor:
 * "invalid_allocator", "invalid_class", "invalid_type".
 */
#ifndef CSC_BEAM_NAMES_H
#define CSC_BEAM_NAMES_H

#include "emulator.h"

#include "image.h"

/*
 * Fills in type_words, type_count, the three arrays of names, entry_count (as there are names of
 * allocators) and class_count.  False: something is not there or there twice.
 */
bool names_find(const struct image *image, struct emulator *emulator, struct diag *diag);

#endif
