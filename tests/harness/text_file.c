/*
 * SPDX-License-Identifier: MIT
 */
#include "text_file.h"

#include <stdio.h>

char *text_file_read(const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *in = fopen(path, "r");
	FILE *out;
	int c;

	if (!in) {
		return NULL;
	}

	out = open_memstream(&text, &size);
	if (!out) {
		fclose(in);
		return NULL;
	}

	while ((c = fgetc(in)) != EOF) {
		fputc(c, out);
	}

	fclose(out);
	fclose(in);
	return text;
}
