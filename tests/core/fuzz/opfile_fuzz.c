/* SPDX-License-Identifier: MIT */
/*
 * Operation files from nowhere: they are refused with a sentence, or run, and nothing else.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "opfile.h"
#include "oprun.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct opfile opfile = { 0 };
	struct diag diag = { 0 };
	char *text = malloc(size + 1);
	FILE *out = fopen("/dev/null", "w");
	bool is_good = false;

	if (!text || !out) {
		abort();
	}
	memcpy(text, data, size);
	text[size] = 0;
	if (opfile_parse(&opfile, "fuzz", text, size, &diag) == CSC_OK) {
		is_good = oprun(&opfile, out, NULL, &diag) == CSC_OK;
	}
	if (!is_good && !diag.text[0]) {
		abort();
	}
	fclose(out);
	opfile_finish(&opfile);
	free(text);
	return 0;
}
