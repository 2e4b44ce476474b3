/* SPDX-License-Identifier: MIT */
/*
 * Random operation files: options and operations from a seed, the same on every machine.
 */
#ifndef CSC_LIVE_DRAW_H
#define CSC_LIVE_DRAW_H

#include <stdbool.h>

#include "opfile.h"
#include "runtime.h"

/* What a seed means. */
struct drawing {
	char parameters[RUNTIME_PARAMETERS][RUNTIME_PARAMETER_BYTES];
	size_t parameter_count;

	/* Has operations only; the header comes from the runtime. */
	struct opfile opfile;
};

/* False: no memory.  The drawing must be finished in any case. */
bool drawing_init(struct drawing *drawing, enum csc_strategy strategy, uint64_t seed);
/* The same with blocks and holes of about 4 GiB, of which nothing is touched. */
bool drawing_init_great(struct drawing *drawing, enum csc_strategy strategy, uint64_t seed);
void drawing_finish(struct drawing *drawing);

#endif
