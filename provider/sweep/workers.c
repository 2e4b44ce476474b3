/* SPDX-License-Identifier: MIT */
/*
 * As many processes as there are processors and memory for.  Each takes job after job: what one
 * replay has touched of memory the next one finds, and the recording is shared.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "sweep_internal.h"

#define WORKERS_MAX 256

/* How often processes are looked after: at first, at most, and their memory, in microseconds. */
enum { LEAST_WAIT_US = 200, MOST_WAIT_US = 10000, MEMORY_WAIT_US = 5000 };

/* A process, its place in `taken`, and what it had of its parent's memory when it began. */
struct worker {
	pid_t pid;
	size_t place;
	uint64_t inherited_bytes;
};

/* What the processes share, before the results. */
struct shared {
	/* Of `pending`, the next one that nobody has taken. */
	atomic_size_t next;

	/* The job that a process has at hand; NO_JOB: none. */
	atomic_size_t taken[WORKERS_MAX];
	struct sweep_result results[];
};

#define NO_JOB SIZE_MAX

struct workers {
	struct sweep *sweep;
	const struct sweep_job *jobs;
	struct shared *shared;

	/* Jobs of this round, and those of the next one: they were ended for want of memory. */
	size_t *pending;
	size_t pending_count;
	size_t *postponed;
	size_t postponed_count;

	/* The processes that run, the oldest first, and how many may. */
	struct worker running[WORKERS_MAX];
	uint32_t running_count;
	uint32_t room;
	uint64_t budget_bytes;
	const volatile int *stop;
	int64_t deadline_ns;
};

int64_t sweep_clock_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static bool is_over(const struct workers *workers)
{
	return (workers->stop && *workers->stop) ||
			(workers->deadline_ns && sweep_clock_ns() >= workers->deadline_ns);
}

/* The process: results are all that it leaves. */
static void work(struct workers *workers, size_t place)
{
	struct shared *shared = workers->shared;
	size_t at;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	while ((at = atomic_fetch_add(&shared->next, 1)) < workers->pending_count) {
		size_t job = workers->pending[at];
		struct sweep_result *result = &shared->results[job];

		atomic_store(&shared->taken[place], job);
		if (sweep_play(workers->sweep, &workers->jobs[job], result, &result->diag) !=
				CSC_OK) {
			result->is_done = false;
		}
		atomic_store(&shared->taken[place], NO_JOB);
	}
	_exit(0);
}

static bool is_placed(const struct workers *workers, size_t place)
{
	for (uint32_t at = 0; at < workers->running_count; at++) {
		if (workers->running[at].place == place) {
			return true;
		}
	}
	return false;
}

/* A place that no process has. */
static size_t free_place(const struct workers *workers)
{
	size_t place = 0;

	while (is_placed(workers, place)) {
		place++;
	}
	return place;
}

static enum csc_status start(struct workers *workers, struct diag *diag)
{
	uint64_t inherited_bytes = memory_of(getpid());
	size_t place = free_place(workers);
	pid_t pid;

	atomic_store(&workers->shared->taken[place], NO_JOB);
	pid = fork();
	if (pid < 0) {
		return DIAG_FAIL(diag, "cannot start a process: %s", strerror(errno));
	}
	if (pid == 0) {
		work(workers, place);
	}
	workers->running[workers->running_count++] = (struct worker){ pid, place, inherited_bytes };
	return CSC_OK;
}

/* The job that its process had at hand, of which nothing is left; NO_JOB: none. */
static size_t forget(struct workers *workers, uint32_t at)
{
	size_t job = atomic_load(&workers->shared->taken[workers->running[at].place]);

	workers->running_count--;
	memmove(&workers->running[at], &workers->running[at + 1],
			(workers->running_count - at) * sizeof(workers->running[0]));
	if (job != NO_JOB) {
		memset(&workers->shared->results[job], 0, sizeof(workers->shared->results[job]));
	}
	return job;
}

/* Takes those that have ended; whether there was one. */
static bool reap(struct workers *workers)
{
	bool has_ended = false;

	for (uint32_t at = 0; at < workers->running_count;) {
		int status = 0;
		pid_t pid = waitpid(workers->running[at].pid, &status, WNOHANG);
		size_t job;

		if (pid == 0 || (pid < 0 && errno == EINTR)) {
			at++;
			continue;
		}
		job = forget(workers, at);
		if (job != NO_JOB) {
			(void)DIAG_FAIL(&workers->shared->results[job].diag,
					"the replay was ended by signal %d", WTERMSIG(status));
		}
		has_ended = true;
	}
	return has_ended;
}

static size_t end_youngest(struct workers *workers)
{
	uint32_t at = workers->running_count - 1;
	pid_t pid = workers->running[at].pid;

	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
	}
	return forget(workers, at);
}

/* Its job begins again when there are fewer, or is too large alone. */
static void save_memory(struct workers *workers)
{
	size_t job = end_youngest(workers);

	if (workers->running_count > 0) {
		workers->room = workers->running_count;
	}
	if (job == NO_JOB) {
		return;
	}
	if (workers->running_count > 0) {
		workers->postponed[workers->postponed_count++] = job;
	} else {
		(void)DIAG_FAIL(&workers->shared->results[job].diag,
				"the replay needs more than %" PRIu64
				" MiB, the budget of memory: --memory allows more",
				workers->budget_bytes >> 20);
	}
}

static void check_memory(struct workers *workers)
{
	uint64_t all = 0;

	for (uint32_t at = 0; at < workers->running_count; at++) {
		const struct worker *worker = &workers->running[at];
		uint64_t bytes = memory_of(worker->pid);

		all += bytes > worker->inherited_bytes ? bytes - worker->inherited_bytes : 0;
	}
	if (all > workers->budget_bytes && workers->running_count > 0) {
		save_memory(workers);
	}
}

/* Until none of the round is left, or it is over: what is at hand then is ended. */
static enum csc_status run_round(struct workers *workers, struct diag *diag)
{
	useconds_t wait_us = LEAST_WAIT_US;
	useconds_t unwatched_us = 0;
	enum csc_status status = CSC_OK;

	atomic_store(&workers->shared->next, 0);
	while (status == CSC_OK && !is_over(workers)) {
		while (status == CSC_OK && workers->running_count < workers->room &&
				workers->running_count < workers->pending_count &&
				atomic_load(&workers->shared->next) < workers->pending_count) {
			status = start(workers, diag);
		}
		if (reap(workers)) {
			wait_us = LEAST_WAIT_US;
			continue;
		}
		if (workers->running_count == 0) {
			break;
		}
		(void)usleep(wait_us);
		unwatched_us += wait_us;
		wait_us = wait_us * 2 < MOST_WAIT_US ? wait_us * 2 : MOST_WAIT_US;
		if (unwatched_us >= MEMORY_WAIT_US) {
			check_memory(workers);
			unwatched_us = 0;
		}
	}
	while (workers->running_count > 0) {
		(void)end_youngest(workers);
	}
	return status;
}

static enum csc_status run(struct workers *workers, struct diag *diag)
{
	enum csc_status status = run_round(workers, diag);

	while (status == CSC_OK && workers->postponed_count > 0 && !is_over(workers)) {
		size_t *postponed = workers->postponed;

		workers->postponed = workers->pending;
		workers->pending = postponed;
		workers->pending_count = workers->postponed_count;
		workers->postponed_count = 0;
		status = run_round(workers, diag);
	}
	return status;
}

uint32_t sweep_workers(const struct sweep *sweep)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t workers = sweep->workers ? sweep->workers
					  : (uint32_t)(processors > 0 ? processors : 1);

	return workers < WORKERS_MAX ? workers : WORKERS_MAX;
}

enum csc_status sweep_run(struct sweep *sweep, const struct sweep_job *jobs, size_t count,
		struct sweep_result *ret_results, const volatile int *stop, int64_t deadline_ns,
		struct diag *diag)
{
	struct workers *workers = calloc(1, sizeof(*workers));
	size_t bytes = sizeof(*workers->shared) + count * sizeof(*ret_results);
	enum csc_status status;

	if (!workers) {
		return DIAG_NO_MEMORY(diag);
	}
	workers->sweep = sweep;
	workers->jobs = jobs;
	workers->pending_count = count;
	workers->room = sweep_workers(sweep);
	workers->budget_bytes = sweep->budget_bytes ? sweep->budget_bytes : memory_budget();
	workers->stop = stop;
	workers->deadline_ns = deadline_ns;
	workers->pending = calloc(count + 1, sizeof(*workers->pending));
	workers->postponed = calloc(count + 1, sizeof(*workers->postponed));
	workers->shared = mmap(
			NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (workers->shared == MAP_FAILED || !workers->pending || !workers->postponed) {
		status = DIAG_NO_MEMORY(diag);
	} else {
		for (size_t job = 0; job < count; job++) {
			workers->pending[job] = job;
		}
		status = run(workers, diag);
		memcpy(ret_results, workers->shared->results, count * sizeof(*ret_results));
	}
	if (workers->shared != MAP_FAILED) {
		(void)munmap(workers->shared, bytes);
	}
	free(workers->pending);
	free(workers->postponed);
	free(workers);
	return status;
}
