/* SPDX-License-Identifier: MIT */
/*
 * The machine word of the target and the fields of a block's header word.
 *
 * The core is compiled once for each word size (CSC_WORD_BYTES is 8 or 4); names.h keeps the
 * two builds apart, so that one program can hold both.
 * Source: SOURCES.md 1.1.
 */
#ifndef CSC_WORD_H
#define CSC_WORD_H

#include <stdint.h>

#ifndef CSC_WORD_BYTES
#define CSC_WORD_BYTES 8
#endif

#if CSC_WORD_BYTES == 8

/* A word of the target: an address or a size. */
typedef uint64_t csc_word;

#define WORD_MAX UINT64_MAX
#define BLOCK_SIZE_MASK UINT64_C(0x000000FFFFFFFFF8)
#define BLOCK_OFFSET_SHIFT 40
#define BLOCK_OFFSET_MASK UINT64_C(0x7FFFFF0000000000)
/* Largest size of a free or single block, in bytes. */
#define BLOCK_SIZE_MAX UINT64_C(0x7FFFFFFFFFFFFFF8)

#elif CSC_WORD_BYTES == 4

typedef uint32_t csc_word;

#define WORD_MAX UINT32_MAX
#define BLOCK_SIZE_MASK UINT32_C(0x007FFFF8)
#define BLOCK_OFFSET_SHIFT 23
#define BLOCK_OFFSET_MASK UINT32_C(0x7F800000)
#define BLOCK_SIZE_MAX UINT32_C(0x7FFFFFF8)

#else
#error "CSC_WORD_BYTES is neither 4 nor 8"
#endif

/* Block sizes are multiples of this, in bytes. */
#define BLOCK_UNIT 8
/* Size of an allocated block's header, in bytes. */
#define BLOCK_HEADER ((csc_word)sizeof(csc_word))

/* This block is free. */
#define BLOCK_FREE ((csc_word)1)
/* The block just before this one is free. */
#define BLOCK_PREV_FREE ((csc_word)2)
/* Last block of its carrier. */
#define BLOCK_LAST ((csc_word)4)
#define BLOCK_FLAGS ((csc_word)7)
/* All three: the block of a single-block carrier. */
#define BLOCK_SINGLE BLOCK_FLAGS
/* Not a block: the carrier around this word is on its way to its creator. */
#define BLOCK_MESSAGE (BLOCK_FREE | BLOCK_LAST)

/* Rounds up to a multiple of the block unit; wraps beyond WORD_MAX - 7. */
static inline csc_word word_up8(csc_word bytes)
{
	return (bytes + 7) & ~(csc_word)7;
}

/* Rounds down to a multiple of the block unit. */
static inline csc_word word_down8(csc_word bytes)
{
	return bytes & ~(csc_word)7;
}

#endif
