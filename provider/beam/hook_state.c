/* SPDX-License-Identifier: MIT */
/* What a thread begins with when it meets the hook, and its draws. */
#include "hook_state.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include "rings/rings.h"

struct hook hook;
_Thread_local struct hook_self self;

/* Numbers that need not be good, but different for each thread: xorshift64*, in (0, 1]. */
static double draw(void)
{
	self.random ^= self.random >> 12;
	self.random ^= self.random << 25;
	self.random ^= self.random >> 27;
	return ((double)(self.random * UINT64_C(0x2545F4914F6CDD1D) >> 11) + 1.0) * 0x1p-53;
}

/*
 * Puts the next draw behind FROM.  The distance to a sample is exponential by bytes, geometric by
 * count; what is longer than HOOK_MOST_LEFT is drawn anew there, since draws have no memory.  Whole
 * bytes are as good as parts of them: a block of s bytes is hit if the distance is less than s.
 */
void hook_draw_next(int64_t from)
{
	double every = (double)hook.options.sample_every;
	double distance = hook.options.sample_by == SAMPLE_BYTES
			? -log(draw()) * every
			: log(draw()) / log1p(-1.0 / every);

	self.is_hit = distance < (double)HOOK_MOST_LEFT;
	self.left = from + (self.is_hit ? (int64_t)distance : HOOK_MOST_LEFT);
}

void hook_meet(void)
{
	int error = errno;
	uint32_t number = __atomic_fetch_add(&hook.counter_count, 1, __ATOMIC_RELAXED);
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	self.counter = number < COUNTERS ? number : COUNTERS - 1;
	self.instance = emulator_thread_instance(hook.emulator);
	self.scheduler = emulator_thread_is_scheduler() ? current_process_scheduler() : NULL;
	self.random = (uint64_t)now.tv_nsec * 2654435761U + (uint64_t)(uintptr_t)&self + number + 1;
	(void)draw();
	if (hook.options.sample_by != SAMPLE_NONE) {
		hook_draw_next(hook.floor);
	}
	if (hook.has_rings) {
		self.ring = rings_claim(self.ring, self.instance);
	}
	self.generation = hook.generation;
	errno = error;
}
