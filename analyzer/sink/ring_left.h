/*
 * SPDX-License-Identifier: MIT
 *
 * The file that rings of a node that was killed lie in (ring_file.h).  Nothing in it is believed
 * before it was checked, and it is read, not mapped: others may write it.
 */
#ifndef CSC_RING_LEFT_H
#define CSC_RING_LEFT_H

#include <stdbool.h>
#include <stdint.h>

#include "block_batch.h"
#include "ring_file.h"

struct ring_left {
	int file;
	struct ring_file head;
};

enum ring_left_state {
	/* Its process lives, or has ended its recording: there is nothing to take. */
	RING_LEFT_NONE,
	RING_LEFT_REFUSED,

	/* ring_left_close() is due. */
	RING_LEFT_OPEN,
};

/* Opens a file of a folder.  *ret_why: what is wrong where it is refused; as in all of these. */
enum ring_left_state ring_left_open(struct ring_left *left, int folder, const char *name,
		int64_t pid, const char **ret_why);
void ring_left_close(struct ring_left *left);

/* Reads the page of ring `at` of the head's `rings`; one that was just being made is empty. */
bool ring_left_page(const struct ring_left *left, uint32_t at, struct ring_page *ret_page,
		const char **ret_why);

/* What slots are read for. */
struct ring_records {
	/* RING_MOST_SLOTS of them, of the ring. */
	struct ring_slot *slots;
	uint64_t mask;
	uint64_t at;
	uint64_t head;
	uint64_t process;
	uint64_t last_ns;
	uint64_t most_ns;
	uint32_t instance;
	const struct ring_file *file;
};

enum { RING_MOST_SLOTS = BATCH_WAITING };

/* Reads all slots into records->slots, and goes to what follows `mark`, which is there. */
bool ring_left_begin(const struct ring_left *left, uint32_t at, const struct ring_page *page,
		const struct ring_mark *mark, struct ring_records *records, const char **ret_why);

/* Yields 1, 0 at the end, or -1 where a slot makes no sense. */
int ring_left_next(struct ring_records *records, struct batch_record *ret_record);

#endif
