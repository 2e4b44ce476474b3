/* SPDX-License-Identifier: MIT */
/* Sums of estimates by stack. */
#include "stack_sums.h"

#include <sys/mman.h>

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

static double estimate(const struct stack_sample *sample)
{
	return sample->weight * (double)sample->bytes;
}

static double variance(const struct stack_sample *sample)
{
	double bytes = (double)sample->bytes;

	return sample->weight * (sample->weight - 1) * bytes * bytes;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the exchange writes to it. */
static void add(double *sum, double more)
{
	double was;
	double now;

	__atomic_load(sum, &was, __ATOMIC_RELAXED);
	do {
		now = was + more;
	} while (!__atomic_compare_exchange(
			sum, &was, &now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void stack_sums_add(const struct stack_sample *sample)
{
	struct stack_sum *sum = &sums[sample->place];

	__atomic_fetch_add(&sum->samples, 1, __ATOMIC_RELAXED);
	add(&sum->made, estimate(sample));
	add(&sum->live, estimate(sample));
	add(&sum->live_variance, variance(sample));
}

void stack_sums_remove(const struct stack_sample *sample)
{
	struct stack_sum *sum = &sums[sample->place];

	add(&sum->live, -estimate(sample));
	add(&sum->live_variance, -variance(sample));
}

struct stack_sum stack_sums_get(size_t place)
{
	struct stack_sum sum = { 0, 0, 0, 0 };

	if (sums) {
		sum.samples = __atomic_load_n(&sums[place].samples, __ATOMIC_RELAXED);
		__atomic_load(&sums[place].made, &sum.made, __ATOMIC_RELAXED);
		__atomic_load(&sums[place].live, &sum.live, __ATOMIC_RELAXED);
		__atomic_load(&sums[place].live_variance, &sum.live_variance, __ATOMIC_RELAXED);
	}
	return sum;
}
