/* SPDX-License-Identifier: MIT */
/* The first failure, as a sentence. */
#include "trouble.h"

#include <stdarg.h>
#include <stdio.h>

bool trouble_fail(struct trouble *trouble, const char *format, ...)
{
	va_list arguments;

	if (!trouble->is_set) {
		va_start(arguments, format);
		vsnprintf(trouble->sentence, sizeof(trouble->sentence), format, arguments);
		va_end(arguments);
		trouble->is_set = true;
	}
	return false;
}
