/*
 * SPDX-License-Identifier: MIT
 *
 * The order of the work.
 */
#include "salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "salvage_copy.h"
#include "salvage_find.h"
#include "salvage_metadata.h"
#include "salvage_probe.h"
#include "salvage_state.h"
#include "salvage_stream.h"

/* In each work_dir: it is ours. */
static const char mark[] = ".carrierscope-salvage";

static enum csc_status trace_repair(struct salvage *salvage, struct salvage_trace *trace,
		size_t number, const char *metadata_file, struct diag *diag)
{
	struct diag lost = { .file = NULL };
	enum csc_status status;
	uint64_t packet;
	uint64_t events;

	if (asprintf(&trace->copy, "%s/%zu", salvage->work_dir, number) < 0) {
		trace->copy = NULL;
		return DIAG_NO_MEMORY(diag);
	}
	if (mkdir(trace->copy, 0777) != 0) {
		return DIAG_FAIL(diag, "cannot create '%s': %s", trace->copy, strerror(errno));
	}
	status = salvage_metadata_settle(salvage, trace, metadata_file, &lost);
	for (size_t i = 0; i < trace->file_count && status == CSC_OK; i++) {
		status = salvage_stream_repair(salvage, trace, &trace->files[i], &lost);
	}
	if (status == CSC_OK &&
			salvage_probe(trace->copy, !trace->tsdl ? false : true, &packet, &events) !=
					SALVAGE_PROBE_READ) {
		status = DIAG_FAIL(&lost, "Babeltrace does not read the repaired copy of '%s'",
				trace->origin);
	}
	if (status == CSC_ERROR) {
		struct salvage_record record = { .loss = { .kind = SALVAGE_TRACE_LOST,
								 .file = trace->origin },
			.trace = trace };

		trace->is_lost = true;
		files_remove_tree(trace->copy);
		status = salvage_record_add(salvage, &record, diag, "%s", lost.text);
	}
	return status;
}

/* Puts the traces that are lost behind those that are not. */
static size_t traces_sort(struct salvage *salvage)
{
	size_t kept = 0;

	for (size_t i = 0; salvage->traces && i < salvage->trace_count; i++) {
		struct salvage_trace *trace = salvage->traces[i];

		if (!trace->is_lost) {
			salvage->traces[i] = salvage->traces[kept];
			salvage->traces[kept++] = trace;
		}
	}
	return kept;
}

enum csc_status salvage_run(const char *const *inputs, size_t input_count,
		const char *metadata_file, const char *work_dir, struct salvage **ret_salvage,
		struct diag *diag)
{
	struct salvage *salvage = calloc(1, sizeof(*salvage));
	enum csc_status status = CSC_OK;

	if (!salvage) {
		return DIAG_NO_MEMORY(diag);
	}
	if (files_make_folder(work_dir) == 0) {
		salvage->is_work_dir_ours = true;
		salvage->work_dir_fd =
				open(work_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (salvage->work_dir_fd > 0) {
			int mark_fd = openat(salvage->work_dir_fd, mark,
					O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

			(void)flock(salvage->work_dir_fd, LOCK_EX | LOCK_NB);
			if (mark_fd >= 0) {
				(void)close(mark_fd);
			}
		}
	} else {
		status = DIAG_FAIL(diag, "cannot create '%s': %s", work_dir, strerror(errno));
	}
	salvage->work_dir = strdup(work_dir);
	if (!salvage->work_dir) {
		status = DIAG_NO_MEMORY(diag);
	}
	for (size_t i = 0; i < input_count && status == CSC_OK; i++) {
		status = salvage_find(salvage, inputs[i], diag);
	}
	for (size_t i = 0; salvage->traces && i < salvage->trace_count && status == CSC_OK; i++) {
		status = trace_repair(salvage, salvage->traces[i], i, metadata_file, diag);
	}
	if (status == CSC_OK && traces_sort(salvage) == 0 && salvage->record_count > 0) {
		status = DIAG_FAIL(diag, "%s",
				salvage->records[salvage->record_count - 1].loss.sentence);
	}
	if (status != CSC_OK) {
		salvage_destroy(salvage);
		return status;
	}
	for (size_t i = 0; i < salvage->record_count; i++) {
		salvage_record_finish(salvage, &salvage->records[i]);
	}
	*ret_salvage = salvage;
	return CSC_OK;
}

size_t salvage_trace_count(const struct salvage *salvage)
{
	size_t count = 0;

	while (count < salvage->trace_count && !salvage->traces[count]->is_lost) {
		count++;
	}
	return count;
}

const char *salvage_trace_dir(const struct salvage *salvage, size_t i)
{
	return salvage->traces[i]->copy;
}

const char *salvage_trace_origin(const struct salvage *salvage, size_t i)
{
	return salvage->traces[i]->origin;
}

size_t salvage_loss_count(const struct salvage *salvage)
{
	return salvage->record_count;
}

const struct salvage_loss *salvage_loss_at(const struct salvage *salvage, size_t i)
{
	return &salvage->records[i].loss;
}

/* A folder of the caller's with our mark in it. */
static bool is_work_dir(int fd, const struct stat *folder)
{
	struct stat file;

	return folder->st_uid == geteuid() && fstatat(fd, mark, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISREG(file.st_mode) && file.st_uid == geteuid();
}

/* `writer` 0: this process, which holds the lock. */
static void remove_work_dir(const char *work_dir, pid_t writer)
{
	int fd = open(work_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat folder;

	if (fd < 0) {
		return;
	}
	if (fstat(fd, &folder) == 0 &&
			(writer == 0 ||
					(files_is_writer_dead(writer, &folder) &&
							flock(fd, LOCK_EX | LOCK_NB) == 0))) {
		if (is_work_dir(fd, &folder)) {
			files_remove_tree(work_dir);
		} else if (folder.st_uid == geteuid()) {
			/* Ended before it was marked: it is empty, or not ours and stays. */
			(void)rmdir(work_dir);
		}
	}
	(void)close(fd);
}

void salvage_remove(const char *work_dir)
{
	remove_work_dir(work_dir, 0);
}

void salvage_remove_stale(const char *work_dir, pid_t writer)
{
	remove_work_dir(work_dir, writer);
}

void salvage_destroy(struct salvage *salvage)
{
	if (!salvage) {
		return;
	}
	for (size_t i = 0; salvage->traces && i < salvage->trace_count; i++) {
		salvage_trace_destroy(salvage->traces[i]);
	}
	if (salvage->is_work_dir_ours && salvage->work_dir) {
		files_remove_tree(salvage->work_dir);
	}
	if (salvage->work_dir_fd > 0) {
		(void)close(salvage->work_dir_fd);
	}
	for (size_t i = 0; i < salvage->record_count; i++) {
		free((void *)salvage->records[i].loss.sentence);
	}
	free(salvage->work_dir);
	free(salvage->traces);
	free(salvage->records);
	free(salvage->spans);
	free(salvage);
}
