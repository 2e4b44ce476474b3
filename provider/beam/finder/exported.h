/* SPDX-License-Identifier: MIT */
/* Sizes of what an image exports.  The C library of glibc could say so, that of musl cannot. */
#ifndef CSC_BEAM_EXPORTED_H
#define CSC_BEAM_EXPORTED_H

#include <stddef.h>

/* Of the variable that some loaded image exports at ADDRESS, in bytes; 0: none does. */
size_t exported_bytes(const void *address);

#endif
