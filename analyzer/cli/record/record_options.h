/*
 * SPDX-License-Identifier: MIT
 *
 * What the user asked `carrierscope record` for.
 */
#ifndef CSC_RECORD_OPTIONS_H
#define CSC_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "push_expression.h"

struct record_options {
	/* Which node: one of these; borrowed. */
	const char *node;
	const char *via;
	char **command;

	/* Of a node that has its hooks already, or events of its own; 0: none. */
	pid_t pid;

	/* Borrowed; the folder of module carrierscope, and NULL for the one that is installed. */
	const char *ebin;

	/* Borrowed, NULL: ~/.erlang.cookie. */
	const char *cookie_file;

	/* An older database, with which the recording is compared; borrowed, NULL: none. */
	const char *compared;

	/* The Erlang process that is collected at the end; empty: none. */
	char collected[32];

	/* The database; borrowed or made up from the time. */
	char database[256];
	bool is_forced;
	bool keeps_trace;
	bool is_cleaning;

	/* 0: until the command ends, or an interrupt. */
	unsigned int seconds;

	/* More arguments of erl, which reads a node by its name; borrowed, NULL: none. */
	const char *erl_args;

	/* How the node is read without hooks. */
	enum push_syntax syntax;

	/* Nothing is hooked; blocks were asked for, so nothing else will do; what is pushed into
	 * the node is printed, and nothing more. */
	bool is_of_readings;
	bool wants_blocks;
	bool is_printing;

	/* One block in so many bytes; 0: every block. */
	uint64_t sample_bytes;
	bool has_no_stacks;

	/* The recording ends when its trace has so many bytes; 0: by time alone. */
	uint64_t most_bytes;

	/* Bytes of LTTng's buffers in all; 0: a part of what is free. */
	uint64_t memory_bytes;

	/* Milliseconds between snapshots. */
	unsigned int snapshots_ms;
};

/* Reads the arguments; ends the program on --help and on a misuse. */
void record_options_read(int argc, char **argv, struct record_options *ret_options);

#endif
