/*
 * SPDX-License-Identifier: MIT
 *
 * Everything the salvage writes, and removes again.
 */
#include "salvage_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "salvage_state.h"

enum { CHUNK_BYTES = 256 * 1024 };

static const char signature[] = "/* CTF 1.8 */\n";

static bool bytes_write(int fd, const void *bytes, size_t count)
{
	const char *at = bytes;

	while (count > 0) {
		ssize_t written = write(fd, at, count);

		if (written < 0 && errno == EINTR) {
			continue;
		}
		if (written <= 0) {
			return false;
		}
		at += written;
		count -= (size_t)written;
	}
	return true;
}

/* Copies a range of one file to the end of another, in pieces. */
static bool range_copy(int from, uint64_t offset, uint64_t count, int to, char *buffer)
{
	while (count > 0) {
		size_t want = count < CHUNK_BYTES ? (size_t)count : CHUNK_BYTES;
		ssize_t got = pread(from, buffer, want, (off_t)offset);

		if (got < 0 && errno == EINTR) {
			continue;
		}
		if (got <= 0) {
			errno = got == 0 ? EIO : errno;
			return false;
		}
		if (!bytes_write(to, buffer, (size_t)got)) {
			return false;
		}
		offset += (uint64_t)got;
		count -= (uint64_t)got;
	}
	return true;
}

static bool packet_write(const struct ctf_format *format, int from,
		const struct salvage_packet *packet, int to, char *buffer)
{
	size_t front_bytes = ctf_format_front_bytes(format);
	uint64_t offset = packet->packet.offset_bytes;
	uint64_t given_bytes = packet->content_bytes - packet->has_added_zero;
	uint64_t padding = packet->size_bytes - given_bytes;

	if (!packet->is_rewritten) {
		return range_copy(from, offset, packet->size_bytes, to, buffer);
	}
	if (pread(from, buffer, front_bytes, (off_t)offset) != (ssize_t)front_bytes) {
		errno = EIO;
		return false;
	}
	ctf_packet_set_sizes(format, (uint8_t *)buffer, 8 * packet->content_bytes,
			8 * packet->size_bytes);
	if (!bytes_write(to, buffer, front_bytes) ||
			!range_copy(from, offset + front_bytes, given_bytes - front_bytes, to,
					buffer)) {
		return false;
	}
	memset(buffer, 0, CHUNK_BYTES);
	while (padding > 0) {
		size_t count = padding < CHUNK_BYTES ? (size_t)padding : CHUNK_BYTES;

		if (!bytes_write(to, buffer, count)) {
			return false;
		}
		padding -= count;
	}
	return true;
}

enum csc_status salvage_copy_write(const struct salvage_trace *trace,
		const struct salvage_file *file, int fd, const struct salvage_packet *packets,
		size_t packet_count, struct diag *diag)
{
	char *path = salvage_path(trace->copy, file->name);
	char *buffer = malloc(CHUNK_BYTES);
	enum csc_status status = CSC_OK;
	int to = -1;

	if (!path || !buffer) {
		status = DIAG_NO_MEMORY(diag);
		goto end;
	}
	/* The name may be a link to the input: never write through it. */
	(void)unlink(path);
	to = files_create(path);
	if (to < 0) {
		status = DIAG_FAIL(diag, "cannot create '%s': %s", path, strerror(errno));
		goto end;
	}
	for (size_t i = 0; i < packet_count; i++) {
		if (!packets[i].is_dropped &&
				!packet_write(&trace->format, fd, &packets[i], to, buffer)) {
			status = DIAG_FAIL(diag, "cannot copy '%s' to '%s': %s", file->path, path,
					strerror(errno));
			goto end;
		}
	}
end:
	if (to >= 0 && close(to) != 0 && status == CSC_OK) {
		status = DIAG_FAIL(diag, "cannot write '%s': %s", path, strerror(errno));
	}
	free(buffer);
	free(path);
	return status;
}

enum csc_status salvage_copy_link(const struct salvage_trace *trace,
		const struct salvage_file *file, struct diag *diag)
{
	char *path = salvage_path(trace->copy, file->name);
	enum csc_status status = CSC_OK;

	if (!path) {
		return DIAG_NO_MEMORY(diag);
	}
	if (symlink(file->path, path) != 0) {
		status = DIAG_FAIL(diag, "cannot create '%s': %s", path, strerror(errno));
	}
	free(path);
	return status;
}

enum csc_status salvage_copy_remove(const struct salvage_trace *trace,
		const struct salvage_file *file, struct diag *diag)
{
	char *path = salvage_path(trace->copy, file->name);

	if (!path) {
		return DIAG_NO_MEMORY(diag);
	}
	(void)unlink(path);
	free(path);
	return CSC_OK;
}

enum csc_status salvage_text_write(const char *path, const char *text, struct diag *diag)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool is_ok;

	if (fd < 0) {
		return DIAG_FAIL(diag, "cannot create '%s': %s", path, strerror(errno));
	}
	/* A reader knows metadata in plain text by its first words. */
	is_ok = (strncmp(text, signature, sizeof(signature) - 2) == 0 ||
				bytes_write(fd, signature, strlen(signature))) &&
			bytes_write(fd, text, strlen(text));
	if (close(fd) != 0 || !is_ok) {
		return DIAG_FAIL(diag, "cannot write '%s': %s", path, strerror(errno));
	}
	return CSC_OK;
}
