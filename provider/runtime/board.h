/* SPDX-License-Identifier: MIT */
/*
 * A board: where its heap lies, and what is taken from it before the runtime starts.
 *
 * A file is lines of words; '#' begins a comment.  Numbers are decimal or 0x..., k or m may follow.
 *
 *	board NAME
 *	otp RELEASE                       of the runtime, unless the command line says otherwise
 *	word 4|8                          of the target (4)
 *	page N                            of the heap (8)
 *	mmap failing|absent               (failing)
 *	memory ADDRESS BYTES              what there is
 *	region NAME ADDRESS BYTES         what of it is not heap: code, frame buffer
 *	heap ADDRESS BYTES                the heap
 *	take NAME BYTES [align N] [count N]    what the system takes from the heap, in this order
 *	give NAME N                       every Nth of them is given back
 *	trim N                            a patch: carriers of k units are asked N bytes smaller
 *
 * A file is read and checked as a whole before anything runs; so is what it takes.
 */
#ifndef CSC_BOARD_H
#define CSC_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csc.h"
#include "diag.h"
#include "rtems.h"

#define BOARD_NAME_MAX 32
#define BOARD_REGIONS_MAX 32
#define BOARD_TAKES_MAX 128
/* Blocks that a system may take in all. */
#define BOARD_BLOCKS_MAX 65536

struct board_region {
	char name[BOARD_NAME_MAX];
	uint64_t address;
	uint64_t bytes;
	size_t line;
};

struct board_take {
	char name[BOARD_NAME_MAX];
	uint64_t bytes;
	/* 0: none. */
	uint64_t alignment;
	uint64_t count;
	/* 0: it takes; otherwise every so manieth of that name is given back. */
	uint64_t give_every;
	size_t line;
};

struct board {
	/* Where it was read from. */
	char path[256];
	char name[BOARD_NAME_MAX];

	/* NULL: not said. */
	const struct csc_generation *generation;
	uint32_t word_bytes;
	uint32_t page_bytes;
	bool has_mseg;
	uint64_t trim_bytes;

	struct board_region memory;
	struct board_region heap;
	struct board_region regions[BOARD_REGIONS_MAX];
	size_t region_count;
	struct board_take takes[BOARD_TAKES_MAX];
	size_t take_count;
};

/* NULL: `diag` says "file:line: sentence". */
struct board *board_read(const char *path, struct diag *diag);

/* The same for text that ends with 0 and is cut to pieces; `path` is for messages. */
struct board *board_parse(char *text, const char *path, struct diag *diag);

void board_destroy(struct board *board);

/* What a target of this board is; carriers are aligned to `unit_bytes`. */
void board_target(
		const struct board *board, uint64_t unit_bytes, struct rtems_options *ret_options);

/* The system comes up: takes and gives.  Returns CSC_ERROR if something does not fit. */
enum csc_status board_start(const struct board *board, struct rtems_heap *heap, struct diag *diag);

#endif
