/*
 * SPDX-License-Identifier: MIT
 *
 * A metadata file as text, whether it is stored plain or in packets.
 */
#ifndef CSC_TSDL_TEXT_H
#define CSC_TSDL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads a metadata file; what is left of a cut one.  The text ends in a NUL that
 * is not counted, and is freed by the caller.  False with errno set when the
 * file cannot be read, EFBIG above 64 MiB.
 */
bool tsdl_text_load(const char *path, char **ret_text, size_t *ret_text_bytes);

/*
 * Looks for what Babeltrace 2.0 reads without end: a packet of metadata whose header claims
 * more than the file has; and for a comment or text that does not end, behind which it finds
 * nothing; and in CTF 2 for a fragment that is not JSON.  NULL: none is there, or the file cannot
 * be read (errno is set then).  Else a sentence, and the byte of the file where it begins.
 */
const char *tsdl_text_check(const char *path, uint64_t *ret_offset);

/* The byte of a metadata file that became byte `text_at` of its text. */
uint64_t tsdl_text_place(const char *path, size_t text_at);

/*
 * Overwrites the UUID of the trace block, and of nothing else, with another of
 * the same 36 characters.  False when there is none.
 */
bool tsdl_text_set_uuid(char *text, const char *old_uuid, const char *new_uuid);

#endif
