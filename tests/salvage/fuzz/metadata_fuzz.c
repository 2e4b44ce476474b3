/*
 * SPDX-License-Identifier: MIT
 *
 * Metadata of a trace that somebody made, in either form.  What is made of that of CTF 2 must be
 * whole metadata of CTF 1.8, and what was left out of it be named by a place.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctf2_text.h"
#include "tsdl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct ctf2_text translated;
	struct tsdl *tsdl;
	size_t good;
	size_t long_bytes;

	if (!text) {
		abort();
	}
	memcpy(text, data, size);
	text[size] = '\0';
	if (!ctf2_is_text(text, size)) {
		if (!tsdl_read(text, size, &tsdl, &good) || good > size) {
			abort();
		}
		(void)tsdl_has_lttng_front(tsdl, &long_bytes);
		tsdl_destroy(tsdl);
		free(text);
		return 0;
	}
	if (!ctf2_translate(text, size, &translated) ||
			strlen(translated.text) != translated.text_bytes ||
			!tsdl_read(translated.text, translated.text_bytes, &tsdl, &good) ||
			good != translated.text_bytes) {
		abort();
	}
	if (translated.what ? translated.offset_bytes >= size : translated.is_damaged) {
		abort();
	}
	(void)tsdl_has_lttng_front(tsdl, &long_bytes);
	tsdl_destroy(tsdl);
	free(translated.text);
	free(text);
	return 0;
}
