/*
 * SPDX-License-Identifier: MIT
 *
 * How SQLite lays out the pages of a table: what feed_pages.c of the store writes and
 * table_pages.h reads, past SQLite's statements.
 * Source: https://sqlite.org/fileformat2.html, 1.3, 1.6, 2.1.
 */
#ifndef CSC_PAGE_FORMAT_H
#define CSC_PAGE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets in the header of the file, and what is expected there. */
enum {
	FILE_HEADER = 100,
	AT_PAGE_SIZE = 16,
	AT_WRITE_VERSION = 18,
	AT_READ_VERSION = 19,
	AT_RESERVED = 20,
	AT_CHANGES = 24,
	AT_PAGE_COUNT = 28,
	AT_FORMAT = 44,
	AT_VACUUM_ROOT = 52,
	AT_CHANGES_OF_COUNT = 92,
	FORMAT = 4,

	/* Of a file whose pages may be in a write-ahead log: 2. */
	VERSION_PLAIN = 1,

	/* SQLite's own limits. */
	PAGE_SIZE_LEAST = 512,
	PAGE_SIZE_MOST = 65536,
	USABLE_LEAST = 480,
	PAGES_MOST = 1073741823,

	/* The byte of the file that SQLite locks; its page is never used. */
	PENDING_BYTE = 0x40000000,
};

/* Pages of a table's b-tree. */
enum {
	LEAF = 0x0d,
	LEAF_HEADER = 8,
	INNER = 0x05,
	INNER_HEADER = 12,
	AT_CELL_COUNT = 3,
	AT_CONTENT = 5,
	AT_RIGHT = 8,
	CELL_POINTER = 2,
	CHILD_NUMBER = 4,

	/* What of a leaf's page is no cell, at least. */
	LEAF_OVERHEAD = 35,
};

/* Types of columns: NULL, integers of up to 8 bytes, real numbers, 0 and 1. */
enum { TYPE_NULL = 0, TYPE_REAL = 7, TYPE_ZERO = 8, TYPE_ONE = 9 };

/* A number of up to 64 bits, seven a byte, the highest first; the ninth byte has eight. */
enum { VARINT_MOST = 9 };

/*
 * Whether pages may be read and written at all: false if the environment has
 * CARRIERSCOPE_PAGES=off.  Then rows go through SQLite's statements, with the same result.
 */
bool page_format_is_used(void);

/* Bytes of a page; `header` begins a file. */
uint32_t page_format_size(const uint8_t *header);

/* The highest byte comes first. */
static inline uint32_t page_get_16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static inline uint32_t page_get_32(const uint8_t *at)
{
	return page_get_16(at) << 16 | page_get_16(at + 2);
}

static inline void page_set_16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline void page_set_32(uint8_t *at, uint32_t value)
{
	page_set_16(at, value >> 16);
	page_set_16(at + 2, value & UINT16_MAX);
}

/* Yields what is behind; no more than VARINT_MOST bytes are read. */
static inline const uint8_t *page_get_varint(const uint8_t *at, uint64_t *ret_value)
{
	uint64_t value = 0;

	for (int i = 0; i < VARINT_MOST - 1; i++) {
		value = value << 7 | (at[i] & 0x7f);
		if (at[i] < 0x80) {
			*ret_value = value;
			return at + i + 1;
		}
	}
	*ret_value = value << 8 | at[VARINT_MOST - 1];
	return at + VARINT_MOST;
}

/* Yields what is behind; no more than VARINT_MOST bytes are written. */
uint8_t *page_set_varint(uint8_t *at, uint64_t value);

#endif
