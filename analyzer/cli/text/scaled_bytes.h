/*
 * SPDX-License-Identifier: MIT
 *
 * Numbers of bytes for people.
 */
#ifndef CSC_SCALED_BYTES_H
#define CSC_SCALED_BYTES_H

/* "512 B", "25.80 MiB": a new text, which the caller frees.  NULL: out of memory. */
char *scaled_bytes(double bytes);

#endif
