/*
 * SPDX-License-Identifier: MIT
 *
 * The handler sets flags and wakes a thread, which waits for the end of the work and makes
 * one if none comes.
 */
#include "interrupt.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

/* Leaves something of the second for removing files. */
enum { PATIENCE_NS = 800000000 };

enum {
	/* The work goes on, nobody ends it. */
	WORK_RUNS,
	WORK_IS_OVER,

	/* The thread ends the program. */
	WORK_IS_LATE,
};

static volatile sig_atomic_t has_signal;
static volatile sig_atomic_t has_aborted;

/* Borrowed; bt_interrupter_set() only stores a flag. */
static bt_interrupter *volatile watched;
static const struct interrupt_end *end;
static atomic_int work = WORK_RUNS;
static sem_t woken;

static void handle(int number)
{
	int before = errno;

	(void)number;
	has_signal = 1;
	if (watched) {
		bt_interrupter_set(watched);
	}

	(void)sem_post(&woken);
	errno = before;
}

/* Babeltrace calls abort() for what it did not expect: the thread cleans up. */
static void handle_abort(int number)
{
	(void)number;
	if (atomic_load(&work) == WORK_IS_OVER) {
		return;
	}

	has_aborted = 1;
	(void)sem_post(&woken);
	for (;;) {
		(void)pause();
	}
}

/* Nobody may be reading standard error: then it is not waited for. */
static void print_line(const char *line)
{
	struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };

	if (line && poll(&out, 1, 0) == 1 && (out.revents & POLLOUT)) {
		(void)dprintf(STDERR_FILENO, "carrierscope: %s\n", line);
	}
}

static void *end_late(void *data)
{
	struct timespec left = { 0, PATIENCE_NS };
	int expected = WORK_RUNS;
	const char *line;

	(void)data;
	while (sem_wait(&woken) != 0) {
	}

	while (!has_aborted && nanosleep(&left, &left) != 0) {
	}

	if (!atomic_compare_exchange_strong(&work, &expected, WORK_IS_LATE)) {
		return NULL;
	}

	line = end->clean(end->data, has_aborted);
	print_line(line);
	_exit(has_aborted ? EXIT_FAILED : EXIT_INTERRUPTED);
}

/* Without it the first signal only asks. */
static void start_thread(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t all;
	sigset_t before;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	(void)pthread_attr_init(&attributes);
	(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	(void)pthread_create(&thread, &attributes, end_late, NULL);
	(void)pthread_attr_destroy(&attributes);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void interrupt_watch(bt_interrupter *interrupter, const struct interrupt_end *how)
{
	struct sigaction action = { 0 };

	watched = interrupter;
	end = how;
	(void)sem_init(&woken, 0, 0);
	start_thread();
	action.sa_handler = handle;
	/* The second signal has the default action. */
	action.sa_flags = (int)SA_RESETHAND;
	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	action.sa_handler = handle_abort;
	(void)sigaction(SIGABRT, &action, NULL);
}

void interrupt_unwatch(void)
{
	int expected = WORK_RUNS;

	watched = NULL;
	if (!atomic_compare_exchange_strong(&work, &expected, WORK_IS_OVER)) {
		/* The thread is about to end the program. */
		for (;;) {
			(void)pause();
		}
	}
}

bool interrupt_is_set(void)
{
	return has_signal != 0;
}
