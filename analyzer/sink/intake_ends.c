/*
 * SPDX-License-Identifier: MIT
 *
 * Streams are compared with each other, and with the files beside theirs.
 */
#include "intake_ends.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "catalog.h"
#include "intake_record.h"
#include "intake_source.h"
#include "packer_stream.h"
#include "store.h"

/* Where LTTng stops, nothing is recorded any more, and all streams end within a millisecond, on a
 * busy machine later.  Where a chunk ends, events go on meanwhile. */
#define AT_ONCE_NS INT64_C(200000000)

/* So much later another stream has not ended at the same stop. */
#define LONG_NS INT64_C(1000000000)

/* Streams whose end can be known: LTTng gives each a packet at least, even without an event, and
 * ends it where it stops. */
static bool is_whole(const struct stream_state *stream)
{
	return stream->is_of_file && stream->trace->fills_streams;
}

static bool are_siblings(const struct stream_state *left, const struct stream_state *right)
{
	return left->trace->number == right->trace->number &&
			left->rank.class_id == right->rank.class_id;
}

struct latest {
	int64_t event_ns;
	int64_t end_ns;
};

/* Among the streams of the same channel. */
static struct latest find_latest(const struct intake *intake, const struct stream_state *stream)
{
	struct latest latest = { stream->event_ns, stream->packet_end_ns };

	for (size_t i = 0; i < intake->stream_count; i++) {
		const struct stream_state *other = intake->streams[i];

		if (!are_siblings(stream, other)) {
			continue;
		}
		if (other->packet_end_ns != ROW_NULL && other->packet_end_ns > latest.end_ns) {
			latest.end_ns = other->packet_end_ns;
		}
		if (other->event_ns > latest.event_ns) {
			latest.event_ns = other->event_ns;
		}
	}

	return latest;
}

/* Notes what a stream lacks that ends before the others do. */
static enum csc_status note_early_end(
		struct intake *intake, const struct stream_state *stream, struct diag *diag)
{
	int64_t end_ns = stream->packet_end_ns;
	enum csc_status status;
	struct latest latest;

	if (end_ns == ROW_NULL) {
		return CSC_OK;
	}

	latest = find_latest(intake, stream);
	if ((uint64_t)latest.end_ns - (uint64_t)end_ns <
			(uint64_t)(end_ns < latest.event_ns ? AT_ONCE_NS : LONG_NS)) {
		return CSC_OK;
	}

	status = intake_add_loss(intake, stream->number, "not_delivered", end_ns, latest.end_ns,
			ROW_NULL, diag);
	return status == CSC_OK
			? store_problem(intake->store, "not_delivered", SEVERITY_DATA_LOSS, 1, diag,
					  "stream '%s' ends %.3f s before the others: what its "
					  "processor recorded later is missing, as after a kill "
					  "within an event",
					  stream->name,
					  (double)((uint64_t)latest.end_ns - (uint64_t)end_ns) /
							  1e9)
			: status;
}

/* Length of a name up to the number of the processor, "memory" of "memory_3"; 0: it has none. */
static size_t channel_length(const char *name)
{
	const char *line = strrchr(name, '_');

	return line && line[1] != '\0' && strspn(line + 1, "0123456789") == strlen(line + 1)
			? (size_t)(line - name)
			: 0;
}

/* Whether no earlier stream is of the same channel in the same folder: all that its path has up to
 * the number of the processor. */
static bool is_first(const struct intake *intake, size_t at, size_t length)
{
	const char *path = intake->streams[at]->name;

	for (size_t i = 0; i < at; i++) {
		const struct stream_state *other = intake->streams[i];

		if (is_whole(other) && strncmp(other->name, path, length) == 0 &&
				channel_length(other->name) == length) {
			return false;
		}
	}

	return true;
}

static bool is_empty_file(const char *folder, const char *name)
{
	struct stat about;
	char *path = NULL;
	bool is_empty = asprintf(&path, "%s%s", folder, name) >= 0 && lstat(path, &about) == 0 &&
			S_ISREG(about.st_mode) && about.st_size == 0;

	free(path);
	return is_empty;
}

static enum csc_status note_empty_file(
		struct intake *intake, const char *folder, const char *name, struct diag *diag)
{
	enum csc_status status = intake_add_loss(intake, -1, "not_delivered", ROW_NULL,
			intake->catalog->last_ns, ROW_NULL, diag);

	return status == CSC_OK
			? store_problem(intake->store, "not_delivered", SEVERITY_DATA_LOSS, 1, diag,
					  "stream '%s%s' is empty: what its processor recorded is "
					  "missing, as after a kill within an event",
					  folder, name)
			: status;
}

/* Notes files of the same channel that have nothing. */
static enum csc_status note_empty_files(struct intake *intake, size_t at, struct diag *diag)
{
	const char *path = intake->streams[at]->name;
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t channel = channel_length(name);
	enum csc_status status = CSC_OK;
	const struct dirent *entry;
	DIR *directory;
	char *folder;

	if (channel == 0 || !is_first(intake, at, channel_length(path))) {
		return CSC_OK;
	}

	folder = slash ? strndup(path, (size_t)(name - path)) : strdup("./");
	directory = folder ? opendir(folder) : NULL;
	while (directory && status == CSC_OK && (entry = readdir(directory))) {
		if (channel_length(entry->d_name) == channel &&
				strncmp(entry->d_name, name, channel) == 0 &&
				is_empty_file(folder, entry->d_name)) {
			status = note_empty_file(intake, folder, entry->d_name, diag);
		}
	}

	if (directory) {
		(void)closedir(directory);
	}
	status = folder ? status : DIAG_NO_MEMORY(diag);
	free(folder);
	return status;
}

enum csc_status intake_note_ends(struct intake *intake, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < intake->stream_count && status == CSC_OK; i++) {
		if (is_whole(intake->streams[i])) {
			status = note_early_end(intake, intake->streams[i], diag);
			if (status == CSC_OK) {
				status = note_empty_files(intake, i, diag);
			}
		}
	}

	return status;
}
