/*
 * SPDX-License-Identifier: MIT
 *
 * zlib, with the header of gzip: without a time in it, so that equal profiles are equal files.
 */
#include "gzip.h"

enum {
	WINDOW_BITS = 15,
	/* Added to them: a header of gzip, not of zlib. */
	WITH_HEADER = 16,
	MEMORY_LEVEL = 8,
	PIECE_BYTES = 16384,
};

bool gzip_open(struct gzip *gzip, FILE *stream)
{
	*gzip = (struct gzip){ .stream = stream };
	return deflateInit2(&gzip->zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
			       WINDOW_BITS + WITH_HEADER, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
}

/* Compresses what is there to be read; all of it, and the end, if `flush` is Z_FINISH. */
static void pump(struct gzip *gzip, int flush)
{
	unsigned char piece[PIECE_BYTES];

	do {
		gzip->zip.next_out = piece;
		gzip->zip.avail_out = sizeof(piece);
		(void)deflate(&gzip->zip, flush);
		(void)fwrite(piece, 1, sizeof(piece) - gzip->zip.avail_out, gzip->stream);
	} while (gzip->zip.avail_out == 0);
}

void gzip_write(struct gzip *gzip, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;

	while (length > 0) {
		size_t part = length < PIECE_BYTES ? length : PIECE_BYTES;

		gzip->zip.next_in = (unsigned char *)at;
		gzip->zip.avail_in = (uInt)part;
		pump(gzip, Z_NO_FLUSH);
		at += part;
		length -= part;
	}
}

void gzip_close(struct gzip *gzip)
{
	pump(gzip, Z_FINISH);
	(void)deflateEnd(&gzip->zip);
}
