/* SPDX-License-Identifier: MIT */
/* Writes the flags that system_info(allocator) lists as rows of table option_unit: at build time.
 */
#include <stdio.h>
#include <string.h>

#include "flag_table.h"

/* Two flags may set options of one name. */
static int is_repeated(const struct flag *flag)
{
	for (const struct flag *i = flag_table; i != flag; i++) {
		if (i->is_listed && strcmp(i->name, flag->name) == 0) {
			return 1;
		}
	}
	return 0;
}

/* An SQL string, and the end of a row. */
static void put_text(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'') {
			putchar(*text);
		}
		putchar(*text);
	}
	printf("')");
}

int main(void)
{
	const char *separator = "INSERT INTO option_unit VALUES\n  ";

	puts("-- SPDX-License-Identifier: MIT\n"
	     "--\n"
	     "-- Made of provider/runtime/flag_table.c; do not edit.\n");
	for (const struct flag *flag = flag_table; flag->name; flag++) {
		if (flag->is_listed && !is_repeated(flag)) {
			printf("%s('%s', '%s', ", separator, flag->name, flag_unit(flag));
			put_text(flag->meaning);
			separator = ",\n  ";
		}
	}
	puts(";");
	return 0;
}
