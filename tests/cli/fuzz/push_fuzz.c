/*
 * SPDX-License-Identifier: MIT
 *
 * Pushes in a file.  Those of version 2 have no checksum, so that what is changed is read.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "push_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *stream = size > 0 ? fmemopen((void *)data, size, "r") : NULL;
	enum csc_status status = CSC_OK;
	bool is_end = false;

	if (!stream) {
		return 0;
	}
	while (status == CSC_OK && !is_end) {
		struct diag diag = { 0 };
		struct push_rows rows;

		status = push_file_read(stream, "file", &rows, &is_end, &diag);
		if ((status == CSC_OK) == diag_is_set(&diag)) {
			abort();
		}
		if (status == CSC_OK && !is_end) {
			push_rows_sign(&rows);
		}
		push_rows_finish(&rows);
	}
	(void)fclose(stream);
	return 0;
}
