/* SPDX-License-Identifier: MIT */
/* When threads pass, where a recording does not say it. */
#include "passing.h"

#include <stdbool.h>

#define SECOND_NS INT64_C(1000000000)

static bool is_round(struct passing *passing, int64_t ts_ns)
{
	if (passing->period_ns == 0) {
		return ++passing->calls_in_burst % passing->burst == 0;
	}
	if (ts_ns < passing->next_round_ns) {
		return false;
	}
	passing->next_round_ns = ts_ns + passing->period_ns;
	return true;
}

void passing_call(struct passing *passing, struct runtime *runtime, uint32_t schedulers,
		int64_t ts_ns)
{
	if (is_round(passing, ts_ns)) {
		runtime_round(runtime);
	}
	if (passing->next_second_ns == 0) {
		passing->next_second_ns = ts_ns + SECOND_NS;
	}
	while (ts_ns >= passing->next_second_ns) {
		for (uint32_t i = 0; i <= schedulers; i++) {
			runtime_tick(runtime, i);
		}
		passing->next_second_ns += SECOND_NS;
	}
}
