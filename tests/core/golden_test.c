/* SPDX-License-Identifier: MIT */
/*
 * golden_test OPS EXPECT: runs one recorded case and compares what comes out, line by line.
 *
 * Prints the first line that differs.  Exits 0 when all are equal, 77 when a file is missing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "opfile.h"
#include "oprun.h"
#include "optext.h"

#define EXIT_SKIPPED 77

/* The next line that is no comment, cut out of `*rest`; NULL: the end. */
static char *next_line(char **rest)
{
	while (*rest && **rest) {
		char *line = *rest;
		char *end = strchr(line, '\n');

		*rest = end ? end + 1 : NULL;
		if (end) {
			*end = 0;
		}
		if (*line && *line != '#') {
			return line;
		}
	}
	return NULL;
}

static int compare(char *expected, char *got)
{
	size_t lines = 0;

	for (;;) {
		char *want = next_line(&expected);
		char *have = next_line(&got);

		if (!want && !have) {
			printf("%zu lines are equal\n", lines);
			return EXIT_SUCCESS;
		}
		lines++;
		if (!want || !have || strcmp(want, have) != 0) {
			printf("line %zu differs\n  expected: %s\n  got:      %s\n", lines,
					want ? want : "(end)", have ? have : "(end)");
			return EXIT_FAILURE;
		}
	}
}

int main(int argc, char **argv)
{
	struct opfile opfile = { 0 };
	struct diag diag = { 0 };
	char *expected = NULL;
	size_t expected_bytes = 0;
	char *got = NULL;
	size_t got_bytes = 0;
	int code = EXIT_FAILURE;

	if (argc != 3) {
		fprintf(stderr, "usage: golden_test OPS EXPECT\n");
		return EXIT_FAILURE;
	}
	if (access(argv[1], R_OK) != 0 || access(argv[2], R_OK) != 0) {
		printf("SKIPPED: the recorded case '%s' is not there\n", argv[1]);
		return EXIT_SKIPPED;
	}

	FILE *out = open_memstream(&got, &got_bytes);
	if (out && opfile_read(&opfile, argv[1], &diag) == CSC_OK &&
			optext_read(argv[2], &expected, &expected_bytes, &diag) == CSC_OK &&
			oprun(&opfile, out, NULL, &diag) == CSC_OK) {
		fflush(out);
		code = compare(expected, got);
	} else {
		printf("%s\n", diag.text);
	}
	if (out) {
		fclose(out);
	}
	free(got);
	free(expected);
	opfile_finish(&opfile);
	return code;
}
