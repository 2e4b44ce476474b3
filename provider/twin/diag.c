/* SPDX-License-Identifier: MIT */
/* The first failure, as a sentence. */
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>

bool diag_fail(struct diag *diag, const char *format, ...)
{
	va_list arguments;

	if (!diag->is_set) {
		va_start(arguments, format);
		vsnprintf(diag->sentence, sizeof(diag->sentence), format, arguments);
		va_end(arguments);
		diag->is_set = true;
	}
	return false;
}
