/*
 * SPDX-License-Identifier: MIT
 *
 * What the parts of the salvage share: salvage.c (order of work), _find (traces
 * and files), _metadata, _stream (packets), _copy (repaired files), _probe.
 */
#ifndef CSC_SALVAGE_INTERNAL_H
#define CSC_SALVAGE_INTERNAL_H

#include "salvage.h"

#include "ctf_packet.h"
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

/* salvage_find.c: adds the traces in or below a directory. */
enum csc_status salvage_find(struct salvage *salvage, const char *input, struct diag *diag);
void salvage_trace_destroy(struct salvage_trace *trace);

/* salvage_metadata.c: settles format and layout, and writes the copy's metadata. */
enum csc_status salvage_metadata_settle(struct salvage *salvage, struct salvage_trace *trace,
		const char *metadata_file, struct diag *diag);

/* salvage_stream.c: puts the sound packets of a file into the copy. */
enum csc_status salvage_stream_repair(struct salvage *salvage, struct salvage_trace *trace,
		struct salvage_file *file, struct diag *diag);

/* Yields the offset of the next packet's mark from `from` on, UINT64_MAX for none. */
uint64_t salvage_mark_find(int fd, const struct ctf_format *format, uint64_t from);

/* salvage_copy.c: the packets to write, in the order of the file. */
struct salvage_packet {
	struct ctf_packet packet;

	/* In the input: bytes of content and bytes of all. */
	uint64_t content_bytes;
	uint64_t size_bytes;

	/* The sizes differ from those in the front. */
	bool is_rewritten;
	bool is_dropped;
};
enum csc_status salvage_copy_write(const struct salvage_trace *trace,
		const struct salvage_file *file, int fd, const struct salvage_packet *packets,
		size_t packet_count, struct diag *diag);
enum csc_status salvage_copy_link(const struct salvage_trace *trace,
		const struct salvage_file *file, struct diag *diag);
enum csc_status salvage_copy_remove(const struct salvage_trace *trace,
		const struct salvage_file *file, struct diag *diag);
enum csc_status salvage_text_write(const char *path, const char *text, struct diag *diag);
void salvage_tree_remove(const char *path);

/* salvage_probe.c */
enum salvage_probe_result {
	SALVAGE_PROBE_READ,

	/* Decoding fails in the packet of that number (from 0), or before the first. */
	SALVAGE_PROBE_FAILED,
	SALVAGE_PROBE_NO_MEMORY,
};

/*
 * Lets Babeltrace decode all streams of a trace directory one after the other;
 * with has_opening_only it only opens them.  Prints nothing, leaves no error behind.
 */
enum salvage_probe_result salvage_probe(const char *trace_dir, bool has_opening_only,
		uint64_t *ret_packet, uint64_t *ret_events);

/* salvage.c */
enum csc_status salvage_record_add(struct salvage *salvage, const struct salvage_record *record,
		struct diag *diag, const char *format, ...) __attribute__((format(printf, 4, 5)));
enum csc_status salvage_span_add(
		struct salvage *salvage, const struct ctf_packet *packet, const uint8_t *uuid);

/* A path of two parts; NULL means out of memory. */
char *salvage_path(const char *directory, const char *name);

#endif
