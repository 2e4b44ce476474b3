/* SPDX-License-Identifier: MIT */
/* Calls and types of a recording, in memory or a file. */
#include "decoded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decoded_internal.h"

/* Where a large recording goes if TMPDIR does not say. */
#define TEMPORARY_FOLDER "/var/tmp"

uint32_t decoded_slots(const struct decoded *decoded)
{
	return decoded->slots;
}

void decoded_types(const struct decoded *decoded, void *context, recording_take_type *take)
{
	for (size_t i = 0; i < decoded->type_count; i++) {
		const struct decoded_type *type = &decoded->types[i];

		take(context, type->number, type->name, type->allocator, type->bytes);
	}
}

void decoded_unmap(struct step_list *list)
{
	if (list->steps) {
		(void)munmap(list->steps, list->mapped_bytes);
	}
	*list = (struct step_list){ 0 };
}

void decoded_destroy(struct decoded *decoded)
{
	if (decoded) {
		decoded_unmap(&decoded->whole);
		decoded_unmap(&decoded->part);
		free(decoded->types);
		free(decoded);
	}
}

/* A file without a name, of so many bytes; -1: `diag` says why. */
static int open_file(size_t bytes, struct diag *diag)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	int file;

	folder = folder && *folder ? folder : TEMPORARY_FOLDER;
	if ((size_t)snprintf(path, sizeof(path), "%s/carrierscope-XXXXXX", folder) >=
			sizeof(path)) {
		(void)DIAG_FAIL(diag, "TMPDIR is too long");
		return -1;
	}
	file = mkostemp(path, O_CLOEXEC);
	if (file < 0) {
		(void)DIAG_FAIL(diag, "cannot make a file in '%s': %s", folder, strerror(errno));
		return -1;
	}
	(void)unlink(path);
	if (ftruncate(file, (off_t)bytes) != 0) {
		(void)DIAG_FAIL(diag, "cannot make a file of %zu MiB in '%s': %s", bytes >> 20,
				folder, strerror(errno));
		(void)close(file);
		return -1;
	}
	return file;
}

enum csc_status decoded_make_room(
		struct step_list *list, size_t steps, uint64_t memory_bytes, struct diag *diag)
{
	size_t bytes = (steps ? steps : 1) * sizeof(*list->steps);
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	int file = -1;
	void *found;

	if (bytes > memory_bytes) {
		flags = MAP_SHARED;
		file = open_file(bytes, diag);
		if (file < 0) {
			return CSC_ERROR;
		}
	}
	found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
	if (file >= 0) {
		(void)close(file);
	}
	if (found == MAP_FAILED) {
		return DIAG_FAIL(diag, "no room for %zu MiB of calls: %s", bytes >> 20,
				strerror(errno));
	}
	list->steps = found;
	list->mapped_bytes = bytes;
	return CSC_OK;
}
