/*
 * SPDX-License-Identifier: MIT
 *
 * half_event COUNT [whole|on]: COUNT allocations on one processor, as many frees of blocks from
 * before on another one; then the process dies within an event on the first.
 *
 *   whole   it ends instead
 *   on      it begins when it reads a line; a thread stays within an event, another one goes on
 *           behind it on the same processor, and then it kills itself
 *
 * Prints the number of the first processor before that.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "half_event_tp.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "carrierscope_tp.h"

/* Runs on the processor `number` of those that are allowed; yields its own number, -1: there is
 * none. */
static int go_to(const cpu_set_t *allowed, int number)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		cpu_set_t one;

		if (!CPU_ISSET(cpu, allowed) || number-- > 0) {
			continue;
		}
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		return sched_setaffinity(0, sizeof(one), &one) == 0 ? cpu : -1;
	}

	return -1;
}

static void stay(int signal)
{
	static const char within[] = "within\n";

	(void)signal;
	(void)write(STDOUT_FILENO, within, sizeof(within) - 1);
	for (;;) {
		(void)pause();
	}
}

/* Emits an event of memory that cannot be read. */
static void *emit_half(void *nothing)
{
	lttng_ust_tracepoint(org_erlang_dyntrace, process_half, nothing, 1);
	return NULL;
}

static void allocate(uint64_t from, uint64_t count)
{
	for (uint64_t i = from; i < from + count; i++) {
		lttng_ust_tracepoint(carrierscope, block_alloc, i * 16, 16, 1, 1, 0);
	}
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	const char *how = argc > 2 ? argv[2] : "";
	void *nothing = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool goes_on = strcmp(how, "on") == 0;
	cpu_set_t allowed;
	pthread_t thread;
	int cpu;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || nothing == MAP_FAILED ||
			CPU_COUNT(&allowed) < 2) {
		return 77;
	}
	if (goes_on) {
		(void)signal(SIGSEGV, stay);
		(void)getchar();
	}
	cpu = go_to(&allowed, 0);
	allocate(1, count);
	if (cpu < 0 || go_to(&allowed, 1) < 0) {
		return 77;
	}
	for (uint64_t i = 1; i <= count; i++) {
		lttng_ust_tracepoint(carrierscope, block_free, (3 * count + i) * 16, 16, 1, 1, 0);
	}
	(void)go_to(&allowed, 0);
	printf("%d\n", cpu);
	(void)fflush(stdout);
	if (goes_on && pthread_create(&thread, NULL, emit_half, nothing) == 0) {
		(void)usleep(200000);
		allocate(count + 1, count);
		(void)raise(SIGKILL);
	} else if (strcmp(how, "whole") != 0) {
		(void)emit_half(nothing);
	}
	return 0;
}
