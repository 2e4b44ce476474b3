/* SPDX-License-Identifier: MIT */
/*
 * The table of functions by its shape: in the emulator's variables, four words of 0, and then for
 * each allocator three addresses of the emulator's code and a word that is none, with something
 * else after the last.
 *
 * The fourth word is the address of the allocator's sets of instances where it has more than one:
 * { 1, _, number of the allocator, count, address }, 24 bytes each in the order of the allocators.
 */
#ifndef CSC_BEAM_TABLE_H
#define CSC_BEAM_TABLE_H

#include "emulator.h"

#include "image.h"

/* How many tables of so many entries, the first of them 0, there are; RET: the last one's address.
 */
size_t table_find(const struct image *image, size_t entry_count, uintptr_t *ret_table);

/*
 * How many entries of a table have sets of instances, all in one array; 0: none has, or they are
 * not in one.  RET: the address of that array's element 0, or 0.
 */
size_t table_find_specs(const struct image *image, uintptr_t table, size_t entry_count,
		uintptr_t *ret_specs);

#endif
