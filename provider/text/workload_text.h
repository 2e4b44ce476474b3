/* SPDX-License-Identifier: MIT */
/* A line of a workload file: words, numbers, complaints. */
#ifndef CSC_WORKLOAD_TEXT_H
#define CSC_WORKLOAD_TEXT_H

#include <stdbool.h>
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

/* Cuts a line, in place; false: it has too many words. */
bool words_cut(struct words *words, char *text);

/* "false, file:line: sentence". */
bool words_fail(const struct words *words, const char *format, ...)
		__attribute__((format(printf, 2, 3)));

/* The line has from `least` to `most` words; `usage` says how it goes. */
bool words_expect(const struct words *words, size_t least, size_t most, const char *usage);

/* Word `index` as a number from `least` to `most`. */
bool words_number(const struct words *words, size_t index, uint64_t least, uint64_t most,
		uint64_t *ret_value);
bool words_real(const struct words *words, size_t index, double least, double most,
		double *ret_value);

/* "BYTES:WEIGHT" */
bool words_pair(const struct words *words, size_t index, uint64_t *ret_bytes, double *ret_weight);

/* Copies word `index` as the name of something new. */
bool words_name(const struct words *words, size_t index, char *ret_name, size_t room);

#endif
