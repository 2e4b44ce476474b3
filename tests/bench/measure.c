/*
 * SPDX-License-Identifier: MIT
 *
 * measure FILE COMMAND [ARGUMENT...]: runs the command and appends one line to
 * FILE: wall seconds, user plus system seconds, peak resident KiB.  CPU time is
 * that of the command and all it waited for; the peak is that of the largest one
 * process of them.  Exits as the command did.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static int write_line(const char *path, double wall_s, const struct rusage *usage)
{
	FILE *file = fopen(path, "a");
	int status = -1;

	if (file &&
			fprintf(file, "%.4f %.4f %ld\n", wall_s,
					seconds_of(&usage->ru_utime) + seconds_of(&usage->ru_stime),
					usage->ru_maxrss) > 0) {
		status = 0;
	}
	if (file && fclose(file)) {
		status = -1;
	}
	return status;
}

int main(int argc, char **argv)
{
	const double begin_s = seconds_now();
	struct rusage usage;
	int status = 0;
	pid_t child;

	if (argc < 3) {
		(void)fprintf(stderr, "usage: measure FILE COMMAND [ARGUMENT...]\n");
		return 2;
	}
	child = fork();
	if (child == 0) {
		(void)execvp(argv[2], &argv[2]);
		(void)fprintf(stderr, "measure: cannot run '%s': %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	while (child < 0 || wait4(child, &status, 0, &usage) < 0) {
		if (child < 0 || errno != EINTR) {
			(void)fprintf(stderr, "measure: %s\n", strerror(errno));
			return 1;
		}
	}
	if (write_line(argv[1], seconds_now() - begin_s, &usage)) {
		(void)fprintf(stderr, "measure: cannot write '%s'\n", argv[1]);
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
