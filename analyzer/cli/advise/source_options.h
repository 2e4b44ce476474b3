/*
 * SPDX-License-Identifier: MIT
 *
 * Options that `carrierscope replay` and `carrierscope advise` share.
 */
#ifndef CSC_SOURCE_OPTIONS_H
#define CSC_SOURCE_OPTIONS_H

#include "command.h"
#include "sweep.h"

enum source_key {
	KEY_RUNTIME = 512,
	KEY_OTP,
	KEY_SCHEDULERS,
	KEY_MEMORY,
};

/* In a table of options; the table ends them. */
#define SOURCE_OPTION_RUNTIME                                                           \
	{                                                                               \
		"runtime", KEY_RUNTIME, "ID", 0, "which runtime of FILE: runtime.id", 8 \
	}
#define SOURCE_OPTION_OTP                                                                \
	{                                                                                \
		"otp", KEY_OTP, "RELEASE", 0,                                            \
				"the release where FILE does not have it, such as 25", 8 \
	}
#define SOURCE_OPTION_SCHEDULERS                                                          \
	{                                                                                 \
		"schedulers", KEY_SCHEDULERS, "S", 0,                                     \
				"the number of schedulers where FILE does not have it", 8 \
	}
#define SOURCE_OPTION_JOBS                                                                    \
	{                                                                                     \
		"jobs", 'j', "N", 0, "replays at a time (default: one for each processor)", 8 \
	}

#define SOURCE_OPTION_MEMORY                                                                         \
	{                                                                                            \
		"memory", KEY_MEMORY, "BYTES", 0,                                                    \
				"what replays may take together, such as 512MiB; a plain number is " \
				"MiB (default: half of what is available)",                          \
				8                                                                    \
	}

/* Whether it was one of these; also sees at the end that a FILE was given. */
bool source_parse(struct sweep_request *request, int key, const char *argument,
		const struct argp_state *state);

/* A whole number within bounds; anything else is a misuse. */
uint64_t source_number(const struct argp_state *state, const char *name, const char *text,
		uint64_t least, uint64_t most);

/* vm.max_map_count of this machine; 0: not known. */
uint64_t source_max_mappings(void);

/* Prints what failed; yields EXIT_LOSS if the recording allows no answer, else EXIT_FAILED. */
int source_fail(const struct diag *diag);

#endif
