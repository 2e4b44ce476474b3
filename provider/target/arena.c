/* SPDX-License-Identifier: MIT */
/* Reserved addresses that keep their pages. */
#include "arena.h"

#include <pthread.h>
#include <sys/mman.h>

/* Closed and kept; guarded by the lock. */
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;
static struct arena spare;

/* What lies below is given back. */
static uint64_t kept_from(const struct arena *arena)
{
	uint64_t start = (uint64_t)(uintptr_t)arena->start;

	return arena->size_bytes > ARENA_KEPT_BYTES ? start + arena->size_bytes - ARENA_KEPT_BYTES
						    : start;
}

struct arena arena_reopen(uint64_t size_bytes)
{
	struct arena found = { 0 };

	pthread_mutex_lock(&spare_lock);
	if (spare.start && spare.size_bytes == size_bytes) {
		found = spare;
		spare = (struct arena){ 0 };
	}
	pthread_mutex_unlock(&spare_lock);
	if (found.start && madvise(found.start, size_bytes, MADV_KEEPONFORK) != 0) {
		munmap(found.start, size_bytes);
		found = (struct arena){ 0 };
	}
	return found;
}

void arena_close(struct arena arena)
{
	struct arena other = arena;

	if (!arena.start) {
		return;
	}
	/* Otherwise each page would be copied that the other process writes to. */
	if (madvise(arena.start, arena.size_bytes, MADV_WIPEONFORK) == 0) {
		(void)madvise(arena.start, kept_from(&arena) - (uint64_t)(uintptr_t)arena.start,
				MADV_DONTNEED);
		pthread_mutex_lock(&spare_lock);
		other = spare;
		spare = arena;
		pthread_mutex_unlock(&spare_lock);
	}
	if (other.start) {
		munmap(other.start, other.size_bytes);
	}
}

void arena_trim(void)
{
	struct arena other;

	pthread_mutex_lock(&spare_lock);
	other = spare;
	spare = (struct arena){ 0 };
	pthread_mutex_unlock(&spare_lock);
	if (other.start) {
		munmap(other.start, other.size_bytes);
	}
}

void arena_forget(const struct arena *arena, uint64_t address, uint64_t size_bytes)
{
	uint64_t kept = kept_from(arena);

	if (address < kept) {
		uint64_t below = kept - address;

		/* NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the target. */
		(void)madvise((void *)(uintptr_t)address, size_bytes < below ? size_bytes : below,
				MADV_DONTNEED);
	}
}
