/* SPDX-License-Identifier: MIT */
/*
 * Settings in the shape of `erlang:system_info(allocator)`.
 */
#ifndef CSC_OPTIONTERM_H
#define CSC_OPTIONTERM_H

#include <stdio.h>

#include "options.h"

/*
 * Prints the term, which as in the runtime shows the first instance of each allocator; the
 * settings of carrier migration, which only the others have, follow as comments.
 */
void optionterm_print(const struct csc_options *options, FILE *out);

/* The settings of one instance, without brackets. */
void optionterm_settings(const struct csc_generation *generation,
		const struct csc_instance_config *config, bool has_threads, FILE *out);

#endif
