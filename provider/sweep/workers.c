/* SPDX-License-Identifier: MIT */
/* A process for each job, as many at a time as there are processors. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep_internal.h"

#define WORKERS_MAX 256

struct workers {
	struct sweep *sweep;
	const struct sweep_job *jobs;
	size_t count;

	/* Shared with the processes. */
	struct sweep_result *results;

	/* The processes that run, and the job of each. */
	pid_t pids[WORKERS_MAX];
	size_t job_of[WORKERS_MAX];
	uint32_t running;
	uint32_t room;
};

static int64_t clock_ns(void)
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
	pid_t pid = fork();

	if (pid < 0) {
		return DIAG_FAIL(diag, "cannot start a process: %s", strerror(errno));
	}
	if (pid == 0) {
		work(workers, job);
	}
	workers->pids[workers->running] = pid;
	workers->job_of[workers->running++] = job;
	return CSC_OK;
}

/* Waits for one of the processes. */
static void reap(struct workers *workers)
{
	int status = 0;
	pid_t pid = waitpid(workers->pids[0], &status, workers->running > 1 ? WNOHANG : 0);
	uint32_t at = 0;

	if (pid == 0) {
		/* Whichever ends first; others than ours are left to whom they belong. */
		siginfo_t info = { 0 };

		(void)waitid(P_ALL, 0, &info, WEXITED | WNOWAIT);
		while (at < workers->running && workers->pids[at] != info.si_pid) {
			at++;
		}
		at = at < workers->running ? at : 0;
		pid = waitpid(workers->pids[at], &status, 0);
	}
	if (pid < 0 && errno == EINTR) {
		return;
	}
	if (pid >= 0 && WIFSIGNALED(status)) {
		struct sweep_result *result = &workers->results[workers->job_of[at]];

		result->is_done = false;
		(void)DIAG_FAIL(&result->diag, "the replay was ended by signal %d",
				WTERMSIG(status));
	}
	workers->running--;
	workers->pids[at] = workers->pids[workers->running];
	workers->job_of[at] = workers->job_of[workers->running];
}

static enum csc_status run(struct workers *workers, const volatile int *stop, int64_t deadline_ns,
		struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (size_t i = 0; status == CSC_OK && i < workers->count; i++) {
		while (workers->running >= workers->room) {
			reap(workers);
		}
		if ((stop && *stop) || (deadline_ns && clock_ns() >= deadline_ns)) {
			break;
		}
		status = start(workers, i, diag);
	}
	while (workers->running > 0) {
		reap(workers);
	}
	return status;
}

enum csc_status sweep_run(struct sweep *sweep, const struct sweep_job *jobs, size_t count,
		struct sweep_result *ret_results, const volatile int *stop, int64_t deadline_ns,
		struct diag *diag)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct workers workers = {
		.sweep = sweep,
		.jobs = jobs,
		.count = count,
		.room = sweep->workers ? sweep->workers
				       : (uint32_t)(processors > 0 ? processors : 1),
	};
	size_t bytes = (count ? count : 1) * sizeof(*workers.results);
	enum csc_status status;

	workers.room = workers.room < WORKERS_MAX ? workers.room : WORKERS_MAX;
	workers.results = mmap(
			NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (workers.results == MAP_FAILED) {
		return DIAG_NO_MEMORY(diag);
	}
	status = run(&workers, stop, deadline_ns, diag);
	memcpy(ret_results, workers.results, count * sizeof(*ret_results));
	(void)munmap(workers.results, bytes);
	return status;
}
