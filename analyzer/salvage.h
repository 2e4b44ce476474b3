/*
 * SPDX-License-Identifier: MIT
 *
 * Makes copies of damaged CTF traces that Babeltrace reads, and tells what is
 * lost.  The input is only ever read.
 *
 * A packet is kept when its front is the trace's, its sizes and times can be
 * true, and its events decode one by one to the end of its content.  Of a packet
 * that is cut the whole events are kept; of one whose events do not decode, those
 * before the damage, less the last (damage seldom begins where an event does).
 * Damage that leaves events decodable cannot be seen.
 */
#ifndef CSC_SALVAGE_H
#define CSC_SALVAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"

enum salvage_loss_kind {
	/* Bytes without a sound packet front. */
	SALVAGE_HEADER_DAMAGED,

	/* The file ends inside a packet, or before packets that the index tells of. */
	SALVAGE_PACKET_CUT,

	/* The events of a packet do not decode. */
	SALVAGE_PACKET_UNDECODABLE,

	/* A stream file of 0 bytes. */
	SALVAGE_STREAM_EMPTY,

	/* The metadata was made anew or taken from a sibling: nothing is lost but certainty. */
	SALVAGE_METADATA_REMADE,

	/* A file that is no stream of this trace. */
	SALVAGE_FOREIGN_FILE,

	/* The index does not agree with the stream; it is not used. */
	SALVAGE_INDEX_WRONG,

	/* A whole trace that nothing could be made of. */
	SALVAGE_TRACE_LOST,
};

struct salvage_loss {
	enum salvage_loss_kind kind;

	/* The input file, and the range of it that is not loaded. */
	const char *file;
	uint64_t offset_bytes;
	uint64_t length_bytes;

	/*
	 * When the lost events happened: not before, not after; nanoseconds since
	 * the epoch, or of the clock when the clock's offset is not known.  Where
	 * nothing better is known an end is that of the trace.
	 */
	bool has_interval;
	int64_t begin_ns;
	int64_t end_ns;

	/* Packets lost in whole or in part; 0 when none is missing or it is not known. */
	uint64_t packets;

	/*
	 * The reader sees the same gap in the packets' numbers and sends a message of
	 * discarded packets for it: count that one, and not this record.  False for
	 * packets lost in part and at either end of a stream, where the reader sees
	 * nothing and this record is the one that counts.
	 */
	bool is_seen_by_reader;

	/* For a human; lower case, no full stop. */
	const char *sentence;
};

struct salvage;

/*
 * Repairs every trace in or below the inputs into subdirectories of work_dir,
 * which is made when missing.  metadata_file (or NULL) is the metadata of a
 * sibling session, used for traces whose own is missing or damaged.
 *
 * Fails when no trace could be salvaged, or when the copies cannot be written;
 * work_dir is then as empty as before.  A trace that could not be salvaged beside
 * others is a loss.
 */
enum csc_status salvage_run(const char *const *inputs, size_t input_count,
		const char *metadata_file, const char *work_dir, struct salvage **ret_salvage,
		struct diag *diag);

/* The directory of a repaired copy, and the input directory it stands for. */
size_t salvage_trace_count(const struct salvage *salvage);
const char *salvage_trace_dir(const struct salvage *salvage, size_t i);
const char *salvage_trace_origin(const struct salvage *salvage, size_t i);

size_t salvage_loss_count(const struct salvage *salvage);
const struct salvage_loss *salvage_loss_at(const struct salvage *salvage, size_t i);

/* Removes the copies too, and work_dir when salvage_run() made it. */
void salvage_destroy(struct salvage *salvage);

/* What follows is between the files of the salvage itself. */
#ifdef CSC_SALVAGE_PRIVATE

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

#endif
