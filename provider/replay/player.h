/* SPDX-License-Identifier: MIT */
/*
 * One replay: a runtime, and the blocks it has for those of the recording.
 *
 * Memory: 16 bytes for each slot of the recording, which is decoded (decoded.h).
 */
#ifndef CSC_PLAYER_H
#define CSC_PLAYER_H

#include "recording.h"
#include "runtime.h"

struct player;

struct player_counts {
	/* Calls that were replayed, and recorded work. */
	uint64_t calls;
	uint64_t works;

	/* Frees and reallocations of blocks from before the recording: left out, made anew. */
	uint64_t unknown;

	/* Frees that were not seen, done when another block came to the address. */
	uint64_t unseen;

	/* Calls of types that the release does not know: left out. */
	uint64_t unknown_type;

	/* Asked for in blocks that another thread freed or resized than that which made them. */
	uint64_t foreign_bytes;

	/* Requests that found no memory. */
	uint64_t refused;

	/* By allocator: live blocks and the bytes asked for in them, now. */
	int64_t blocks[CSC_ALLOCATORS];
	int64_t asked_bytes[CSC_ALLOCATORS];

	/* By allocator: bytes that reallocations have copied. */
	uint64_t copied_bytes[CSC_ALLOCATORS];
};

/*
 * `options` are settled.  `burst`: calls after which all threads pass, if no work is
 * recorded.  NULL: `diag` says why.
 */
struct player *player_create(const struct recording *recording, const struct csc_options *options,
		uint64_t limit_bytes, uint32_t burst, struct diag *diag);

/* The same; the core sends its events to `listener`, which may be NULL. */
struct player *player_create_heard(const struct recording *recording,
		const struct csc_options *options, uint64_t limit_bytes, uint32_t burst,
		struct csc_listener *listener, struct diag *diag);
void player_destroy(struct player *player);

/*
 * A replay may take some times the memory that the recording accounts for, and no more than half
 * of this machine's, unless a limit was given; then it stops, with an error.
 */
enum csc_status player_check(const struct player *player, struct diag *diag);

/* Accounts for what was there before the recording, too; an error if that alone is too much. */
enum csc_status player_allow(
		struct player *player, uint64_t carriers_bytes, uint64_t blocks, struct diag *diag);

/* NULL: the release does not know the type. */
const struct runtime_kind *player_kind(const struct player *player, uint32_t type);

/*
 * A block that is there before the first call, made by a scheduler: what `row` made, or what it
 * ends without anybody having seen it made.
 */
void player_make(struct player *player, int64_t row, uint32_t type, uint64_t bytes,
		uint32_t scheduler);

/* The same of a block that is there already. */
void player_adopt(struct player *player, int64_t row, uint32_t type, uint64_t bytes,
		uint32_t scheduler, uint64_t address);

/*
 * If no work is recorded, all threads pass each time that so many ns of the recording have gone,
 * instead of after a number of calls.  0: they do not.
 */
void player_set_period(struct player *player, int64_t period_ns);

/* Called by player_run() before each call of a type that is known. */
typedef void player_watch(void *context, const struct player *player, enum csc_allocator allocator,
		uint32_t scheduler, int64_t ts_ns);
void player_set_watch(struct player *player, player_watch *watch, void *context);

/* Replays all of the recording, which is rewound, and empties all queues. */
enum csc_status player_run(struct player *player, struct recording *recording, struct diag *diag);

const struct runtime *player_runtime(const struct player *player);
const struct player_counts *player_counts(const struct player *player);

#endif
