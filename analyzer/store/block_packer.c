/*
 * SPDX-License-Identifier: MIT
 *
 * Bits of words, and the kinds that were used lately.
 */
#include "block_packer.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "packed_block.h"

enum {
	/* A kind is in one of the places of its set. */
	SET_BITS = 14,
	SETS = 1 << SET_BITS,
	PLACES = 4,
};

/* Number 0: free. */
struct known_kind {
	struct packed_kind_key key;
	int64_t number;
};

struct known_kinds {
	struct known_kind places[SETS][PLACES];

	/* The place of a set that is to be forgotten next. */
	uint8_t oldest[SETS];
};

enum csc_status block_packer_open(
		struct block_packer *packer, size_t most, int64_t last_kind, struct diag *diag)
{
	*packer = (struct block_packer){
		.rows = calloc(most, sizeof(*packer->rows)),
		.kinds = calloc(most, sizeof(*packer->kinds)),
		.times = calloc(most, sizeof(*packer->times)),
		.unpacked = calloc(most, sizeof(*packer->unpacked)),
		.known = calloc(1, sizeof(*packer->known)),
		.last_kind = last_kind,
		.since_ns = ROW_NULL,
	};
	return packer->rows && packer->kinds && packer->times && packer->unpacked && packer->known
			? CSC_OK
			: DIAG_NO_MEMORY(diag);
}

void block_packer_close(struct block_packer *packer)
{
	free(packer->rows);
	free(packer->kinds);
	free(packer->times);
	free(packer->unpacked);
	free(packer->known);
	*packer = (struct block_packer){ 0 };
}

static size_t set_of(const struct packed_kind_key *key)
{
	/* A sum: none of the products waits for another. */
	uint64_t hash = (uint64_t)key->type * UINT64_C(0x9e3779b97f4a7c15) +
			(uint64_t)key->allocator * UINT64_C(0xbf58476d1ce4e5b9) +
			(uint64_t)key->instance * UINT64_C(0x94d049bb133111eb) +
			(uint64_t)key->process * UINT64_C(0xd6e8feb86659fd93) +
			(uint64_t)key->zone * UINT64_C(0xff51afd7ed558ccd) +
			(uint64_t)key->thread * UINT64_C(0xc4ceb9fe1a85ec53);

	return hash >> (64 - SET_BITS);
}

/* The number of a kind, a new one if it is not known; 0: there are no more. */
static int64_t number_kind(struct block_packer *packer, const struct packed_kind_key *key)
{
	size_t set = set_of(key);
	struct known_kind *places = packer->known->places[set];
	struct known_kind *place = NULL;

	for (size_t i = 0; i < PLACES && places[i].number != 0; i++) {
		if (memcmp(&places[i].key, key, sizeof(*key)) == 0) {
			return places[i].number;
		}
	}
	if (packer->last_kind + 1 >= PACKED_KINDS_MOST) {
		return 0;
	}
	place = &places[packer->known->oldest[set]];
	packer->known->oldest[set] = (uint8_t)((packer->known->oldest[set] + 1U) % PLACES);
	*place = (struct known_kind){ *key, ++packer->last_kind };
	packer->kinds[packer->kind_count++] = (struct packed_kind_row){ place->number, *key };
	return place->number;
}

/* The size field of a row that ends a block; -1: it has no room. */
static int64_t more_of(const struct block_row *row)
{
	int64_t more = PACKED_SAME_SIZE;

	if (row->size == ROW_NULL || row->size == 0) {
		return row->size == 0 ? PACKED_ZERO_SIZE : PACKED_NO_SIZE;
	}
	if (row->ended_size < 0 || row->size < row->ended_size) {
		return -1;
	}
	more += row->size - row->ended_size;
	return more < 1 << PACKED_MORE_BITS ? more : -1;
}

/* The time of a row since the one that counts, which it may become. */
static int64_t time_of(struct block_packer *packer, const struct block_row *row)
{
	if (packer->since_ns == ROW_NULL || row->ts_ns < packer->since_ns ||
			((uint64_t)row->ts_ns - (uint64_t)packer->since_ns) >> PACKED_TIME_BITS !=
					0) {
		packer->since_ns = row->ts_ns;
		packer->times[packer->time_count++] =
				(struct packed_time_row){ row->id, row->ts_ns };
	}
	return row->ts_ns - packer->since_ns;
}

/* False: the row cannot be packed. */
static bool pack(
		struct block_packer *packer, const struct block_row *row, struct packed_row *packed)
{
	bool is_end = row->ended_id != ROW_NULL;
	int64_t size = is_end			? more_of(row)
			: row->size == ROW_NULL ? PACKED_NO_SIZE
						: row->size + 1;
	int kind_at = is_end ? PACKED_END_KIND_AT : PACKED_KIND_AT;
	struct packed_kind_key key = { row->type_id, row->allocator_id, row->instance, row->process,
		is_end ? 0 : row->address >> PACKED_ZONE_BITS,
		row->thread == 0 ? ROW_NULL : row->thread };
	int64_t words = (row->address & ((1 << PACKED_ZONE_BITS) - 1)) >> PACKED_ALIGN_BITS;
	int64_t kind;

	if (row->ts_ns == ROW_NULL || row->address == ROW_NULL || row->op < BLOCK_ALLOC ||
			row->op > BLOCK_REALLOC || (is_end && row->op != BLOCK_FREE) || size < 0 ||
			(row->size < 0 && row->size != ROW_NULL) ||
			size >> (is_end ? PACKED_MORE_BITS : PACKED_SIZE_BITS) != 0 ||
			(row->size == ROW_NULL && row->op != BLOCK_FREE) ||
			(row->address & ((1 << PACKED_ALIGN_BITS) - 1)) != 0) {
		return false;
	}
	kind = number_kind(packer, &key);
	if (kind == 0) {
		return false;
	}
	packed->word = kind << kind_at | size << PACKED_SIZE_AT |
			(int64_t)row->op << PACKED_TIME_BITS | time_of(packer, row);
	packed->place = is_end ? row->id - row->ended_id : -1 - words;
	return true;
}

void block_packer_take(struct block_packer *packer, const struct block_row *row)
{
	struct packed_row *packed = &packer->rows[packer->row_count++];

	*packed = (struct packed_row){ row->id, ROW_NULL, ROW_NULL };
	if (!pack(packer, row, packed)) {
		packer->unpacked[packer->unpacked_count++] = *row;
	}
}

void block_packer_forget(struct block_packer *packer)
{
	packer->row_count = 0;
	packer->kind_count = 0;
	packer->time_count = 0;
	packer->unpacked_count = 0;
}
