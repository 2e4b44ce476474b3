/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target on each file that is named: the corpus as an ordinary test. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

#define INPUT_MAX_BYTES (1 << 20)

int main(int argc, char **argv)
{
	static uint8_t input[INPUT_MAX_BYTES];

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		size_t bytes;

		if (!file) {
			fprintf(stderr, "cannot open '%s'\n", argv[i]);
			return EXIT_FAILURE;
		}
		bytes = fread(input, 1, sizeof(input), file);
		fclose(file);
		LLVMFuzzerTestOneInput(input, bytes);
	}
	printf("%d inputs\n", argc - 1);
	return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
