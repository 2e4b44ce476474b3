/*
 * SPDX-License-Identifier: MIT
 *
 * How a board's runtime ended, as the log of its console has it: what it could not have, the heap
 * then and earlier in that run, and what its blocks were.
 */
#ifndef CSC_ADVISE_BOARD_CASE_H
#define CSC_ADVISE_BOARD_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"

/* Of a line that starts the runtime. */
enum { BOARD_CASE_WORDS = 64, BOARD_CASE_WORD_BYTES = 64 };

/* Sizes in bytes, lines from 1. */
struct board_case {
	/* The last failure that a reading of the heap belongs to. */
	int64_t failure_line;
	int64_t asked_bytes;
	bool is_realloc;
	char allocator[BOARD_CASE_WORD_BYTES];
	char type[BOARD_CASE_WORD_BYTES];

	/* That reading: `malloc` of the shell. */
	int64_t reading_line;
	int64_t size_bytes;
	int64_t used_bytes;
	int64_t free_bytes;
	int64_t free_largest;

	/* In use at the last reading of that run before anything failed; 0: there is none. */
	int64_t earlier_used_bytes;

	/* The nearest list of erlang:memory(), and what was in use at the reading nearest to it. */
	int64_t memory_line;
	int64_t memory_used_bytes;
	int64_t total;
	int64_t processes;
	int64_t atom;
	int64_t binary;
	int64_t code;
	int64_t ets;
	int64_t other;

	/* Flags in force, as of an emulator on Linux ("+Mea", "min"); the log has their line. */
	bool has_boot;
	char words[BOARD_CASE_WORDS][BOARD_CASE_WORD_BYTES];
	int word_count;
};

/*
 * Whether the file is the log of a board, from its beginning; false as well if it cannot be read.
 */
bool board_case_recognise(const char *path);

/* Refuses a log that lacks a line which is needed: `diag` has what to record. */
enum csc_status board_case_read(const char *path, struct board_case *ret_case, struct diag *diag);

#endif
