/* SPDX-License-Identifier: MIT */
/* Sums of estimates by stack. */
#include "stack_sums.h"

#include <sys/mman.h>

#define KIB 1024.0

static struct stack_sum *sums;

static const size_t sums_bytes = (STACKS + 1) * sizeof(*sums);

bool stack_sums_open(void)
{
	void *memory;

	if (sums) {
		return madvise(sums, sums_bytes, MADV_DONTNEED) == 0;
	}
	memory = mmap(NULL, sums_bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	sums = memory == MAP_FAILED ? NULL : memory;
	return sums;
}

size_t stack_sums_region(uintptr_t *ret_begin)
{
	*ret_begin = (uintptr_t)sums;
	return sums ? sums_bytes : 0;
}

/* Rounded in the same way when a block is made and when it is freed. */
static uint64_t estimate(const struct stack_sample *sample)
{
	return (uint64_t)(sample->weight * (double)sample->bytes);
}

static uint64_t variance(const struct stack_sample *sample)
{
	double kib = (double)sample->bytes / KIB;

	return (uint64_t)(sample->weight * (sample->weight - 1) * kib * kib);
}

void stack_sums_add(const struct stack_sample *sample)
{
	struct stack_sum *sum = &sums[sample->place];

	__atomic_fetch_add(&sum->samples, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&sum->made, estimate(sample), __ATOMIC_RELAXED);
	__atomic_fetch_add(&sum->live, estimate(sample), __ATOMIC_RELAXED);
	__atomic_fetch_add(&sum->live_variance, variance(sample), __ATOMIC_RELAXED);
}

void stack_sums_remove(const struct stack_sample *sample)
{
	struct stack_sum *sum = &sums[sample->place];

	__atomic_fetch_sub(&sum->live, estimate(sample), __ATOMIC_RELAXED);
	__atomic_fetch_sub(&sum->live_variance, variance(sample), __ATOMIC_RELAXED);
}

struct stack_sum stack_sums_get(size_t place)
{
	struct stack_sum sum = { 0, 0, 0, 0 };

	if (sums) {
		sum.samples = __atomic_load_n(&sums[place].samples, __ATOMIC_RELAXED);
		sum.made = __atomic_load_n(&sums[place].made, __ATOMIC_RELAXED);
		sum.live = __atomic_load_n(&sums[place].live, __ATOMIC_RELAXED);
		sum.live_variance = __atomic_load_n(&sums[place].live_variance, __ATOMIC_RELAXED);
	}
	return sum;
}
