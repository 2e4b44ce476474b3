/*
 * SPDX-License-Identifier: MIT
 *
 * A salvage at work: its traces, their files, and the losses so far.
 */
#ifndef CSC_SALVAGE_STATE_H
#define CSC_SALVAGE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctf_packet.h"
#include "diag.h"
#include "salvage_loss.h"
#include "tsdl.h"

struct salvage_file {
	char *path;

	/* Borrowed from path: behind the last slash. */
	const char *name;

	uint64_t size_bytes;

	/* It stands in the copy. */
	bool is_kept;
};

struct salvage_trace {
	char *origin;

	/* The repaired copy. */
	char *copy;

	struct salvage_file *files;
	size_t file_count;
	bool has_metadata;

	struct ctf_format format;
	bool has_format;

	/* NULL when the layout is not LTTng's: streams are handed over untouched. */
	struct tsdl *tsdl;
	char *text;

	/* Of all kept packets, in cycles; first > last while there is none. */
	uint64_t first_cycles;
	uint64_t last_cycles;

	bool is_lost;
};

/* A loss before its interval is in nanoseconds. */
struct salvage_record {
	struct salvage_loss loss;

	/* Borrowed. */
	const struct salvage_trace *trace;

	/* An end that is not known is 0 or UINT64_MAX. */
	uint64_t begin_cycles;
	uint64_t end_cycles;

	/* A number that one of the lost packets had. */
	bool has_seq;
	uint64_t seq;
	uint32_t stream_id;
	uint64_t instance_id;
};

/* The numbers of the packets kept of one stream. */
struct salvage_span {
	uint8_t uuid[CTF_UUID_BYTES];
	uint32_t stream_id;
	uint64_t instance_id;
	uint64_t low_seq;
	uint64_t high_seq;
};

struct salvage {
	char *work_dir;
	bool is_work_dir_ours;

	/* Locked while the salvage is at work; 0: it is not open. */
	int work_dir_fd;
	struct salvage_trace **traces;
	size_t trace_count;
	struct salvage_record *records;
	size_t record_count;
	struct salvage_span *spans;
	size_t span_count;
};

enum csc_status salvage_record_add(struct salvage *salvage, const struct salvage_record *record,
		struct diag *diag, const char *format, ...) __attribute__((format(printf, 4, 5)));
enum csc_status salvage_span_add(
		struct salvage *salvage, const struct ctf_packet *packet, const uint8_t *uuid);

/* The interval of a loss, once all packets are known. */
void salvage_record_finish(const struct salvage *salvage, struct salvage_record *record);

/* A path of two parts; NULL means out of memory. */
char *salvage_path(const char *directory, const char *name);

#endif
