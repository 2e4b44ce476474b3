/* SPDX-License-Identifier: MIT */
/*
 * A replay beside all readings of the node (follow.h), as lines of CSV, one for each reading,
 * allocator and instance:
 *
 *   ms,allocator,instance,carriers,replayed_carriers,carriers_bytes,replayed_carriers_bytes,
 *   pool_bytes,replayed_pool_bytes,blocks_bytes,replayed_blocks_bytes,segments_made,
 *   replayed_segments_made
 *
 * `ms` from the first reading to when this one began; `segments_made`: calls of mseg_alloc so far.
 * Nothing is offset: what the prefill did not meet is in the first lines.
 */
#ifndef CSC_FOLLOW_CSV_H
#define CSC_FOLLOW_CSV_H

#include <stdio.h>

#include "wait.h"

/* wait_run_followed() with its pairs written to `out`. */
enum csc_status follow_csv_run(struct player *player, struct recording *recording,
		const struct readings *readings, FILE *out, int64_t *ret_wait_ns,
		struct diag *diag);

#endif
