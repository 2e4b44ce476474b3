/* SPDX-License-Identifier: MIT */
/* The header lines (`@ key value`) of an operation file. */
#ifndef CSC_OPHEADER_H
#define CSC_OPHEADER_H

#include "opfile.h"
#include "optext.h"

/* What a file without header lines would mean. */
void opheader_init(struct opfile *opfile);

/* Takes one header line; a malformed one is an error. */
enum csc_status opheader_take(
		struct opfile *opfile, const struct optext_line *line, struct diag *diag);

/* Checks what the header says as a whole; `line` is the last one of the file. */
enum csc_status opheader_check(
		const struct opfile *opfile, const struct optext_line *line, struct diag *diag);

#endif
