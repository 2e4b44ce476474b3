/* SPDX-License-Identifier: MIT */
/*
 * The symbol table of the emulator's file, where it was not stripped: hidden symbols are in it.
 *
 * The file is the one that the kernel says is mapped.  It is read, never mapped: whoever cuts it
 * short meanwhile would end the node.
 */
#ifndef CSC_BEAM_SYMTAB_H
#define CSC_BEAM_SYMTAB_H

#include "image.h"

/*
 * Where the file of IMAGE has an object of this name, as an address of this process.  0: the file
 * is stripped, has none or several of this name, or is not the one that runs, as the address of
 * KNOWN (a function of that name, in the image) and the build id show.
 */
uintptr_t symtab_find(const struct image *image, const char *name, const char *known);

#endif
