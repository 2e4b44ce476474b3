/* SPDX-License-Identifier: MIT */
/* The command line of carrierscope-twin. */
#ifndef CSC_TWIN_REQUEST_H
#define CSC_TWIN_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "workload_command.h"

#define EXIT_DONE 0
#define EXIT_FAILED 1
#define EXIT_USAGE 2

#define FLAGS_MAX 512

/* What the command line says. */
struct request {
	const char *ops;
	bool has_print;
	bool is_silent;
	bool has_batches;
	const char *otp;
	/* 0: not said. */
	uint64_t word_bytes;
	const char *board;
	uint64_t seed;
	struct workload_request workload;

	/* +M flags, in order. */
	char *flags[FLAGS_MAX];
	int flag_count;
};

/* Parses the command line into `request`, which is all zeroes; a bad one ends the program. */
void request_parse(int argc, char **argv, struct request *request);

#endif
