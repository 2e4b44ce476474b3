/* SPDX-License-Identifier: MIT */
/*
 * The runtime's `+M` flags, as its command line takes them.
 *
 * A value is glued to its parameter or is the next argument.  Parameters are recognised by their
 * beginning; numbers may have a tail, which is ignored.  What the runtime refuses is refused, with
 * a sentence that names the flag and what it takes.
 * Source: SOURCES.md 7.5.
 */
#ifndef CSC_FLAGS_H
#define CSC_FLAGS_H

#include "diag.h"
#include "options.h"

/* Limits of a machine that flags may refer to. */
struct flags_machine {
	/* What `+Mdai max` means. */
	uint32_t dirty_schedulers;
};

/*
 * Takes the flags among `count` arguments; a lone "--" ends them.  Arguments that do not begin
 * with +M or -M are an error.  On failure `diag` has which flag is bad, and why.
 */
enum csc_status flags_take(struct csc_options *options, const struct flags_machine *machine,
		int count, char *const *arguments, struct diag *diag);

#endif
