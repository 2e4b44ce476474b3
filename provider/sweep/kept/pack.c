/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 7 bits a byte, least first, the highest bit set where more follow (as LEB128); curves
 * as differences, the sign in the lowest bit.
 */
#include "pack.h"

#include <stdlib.h>
#include <string.h>

/* The first byte: raised whenever what follows changes. */
enum { PACK_VERSION = 2 };

/* Of one number; all of a result. */
enum { NUMBER_BYTES = 10, FIGURE_NUMBERS = 10, OTHER_NUMBERS = 5 };
#define NUMBERS (SWEEP_ROWS * (FIGURE_NUMBERS + SWEEP_SAMPLES) + SWEEP_SAMPLES + OTHER_NUMBERS)

/* Writes, or reads what lies before `end`. */
struct packing {
	/* NULL: it is read. */
	unsigned char *out;
	const unsigned char *in;
	const unsigned char *end;
	bool is_good;
};

static void take(struct packing *packing, uint64_t *number)
{
	uint64_t found = 0;
	unsigned int shift = 0;

	do {
		if (packing->in == packing->end || shift > 63) {
			packing->is_good = false;
			return;
		}
		found |= (uint64_t)(*packing->in & 127) << shift;
		shift += 7;
	} while (*packing->in++ & 128);
	*number = found;
}

static void pass(struct packing *packing, uint64_t *number)
{
	uint64_t rest = *number;

	if (!packing->out) {
		take(packing, number);
		return;
	}
	while (rest > 127) {
		*packing->out++ = (unsigned char)(rest | 128);
		rest >>= 7;
	}
	*packing->out++ = (unsigned char)rest;
}

static void pass_signed(struct packing *packing, int64_t *number)
{
	uint64_t folded = (uint64_t)*number << 1 ^ (*number < 0 ? UINT64_MAX : 0);

	pass(packing, &folded);
	*number = (int64_t)(folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0));
}

static void pass_double(struct packing *packing, double *number)
{
	uint64_t bits;

	memcpy(&bits, number, sizeof(bits));
	pass(packing, &bits);
	memcpy(number, &bits, sizeof(bits));
}

static void pass_level(struct packing *packing, uint64_t *level, uint64_t *last)
{
	int64_t step = (int64_t)(*level - *last);

	pass_signed(packing, &step);
	*level = *last + (uint64_t)step;
	*last = *level;
}

static void pass_row(struct packing *packing, struct sweep_result *result, int row)
{
	struct sweep_figure *figure = &result->figures[row];
	uint64_t last = 0;

	pass(packing, &figure->peak_bytes);
	pass(packing, &figure->end_bytes);
	pass_double(packing, &figure->average_bytes);
	pass(packing, &figure->held_peak_bytes);
	pass(packing, &figure->held_end_bytes);
	pass_double(packing, &figure->held_average_bytes);
	pass(packing, &figure->calls);
	pass(packing, &figure->copied_bytes);
	pass(packing, &figure->mappings);
	pass_signed(packing, &result->base_bytes[row]);
	for (int i = 0; i < SWEEP_SAMPLES; i++) {
		pass_level(packing, &result->most[i][row], &last);
	}
}

static void pass_result(struct packing *packing, struct sweep_result *result)
{
	uint64_t last = 0;

	for (int row = 0; row < SWEEP_ROWS && packing->is_good; row++) {
		pass_row(packing, result, row);
	}
	for (int i = 0; i < SWEEP_SAMPLES; i++) {
		pass_level(packing, &result->blocks_bytes[i], &last);
	}
	pass(packing, &result->end_blocks_bytes);
	pass(packing, &result->peak_step);
	pass(packing, &result->played);
	pass(packing, &result->refused);
	pass_double(packing, &result->cpu_seconds);
}

unsigned char *pack_result(const struct sweep_result *result, size_t *ret_bytes)
{
	unsigned char *bytes = malloc(1 + (size_t)NUMBERS * NUMBER_BYTES);
	struct sweep_result *copy = malloc(sizeof(*copy));
	struct packing packing = { .out = bytes, .is_good = true };

	if (!bytes || !copy) {
		free(bytes);
		free(copy);
		return NULL;
	}
	*copy = *result;
	*packing.out++ = PACK_VERSION;
	pass_result(&packing, copy);
	*ret_bytes = (size_t)(packing.out - bytes);
	free(copy);
	return bytes;
}

bool pack_read(const unsigned char *bytes, size_t count, struct sweep_result *ret_result)
{
	struct packing packing = { .is_good = true };

	if (count == 0 || bytes[0] != PACK_VERSION) {
		return false;
	}
	packing.in = bytes + 1;
	packing.end = bytes + count;
	memset(ret_result, 0, sizeof(*ret_result));
	pass_result(&packing, ret_result);
	ret_result->is_done = packing.is_good && packing.in == packing.end;
	return ret_result->is_done;
}
