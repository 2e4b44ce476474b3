/*
 * SPDX-License-Identifier: MIT
 *
 * Sizes of LTTng's ring buffers within a budget: there is one ring for each processor that the
 * machine may have, whether it runs or not.
 */
#ifndef CSC_RECORD_BUFFERS_H
#define CSC_RECORD_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"

/* Of one processor.  LTTng adds one sub-buffer for its reader. */
struct ring_size {
	/* A power of two. */
	uint64_t subbuffer_bytes;
	unsigned int subbuffers;
};

/* For how many processors LTTng makes a ring. */
unsigned int buffers_processors(void);

/* Processors in a list of the kernel's, such as "0-3,8-63": the last one's number and one more; 0:
 * it is no such list. */
unsigned int buffers_count_listed(const char *list);

/* Bytes of all processors, the reader's sub-buffers included. */
uint64_t buffers_bytes(const struct ring_size *size, unsigned int processors);

/* Bytes of one processor that a ring holds at any time: one sub-buffer is emptied to be written. */
uint64_t buffers_held(const struct ring_size *size);

/* The rings of a recording with one channel.  Errors: too little memory. */
enum csc_status buffers_for_recording(uint64_t memory_bytes, unsigned int processors,
		struct ring_size *ret_size, struct diag *diag);

/* The least memory that buffers_for_recording() takes, in bytes. */
uint64_t buffers_least_for_recording(unsigned int processors);

/* The rings of a keeper's channels. */
struct keeper_rings {
	struct ring_size state;
	struct ring_size hours;
	struct ring_size recent;

	/* No sub-buffers: there is no such channel. */
	struct ring_size samples;
};

/* Half of what `state` leaves is for hours, the rest for the last minutes and for samples; on many
 * processors an eighth is for samples, and the rest in halves.  Errors: too little memory. */
enum csc_status buffers_for_keeper(uint64_t memory_bytes, unsigned int processors, bool has_samples,
		struct keeper_rings *ret_rings, struct diag *diag);

#endif
