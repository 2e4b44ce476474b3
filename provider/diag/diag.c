/*
 * SPDX-License-Identifier: MIT
 *
 * Keeps the first failure's sentence.
 */
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>

void diag_fail(struct diag *diag, const char *file, unsigned int line, const char *format, ...)
{
	va_list arguments;

	if (diag->file) {
		return;
	}

	diag->file = file;
	diag->line = line;
	va_start(arguments, format);
	(void)vsnprintf(diag->text, sizeof(diag->text), format, arguments);
	va_end(arguments);
}
