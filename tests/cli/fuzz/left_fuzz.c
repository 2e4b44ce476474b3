/*
 * SPDX-License-Identifier: MIT
 *
 * What a killed recorder or keeper may have left half, or somebody has changed: its note, and the
 * index of a keeper's folder.  Whatever they say, only what they may name is removed.
 *
 * Input: a byte, 'i' for an index, else a note; then the file.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "keep_index.h"
#include "note.h"

static char folder[] = "/tmp/csc_left_fuzz_XXXXXX";

/* A process of our number that began at another time: it is dead. */
static char dead[MARK_BYTES + 8];

static void write_file(const char *name, const void *bytes, size_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || close(fd) != 0) {
		abort();
	}
}

static void remove_folder(void)
{
	files_remove_tree(folder);
}

static void set_up(void)
{
	char own[MARK_BYTES];

	mark_own(own);
	(void)snprintf(dead, sizeof(dead), "%d-7%s", (int)getpid(), strrchr(own, '-'));
	if (!mkdtemp(folder) || chdir(folder) != 0 || mkdir(".carrierscope", 0700) != 0 ||
			mkdir("kept", 0700) != 0 || setenv("LTTNG_HOME", folder, 1) != 0) {
		abort();
	}
	(void)atexit(remove_folder);
}

static void look_at(struct note *note, void *context)
{
	unsigned int *count = context;

	if (strlen(note->node) >= sizeof(note->node) ||
			strlen(note->target) >= sizeof(note->target) ||
			strlen(note->trace) >= sizeof(note->trace) ||
			strcmp(note->mark, dead) != 0) {
		abort();
	}
	++*count;
}

static void read_note(const uint8_t *data, size_t size)
{
	char name[MARK_BYTES + 32];
	unsigned int count = 0;

	(void)mkdir(".carrierscope", 0700);
	(void)snprintf(name, sizeof(name), ".carrierscope/%s", dead);
	write_file(name, data, size);
	note_each_dead(look_at, &count);
	/* One that is half is removed. */
	if ((access(name, F_OK) == 0) != (count == 1)) {
		abort();
	}
	(void)unlink(name);
}

static void prune(const uint8_t *data, size_t size)
{
	/* Longer than what an index is likely to say of them. */
	static const char text[] = "a file of somebody else, in the folder, above it, and hidden";

	write_file("canary.db", text, sizeof(text));
	write_file("kept/theirs.db", text, sizeof(text));
	write_file("kept/.keeper", "", 0);
	write_file("kept/.kept", data, size);
	keep_index_prune("kept", 1);
	if (access("canary.db", F_OK) != 0 || access("kept/theirs.db", F_OK) != 0 ||
			access("kept/.keeper", F_OK) != 0 || access("kept/.kept.new", F_OK) == 0) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0) {
		return 0;
	}
	if (!*dead) {
		set_up();
	}
	if (data[0] == 'i') {
		prune(data + 1, size - 1);
	} else {
		read_note(data + 1, size - 1);
	}
	return 0;
}
