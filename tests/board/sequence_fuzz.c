/* SPDX-License-Identifier: MIT */
/* Sequences from nowhere: refused with a sentence, or replayed; the heap is sound in any case. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sequence.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sequence_result result = { 0 };
	char *text = malloc(size + 1);

	if (!text) {
		abort();
	}
	memcpy(text, data, size);
	text[size] = 0;
	if (!sequence_replay(text, NULL, 4, &result) && !result.sentence[0]) {
		abort();
	}
	if (result.is_unsound) {
		abort();
	}
	free(text);
	return 0;
}
