/*
 * SPDX-License-Identifier: MIT
 *
 * What module carrierscope_pushed prints (provider/beam/push says how a line is made), written as a
 * CTF trace with one stream.  Lines come from a node that nobody answers for: each packet is
 * checked to the last field before it is written.
 */
#ifndef CSC_READINGS_H
#define CSC_READINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"

/* Longer lines are none of ours, in bytes. */
enum { READINGS_LINE_BYTES = 1 << 20 };

/* The longest sentence of a node that is kept. */
enum { READINGS_SENTENCE_BYTES = 400 };

enum readings_line {
	/* Somebody else's. */
	READINGS_OTHER,

	/* A packet, which was written, or is there already. */
	READINGS_PACKET,

	/* A packet that is damaged or cannot be read: it was left out. */
	READINGS_DAMAGED,

	/* A packet of another node than the first, or of before the last one: it was left out. */
	READINGS_FOREIGN,

	/* Nothing follows. */
	READINGS_END,

	/* Nothing follows: `sentence` says why. */
	READINGS_REFUSED,
};

struct readings {
	/* Borrowed; made with the first packet. */
	const char *folder;

	uint64_t packets;

	/* Of the trace. */
	uint64_t bytes;

	/* Events snapshot_end. */
	uint64_t snapshots;

	/* What was damaged; packets that are missing between those that came. */
	uint64_t damaged;
	uint64_t missing;

	/* Of the last line that is READINGS_REFUSED. */
	char sentence[READINGS_SENTENCE_BYTES];

	/* The rest is readings.c's. */
	int file;
	uint8_t uuid[16];
	uint32_t node;
	uint32_t next_packet;
	uint64_t last_ns;
	char names[1024];
};

void readings_begin(struct readings *readings, const char *folder);

/* Takes one line, without its line feed.  Errors: the trace cannot be written. */
enum csc_status readings_take(struct readings *readings, const char *line, size_t length,
		enum readings_line *ret_line, struct diag *diag);

/* Whether a line is one of ours, whatever is in it. */
bool readings_is_own(const char *line, size_t length);

/* Closes the stream.  Errors: it cannot be written. */
enum csc_status readings_end(struct readings *readings, struct diag *diag);

#endif
