/*
 * SPDX-License-Identifier: MIT
 */
#include "mark.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

struct mark {
	int pid;
	uint64_t start;
	uint32_t place;
};

/* The boot and the namespace of pids (FNV-1a). */
static uint32_t find_place(void)
{
	char text[96] = "";
	struct stat pids = { 0 };
	uint32_t hash = 2166136261U;
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	size_t length = file ? fread(text, 1, 36, file) : 0;

	if (file) {
		(void)fclose(file);
	}
	(void)stat("/proc/self/ns/pid", &pids);
	(void)snprintf(text + length, sizeof(text) - length, " %llu",
			(unsigned long long)pids.st_ino);
	for (const char *at = text; *at; at++) {
		hash = (hash ^ (unsigned char)*at) * 16777619U;
	}
	return hash;
}

static void write_mark(const struct mark *mark, char ret_mark[static MARK_BYTES])
{
	(void)snprintf(ret_mark, MARK_BYTES, "%d-%" PRIu64 "-%08" PRIx32, mark->pid, mark->start,
			mark->place);
}

/* What is read must be what would be written. */
static bool read_mark(const char *text, struct mark *ret_mark)
{
	char again[MARK_BYTES] = "";
	char *end;

	ret_mark->pid = (int)strtol(text, &end, 10);
	ret_mark->start = strtoull(*end == '-' ? end + 1 : end, &end, 10);
	ret_mark->place = (uint32_t)strtoul(*end == '-' ? end + 1 : end, &end, 16);
	write_mark(ret_mark, again);
	return ret_mark->pid > 0 && strcmp(text, again) == 0;
}

void mark_own(char ret_mark[static MARK_BYTES])
{
	struct mark mark = {
		.pid = (int)getpid(), .start = files_process_start(getpid()), .place = find_place()
	};

	write_mark(&mark, ret_mark);
}

pid_t mark_pid(const char *text)
{
	struct mark mark = { 0 };

	return read_mark(text, &mark) ? (pid_t)mark.pid : 0;
}

bool mark_is_here(const char *text)
{
	struct mark mark = { 0 };

	return read_mark(text, &mark) && mark.place == find_place();
}

bool mark_is_dead(const char *text)
{
	struct mark mark = { 0 };
	unsigned long long start;

	if (!read_mark(text, &mark) || mark.place != find_place()) {
		return false;
	}
	start = files_process_start((pid_t)mark.pid);
	if (start > 0) {
		return start != mark.start;
	}
	/* A zombie, or none; one that is there may be hidden, and where nothing can be seen,
	 * nothing is known. */
	return (kill((pid_t)mark.pid, 0) == 0 || errno == ESRCH) &&
			files_process_start(getpid()) > 0;
}
