/* SPDX-License-Identifier: MIT */
/* Flags from nowhere, one on each line: refused with a sentence, or taken and printed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flags.h"
#include "fuzz.h"
#include "optionterm.h"

#define FLAGS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const generations[] = { "24rc0", "24.0.1", "25", "28" };
	struct flags_machine machine = { .dirty_schedulers = 10 };
	struct diag diag = { 0 };
	struct csc_options options;
	char *text = malloc(size + 1);
	char *arguments[FLAGS_MAX];
	FILE *out = fopen("/dev/null", "w");
	int count = 0;

	if (!text || !out) {
		abort();
	}
	memcpy(text, data, size);
	text[size] = 0;
	for (char *line = strtok(text, "\n"); line && count < FLAGS_MAX;
			line = strtok(NULL, "\n")) {
		arguments[count++] = line;
	}
	csc_options_init(&options, csc_generation_find(generations[size % 4]), size % 3 ? 8 : 4,
			(uint32_t)(size % 9) + 1);
	if (flags_take(&options, &machine, count, arguments, &diag) == CSC_OK) {
		optionterm_print(&options, out);
	} else if (!diag.text[0]) {
		abort();
	}
	fclose(out);
	free(text);
	return 0;
}
