/*
 * SPDX-License-Identifier: MIT
 *
 * The order of the work, and the list of losses.
 */
#include "salvage_state.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

char *salvage_path(const char *directory, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

enum csc_status salvage_record_add(struct salvage *salvage, const struct salvage_record *record,
		struct diag *diag, const char *format, ...)
{
	struct salvage_record *records =
			realloc(salvage->records, (salvage->record_count + 1) * sizeof(*records));
	char *sentence;
	va_list arguments;
	int length;

	if (!records) {
		return DIAG_NO_MEMORY(diag);
	}
	salvage->records = records;
	va_start(arguments, format);
	length = vasprintf(&sentence, format, arguments);
	va_end(arguments);
	if (length < 0) {
		return DIAG_NO_MEMORY(diag);
	}
	records[salvage->record_count] = *record;
	records[salvage->record_count++].loss.sentence = sentence;
	return CSC_OK;
}

enum csc_status salvage_span_add(
		struct salvage *salvage, const struct ctf_packet *packet, const uint8_t *uuid)
{
	struct salvage_span *span;
	struct salvage_span *spans;

	for (size_t i = salvage->span_count; i > 0; i--) {
		span = &salvage->spans[i - 1];
		if (span->stream_id == packet->stream_id &&
				span->instance_id == packet->instance_id &&
				memcmp(span->uuid, uuid, CTF_UUID_BYTES) == 0) {
			span->low_seq = packet->seq < span->low_seq ? packet->seq : span->low_seq;
			span->high_seq =
					packet->seq > span->high_seq ? packet->seq : span->high_seq;
			return CSC_OK;
		}
	}
	spans = realloc(salvage->spans, (salvage->span_count + 1) * sizeof(*spans));
	if (!spans) {
		return CSC_NO_MEMORY;
	}
	salvage->spans = spans;
	span = &spans[salvage->span_count++];
	*span = (struct salvage_span){ .stream_id = packet->stream_id,
		.instance_id = packet->instance_id,
		.low_seq = packet->seq,
		.high_seq = packet->seq };
	memcpy(span->uuid, uuid, CTF_UUID_BYTES);
	return CSC_OK;
}

static int64_t clock_ns(const struct tsdl_clock *clock, uint64_t cycles)
{
	__extension__ typedef __int128 wide;
	wide total = (wide)cycles + clock->offset_cycles;

	return (int64_t)(total * 1000000000 / (wide)clock->freq_hz +
			(wide)clock->offset_s * 1000000000);
}

static void record_finish(const struct salvage *salvage, struct salvage_record *record)
{
	const struct salvage_trace *trace = record->trace;
	const struct tsdl_clock *clock = trace->tsdl ? tsdl_clock_borrow(trace->tsdl) : NULL;
	uint64_t begin = record->begin_cycles;
	uint64_t end = record->end_cycles;

	if (record->loss.kind == SALVAGE_METADATA_REMADE ||
			record->loss.kind == SALVAGE_FOREIGN_FILE ||
			record->loss.kind == SALVAGE_INDEX_WRONG) {
		return;
	}
	if (trace->first_cycles <= trace->last_cycles) {
		begin = begin == 0 ? trace->first_cycles : begin;
		end = end == UINT64_MAX ? trace->last_cycles : end;
	}
	if (clock && clock->freq_hz > 0 && begin > 0 && end < UINT64_MAX) {
		end = end < begin ? begin : end;
		record->loss.has_interval = true;
		record->loss.begin_ns = clock_ns(clock, begin);
		record->loss.end_ns = clock_ns(clock, end);
	}
	for (size_t i = 0; i < salvage->span_count && record->has_seq; i++) {
		const struct salvage_span *span = &salvage->spans[i];

		record->loss.is_seen_by_reader |= span->stream_id == record->stream_id &&
				span->instance_id == record->instance_id &&
				memcmp(span->uuid, trace->format.uuid, CTF_UUID_BYTES) == 0 &&
				span->low_seq < record->seq && record->seq < span->high_seq;
	}
}

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
		salvage_tree_remove(trace->copy);
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
	if (mkdir(work_dir, 0777) == 0) {
		salvage->is_work_dir_ours = true;
		salvage->work_dir_fd = open(work_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (salvage->work_dir_fd > 0) {
			(void)flock(salvage->work_dir_fd, LOCK_EX | LOCK_NB);
		}
	} else if (errno != EEXIST) {
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
		record_finish(salvage, &salvage->records[i]);
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

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	(void)remove(path);
	return 0;
}

void salvage_remove(const char *work_dir)
{
	enum { OPEN_DIRECTORIES = 8, TRIALS = 5 };

	/* Whoever still writes into it may make one file more. */
	for (int i = 0; i < TRIALS &&
			nftw(work_dir, remove_entry, OPEN_DIRECTORIES,
					FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0;
			i++) {
	}
}

void salvage_remove_stale(const char *work_dir)
{
	int fd = open(work_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0) {
		return;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		salvage_remove(work_dir);
	}
	(void)close(fd);
}

void salvage_destroy(struct salvage *salvage)
{
	if (!salvage) {
		return;
	}
	for (size_t i = 0; salvage->traces && i < salvage->trace_count; i++) {
		if (salvage->traces[i]->copy) {
			salvage_tree_remove(salvage->traces[i]->copy);
		}
		salvage_trace_destroy(salvage->traces[i]);
	}
	if (salvage->is_work_dir_ours && salvage->work_dir) {
		(void)rmdir(salvage->work_dir);
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
