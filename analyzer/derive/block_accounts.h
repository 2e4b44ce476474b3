/*
 * SPDX-License-Identifier: MIT
 *
 * Sums over block events: for each type of block of a process, and for what types
 * belong to (allocator, class, the process).  Memory grows with the number of types,
 * 4 KiB each, not with that of events.
 *
 * At keyframes the sums are kept, so that what was live at any time is found near it:
 * one after each BLOCK_KEYFRAME_FIRST rows at first; when there are too many, every
 * second one goes and the distance doubles.
 */
#ifndef CSC_BLOCK_ACCOUNTS_H
#define CSC_BLOCK_ACCOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows.h"

enum {
	/* Block rows between two keyframes, at first. */
	BLOCK_KEYFRAME_FIRST = 4096,

	/* The most keyframes of one source, and rows of accounts and of sizes at all of them. */
	BLOCK_KEYFRAMES = 256,
	BLOCK_KEYFRAME_ACCOUNTS = 1 << 15,
	BLOCK_KEYFRAME_SIZES = 1 << 17,

	/* Types that get sums of their own; further ones of an allocator share one without a type.
	 */
	BLOCK_TYPES = 4096,

	/* Accounts that are found by the type's number; a power of two. */
	BLOCK_RECENT = 256,

	/* Powers of two of sizes, and of lives: 0 for 0, else 1 + floor(log2(value)). */
	BLOCK_POWERS = 64,
};

/* What an account is over; block_account.scope in schema/sums/block_rollups.sql. */
enum block_scope {
	BLOCK_SCOPE_TYPE,
	BLOCK_SCOPE_ALLOCATOR,
	BLOCK_SCOPE_CLASS,
	BLOCK_SCOPE_RUNTIME,
};

/* A largest value and the row of block_event after which it was first reached. */
struct block_peak {
	int64_t value;
	int64_t ts_ns;
	int64_t id;
};

struct block_tally {
	int64_t count;
	int64_t bytes;
};

/* What only accounts of types have. */
struct block_detail {
	/* By power of two of the size. */
	struct block_tally made[BLOCK_POWERS];
	struct block_tally live[BLOCK_POWERS];

	/* Ends of lives by power of two of their length in ns. */
	struct block_tally lives[BLOCK_POWERS];
};

struct block_account {
	enum block_scope scope;
	int32_t runtime;

	/* -1: none (libc), or not of one. */
	int32_t allocator_id;
	int32_t type_id;
	int32_t class_id;

	/* Accounts that a type's rows count for as well; itself in others. */
	uint32_t allocator;
	uint32_t class;
	uint32_t total;

	/* Blocks given, reallocations included; ends, reallocations included. */
	struct block_tally made;
	struct block_tally ended;
	int64_t resized;
	struct block_tally live;

	struct block_peak most_blocks;
	struct block_peak most_bytes;

	/* Since the last keyframe; never above the most. */
	int64_t recent_blocks;
	int64_t recent_bytes;

	/* Frees of blocks whose allocation was not seen; ends without a free that was seen. */
	struct block_tally unknown;
	struct block_tally lost;

	/* Freed by the thread that made them before it made another. */
	struct block_tally temporary;

	/* NULL: not the account of a type. */
	struct block_detail *detail;
};

/* Rows of a keyframe. */
struct block_account_at {
	uint32_t account;
	struct block_tally made;
	struct block_tally ended;
	struct block_tally live;
	int64_t most_blocks;
	int64_t most_bytes;
	struct block_tally unknown;
};

/* There may be very many. */
struct block_size_at {
	int64_t bytes;

	/* Live blocks are fewer than 2^32 (block_table.h). */
	uint32_t count;

	/* 2^26 accounts would take 20 GB. */
	uint32_t account : 26;
	uint32_t power : 6;
};

struct block_keyframe {
	/* The row of block_event after which it is, and its time. */
	int64_t id;
	int64_t ts_ns;

	/* Behind the last of its rows. */
	size_t account_end;
	size_t size_end;
};

/* All zeroes is a new one. */
struct block_accounts {
	struct block_account *accounts;
	size_t count;
	size_t room;
	size_t type_count;

	/* Open addressing: 1 + number of an account; a power of two. */
	uint32_t *slots;
	size_t slot_count;

	/* The account met last for a type number, by its lowest bits: 1 + its number; 0: none. */
	uint32_t recent[BLOCK_RECENT];

	/* By type number: 1 + its class; 0: not known. */
	uint16_t class_of[UINT16_MAX + 1];

	struct block_keyframe *keyframes;
	size_t keyframe_count;
	struct block_account_at *accounts_at;
	size_t account_at_room;
	struct block_size_at *sizes_at;
	size_t size_at_room;

	/* Rows between keyframes, and since the last. */
	int64_t distance;
	int64_t since_keyframe;

	/* A type beyond BLOCK_TYPES was met. */
	bool has_folded;
};

/* The account of a row's type.  False: out of memory. */
bool block_accounts_find(struct block_accounts *accounts, const struct block_row *row,
		uint32_t *ret_account);

/* A name was recorded: a type belongs to a class.  What is live goes along. */
bool block_accounts_classify(struct block_accounts *accounts, int64_t type_id, int64_t class_id);

/* A block was given to its user by `row`. */
void block_accounts_make(
		struct block_accounts *accounts, uint32_t account, const struct block_row *row);

/* Why a block is no more. */
enum block_end {
	BLOCK_END_FREE,
	BLOCK_END_TEMPORARY,
	BLOCK_END_REALLOC,
	/* Another block was made at its address. */
	BLOCK_END_LOST,
};

/* A block of `size` bytes, `life_ns` old, is no more. */
void block_accounts_end(struct block_accounts *accounts, uint32_t account, enum block_end end,
		int64_t size, int64_t life_ns);

/* A block was freed that nobody made; size may be ROW_NULL. */
void block_accounts_miss(struct block_accounts *accounts, uint32_t account, int64_t size);

/* A row is done with: a keyframe may be due.  False: out of memory. */
bool block_accounts_pass(struct block_accounts *accounts, int64_t id, int64_t ts_ns);

/* A keyframe now, at the end of the rows; none if there is one already.  False: out of memory. */
bool block_accounts_keyframe(struct block_accounts *accounts, int64_t id, int64_t ts_ns);

void block_accounts_finish(struct block_accounts *accounts);

#endif
