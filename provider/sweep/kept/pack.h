/* SPDX-License-Identifier: MIT */
/* A result as bytes, the same on every machine: 4 to 40 KiB, most of it the curves. */
#ifndef CSC_PACK_H
#define CSC_PACK_H

#include <stddef.h>

#include "sweep.h"

/* The caller frees; NULL: no memory. */
unsigned char *pack_result(const struct sweep_result *result, size_t *ret_bytes);

/* Whether the bytes are those of a result, which is done then. */
bool pack_read(const unsigned char *bytes, size_t count, struct sweep_result *ret_result);

#endif
