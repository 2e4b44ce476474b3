/*
 * SPDX-License-Identifier: MIT
 *
 * Block events, packed: many records as the text `payload` of one event `block_batch`.  Some 8
 * bytes a record.  README.md has the format byte by byte.  Needs no library and no memory but its
 * structs, so that a node, the twin and the loader share it.
 */
#ifndef CSC_BLOCK_BATCH_H
#define CSC_BLOCK_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block was handed to its user, is about to be given back, or was resized. */
enum batch_kind {
	BATCH_ALLOC,
	BATCH_FREE,
	BATCH_REALLOC,
};

/* Fields mean what those of events block_alloc, block_free and block_realloc mean. */
struct batch_record {
	/* Of the trace's clock, which is CLOCK_MONOTONIC as LTTng's default. */
	uint64_t time_ns;
	uint64_t address;

	/* BATCH_REALLOC; else 0. */
	uint64_t old_address;
	uint64_t bytes;

	/* As in block_alloc_by_process, if has_process; else 0. */
	uint64_t process;
	uint16_t type;
	uint16_t instance;
	uint8_t allocator;

	/* enum batch_kind. */
	uint8_t kind;

	/* Never of a BATCH_FREE: what a writer is told about it is left out. */
	bool has_process;
};

enum {
	/* The most bytes of a payload, with the zero at its end. */
	BATCH_BYTES = 4096,

	/* The most different groups (type, allocator and instance) in a batch. */
	BATCH_GROUPS = 256,
	BATCH_BUCKETS = 1024,

	/* The most records of a thread that wait to be packed; they are lost if it is killed. */
	BATCH_WAITING = 1 << 15,
};

/* What records of one type, allocator and instance have in common. */
struct batch_group {
	/* Of its last record. */
	uint64_t address;
	uint64_t bytes;
	uint16_t type;
	uint16_t instance;
	uint8_t allocator;
};

/* Begins as the first record of a batch. */
struct batch_state {
	uint64_t time_ns;

	/* Of the last record; a group that begins counts its first address from it. */
	uint64_t address;
	uint64_t process;
	bool has_process;
	uint32_t group_count;
	struct batch_group group[BATCH_GROUPS];
};

struct batch_writer {
	struct batch_state state;
	size_t used;
	uint32_t record_count;

	/* Of the first record, as state.time_ns is of the last one; 0: none. */
	uint64_t first_ns;

	/* 1 + the number of a group; 0: none. */
	uint16_t bucket[BATCH_BUCKETS];
	unsigned char payload[BATCH_BYTES];
};

struct batch_reader {
	struct batch_state state;
	const unsigned char *at;
	const unsigned char *end;
	bool is_damaged;
};

/* Begins an empty batch, also after batch_end(). */
void batch_begin(struct batch_writer *writer);

/*
 * Adds a record.  False: the batch has no room for it, or the record is older than the one before
 * it: batch_end() and batch_begin() first.  An empty batch takes any record.
 */
bool batch_add(struct batch_writer *writer, const struct batch_record *record);

/*
 * Ends the batch: *ret_payload are its bytes, none of them zero, and a zero behind them.  Valid
 * until batch_begin().  Yields how many bytes they are, without that zero.
 */
size_t batch_end(struct batch_writer *writer, const char **ret_payload);

/* Begins to read `bytes` bytes at `payload`, which stay where they are; the zero is not one of
 * them. */
void batch_open(struct batch_reader *reader, const void *payload, size_t bytes);

/* Reads a record.  Yields 1, 0 at the end, or -1, now and from now on, where the bytes make no
 * sense. */
int batch_next(struct batch_reader *reader, struct batch_record *ret_record);

#endif
