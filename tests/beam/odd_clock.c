/* SPDX-License-Identifier: MIT */
/* Preloaded: the time of day that a program reads is as many seconds off as the file $ODD_CLOCK
 * says. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static const volatile signed char *offset_hours;

__attribute__((constructor)) static void begin(void)
{
	const char *name = getenv("ODD_CLOCK");
	int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	void *page = file < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);

	if (page != MAP_FAILED) {
		offset_hours = page;
	}
}

/* The file has one byte: hours, as a signed number. */
static time_t offset(void)
{
	return offset_hours ? (time_t)*offset_hours * 3600 : 0;
}

int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	static int (*real)(clockid_t, struct timespec *);
	int status;

	if (!real) {
		real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	}
	status = real(clock, ret_time);
	if (status == 0 && clock == CLOCK_REALTIME) {
		ret_time->tv_sec += offset();
	}
	return status;
}

int gettimeofday(struct timeval *restrict ret_time, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	ret_time->tv_sec = now.tv_sec;
	ret_time->tv_usec = now.tv_nsec / 1000;
	return 0;
}
