/* SPDX-License-Identifier: MIT */
/*
 * What a block of alloc_util has room for, read from the word before it.
 *
 * A block that was made before the hook is known by its free alone; its header is the only one who
 * knows its size.  The line is touched by the free anyway.
 *
 * Header of an allocated block, 64 bits: bits 0 to 2 are flags, of which all three are set in a
 * block that has its carrier for itself and bit 0 in none else; bit 63 is a flag.  In a multi-block
 * carrier bits 3 to 39 are the size in bytes, header included, and the rest says how far off the
 * carrier is; in a carrier of its own bits 3 to 62 are the size.
 * Source: SOURCES.md 1.1.
 */
#ifndef CSC_BEAM_BLOCK_HEADER_H
#define CSC_BEAM_BLOCK_HEADER_H

#include "emulator.h"

#define HEADER_BYTES sizeof(uint64_t)
#define HEADER_FLAGS UINT64_C(7)
#define HEADER_MULTI_BYTES UINT64_C(0x000000FFFFFFFFF8)
#define HEADER_SINGLE_BYTES UINT64_C(0x7FFFFFFFFFFFFFF8)

/*
 * Tries the layout on blocks of enif_alloc().  Bit n: allocator n is served by the functions that
 * were tried, or their siblings, so that block_header_room_bytes() may be asked about its blocks;
 * 0: none is, or the layout is another one.
 */
uint32_t block_header_find(const struct emulator *emulator);

/*
 * What fits into a live block, a tag of the emulator's own included: at least what was asked for.
 * In bytes.  The caller owns the block; a neighbour may change its flags meanwhile.
 */
static inline uint64_t block_header_room_bytes(const void *block)
{
	uint64_t word = __atomic_load_n((const uint64_t *)block - 1, __ATOMIC_RELAXED);
	bool is_single = (word & HEADER_FLAGS) == HEADER_FLAGS;

	return (word & (is_single ? HEADER_SINGLE_BYTES : HEADER_MULTI_BYTES)) - HEADER_BYTES;
}

#endif
