/* SPDX-License-Identifier: MIT */
/*
 * Writes the flags at build time.
 *
 *	csc_flag_rows            those that system_info(allocator) lists, as rows of table
 *option_unit csc_flag_rows PAGE.1.in  the man page, with all flags in place of its line `.\" FLAGS`
 */
#include <stdio.h>
#include <stdlib.h>
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
static void print_text(const char *text)
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

/* What a value may be, as table flag_grammar names it. */
static const char *kind_name(enum flag_kind kind)
{
	static const char *const names[] = {
		[FLAG_KIB] = "number",
		[FLAG_MIB] = "number",
		[FLAG_NUMBER] = "number",
		[FLAG_PERCENT] = "number",
		[FLAG_MALLOC] = "number",
		[FLAG_ACUL] = "share",
		[FLAG_ACFUL] = "share",
		[FLAG_BOOL] = "true or false",
		[FLAG_ON] = "on or off",
		[FLAG_ALL] = "all or no",
		[FLAG_TAGS] = "tags",
		[FLAG_ENABLED] = "true or false",
		[FLAG_THREADS] = "true or false",
		[FLAG_POOL] = "pool",
		[FLAG_STRATEGY] = "strategy",
		[FLAG_DIRTY] = "number or max",
		[FLAG_LIBC] = "any",
		[FLAG_TRUE] = "any",
		[FLAG_SETUP] = "setup",
		[FLAG_UNUSED_MIB] = "number",
		[FLAG_UNUSED] = "any",
	};

	return names[kind];
}

/* Every flag: csc_generation.release is a hundred times the release of OTP. */
static void print_grammar(void)
{
	const char *separator = "INSERT INTO flag_grammar VALUES\n  ";

	for (const struct flag *flag = flag_table; flag->name; flag++) {
		printf("%s('%s', '%s', '%s', '%s', %u, %u, %d, ", separator,
				flag_is_each(flag) ? "*" : flag->letter, flag->name,
				kind_name(flag->kind), flag_unit(flag), flag->since / 100,
				flag->until / 100 < 99 ? flag->until / 100 : 99,
				flag->is_migration);
		print_text(flag->meaning);
		separator = ",\n  ";
	}
	puts(";");
}

static void print_rows(void)
{
	const char *separator = "INSERT INTO option_unit VALUES\n  ";

	puts("-- SPDX-License-Identifier: MIT\n"
	     "--\n"
	     "-- Made of provider/runtime/flag_table.c; do not edit.\n");
	for (const struct flag *flag = flag_table; flag->name; flag++) {
		if (flag->is_listed && !is_repeated(flag)) {
			printf("%s('%s', '%s', ", separator, flag->name, flag_unit(flag));
			print_text(flag->meaning);
			separator = ",\n  ";
		}
	}
	puts(";");
	print_grammar();
}

/* No sentence of the table has what roff would take for more than text. */
static void print_flags(void)
{
	for (const struct flag *flag = flag_table; flag->name; flag++) {
		printf(".TP\n.BR +M%s%s \" (%s)\"\n%s.\n", flag->letter, flag->name,
				flag_unit(flag), flag->meaning);
	}
}

static int print_page(const char *path)
{
	FILE *page = fopen(path, "r");
	char line[1024];

	if (!page) {
		perror(path);
		return EXIT_FAILURE;
	}
	while (fgets(line, sizeof(line), page)) {
		if (strcmp(line, ".\\\" FLAGS\n") == 0) {
			print_flags();
		} else {
			fputs(line, stdout);
		}
	}
	fclose(page);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		return print_page(argv[1]);
	}
	print_rows();
	return EXIT_SUCCESS;
}
