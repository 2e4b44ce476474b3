/*
 * SPDX-License-Identifier: MIT
 *
 * How a function reports that it failed, and why.
 */
#ifndef CSC_DIAG_H
#define CSC_DIAG_H

#include <stdbool.h>
#include <stddef.h>

enum { DIAG_TEXT_BYTES = 1024 };

/*
 * Outcome of a function that can fail.  The numbers are those of Babeltrace 2
 * (babeltrace2/func-status.h), so that a method of a component class hands a
 * status through by a plain cast.
 */
enum csc_status {
	CSC_OK = 0,
	/* The message is in the `struct diag` passed along. */
	CSC_ERROR = -1,
	CSC_NO_MEMORY = -12,
};

/* The first failure of one operation.  All zeroes is "nothing failed". */
struct diag {
	/* Where it was seen; static storage, NULL while nothing failed. */
	const char *file;
	unsigned int line;

	/* Nothing is broken: the input does not allow what was asked. */
	bool is_refusal;

	char text[DIAG_TEXT_BYTES];
};

/*
 * Records a failure and yields CSC_ERROR, so that failing reads
 *
 *	return DIAG_FAIL(diag, "cannot open '%s': %s", path, why);
 *
 * Lower case, no full stop, what failed first, the subject in single quotes.
 * The first failure stays: one met while cleaning up does not hide its cause.
 */
#define DIAG_FAIL(diag, ...) (diag_fail((diag), __FILE__, __LINE__, __VA_ARGS__), CSC_ERROR)

/* The same for a function that returns bool: yields false. */
#define DIAG_FALSE(diag, ...) (diag_fail((diag), __FILE__, __LINE__, __VA_ARGS__), false)

/* The same for an input that does not allow what was asked. */
#define DIAG_REFUSE(diag, ...) (diag_mark_refusal(diag), DIAG_FAIL((diag), __VA_ARGS__))

/* The same for a lack of memory; yields CSC_NO_MEMORY. */
#define DIAG_NO_MEMORY(diag) (diag_fail((diag), __FILE__, __LINE__, "out of memory"), CSC_NO_MEMORY)

/* The failure that comes next is a refusal, unless one is recorded. */
static inline void diag_mark_refusal(struct diag *diag)
{
	if (!diag->file) {
		diag->is_refusal = true;
	}
}

/* Whether a failure is recorded. */
static inline bool diag_is_set(const struct diag *diag)
{
	return diag->file != NULL;
}

void diag_fail(struct diag *diag, const char *file, unsigned int line, const char *format, ...)
		__attribute__((format(printf, 4, 5)));

#endif
