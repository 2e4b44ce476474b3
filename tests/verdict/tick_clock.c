// SPDX-License-Identifier: MIT
// tick_clock: a clock for LTTng-UST (LTTNG_UST_CLOCK_PLUGIN) that moves 1 µs at each reading and
// not otherwise, so that what a recording says of a program's pace does not hang on the machine's.
// All programs that are to see the same time (session daemon, consumer, recorded program) are given
// the same file of 8 bytes in CSC_TICKS; it holds the readings so far.
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <lttng/ust-clock.h>

enum { TICK_NS = 1000 };

// A day, so that no time of a recording is 0 or near it.
static const uint64_t begin_ns = 86400000000000;

static _Atomic(uint64_t) *readings;

static uint64_t now(void)
{
	return begin_ns + TICK_NS * atomic_fetch_add(readings, 1);
}

static uint64_t ticks_per_second(void)
{
	return 1000000000;
}

static int id(char *uuid)
{
	memcpy(uuid, "c5c0c10c-0000-4000-8000-000000000001", LTTNG_UST_UUID_STR_LEN);
	return 0;
}

static const char *name(void)
{
	return "ticks";
}

static const char *description(void)
{
	return "1 us for each reading";
}

__attribute__((visibility("default"))) void lttng_ust_clock_plugin_init(void);

void lttng_ust_clock_plugin_init(void)
{
	const char *path = getenv("CSC_TICKS");
	int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *memory = file < 0
			? MAP_FAILED
			: mmap(NULL, sizeof *readings, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (file >= 0) {
		close(file);
	}
	if (memory == MAP_FAILED) {
		fputs("tick_clock: CSC_TICKS names no file of 8 bytes\n", stderr);
		abort();
	}
	readings = memory;
	if (lttng_ust_trace_clock_set_read64_cb(now) ||
			lttng_ust_trace_clock_set_freq_cb(ticks_per_second) ||
			lttng_ust_trace_clock_set_uuid_cb(id) ||
			lttng_ust_trace_clock_set_name_cb(name) ||
			lttng_ust_trace_clock_set_description_cb(description) ||
			lttng_ust_enable_trace_clock_override()) {
		fputs("tick_clock: the clock is not taken\n", stderr);
		abort();
	}
}
