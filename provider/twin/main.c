/* SPDX-License-Identifier: MIT */
/* carrierscope-twin: the runtime's allocators without the runtime. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flags.h"
#include "listener.h"
#include "opfile.h"
#include "oprun.h"
#include "optionterm.h"
#include "trouble.h"

/* Exit codes. */
#define EXIT_DONE 0
#define EXIT_FAILED 1
#define EXIT_USAGE 2

static int print_usage(FILE *out)
{
	fputs("usage: carrierscope-twin --ops FILE [--statistics] [--no-trace]\n"
	      "       carrierscope-twin --print-options [OPTION...] [+M... FLAGS]\n"
	      "\n"
	      "  --ops FILE        run an operation file (plain or gzip, - is standard input)\n"
	      "                    and print what happened\n"
	      "  --no-trace        emit no LTTng-UST events, whoever records\n"
	      "  --statistics      print the figures at the end instead, as\n"
	      "                    system_info({allocator, A}) does\n"
	      "  --print-options   print the settings in force, as system_info(allocator) does\n"
	      "\n"
	      "  --otp RELEASE     24rc0, 24.0.1, 25 (default) or 28\n"
	      "  --word BYTES      4 or 8 (default)\n"
	      "  --schedulers S    number of schedulers (default 1)\n"
	      "  +M...             the runtime's own memory flags\n",
			out);
	return out == stdout ? EXIT_DONE : EXIT_USAGE;
}

static int complain(const struct trouble *trouble, int code)
{
	fflush(stdout);
	fprintf(stderr, "carrierscope-twin: %s\n", trouble->sentence);
	return code;
}

static int run_operations(const char *path, bool has_statistics, struct csc_listener *listener)
{
	struct opfile opfile = { 0 };
	struct oprun_witness witness = { .hearer = listener };
	struct trouble trouble = { 0 };
	FILE *out = has_statistics ? fopen("/dev/null", "w") : stdout;
	int code = EXIT_DONE;

	if (has_statistics) {
		witness.statistics = stdout;
	}
	if (!out) {
		trouble_fail(&trouble, "cannot open '/dev/null'");
		return complain(&trouble, EXIT_FAILED);
	}
	if (!opfile_read(&opfile, path, &trouble)) {
		code = complain(&trouble, EXIT_USAGE);
	} else if (!oprun(&opfile, out, &witness, &trouble)) {
		code = complain(&trouble, EXIT_FAILED);
	} else if (fflush(stdout) != 0) {
		trouble_fail(&trouble, "cannot write the result");
		code = complain(&trouble, EXIT_FAILED);
	}
	if (out != stdout) {
		fclose(out);
	}
	opfile_finish(&opfile);
	return code;
}

/* The arguments of --print-options that are not +M flags. */
struct runtime {
	const char *otp;
	uint32_t word_bytes;
	uint32_t schedulers;
};

/* Takes one option and its value; false: `trouble` says why not. */
static bool take_option(struct runtime *runtime, const char *name, const char *value,
		struct trouble *trouble)
{
	char *end = NULL;
	unsigned long number = strtoul(value, &end, 10);
	bool is_number = isdigit((unsigned char)*value) && !*end;

	if (strcmp(name, "--otp") == 0) {
		runtime->otp = value;
		return csc_generation_find(value) ||
				trouble_fail(trouble,
						"--otp: '%s' is none of 24rc0, 24.0.1, 25, 28",
						value);
	}
	if (strcmp(name, "--word") == 0) {
		runtime->word_bytes = (uint32_t)number;
		return (is_number && (number == 4 || number == 8)) ||
				trouble_fail(trouble, "--word: '%s' is neither 4 nor 8", value);
	}
	if (strcmp(name, "--schedulers") == 0) {
		runtime->schedulers = (uint32_t)number;
		return (is_number && number >= 1 && number <= 1024) ||
				trouble_fail(trouble,
						"--schedulers: '%s' is not a number from 1 to 1024",
						value);
	}
	return trouble_fail(trouble, "no such option: '%s'", name);
}

static int print_options(int count, char **arguments)
{
	struct runtime runtime = { .otp = "25", .word_bytes = 8, .schedulers = 1 };
	struct flags_machine machine = { .dirty_schedulers = 0 };
	struct trouble trouble = { 0 };
	struct csc_options options;

	while (count > 0 && strncmp(arguments[0], "--", 2) == 0 && arguments[0][2]) {
		if (!take_option(&runtime, arguments[0], count > 1 ? arguments[1] : "", &trouble)) {
			return complain(&trouble, EXIT_USAGE);
		}
		count -= 2;
		arguments += 2;
	}
	machine.dirty_schedulers = runtime.schedulers;
	csc_options_init(&options, csc_generation_find(runtime.otp), runtime.word_bytes,
			runtime.schedulers);
	/* A bad flag ends the runtime with exit code 1. */
	if (!flags_take(&options, &machine, count, arguments, &trouble)) {
		return complain(&trouble, EXIT_FAILED);
	}
	optionterm_print(&options, stdout);
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		return print_usage(stdout);
	}
	if (argc >= 3 && strcmp(argv[1], "--ops") == 0) {
		struct csc_listener *listener = twin_listener();
		bool has_statistics = false;

		for (int options = 3; options < argc; options++) {
			if (strcmp(argv[options], "--statistics") == 0) {
				has_statistics = true;
			} else if (strcmp(argv[options], "--no-trace") == 0) {
				listener = NULL;
			} else {
				return print_usage(stderr);
			}
		}
		return run_operations(argv[2], has_statistics, listener);
	}
	if (argc >= 2 && strcmp(argv[1], "--print-options") == 0) {
		return print_options(argc - 2, argv + 2);
	}
	return print_usage(stderr);
}
