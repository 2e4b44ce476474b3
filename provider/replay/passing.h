/* SPDX-License-Identifier: MIT */
/* When threads pass, where a recording does not say it: see replay.h. */
#ifndef CSC_PASSING_H
#define CSC_PASSING_H

#include <stdint.h>

#include "runtime.h"

/* Begins with zeroes, but for `burst`. */
struct passing {
	/* All threads pass after so many calls, unless there is a period. */
	uint32_t burst;
	uint32_t calls_in_burst;

	/* They pass each time that so many ns of the recording have gone.  0: see above. */
	int64_t period_ns;
	int64_t next_round_ns;

	/* Timers of each second. */
	int64_t next_second_ns;
};

/* What threads do between calls by the time of the next one; schedulers 0 to `schedulers`. */
void passing_call(struct passing *passing, struct runtime *runtime, uint32_t schedulers,
		int64_t ts_ns);

#endif
