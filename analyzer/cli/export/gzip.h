/*
 * SPDX-License-Identifier: MIT
 *
 * A file of gzip(1), written piece by piece into a stream.
 */
#ifndef CSC_GZIP_H
#define CSC_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <zlib.h>

struct gzip {
	z_stream zip;

	/* Borrowed; its errors are those of the file: see ferror(). */
	FILE *stream;
};

/* False: out of memory; then there is nothing to close. */
bool gzip_open(struct gzip *gzip, FILE *stream);

void gzip_write(struct gzip *gzip, const void *bytes, size_t length);

/* Writes what is left. */
void gzip_close(struct gzip *gzip);

#endif
