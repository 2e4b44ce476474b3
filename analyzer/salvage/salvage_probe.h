/*
 * SPDX-License-Identifier: MIT
 *
 * Whether Babeltrace reads a trace.
 */
#ifndef CSC_SALVAGE_PROBE_H
#define CSC_SALVAGE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

enum salvage_probe_result {
	SALVAGE_PROBE_READ,

	/* Decoding fails in the packet of that number (from 0), or before the first. */
	SALVAGE_PROBE_FAILED,
	SALVAGE_PROBE_NO_MEMORY,
};

/*
 * Lets Babeltrace decode all streams of a trace directory one after the other;
 * with opening_only it only opens them.  Prints nothing, leaves no error behind.
 */
enum salvage_probe_result salvage_probe(const char *trace_dir, bool opening_only,
		uint64_t *ret_packet, uint64_t *ret_events);

#endif
