/* SPDX-License-Identifier: MIT */
/* The random variables of a workload. */
#include "workload_random.h"

#include <math.h>
#include <string.h>

#define BYTES_MAX (UINT64_C(1) << 48)
#define LIFE_MAX UINT64_C(1000000000000)

/*
 * Sizes of process heaps, in words.
 * Source: erlang:system_info(heap_sizes) of OTP 25, up to 2^30 words.
 */
static const uint64_t heap_sizes[] = { 12, 38, 51, 90, 142, 233, 376, 610, 987, 1598, 2586, 4185,
	6772, 10958, 17731, 28690, 46422, 75113, 121536, 196650, 318187, 514838, 833026, 999631,
	1199557, 1439468, 1727361, 2072833, 2487399, 2984878, 3581853, 4298223, 5157867, 6189440,
	7427328, 8912793, 10695351, 12834421, 15401305, 18481566, 22177879, 26613454, 31936144,
	38323372, 45988046, 55185655, 66222786, 79467343, 95360811, 114432973, 137319567, 164783480,
	197740176, 237288211, 284745853, 341695023, 410034027, 492040832, 590448998, 708538797,
	850246556, 1020295867 };

#define HEAP_SIZES (sizeof(heap_sizes) / sizeof(heap_sizes[0]))

/* splitmix64, by Sebastiano Vigna: public domain. */
uint64_t chance_next(struct chance *chance)
{
	uint64_t z = chance->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void chance_init(struct chance *chance, uint64_t seed, uint64_t stream)
{
	chance->state = seed;
	chance->state = chance_next(chance) ^ stream * UINT64_C(0xd1342543de82ef95);
}

uint64_t chance_below(struct chance *chance, uint64_t count)
{
	return (uint64_t)(((unsigned __int128)chance_next(chance) * count) >> 64);
}

double chance_real(struct chance *chance)
{
	return (double)(chance_next(chance) >> 11) * 0x1p-53;
}

static enum csc_status take_range(const struct words *words, uint64_t least, uint64_t most,
		uint64_t *ret_low, uint64_t *ret_high)
{
	size_t last = words->count - 1;

	if (words_number(words, last - 1, least, most, ret_low) != CSC_OK) {
		return CSC_ERROR;
	}
	return words_number(words, last, *ret_low, most, ret_high);
}

static enum csc_status take_list(struct workload_size *size, const struct words *words)
{
	double sum = 0;

	size->kind = SIZE_LIST;
	size->value_count = words->count - 3;
	if (size->value_count > WORKLOAD_VALUES_MAX) {
		return words_fail(words, "a size has at most %d values", WORKLOAD_VALUES_MAX);
	}
	for (size_t i = 0; i < size->value_count; i++) {
		double weight = 0;

		if (words_pair(words, i + 3, &size->values[i], &weight) != CSC_OK) {
			return CSC_ERROR;
		}
		sum += weight;
		size->weights[i] = sum;
	}
	return sum > 0 ? CSC_OK : words_fail(words, "all weights are 0");
}

static enum csc_status take_zipf(struct workload_size *size, const struct words *words)
{
	double exponent = 0;
	double sum = 0;

	if (words_expect(words, 5, WORDS_MAX, "size NAME zipf EXPONENT BYTES...") != CSC_OK ||
			words_real(words, 3, 0, 10, &exponent) != CSC_OK) {
		return CSC_ERROR;
	}
	size->kind = SIZE_LIST;
	size->value_count = words->count - 4;
	if (size->value_count > WORKLOAD_VALUES_MAX) {
		return words_fail(words, "a size has at most %d values", WORKLOAD_VALUES_MAX);
	}
	for (size_t i = 0; i < size->value_count; i++) {
		if (words_number(words, i + 4, 0, BYTES_MAX, &size->values[i]) != CSC_OK) {
			return CSC_ERROR;
		}
		sum += pow((double)(i + 1), -exponent);
		size->weights[i] = sum;
	}
	return CSC_OK;
}

static enum csc_status take_heap(struct workload_size *size, const struct words *words)
{
	size->kind = SIZE_HEAP;
	if (words_expect(words, 5, 5, "size NAME heap LOW HIGH") != CSC_OK ||
			take_range(words, 1, heap_sizes[HEAP_SIZES - 1], &size->low, &size->high) !=
					CSC_OK) {
		return CSC_ERROR;
	}
	for (size_t i = 0; i < HEAP_SIZES; i++) {
		if (heap_sizes[i] >= size->low && heap_sizes[i] <= size->high) {
			return CSC_OK;
		}
	}
	return words_fail(
			words, "no heap has from %s to %s words", words->words[3], words->words[4]);
}

enum csc_status workload_size_take(struct workload_size *size, const struct words *words)
{
	const char *kind = words->words[2];

	if (strcmp(kind, "constant") == 0) {
		size->kind = SIZE_UNIFORM;
		if (words_expect(words, 4, 4, "size NAME constant N") != CSC_OK ||
				words_number(words, 3, 0, BYTES_MAX, &size->low) != CSC_OK) {
			return CSC_ERROR;
		}
		size->high = size->low;
		return CSC_OK;
	}
	if (strcmp(kind, "uniform") == 0) {
		size->kind = SIZE_UNIFORM;
		if (words_expect(words, 5, 5, "size NAME uniform LOW HIGH") != CSC_OK) {
			return CSC_ERROR;
		}
		return take_range(words, 0, BYTES_MAX, &size->low, &size->high);
	}
	if (strcmp(kind, "lognormal") == 0) {
		size->kind = SIZE_LOGNORMAL;
		if (words_expect(words, 7, 7, "size NAME lognormal MEDIAN SIGMA LOW HIGH") !=
						CSC_OK ||
				words_real(words, 3, 1, (double)BYTES_MAX, &size->median) !=
						CSC_OK ||
				words_real(words, 4, 0, 10, &size->sigma) != CSC_OK) {
			return CSC_ERROR;
		}
		return take_range(words, 0, BYTES_MAX, &size->low, &size->high);
	}
	if (strcmp(kind, "list") == 0) {
		return take_list(size, words);
	}
	if (strcmp(kind, "zipf") == 0) {
		return take_zipf(size, words);
	}
	if (strcmp(kind, "heap") == 0) {
		return take_heap(size, words);
	}
	return words_fail(words, "no such kind of size: '%s'", kind);
}

enum csc_status workload_life_take(struct workload_life *life, const struct words *words)
{
	const char *kind = words->words[2];

	if (strcmp(kind, "forever") == 0) {
		life->kind = LIFE_FOREVER;
		return words_expect(words, 3, 3, "life NAME forever");
	}
	if (strcmp(kind, "uniform") == 0) {
		life->kind = LIFE_UNIFORM;
		if (words_expect(words, 5, 5, "life NAME uniform LOW HIGH") != CSC_OK) {
			return CSC_ERROR;
		}
		return take_range(words, 0, LIFE_MAX, &life->low, &life->high);
	}
	if (strcmp(kind, "operations") == 0) {
		life->kind = LIFE_UNIFORM;
	} else if (strcmp(kind, "exponential") == 0) {
		life->kind = LIFE_EXPONENTIAL;
	} else if (strcmp(kind, "phases") == 0) {
		life->kind = LIFE_PHASES;
	} else {
		return words_fail(words, "no such kind of life: '%s'", kind);
	}
	if (words_expect(words, 4, 4, "life NAME operations|exponential|phases N") != CSC_OK ||
			words_number(words, 3, 1, LIFE_MAX, &life->low) != CSC_OK) {
		return CSC_ERROR;
	}
	life->high = life->low;
	return CSC_OK;
}

static uint64_t draw_lognormal(const struct workload_size *size, struct chance *chance)
{
	/* Box and Muller; 1 - u is never 0. */
	double radius = sqrt(-2 * log(1 - chance_real(chance)));
	double normal = radius * cos(2 * M_PI * chance_real(chance));
	double bytes = size->median * exp(size->sigma * normal);

	if (!(bytes > (double)size->low)) {
		return size->low;
	}
	return bytes < (double)size->high ? (uint64_t)bytes : size->high;
}

static uint64_t draw_list(const struct workload_size *size, struct chance *chance)
{
	double at = chance_real(chance) * size->weights[size->value_count - 1];
	size_t i = 0;

	while (i + 1 < size->value_count && size->weights[i] <= at) {
		i++;
	}
	return size->values[i];
}

static uint64_t draw_heap(const struct workload_size *size, struct chance *chance)
{
	size_t first = 0;
	size_t count = 0;

	while (heap_sizes[first] < size->low) {
		first++;
	}
	while (first + count < HEAP_SIZES && heap_sizes[first + count] <= size->high) {
		count++;
	}
	return heap_sizes[first + chance_below(chance, count)] * size->word_bytes;
}

uint64_t workload_size_draw(const struct workload_size *size, struct chance *chance)
{
	switch (size->kind) {
	case SIZE_LOGNORMAL:
		return draw_lognormal(size, chance);
	case SIZE_LIST:
		return draw_list(size, chance);
	case SIZE_HEAP:
		return draw_heap(size, chance);
	case SIZE_UNIFORM:
		break;
	}
	return size->low + chance_below(chance, size->high - size->low + 1);
}

uint64_t workload_life_draw(const struct workload_life *life, struct chance *chance)
{
	if (life->kind == LIFE_EXPONENTIAL) {
		double operations = -(double)life->low * log(1 - chance_real(chance));

		return operations < (double)LIFE_MAX ? (uint64_t)operations : LIFE_MAX;
	}
	return life->low + chance_below(chance, life->high - life->low + 1);
}

uint64_t workload_heap_next(const struct workload_size *size, uint64_t bytes)
{
	for (size_t i = 0; i < HEAP_SIZES && heap_sizes[i] <= size->high; i++) {
		if (heap_sizes[i] * size->word_bytes > bytes) {
			return heap_sizes[i] * size->word_bytes;
		}
	}
	return 0;
}
