/*
 * SPDX-License-Identifier: MIT
 *
 * How a function of the analyzer reports that it failed, and why.
 */
#ifndef CSC_DIAG_H
#define CSC_DIAG_H

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

/* The same for a lack of memory; yields CSC_NO_MEMORY. */
#define DIAG_NO_MEMORY(diag) (diag_fail((diag), __FILE__, __LINE__, "out of memory"), CSC_NO_MEMORY)

void diag_fail(struct diag *diag, const char *file, unsigned int line, const char *format, ...)
		__attribute__((format(printf, 4, 5)));

#endif
