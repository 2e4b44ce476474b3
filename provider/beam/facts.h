/* SPDX-License-Identifier: MIT */
/*
 * What a node is, beside its figures: event runtime_fact, as keys and values.
 *
 * The node itself says what its name and releases are; this adds what the system says.
 */
#ifndef CSC_BEAM_FACTS_H
#define CSC_BEAM_FACTS_H

#include <stddef.h>

/* The strings belong to the list. */
struct fact {
	char *key;
	char *value;
};

struct facts {
	struct fact *list;
	size_t count;
};

void facts_free(struct facts *facts);

/* Records one fact. */
void fact_emit(const char *key, const char *value);

/*
 * Records facts, and those of the system: kernel_release, cpus_online, and cpus_possible, which is
 * how many ring buffers LTTng makes for each channel.  Calls no allocator.
 */
void facts_emit(const struct facts *facts);

#endif
