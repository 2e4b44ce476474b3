/* SPDX-License-Identifier: MIT */
/* A process for each job, as many at a time as there are processors and memory for. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
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

/* A process, its job, and what it had of its parent's memory when it began. */
struct worker {
	pid_t pid;
	size_t job;
	uint64_t inherited_bytes;
};

struct workers {
	struct sweep *sweep;
	const struct sweep_job *jobs;
	size_t count;

	/* Shared with the processes. */
	struct sweep_result *results;

	/* The processes that run, the oldest first, and how many may. */
	struct worker running[WORKERS_MAX];
	uint32_t running_count;
	uint32_t room;

	/* Jobs that were ended for want of memory: they begin again. */
	size_t *postponed;
	size_t postponed_count;
	uint64_t budget_bytes;
};

int64_t sweep_clock_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* The process of a job: its result is all that it leaves. */
static void work(struct workers *workers, size_t job)
{
	struct sweep_result *result = &workers->results[job];

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sweep_play(workers->sweep, &workers->jobs[job], result, &result->diag) != CSC_OK) {
		result->is_done = false;
	}
	_exit(0);
}

static enum csc_status start(struct workers *workers, size_t job, struct diag *diag)
{
	uint64_t inherited_bytes = memory_of(getpid());
	pid_t pid = fork();

	if (pid < 0) {
		return DIAG_FAIL(diag, "cannot start a process: %s", strerror(errno));
	}
	if (pid == 0) {
		work(workers, job);
	}
	workers->running[workers->running_count++] = (struct worker){ pid, job, inherited_bytes };
	return CSC_OK;
}

static void forget(struct workers *workers, uint32_t at)
{
	workers->running_count--;
	memmove(&workers->running[at], &workers->running[at + 1],
			(workers->running_count - at) * sizeof(workers->running[0]));
}

/* Takes those that have ended; whether there was one. */
static bool reap(struct workers *workers)
{
	bool has_ended = false;

	for (uint32_t at = 0; at < workers->running_count;) {
		const struct worker *worker = &workers->running[at];
		struct sweep_result *result = &workers->results[worker->job];
		int status = 0;
		pid_t pid = waitpid(worker->pid, &status, WNOHANG);

		if (pid == 0 || (pid < 0 && errno == EINTR)) {
			at++;
			continue;
		}
		if (pid > 0 && WIFSIGNALED(status)) {
			result->is_done = false;
			(void)DIAG_FAIL(&result->diag, "the replay was ended by signal %d",
					WTERMSIG(status));
		}
		forget(workers, at);
		has_ended = true;
	}
	return has_ended;
}

/* Ends the youngest: it begins again when there are fewer, or is too large alone. */
static void end_youngest(struct workers *workers)
{
	uint32_t at = workers->running_count - 1;
	size_t job = workers->running[at].job;
	struct sweep_result *result = &workers->results[job];
	pid_t pid = workers->running[at].pid;

	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
	}
	forget(workers, at);
	memset(result, 0, sizeof(*result));
	if (workers->running_count > 0) {
		workers->postponed[workers->postponed_count++] = job;
		workers->room = workers->running_count;
	} else {
		(void)DIAG_FAIL(&result->diag,
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
		end_youngest(workers);
	}
}

/* Waits until fewer than so many run. */
static void wait_until(struct workers *workers, uint32_t fewer)
{
	useconds_t wait_us = LEAST_WAIT_US;
	useconds_t unwatched_us = 0;

	while (workers->running_count >= fewer) {
		if (reap(workers)) {
			wait_us = LEAST_WAIT_US;
			continue;
		}
		(void)usleep(wait_us);
		unwatched_us += wait_us;
		wait_us = wait_us * 2 < MOST_WAIT_US ? wait_us * 2 : MOST_WAIT_US;
		if (unwatched_us >= MEMORY_WAIT_US) {
			check_memory(workers);
			unwatched_us = 0;
		}
		fewer = fewer > workers->room ? workers->room : fewer;
	}
}

static enum csc_status run(struct workers *workers, const volatile int *stop, int64_t deadline_ns,
		struct diag *diag)
{
	enum csc_status status = CSC_OK;
	size_t next = 0;

	while (status == CSC_OK) {
		size_t job;

		wait_until(workers, workers->room);
		/* The last ones may yet have to begin again. */
		if (next == workers->count && workers->postponed_count == 0) {
			wait_until(workers, 1);
		}
		if ((next == workers->count && workers->postponed_count == 0) || (stop && *stop) ||
				(deadline_ns && sweep_clock_ns() >= deadline_ns)) {
			break;
		}
		job = workers->postponed_count > 0 ? workers->postponed[--workers->postponed_count]
						   : next++;
		status = start(workers, job, diag);
	}
	wait_until(workers, 1);
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
	size_t bytes = (count ? count : 1) * sizeof(*workers->results);
	enum csc_status status;

	if (!workers) {
		return DIAG_NO_MEMORY(diag);
	}
	workers->sweep = sweep;
	workers->jobs = jobs;
	workers->count = count;
	workers->room = sweep_workers(sweep);
	workers->budget_bytes = sweep->budget_bytes ? sweep->budget_bytes : memory_budget();
	workers->postponed = calloc(count + 1, sizeof(*workers->postponed));
	workers->results = mmap(
			NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (workers->results == MAP_FAILED || !workers->postponed) {
		status = DIAG_NO_MEMORY(diag);
	} else {
		status = run(workers, stop, deadline_ns, diag);
		memcpy(ret_results, workers->results, count * sizeof(*ret_results));
	}
	if (workers->results != MAP_FAILED) {
		(void)munmap(workers->results, bytes);
	}
	free(workers->postponed);
	free(workers);
	return status;
}
