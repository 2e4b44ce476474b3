/* SPDX-License-Identifier: MIT */
/*
 * Settings in the shape of `erlang:system_info(allocator)`.
 */
#ifndef CSC_OPTIONTERM_H
#define CSC_OPTIONTERM_H

#include <stdio.h>

#include "options.h"

/*
 * Prints the term, which as in the runtime tells the first instance of each allocator; the
 * settings of carrier migration, which only the others have, follow as comments.
 */
void optionterm_print(const struct csc_options *options, FILE *out);

/* The option list of one instance, without its brackets. */
void optionterm_print_instance(const struct csc_options *options, enum csc_allocator allocator,
		uint32_t index, FILE *out);

#endif
