/*
 * SPDX-License-Identifier: MIT
 *
 * Which directories are traces: those with a metadata file, or with a file that
 * holds CTF packets.
 */
#include "salvage_find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "growing.h"
#include "salvage_state.h"

enum {
	DEPTH_MAX = 32,
	PAGE_BYTES = 4096,

	/* So far a packet's magic is looked for in a directory without metadata. */
	SEARCH_PAGES = 256,
};

void salvage_trace_destroy(struct salvage_trace *trace)
{
	if (!trace) {
		return;
	}
	for (size_t i = 0; i < trace->file_count; i++) {
		free(trace->files[i].path);
	}
	free(trace->files);
	free(trace->origin);
	free(trace->copy);
	free(trace->text);
	tsdl_destroy(trace->tsdl);
	free(trace);
}

static bool has_magic(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_found = false;
	bool is_big_endian;
	uint8_t bytes[4];

	for (off_t page = 0; fd >= 0 && page < SEARCH_PAGES && !is_found; page++) {
		if (pread(fd, bytes, sizeof(bytes), page * PAGE_BYTES) != sizeof(bytes)) {
			break;
		}
		is_found = ctf_magic_is_at(bytes, &is_big_endian);
	}
	if (fd >= 0) {
		(void)close(fd);
	}
	return is_found;
}

static enum csc_status file_add(
		struct salvage_trace *trace, char *path, uint64_t size_bytes, struct diag *diag)
{
	if (!csc_grow_by_one(&trace->files, trace->file_count, sizeof(*trace->files))) {
		free(path);
		return DIAG_NO_MEMORY(diag);
	}
	trace->files[trace->file_count++] = (struct salvage_file){
		.path = path, .name = strrchr(path, '/') + 1, .size_bytes = size_bytes
	};
	return CSC_OK;
}

static enum csc_status trace_add(
		struct salvage *salvage, struct salvage_trace *trace, struct diag *diag)
{
	if (!csc_grow_by_one(&salvage->traces, salvage->trace_count,
			    sizeof(struct salvage_trace *))) {
		salvage_trace_destroy(trace);
		return DIAG_NO_MEMORY(diag);
	}
	salvage->traces[salvage->trace_count++] = trace;
	return CSC_OK;
}

static enum csc_status directory_walk(
		struct salvage *salvage, const char *path, unsigned int depth, struct diag *diag);

static struct salvage_trace *trace_create(const char *origin)
{
	struct salvage_trace *trace = calloc(1, sizeof(*trace));

	if (!trace) {
		return NULL;
	}
	trace->first_cycles = UINT64_MAX;
	trace->origin = strdup(origin);
	if (!trace->origin) {
		free(trace);
		return NULL;
	}
	return trace;
}

/* One name of a directory: a file of its trace, or a directory to look into. */
// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static enum csc_status entry_take(struct salvage *salvage, struct salvage_trace *trace,
		const char *directory, const char *name, unsigned int depth, bool *has_packets,
		struct diag *diag)
{
	char *path = salvage_path(directory, name);
	enum csc_status status = CSC_OK;
	struct stat about;

	if (!path) {
		return DIAG_NO_MEMORY(diag);
	}
	if (name[0] == '.' || stat(path, &about) != 0) {
		free(path);
		return CSC_OK;
	}
	if (S_ISDIR(about.st_mode)) {
		struct stat link;

		if (strcmp(name, "index") != 0 && lstat(path, &link) == 0 &&
				!S_ISLNK(link.st_mode)) {
			status = directory_walk(salvage, path, depth + 1, diag);
		}
		free(path);
		return status;
	}
	if (!S_ISREG(about.st_mode)) {
		free(path);
		return CSC_OK;
	}
	if (strcmp(name, "metadata") == 0) {
		trace->has_metadata = true;
		free(path);
		return CSC_OK;
	}
	*has_packets |= has_magic(path);
	return file_add(trace, path, (uint64_t)about.st_size, diag);
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static enum csc_status directory_walk(
		struct salvage *salvage, const char *path, unsigned int depth, struct diag *diag)
{
	struct salvage_trace *trace = NULL;
	struct dirent **names = NULL;
	enum csc_status status = CSC_OK;
	bool has_packets = false;
	struct stat about;
	struct stat work;
	int count;

	if (depth > DEPTH_MAX ||
			(stat(path, &about) == 0 && stat(salvage->work_dir, &work) == 0 &&
					about.st_dev == work.st_dev &&
					about.st_ino == work.st_ino)) {
		return CSC_OK;
	}
	count = scandir(path, &names, NULL, alphasort);
	if (count < 0 && depth == 0) {
		return DIAG_FAIL(diag, "cannot read directory '%s': %s", path, strerror(errno));
	}
	trace = trace_create(path);
	if (count < 0 && trace) {
		/* As good as a trace that cannot be repaired: it will be found to be lost. */
		trace->has_metadata = true;
		return trace_add(salvage, trace, diag);
	}
	if (!trace) {
		status = DIAG_NO_MEMORY(diag);
	}
	for (int i = 0; i < count; i++) {
		if (trace && status == CSC_OK) {
			status = entry_take(salvage, trace, path, names[i]->d_name, depth,
					&has_packets, diag);
		}
		free(names[i]);
	}
	free((void *)names);
	if (trace && status == CSC_OK && (trace->has_metadata || has_packets)) {
		return trace_add(salvage, trace, diag);
	}
	salvage_trace_destroy(trace);
	return status;
}

enum csc_status salvage_find(struct salvage *salvage, const char *input, struct diag *diag)
{
	size_t before = salvage->trace_count;
	char *path = realpath(input, NULL);
	enum csc_status status;

	if (!path) {
		return DIAG_FAIL(diag, "cannot open '%s': %s", input, strerror(errno));
	}
	status = directory_walk(salvage, path, 0, diag);
	if (status == CSC_OK && salvage->trace_count == before) {
		status = DIAG_FAIL(diag, "no CTF trace in or below '%s'", input);
	}
	free(path);
	return status;
}
