/* SPDX-License-Identifier: MIT */
/*
 * The file that a node's rings lie in, so that what no batch had yet is there after it was killed.
 * README.md says where it is and who may read it.  It is never sent anywhere: it has the order of
 * bytes of its machine, and is read there.
 *
 *   struct ring_file, one page
 *   of each ring: struct ring_page, one page, and its slots
 *
 * A reader takes all of it for damaged until it was checked.
 */
#ifndef CSC_RING_FILE_H
#define CSC_RING_FILE_H

#include <stdint.h>

#define RING_FILE_FOLDER "/dev/shm"
#define RING_FILE_PREFIX "carrierscope-rings-"
#define RING_FILE_MAGIC UINT64_C(0x31676e6972637363)

/* No process can be read. */
#define RING_NO_PROCESS UINT64_MAX

enum {
	RING_FILE_VERSION = 1,
	RING_PAGE_BYTES = 4096,
	RINGS_MOST = 256,
	RING_FILE_ALLOCATORS = 16,

	/* Batches whose end is known. */
	RING_MARKS = 64,

	/* Pieces of the line from ticks to ns that are remembered: more than 6 s. */
	LINE_PIECES = 64,
};

struct ring_slot {
	uint64_t ticks;

	/* Of a block; user space of Linux has 47 bits.  From bit RING_KIND_BIT on: the kind. */
	uint64_t address;

	/* Of a block, at most RING_MOST_BYTES.  From bit RING_TYPE_BIT on: the emulator's word for
	 * the type. */
	uint64_t bytes;
};

/* What a slot is; the first three are those of a batch. */
enum slot_kind {
	SLOT_ALLOC,
	SLOT_FREE,
	SLOT_REALLOC,

	/* Before a SLOT_REALLOC: `ticks` is the old address. */
	SLOT_OLD,

	/* `ticks` is the process of what follows. */
	SLOT_PROCESS,

	/* `ticks` records had no room between the last one and the next. */
	SLOT_LOST,
};

enum { RING_KIND_BIT = 56, RING_TYPE_BIT = 41 };
#define RING_MOST_ADDRESS ((UINT64_C(1) << RING_KIND_BIT) - 1)
#define RING_MOST_BYTES ((UINT64_C(1) << RING_TYPE_BIT) - 1)

struct line_piece {
	uint64_t ticks;
	uint64_t ns;

	/* ns a tick, times 2^32. */
	uint64_t slope;
};

/* The last one is piece[(count - 1) % LINE_PIECES]; older ones are overwritten. */
struct ticks_line {
	uint64_t count;
	struct line_piece piece[LINE_PIECES];
};

/* A piece of the line, for ticks from `from` on and before `until`. */
struct ticks_piece {
	uint64_t from;
	uint64_t until;
	uint64_t ns;
	uint64_t slope;
};

static inline uint64_t ticks_scale(uint64_t ticks, uint64_t slope)
{
	return (uint64_t)((unsigned __int128)ticks * slope >> 32);
}

/* ns of ticks of that piece. */
static inline uint64_t ticks_piece_ns(const struct ticks_piece *piece, uint64_t ticks)
{
	return piece->ns + ticks_scale(ticks - piece->from, piece->slope);
}

/* The piece of a line that has one. */
static inline struct ticks_piece ticks_line_piece(const struct ticks_line *line, uint64_t ticks)
{
	uint64_t count = __atomic_load_n(&line->count, __ATOMIC_ACQUIRE);
	uint64_t number = count - 1;
	uint64_t until = UINT64_MAX;
	const struct line_piece *own;
	struct ticks_piece piece;

	/* Two fewer than there are: the oldest may be overwritten meanwhile. */
	while (number > 0 && number + LINE_PIECES > count + 1 &&
			ticks < line->piece[number % LINE_PIECES].ticks) {
		until = line->piece[number % LINE_PIECES].ticks;
		number--;
	}
	own = &line->piece[number % LINE_PIECES];
	piece = (struct ticks_piece){ own->ticks, until, own->ns, own->slope };
	/* Before what is remembered its line goes on. */
	if (ticks < piece.from) {
		piece.ns -= ticks_scale(piece.from - ticks, piece.slope);
		piece.from = ticks;
	}
	return piece;
}

/* A batch was made, or is being made: where what follows it begins. */
struct ring_mark {
	/* 1 + its ordinal; 0: nothing. */
	uint64_t number;
	uint64_t position;

	/* Of the last record before `position`; 0: there was none. */
	uint64_t last_ns;
	uint64_t records;

	/* The process before `position`. */
	uint64_t process;

	/* Records of this ring that were dropped, as this batch and those before it say. */
	uint64_t said;
};

struct ring_page {
	/* Slots are counted from the beginning of the ring and never again from 0: those before
	 * `head` are written. */
	uint64_t head;

	/* Records that were dropped. */
	uint64_t dropped;

	/* Of those who drain.  Slots from `tail` on are not overwritten. */
	uint64_t tail __attribute__((aligned(64)));

	/* Slots before it are another thread's, or overwritten. */
	uint64_t intact;

	/* Where what the first batch has begins, of those that somebody listened to: as a mark. */
	struct ring_mark from;

	/* Slots of the ring, a power of two, less 1. */
	uint64_t mask;

	/* Batches that were emitted. */
	uint64_t ordinal;
	uint32_t thread;
	uint32_t instance;

	/* 0: the ring is not in the file, or has just been made and is empty. */
	uint32_t is_shared;
	uint32_t reserved;

	/* That of ordinal n is mark[n % RING_MARKS]. */
	struct ring_mark mark[RING_MARKS];
};

struct ring_file {
	uint64_t magic;
	uint32_t version;
	uint32_t pid;

	/* The most slots of a ring; whose pages and slots are so many bytes. */
	uint64_t slots;
	uint64_t ring_bytes;

	/* Changed by the node: whether it is hooked, how many rings there are. */
	uint32_t is_open;
	uint32_t rings;

	/* Ticks are those of the processor's counter, and not ns. */
	uint32_t is_counted;

	/* Rings that are not in the file, as there was no room. */
	uint32_t unshared;
	uint64_t horizon_ns;

	/* Records of threads without a ring that were lost. */
	uint64_t lost;
	uint16_t instances[RING_FILE_ALLOCATORS];
	struct ticks_line line;
};

_Static_assert(sizeof(struct ring_file) <= RING_PAGE_BYTES, "one page");
_Static_assert(sizeof(struct ring_page) <= RING_PAGE_BYTES, "one page");

#endif
