/* SPDX-License-Identifier: MIT */
/* A line of a workload file: words, numbers, complaints. */
#ifndef CSC_WORKLOAD_TEXT_H
#define CSC_WORKLOAD_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "diag.h"

#define WORDS_MAX 64

struct words {
	/* Weak. */
	const char *path;
	size_t line;

	/* Borrowed: pieces of the text. */
	char *words[WORDS_MAX];
	size_t count;

	/* Weak. */
	struct diag *diag;
};

/* The text of a file, to be freed; NULL: it cannot be read, or has bytes of 0. */
char *words_read(const char *path, struct diag *diag);

/* Cuts a line, in place; too many words are an error. */
enum csc_status words_cut(struct words *words, char *text);

/* Returns CSC_ERROR, with "file:line: sentence". */
enum csc_status words_fail(const struct words *words, const char *format, ...)
		__attribute__((format(printf, 2, 3)));

/* The line has from `least` to `most` words; `usage` says how it goes. */
enum csc_status words_expect(
		const struct words *words, size_t least, size_t most, const char *usage);

/* Word `index` as a number from `least` to `most`. */
enum csc_status words_number(const struct words *words, size_t index, uint64_t least, uint64_t most,
		uint64_t *ret_value);
enum csc_status words_real(const struct words *words, size_t index, double least, double most,
		double *ret_value);

/* "BYTES:WEIGHT" */
enum csc_status words_pair(
		const struct words *words, size_t index, uint64_t *ret_bytes, double *ret_weight);

/* Copies word `index` as the name of something new. */
enum csc_status words_name(const struct words *words, size_t index, char *ret_name, size_t room);

#endif
