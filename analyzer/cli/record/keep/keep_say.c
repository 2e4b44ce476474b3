/*
 * SPDX-License-Identifier: MIT
 */
#include "keep_say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "visible.h"

void keep_say(const char *format, ...)
{
	time_t now = time(NULL);
	struct tm parts;
	char when[32] = "";
	char *text = NULL;
	va_list arguments;

	if (localtime_r(&now, &parts)) {
		(void)strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &parts);
	}
	(void)printf("%s ", when);
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) >= 0) {
		visible_print(stdout, text, VISIBLE_CELL);
		free(text);
	}
	va_end(arguments);
	putchar('\n');
	(void)fflush(stdout);
}
