/*
 * SPDX-License-Identifier: MIT
 *
 * A push is written under another name and renamed: what has a number is whole.
 */
#include "keep_spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

enum { DIGITS = 10 };

enum csc_status keep_spool_open(struct keep_spool *spool, const char *folder, uint64_t most_bytes,
		struct diag *diag)
{
	(void)snprintf(spool->folder, sizeof(spool->folder), "%s/spool", folder);
	spool->most_bytes = most_bytes;
	return files_use_folder(spool->folder, diag);
}

void keep_spool_path(const struct keep_spool *spool, const char *name,
		char ret_path[static SPOOL_PATH_BYTES])
{
	(void)snprintf(ret_path, SPOOL_PATH_BYTES, "%s/%.30s", spool->folder, name);
}

static int is_push(const struct dirent *entry)
{
	return strspn(entry->d_name, "0123456789") == DIGITS &&
			strcmp(entry->d_name + DIGITS, ".push") == 0;
}

/* Names in their order, to be freed by forget(); -1 and less: there are none. */
static int list(const struct keep_spool *spool, struct dirent ***ret_entries)
{
	*ret_entries = NULL;
	return scandir(spool->folder, ret_entries, is_push, alphasort);
}

static void forget(struct dirent **entries, int count)
{
	for (int i = 0; i < count; i++) {
		free(entries[i]);
	}
	free((void *)entries);
}

static uint64_t bytes_of(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 ? (uint64_t)about.st_size : 0;
}

struct keep_spool_size keep_spool_size(const struct keep_spool *spool)
{
	struct dirent **entries;
	int count = list(spool, &entries);
	struct keep_spool_size size = { 0 };
	char path[SPOOL_PATH_BYTES];

	for (int i = 0; i < count; i++) {
		keep_spool_path(spool, entries[i]->d_name, path);
		size.count++;
		size.bytes += bytes_of(path);
	}
	forget(entries, count);
	return size;
}

unsigned int keep_spool_first(const struct keep_spool *spool, unsigned int most,
		char (*ret_paths)[SPOOL_PATH_BYTES])
{
	struct dirent **entries;
	int count = list(spool, &entries);
	unsigned int found = 0;

	for (; (int)found < count && found < most; found++) {
		keep_spool_path(spool, entries[found]->d_name, ret_paths[found]);
	}
	forget(entries, count);
	return found;
}

bool keep_spool_oldest(const struct keep_spool *spool, char ret_path[static SPOOL_PATH_BYTES])
{
	char first[1][SPOOL_PATH_BYTES];
	bool is_any = keep_spool_first(spool, 1, first) > 0;

	if (is_any) {
		memcpy(ret_path, first[0], SPOOL_PATH_BYTES);
	}
	return is_any;
}

/* The number behind the newest. */
static unsigned long next_number(const struct keep_spool *spool)
{
	struct dirent **entries;
	int count = list(spool, &entries);
	unsigned long number = count > 0 ? strtoul(entries[count - 1]->d_name, NULL, DIGITS) : 0;

	forget(entries, count);
	return number + 1;
}

/* What a file has is on the disk before its name is. */
static bool is_synced(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool is_done = file >= 0 && fsync(file) == 0;

	if (file >= 0) {
		(void)close(file);
	}
	return is_done;
}

enum csc_status keep_spool_add(const struct keep_spool *spool, const char *path,
		unsigned int *ret_dropped, struct diag *diag)
{
	char name[32];
	char numbered[SPOOL_PATH_BYTES];

	*ret_dropped = 0;
	(void)snprintf(name, sizeof(name), "%0*lu.push", DIGITS, next_number(spool));
	keep_spool_path(spool, name, numbered);
	if (!is_synced(path) || rename(path, numbered) != 0) {
		return DIAG_FAIL(diag, "cannot write '%s': %s", numbered, strerror(errno));
	}
	while (keep_spool_size(spool).bytes > spool->most_bytes &&
			keep_spool_oldest(spool, numbered) && unlink(numbered) == 0) {
		++*ret_dropped;
	}
	return CSC_OK;
}
