/*
 * SPDX-License-Identifier: MIT
 *
 * What people paste: dumps, terms, tables of memory and flags, anywhere in a text, behind
 * prompts, fences and prefixes of logs.  Each thing that is found is a piece, which a reader reads
 * as a source of its own; what is of several calls of one node is one piece.
 */
#ifndef CSC_READERS_PASTE_H
#define CSC_READERS_PASTE_H

#include "reader.h"

struct paste_piece {
	const struct reader *reader;

	/* NULL: bytes of the input itself, from `from_bytes` to before `to_bytes`. */
	char *text;
	size_t length;
	uint64_t from_bytes;
	uint64_t to_bytes;

	/* Of the input, from 1. */
	uint64_t first_line;

	/* Bytes to leave out at the beginning of each line. */
	size_t margin;

	/* As the prompt names it; empty: not known. */
	char node[64];

	/* Nothing of its text was changed: the reader may read the input itself. */
	bool is_plain;
};

/* What was not taken, or only in part: a sentence with its lines. */
struct paste_note {
	/* load_problem.name */
	const char *name;
	bool is_loss;
	char *sentence;
};

struct paste {
	struct paste_piece *pieces;
	size_t count;
	struct paste_note *notes;
	size_t note_count;

	/* Something that is known by name and not read: what it is and what to run instead. */
	char *refusal;
};

/* Reads the input to its end.  Errors: out of memory. */
enum csc_status paste_find(struct reader_input *input, struct paste **ret_paste, struct diag *diag);
void paste_destroy(struct paste *paste);

/* Writes the notes as problems of the source that is open. */
enum csc_status paste_write_notes(const struct paste *paste, struct reader_input *input,
		struct store *store, struct diag *diag);

#endif
