/*
 * SPDX-License-Identifier: MIT
 *
 * Field classes of CTF 2, written as the types of CTF 1.8 that lie in a packet bit for bit alike.
 */
#ifndef CSC_CTF2_CLASS_H
#define CSC_CTF2_CLASS_H

#include <stdbool.h>
#include <stdio.h>

#include "ctf2_json.h"

/* Where a structure stands; LTTng puts `_` before the names of the last three. */
enum ctf2_scope {
	CTF2_PACKET_HEADER,
	CTF2_PACKET_CONTEXT,
	CTF2_EVENT_HEADER,
	CTF2_COMMON_CONTEXT,
	CTF2_EVENT_CONTEXT,
	CTF2_PAYLOAD,
};

/* Whether a text can be a name in CTF 1.8. */
bool ctf2_is_name(const char *text);

/* Writes a text in quotes. */
void ctf2_quote(FILE *file, const char *text);

/*
 * Writes a structure; one without members where `class` is NULL.  `clock` is the name of the
 * clock that its times are of, or NULL.  Yields NULL, or what there is that CTF 1.8 does not have,
 * or not as LTTng writes it; what was written is worth nothing then.
 */
const char *ctf2_struct_print(FILE *file, const struct ctf2_node *class, enum ctf2_scope scope,
		const char *clock);

#endif
