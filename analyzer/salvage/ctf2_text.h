/*
 * SPDX-License-Identifier: MIT
 *
 * Metadata of CTF 2 (JSON texts, each behind a record separator), said in the words of CTF 1.8.
 *
 * LTTng writes the same packets in both formats; only what describes them differs.  So a repair
 * works on the metadata of CTF 1.8, and its copy is one that every Babeltrace reads.
 */
#ifndef CSC_CTF2_TEXT_H
#define CSC_CTF2_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct ctf2_text {
	/* Metadata of CTF 1.8, of all fragments that could be taken; freed by the caller. */
	char *text;
	size_t text_bytes;

	/* NULL; or of the first fragment that could not be taken: why, and where it begins. */
	const char *what;
	size_t offset_bytes;

	/* It is no JSON, rather than JSON that is not understood. */
	bool is_damaged;
};

/* Whether a text begins as metadata of CTF 2 does. */
bool ctf2_is_text(const char *text, size_t text_bytes);

/*
 * A fragment that cannot be taken is left out, and with it what would not be true without it: the
 * streams without their trace or clock, the events without their stream.  False means out of
 * memory.
 */
bool ctf2_translate(const char *text, size_t text_bytes, struct ctf2_text *ret_text);

#endif
