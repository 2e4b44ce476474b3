/*
 * SPDX-License-Identifier: MIT
 */
#include "namespace.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The number of the namespace of a process; 0: it cannot be read. */
static ino_t namespace_of(const char *process)
{
	char path[64];
	struct stat about;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/ns/pid", process);
	return stat(path, &about) == 0 ? about.st_ino : 0;
}

/* What a process is numbered in the innermost namespace that it is in; 0: it cannot be read. */
static pid_t inner_pid(const char *process)
{
	char line[256];
	pid_t pid = 0;
	FILE *file;

	(void)snprintf(line, sizeof(line), "/proc/%.20s/status", process);
	file = fopen(line, "re");
	while (file && pid == 0 && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "NSpid:", 6) == 0) {
			const char *last = strrchr(line, '\t');

			pid = last ? (pid_t)strtol(last, NULL, 10) : 0;
		}
	}
	if (file) {
		(void)fclose(file);
	}
	return pid;
}

/* 0: there is none here. */
static pid_t find(pid_t inner, ino_t namespace)
{
	DIR *processes = opendir("/proc");
	const struct dirent *entry;
	pid_t found = 0;

	while (processes && found == 0 && (entry = readdir(processes))) {
		if (isdigit((unsigned char)entry->d_name[0]) &&
				namespace_of(entry->d_name) == namespace &&
				inner_pid(entry->d_name) == inner) {
			found = (pid_t)strtol(entry->d_name, NULL, 10);
		}
	}
	if (processes) {
		(void)closedir(processes);
	}
	return found;
}

pid_t namespace_read_pid(const char *text, const char **ret_rest)
{
	char *end;
	pid_t pid = (pid_t)strtol(text, &end, 10);
	ino_t namespace = *end == '@' ? (ino_t)strtoull(end + 1, &end, 10) : 0;
	pid_t here = namespace == 0 || namespace == namespace_of("self") ? pid
									 : find(pid, namespace);

	*ret_rest = end + strspn(end, " ");
	return here > 0 ? here : pid;
}
