/* SPDX-License-Identifier: MIT */
/* From /proc. */
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of KiB behind a name in a file of such lines, in bytes; UINT64_MAX: it is not there.
 */
static uint64_t read_kib(const char *path, const char *name)
{
	FILE *file = fopen(path, "r");
	char line[128];
	uint64_t bytes = UINT64_MAX;

	while (file && bytes == UINT64_MAX && fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':') {
			bytes = strtoull(line + strlen(name) + 1, NULL, 10) * 1024;
		}
	}
	if (file) {
		(void)fclose(file);
	}
	return bytes;
}

uint64_t memory_budget(void)
{
	uint64_t available = read_kib("/proc/meminfo", "MemAvailable");

	return available == UINT64_MAX ? available : available / 2;
}

uint64_t memory_of(pid_t pid)
{
	char path[64];
	uint64_t bytes;

	(void)snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	bytes = read_kib(path, "RssAnon");
	return bytes == UINT64_MAX ? 0 : bytes;
}
