/*
 * SPDX-License-Identifier: MIT
 *
 * Readers of what is no trace: each recognises its inputs by what is in them
 * and turns one of them into rows of one source.
 *
 * To add one: a file with a recognise and a read function, a line in the table
 * of readers.c, its tables in schema/, and a fuzz target in tests/readers.
 */
#ifndef CSC_READERS_READER_H
#define CSC_READERS_READER_H

#include "input.h"
#include "store.h"

struct reader {
	/* source.kind */
	const char *kind;

	/* For sentences: "a crash dump". */
	const char *name;

	/* `head`: the first bytes of the input, up to INPUT_HEAD_BYTES. */
	bool (*recognise)(const char *head, size_t length);

	/*
	 * Reads the input to its end into a store that was opened for it and has its
	 * source's kind and path.  What is wrong with the input is a store_problem();
	 * errors are those of the store.
	 */
	enum csc_status (*read)(struct reader_input *input, struct store *store, struct diag *diag);
};

/* The reader that takes the input; NULL: none does. */
const struct reader *readers_recognise(struct reader_input *input);

/*
 * The charset of an input that no reader takes, when it is one of more than a byte for each
 * character: "UTF-16LE", ...; NULL: it is none.  `ret_offset`: of the first byte that shows it.
 */
const char *readers_charset(struct reader_input *input, size_t *ret_offset);

/* What the input is when it has to be unpacked first: "a tar archive", ...; NULL: it has not. */
const char *readers_container(struct reader_input *input);

/* Whether it is a database of SQLite, ours or another. */
bool readers_is_database(struct reader_input *input);

/*
 * Whether all values of a byte are as frequent as each other, in an input that no reader takes:
 * OTP 29 can be built to encrypt crash dumps, and its documentation has no mark by which to know
 * one.
 */
bool readers_is_ciphertext(struct reader_input *input);

/*
 * Reads all of the input as one source: what its reader does and what is the
 * same for all of them.
 */
enum csc_status readers_read(const struct reader *reader, struct reader_input *input,
		struct store *store, struct diag *diag);

#endif
