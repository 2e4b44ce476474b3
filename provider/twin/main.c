/* SPDX-License-Identifier: MIT */
/* carrierscope-twin: the runtime's allocators without the runtime. */
#include <stdio.h>
#include <string.h>

#include "opfile.h"
#include "oprun.h"
#include "trouble.h"

/* Exit codes. */
#define EXIT_DONE 0
#define EXIT_FAILED 1
#define EXIT_USAGE 2

static int print_usage(FILE *out)
{
	fputs("usage: carrierscope-twin --ops FILE\n"
	      "\n"
	      "  --ops FILE   run an operation file (plain or gzip, - is standard input)\n"
	      "               and print what happened\n",
			out);
	return out == stdout ? EXIT_DONE : EXIT_USAGE;
}

static int complain(const struct trouble *trouble, int code)
{
	fflush(stdout);
	fprintf(stderr, "carrierscope-twin: %s\n", trouble->sentence);
	return code;
}

static int run_operations(const char *path)
{
	struct opfile opfile = { 0 };
	struct trouble trouble = { 0 };
	int code = EXIT_DONE;

	if (!opfile_read(&opfile, path, &trouble)) {
		code = complain(&trouble, EXIT_USAGE);
	} else if (!oprun(&opfile, stdout, &trouble)) {
		code = complain(&trouble, EXIT_FAILED);
	} else if (fflush(stdout) != 0) {
		trouble_fail(&trouble, "cannot write the result");
		code = complain(&trouble, EXIT_FAILED);
	}
	opfile_finish(&opfile);
	return code;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		return print_usage(stdout);
	}
	if (argc == 3 && strcmp(argv[1], "--ops") == 0) {
		return run_operations(argv[2]);
	}
	return print_usage(stderr);
}
