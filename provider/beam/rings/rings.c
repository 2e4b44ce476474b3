/* SPDX-License-Identifier: MIT */
/* The thread that drains rings. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rings_state.h"

/* As <linux/membarrier.h> has them. */
#ifndef __NR_membarrier
#define __NR_membarrier (-1)
#endif
enum {
	MEMBARRIER_QUERY = 0,
	MEMBARRIER_EXPEDITED = 1 << 3,
	MEMBARRIER_REGISTER = 1 << 4,
};

enum {
	/* Between rounds: where something was found, and at most. */
	PAUSE_NS = 4 * 1000 * 1000,
	LONG_PAUSE_NS = 32 * 1000 * 1000,

	/* A ring with fewer slots than this waits, for so long at most. */
	FEW = 1024,
	WAIT_NS = 32 * 1000 * 1000,

	/* How often a batch says how far the time has come, if no other one does. */
	BEAT_NS = 200 * 1000 * 1000,

	/* How often it is asked whether threads have ended. */
	CENSUS_NS = 1000 * 1000 * 1000,

	/* How long rings_stop() tries to find all rings at rest. */
	END_NS = 2000 * 1000 * 1000,
	END_PAUSE_NS = 1000 * 1000,

	/* How long the end of the process waits for the drainer. */
	FLUSH_NS = 100 * 1000 * 1000,
};

static long barrier(int command)
{
	return syscall(__NR_membarrier, command, 0, 0);
}

/* A batch of no ring, which says how far the time has come. */
static void beat(uint64_t now_ns, uint64_t horizon_ns)
{
	uint64_t lost = __atomic_load_n(&rings.lost, __ATOMIC_RELAXED);
	const struct ring_batch batch = {
		/* A batch without records is its version. */
		.payload = "\1",
		.thread = (uint32_t)syscall(SYS_gettid),
		.ordinal = rings.ordinal,
		.first_ns = now_ns,
		.last_ns = now_ns,
		.horizon_ns = horizon_ns,
		.lost = lost - rings.lost_said,
	};

	if (rings.options.emit(&batch)) {
		rings.ordinal++;
		rings.lost_said = lost;
	}
	rings.beat_ns = now_ns;
}

/* Whether a ring is to be drained now; one that is empty takes no time. */
static bool is_due(struct ring *ring, uint64_t ticks, uint64_t head, bool is_all)
{
	uint64_t waiting = head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);

	if (waiting == 0) {
		ring->waiting_ticks = 0;
		return true;
	}
	if (ring->waiting_ticks == 0) {
		ring->waiting_ticks = ticks;
	}
	return is_all || waiting >= FEW || waiting > ring->own.mask / 4 ||
			ticks_to_ns(ticks) - ticks_to_ns(ring->waiting_ticks) >= WAIT_NS;
}

/*
 * Drains a ring after the barrier that followed `ticks`; yields how many slots were there.  The
 * order of these two loads counts: what begins after `begin` is read is younger than `ticks`, and
 * what began before is before `head`, or inside still.
 */
static uint64_t visit(struct ring *ring, uint64_t ticks, bool is_all)
{
	uint64_t begin = __atomic_load_n(&ring->own.begin, __ATOMIC_ACQUIRE);
	uint64_t head = ring_head(ring, __ATOMIC_ACQUIRE);
	uint64_t bound = head >= begin		    ? ticks
			: begin != ring->seen_begin ? ring->seen_ticks
						    : ring->bound;
	uint64_t count = 0;

	ring->seen_ticks = begin != ring->seen_begin || head >= begin ? ticks : ring->seen_ticks;
	ring->seen_begin = begin;
	if (!is_due(ring, ticks, head, is_all) || !ring_lock(ring)) {
		return 0;
	}
	count = head - ring->tail;
	if (count > 0 && count <= ring->own.mask + 1) {
		const struct ring_reader reader = rings_reader();

		ring_drain(ring, &reader);
		ring->waiting_ticks = 0;
	}
	ring_unlock(ring);
	if (bound > ring->bound) {
		ring->bound = bound;
	}
	return count;
}

/* Rings of threads that are no more are free. */
static void census(void)
{
	for (uint32_t i = 0; i < rings_made(); i++) {
		struct ring *ring = rings_at(i);
		uint32_t owner = ring ? __atomic_load_n(&ring->owner, __ATOMIC_ACQUIRE) : 0;

		if (owner != 0 && syscall(SYS_tgkill, getpid(), owner, 0) != 0 && errno == ESRCH &&
				ring_lock(ring)) {
			const struct ring_reader reader = rings_reader();

			ring_drain(ring, &reader);
			if (ring_dropped(ring) > 0) {
				ring_emit_empty(ring, &reader, true);
			}
			/* It may have ended within a record. */
			__atomic_store_n(&ring->own.begin, ring_head(ring, __ATOMIC_ACQUIRE),
					__ATOMIC_RELAXED);
			ring_unlock(ring);
			__atomic_store_n(&ring->owner, 0, __ATOMIC_RELEASE);
		}
	}
}

static void ask_names(void)
{
	for (uint32_t i = 0; i < rings_made(); i++) {
		struct ring *ring = rings_at(i);

		if (ring) {
			__atomic_store_n(&ring->wants_name, true, __ATOMIC_RELEASE);
			__atomic_store_n(&ring->soft, 0, __ATOMIC_RELEASE);
		}
	}
}

/* All rings once; yields how many slots were drained. */
static uint64_t round_once(bool is_all)
{
	uintptr_t listeners = rings.options.listeners();
	uint64_t ticks = ticks_after();
	uint64_t bound = ticks;
	uint64_t count = 0;
	uint64_t now_ns;

	(void)barrier(MEMBARRIER_EXPEDITED);
	for (uint32_t i = 0; i < rings_made(); i++) {
		struct ring *ring = rings_at(i);

		if (ring && __atomic_load_n(&ring->owner, __ATOMIC_ACQUIRE) != 0) {
			count += visit(ring, ticks, is_all);
			bound = ring->bound < bound ? ring->bound : bound;
		}
	}
	if (ticks_to_ns(bound) > rings.horizon_ns) {
		__atomic_store_n(&rings.horizon_ns, ticks_to_ns(bound), __ATOMIC_RELEASE);
		if (rings.file) {
			__atomic_store_n(&rings.file->horizon_ns, rings.horizon_ns,
					__ATOMIC_RELAXED);
		}
	}
	ticks_adjust();
	now_ns = ticks_of_clock();
	if (listeners != rings.listeners || now_ns - rings.beat_ns > BEAT_NS || is_all) {
		if (listeners != rings.listeners) {
			rings.listeners = listeners;
			ask_names();
		}
		beat(now_ns, rings.horizon_ns);
	}
	if (now_ns - rings.census_ns > CENSUS_NS) {
		rings.census_ns = now_ns;
		census();
	}
	return count;
}

static void add_ns(struct timespec *time, long ns)
{
	time->tv_nsec += ns;
	time->tv_sec += time->tv_nsec / 1000000000L;
	time->tv_nsec %= 1000000000L;
}

static void *run(void *unused)
{
	long pause = PAUSE_NS;

	(void)unused;
	pthread_mutex_lock(&rings.mutex);
	while (!rings.is_ending) {
		bool is_all = rings.is_asked;
		struct timespec until;
		uint64_t count;

		rings.is_asked = false;
		pthread_mutex_unlock(&rings.mutex);
		count = round_once(is_all);
		__atomic_fetch_add(&rings.rounds, 1, __ATOMIC_RELEASE);
		pause = count > 0 ? PAUSE_NS : pause < LONG_PAUSE_NS ? 2 * pause : LONG_PAUSE_NS;
		(void)clock_gettime(CLOCK_MONOTONIC, &until);
		add_ns(&until, pause);
		pthread_mutex_lock(&rings.mutex);
		if (!rings.is_ending && !rings.is_asked) {
			pthread_cond_timedwait(&rings.wake, &rings.mutex, &until);
		}
	}
	pthread_mutex_unlock(&rings.mutex);
	return NULL;
}

void rings_nudge(void)
{
	if (pthread_mutex_trylock(&rings.mutex) == 0) {
		if (rings.is_on) {
			rings.is_asked = true;
			pthread_cond_signal(&rings.wake);
		}
		pthread_mutex_unlock(&rings.mutex);
	}
}

void rings_flush(void)
{
	const struct timespec pause = { .tv_nsec = END_PAUSE_NS };
	uint64_t before = __atomic_load_n(&rings.rounds, __ATOMIC_ACQUIRE);
	int tries = FLUSH_NS / END_PAUSE_NS;

	if (!rings.control || rings_are_of_parent()) {
		return;
	}
	/* The first of these two may have begun before. */
	while (rings.is_on && tries-- > 0 &&
			__atomic_load_n(&rings.rounds, __ATOMIC_ACQUIRE) - before < 2) {
		rings_nudge();
		(void)nanosleep(&pause, NULL);
	}
}

/* What is in rings from a time before, since nobody waited for it, is of no interest any more. */
static void begin_ring(struct ring *ring, uint64_t ticks)
{
	if (ring_lock(ring)) {
		uint64_t head = ring_head(ring, __ATOMIC_ACQUIRE);

		if (ring->is_shared && !rings_share(ring, ring->own.mask + 1)) {
			(void)rings_unshare(ring);
		}
		/* The slot that said it may be one of those. */
		ring->own.process = RING_NO_PROCESS;
		ring->process = RING_NO_PROCESS;
		ring_forget(ring, head);
		__atomic_store_n(&ring_page(ring)->tail, head, __ATOMIC_RELAXED);
		__atomic_store_n(&ring->tail, head, __ATOMIC_RELEASE);
		__atomic_store_n(&ring->soft, 0, __ATOMIC_RELEASE);
		ring->bound = ticks;
		ring->waiting_ticks = 0;
		ring_unlock(ring);
	}
}

/* What the system lacks; NULL: nothing. */
static const char *missing(void)
{
	long known = barrier(MEMBARRIER_QUERY);

	if (known < 0 || (known & MEMBARRIER_EXPEDITED) == 0 ||
			(known & MEMBARRIER_REGISTER) == 0 || barrier(MEMBARRIER_REGISTER) != 0) {
		return "the system has no membarrier for one process (Linux 4.14)";
	}
	if (!rings.control) {
		rings.control = rings_map((size_t)sysconf(_SC_PAGESIZE));
		rings.bytes = RING_SLOTS_AT +
				((rings.options.slots * sizeof(struct ring_slot) + RING_PAGE_BYTES -
						 1) &
						~(size_t)(RING_PAGE_BYTES - 1));
	}
	return rings.control ? NULL : "there is no memory that a forked process finds empty";
}

static bool start_thread(void)
{
	pthread_condattr_t attributes;
	sigset_t all;
	sigset_t before;
	int error;

	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&rings.wake, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	/* Signals are the emulator's business. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&rings.thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error != 0) {
		(void)pthread_cond_destroy(&rings.wake);
		return false;
	}
	pthread_setname_np(rings.thread, "carrierscope-dr");
	return true;
}

/* What is in the file is of this recording from here on. */
static void open_file(void)
{
	struct ring_file *file = rings.file;

	if (!file) {
		return;
	}
	memcpy(file->instances, rings.options.instances, sizeof(file->instances));
	file->is_counted = ticks_are_counted;
	ticks_copy_line(&file->line);
	file->horizon_ns = rings.horizon_ns;
	__atomic_store_n(&file->is_open, 1, __ATOMIC_RELEASE);
}

/* How times are taken, and where rings lie. */
static const char *describe(const char *clock, const char *file)
{
	static char text[256];

	(void)snprintf(text, sizeof(text), "%s%s%s", clock,
			file ? "; what is in rings is lost if the node is killed: " : "",
			file ? file : "");
	return text;
}

bool rings_start(const struct rings_options *options, const char **ret_why)
{
	const char *lack;
	uint64_t ticks;

#if !defined(__x86_64__)
	*ret_why = "rings were not tried on this processor";
	return false;
#endif
	rings.options = *options;
	lack = missing();
	if (lack) {
		*ret_why = lack;
		return false;
	}
	*ret_why = describe(ticks_open(), rings_make_file());
	ticks = ticks_after();
	for (uint32_t i = 0; i < rings_made(); i++) {
		if (rings_at(i)) {
			begin_ring(rings_at(i), ticks);
		}
	}
	__atomic_store_n(&rings.control->is_open, true, __ATOMIC_RELAXED);
	rings.horizon_ns = ticks_to_ns(ticks);
	rings.listeners = rings.options.listeners();
	rings.is_ending = false;
	rings.is_asked = false;
	open_file();
	beat(ticks_of_clock(), rings.horizon_ns);
	if (!start_thread()) {
		*ret_why = "no thread could be started that drains rings";
		beat(ticks_of_clock(), UINT64_MAX);
		return false;
	}
	pthread_mutex_lock(&rings.mutex);
	rings.is_on = true;
	pthread_mutex_unlock(&rings.mutex);
	return true;
}

static bool is_at_rest(const struct ring *ring)
{
	uint64_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);

	return __atomic_load_n(&ring->own.begin, __ATOMIC_ACQUIRE) == tail &&
			ring_head(ring, __ATOMIC_ACQUIRE) == tail;
}

static bool are_at_rest(void)
{
	for (uint32_t i = 0; i < rings_made(); i++) {
		if (rings_at(i) && !is_at_rest(rings_at(i))) {
			return false;
		}
	}
	return true;
}

/* What was dropped at last, and pages that are not needed any more. */
static void end_ring(struct ring *ring)
{
	const struct ring_reader reader = rings_reader();

	if (ring_lock(ring)) {
		if (ring_dropped(ring) + ring->lost > 0) {
			ring_emit_empty(ring, &reader, true);
		}
		if (is_at_rest(ring)) {
			rings_release(ring);
		}
		ring_unlock(ring);
	}
}

void rings_stop(void)
{
	const struct timespec pause = { .tv_nsec = END_PAUSE_NS };
	uint64_t end_ns = ticks_of_clock() + END_NS;

	if (!rings.is_on) {
		return;
	}
	pthread_mutex_lock(&rings.mutex);
	rings.is_on = false;
	rings.is_ending = true;
	pthread_cond_signal(&rings.wake);
	pthread_mutex_unlock(&rings.mutex);
	pthread_join(rings.thread, NULL);
	(void)pthread_cond_destroy(&rings.wake);
	do {
		(void)round_once(true);
		if (are_at_rest()) {
			break;
		}
		(void)nanosleep(&pause, NULL);
	} while (ticks_of_clock() < end_ns);
	if (rings.file) {
		__atomic_store_n(&rings.file->is_open, 0, __ATOMIC_RELEASE);
	}
	for (uint32_t i = 0; i < rings_made(); i++) {
		if (rings_at(i)) {
			end_ring(rings_at(i));
		}
	}
	beat(ticks_of_clock(), UINT64_MAX);
}

bool rings_are_on(void)
{
	return rings.is_on;
}
