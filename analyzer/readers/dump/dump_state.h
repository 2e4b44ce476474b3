/*
 * SPDX-License-Identifier: MIT
 *
 * What is known of a crash dump that is being read.
 */
#ifndef CSC_READERS_DUMP_STATE_H
#define CSC_READERS_DUMP_STATE_H

#include "reader.h"
#include "snapshot_rows.h"

enum { DUMP_KEPT_BYTES = 512, DUMP_SLOGAN_BYTES = 4096 };

/* A text that outlives its line; what is longer is cut. */
struct kept {
	char bytes[DUMP_KEPT_BYTES];
	size_t length;
	bool is_set;
};

/* Numbers of a process; ROW_NULL: not recorded. */
enum process_number {
	PROCESS_MESSAGES,
	PROCESS_REDUCTIONS,
	PROCESS_FRAGMENTS,
	PROCESS_FRAGMENT_WORDS,
	PROCESS_HEAP,
	PROCESS_HEAP_UNUSED,
	PROCESS_OLD_HEAP,
	PROCESS_OLD_HEAP_UNUSED,
	PROCESS_BINARIES,
	PROCESS_OLD_BINARIES,
	PROCESS_MEMORY,
	PROCESS_NUMBERS,
};

enum process_text {
	PROCESS_PID,
	PROCESS_NAME,
	PROCESS_INITIAL_CALL,
	PROCESS_CURRENT_CALL,
	PROCESS_PARENT,
	PROCESS_STATE,
	PROCESS_TEXTS,
};

enum dump_section {
	/* Its lines are of no interest. */
	SECTION_SKIPPED,
	SECTION_HEAD,
	SECTION_MEMORY,
	SECTION_AREAS,
	SECTION_ALLOCATOR,
	SECTION_PROCESS,
	SECTION_ETS,
	SECTION_HEAP,
	SECTION_BINARY,
};

/* How a dump ends; the words are those of table crash_dump. */
enum dump_end {
	/* It breaks off. */
	DUMP_CUT,

	/* By "=end", or at the size that the node was allowed. */
	DUMP_WHOLE,
	DUMP_SIZE_LIMIT,
};

struct dump {
	struct reader_input *input;
	struct store *store;
	struct diag *diag;

	/* The first failure of the database. */
	enum csc_status status;

	/* No dump, but sections alone. */
	bool is_bare;

	/* Of the dump being read; 0: it is made when the line with the time was read. */
	int64_t snapshot;
	bool is_open;

	/* The file has had a dump; this one had =memory, and something behind its end. */
	bool has_any;
	bool has_memory;
	bool has_rest;
	int64_t first_line;
	enum dump_section section;
	int64_t section_line;

	/* The head: texts that are written when the dump ends. */
	char slogan[DUMP_SLOGAN_BYTES];
	size_t slogan_length;
	bool has_slogan;
	bool is_in_slogan;
	struct kept format;
	struct kept time_text;
	struct kept calling_thread;
	struct kept taints;
	int64_t atoms;
	int64_t head_lines;
	int64_t binaries;
	int64_t binary_bytes;
	enum dump_end end;
	uint64_t end_offset_bytes;

	/* What was found, for source_capability. */
	int64_t memory_keys;
	int64_t allocators;
	int64_t processes;

	/* SECTION_ALLOCATOR */
	struct kept allocator;
	int64_t instance;

	/* SECTION_PROCESS */
	struct kept process_text[PROCESS_TEXTS];
	int64_t process_number[PROCESS_NUMBERS];

	/* SECTION_ETS */
	struct kept ets_owner;
	struct kept ets_name;
	int64_t ets_objects;
	int64_t ets_words;

	/* SECTION_HEAP and SECTION_BINARY, whose address is kept */
	struct dump_binaries *references;
	struct kept binary;
};

static inline void keep(struct kept *kept, struct text text)
{
	kept->length = text.length < sizeof(kept->bytes) ? text.length : sizeof(kept->bytes);
	memcpy(kept->bytes, text.at, kept->length);
	kept->is_set = true;
}

/* The text, or one without a place when nothing was kept. */
static inline struct text kept_text(const struct kept *kept)
{
	return (struct text){ kept->is_set ? kept->bytes : NULL, kept->length };
}

/* Keeps the first failure. */
void dump_note(struct dump *dump, enum csc_status status);

/* Makes the snapshot unless it is there. */
void dump_need_snapshot(struct dump *dump, int64_t ts_ns);

/* Notes a line that should have been understood and was not. */
void dump_unreadable(struct dump *dump, const struct input_line *line);

/* Notes a figure of 2^63 or more, where there is none so large. */
void dump_impossible(struct dump *dump, const struct input_line *line);

#endif
