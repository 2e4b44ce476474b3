/*
 * SPDX-License-Identifier: MIT
 *
 * Keeps the first failure's sentence.
 */
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>

enum csc_status diag_fail(
		struct diag *diag, const char *file, unsigned int line, const char *format, ...)
{
	va_list arguments;

	if (diag->file) {
		return CSC_ERROR;
	}

	diag->file = file;
	diag->line = line;
	va_start(arguments, format);
	(void)vsnprintf(diag->text, sizeof(diag->text), format, arguments);
	va_end(arguments);
	return CSC_ERROR;
}

enum csc_status diag_no_memory(struct diag *diag, const char *file, unsigned int line)
{
	(void)diag_fail(diag, file, line, "out of memory");
	return CSC_NO_MEMORY;
}
