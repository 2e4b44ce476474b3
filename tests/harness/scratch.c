/*
 * SPDX-License-Identifier: MIT
 */
#include "scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool scratch_open(struct scratch *scratch, const char *name)
{
	(void)snprintf(scratch->folder, sizeof(scratch->folder), "/tmp/csc_%.30s_test_XXXXXX",
			name);
	if (!mkdtemp(scratch->folder)) {
		scratch->folder[0] = '\0';
		return false;
	}

	(void)snprintf(scratch->path, sizeof(scratch->path), "%s/x.db", scratch->folder);
	return true;
}

static int visit(const struct scratch *scratch, bool is_removing)
{
	DIR *folder = opendir(scratch->folder);
	const struct dirent *entry;
	int files = 0;

	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.') {
			continue;
		}

		files++;
		if (is_removing) {
			(void)unlinkat(dirfd(folder), entry->d_name, 0);
		}
	}

	if (folder) {
		(void)closedir(folder);
	}

	return files;
}

int scratch_count(const struct scratch *scratch)
{
	return visit(scratch, false);
}

void scratch_empty(const struct scratch *scratch)
{
	(void)visit(scratch, true);
}

void scratch_close(const struct scratch *scratch)
{
	if (scratch->folder[0]) {
		scratch_empty(scratch);
		(void)rmdir(scratch->folder);
	}
}
