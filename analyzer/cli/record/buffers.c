/*
 * SPDX-License-Identifier: MIT
 *
 * A machine with many processors gets smaller sub-buffers, down to a least size; below that the
 * budget is refused.
 */
#include "buffers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A recorder reads while it is written: it needs room for a burst. */
enum { SUBBUFFERS = 4, LEAST_RECORD_BYTES = 65536, MOST_RECORD_BYTES = 8 * 1024 * 1024 };

/* `state` of a keeper takes a quarter of its memory at most. */
enum {
	STATE_BYTES = 65536,
	STATE_COUNT = 4,
	STATE_PART = 4,
	LEAST_BYTES = 8192,
	LEAST_COUNT = 4,
	MOST_COUNT = 32
};

/* A snapshot is written on one processor, samples on all: where there are many, samples need the
 * smaller part.
 */
enum { MANY_PROCESSORS = 16, SAMPLES_PART = 4, SAMPLES_PART_OF_MANY = 8 };

/* Parts of the least memory: a channel that gets a quarter of what one leaves gets a fifth. */
enum { LEAST_PARTS = 5 };

unsigned int buffers_count_listed(const char *list)
{
	unsigned long last = 0;
	bool has_number = false;

	while (isdigit((unsigned char)*list)) {
		char *end;

		last = strtoul(list, &end, 10);
		has_number = true;
		list = *end == ',' || *end == '-' ? end + 1 : end;
	}
	return has_number && last < 1 << 16 ? (unsigned int)last + 1 : 0;
}

/* Some containers have no sysfs; LTTng then takes what is configured. */
unsigned int buffers_processors(void)
{
	char list[256] = "";
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
	unsigned int possible =
			file && fgets(list, sizeof(list), file) ? buffers_count_listed(list) : 0;

	if (file) {
		(void)fclose(file);
	}
	if (configured > 0 && possible < (unsigned int)configured) {
		possible = (unsigned int)configured;
	}
	return possible > 0 ? possible : 1;
}

uint64_t buffers_bytes(const struct ring_size *size, unsigned int processors)
{
	return size->subbuffers == 0 ? 0
				     : size->subbuffer_bytes * (size->subbuffers + 1) * processors;
}

uint64_t buffers_held(const struct ring_size *size)
{
	return size->subbuffer_bytes * (size->subbuffers - 1);
}

uint64_t buffers_least_for_recording(unsigned int processors)
{
	return (uint64_t)processors * (SUBBUFFERS + 1) * LEAST_RECORD_BYTES;
}

enum csc_status buffers_for_recording(uint64_t memory_bytes, unsigned int processors,
		struct ring_size *ret_size, struct diag *diag)
{
	struct ring_size size = { LEAST_RECORD_BYTES, SUBBUFFERS };

	if (memory_bytes < buffers_least_for_recording(processors)) {
		return DIAG_FAIL(diag,
				"%llu KiB are too little for buffers of %u processors: at least %llu KiB, by --memory",
				(unsigned long long)memory_bytes / 1024, processors,
				(unsigned long long)buffers_least_for_recording(processors) / 1024);
	}
	while (2 * buffers_bytes(&size, processors) <= memory_bytes &&
			size.subbuffer_bytes < MOST_RECORD_BYTES) {
		size.subbuffer_bytes *= 2;
	}
	*ret_size = size;
	return CSC_OK;
}

/* The ring that holds most, but for the sub-buffer that is overwritten next; false: none fits. */
static bool fit_ring(uint64_t bytes, unsigned int processors, struct ring_size *ret_size)
{
	uint64_t most = 0;

	for (unsigned int count = LEAST_COUNT; count <= MOST_COUNT; count *= 2) {
		struct ring_size size = { LEAST_BYTES, count };

		while (2 * buffers_bytes(&size, processors) <= bytes) {
			size.subbuffer_bytes *= 2;
		}
		if (buffers_bytes(&size, processors) <= bytes && buffers_held(&size) > most) {
			most = buffers_held(&size);
			*ret_size = size;
		}
	}
	return most > 0;
}

/* What samples get of `rest`: more than that, if no ring fits. */
static uint64_t part_of_samples(uint64_t rest, unsigned int processors)
{
	const struct ring_size smallest = { LEAST_BYTES, LEAST_COUNT };
	uint64_t least = buffers_bytes(&smallest, processors);
	uint64_t part = rest / (processors > MANY_PROCESSORS ? SAMPLES_PART_OF_MANY : SAMPLES_PART);

	return part > least ? part : least;
}

/* The rings beside `state`, of `rest` bytes; false: they do not fit. */
static bool fit_rings(uint64_t rest, unsigned int processors, bool has_samples,
		struct keeper_rings *rings)
{
	uint64_t samples = has_samples ? part_of_samples(rest, processors) : 0;
	uint64_t hours = rest / 2;

	if (samples > rest) {
		return false;
	}
	if (processors > MANY_PROCESSORS) {
		hours = (rest - samples) / 2;
	}
	return hours + samples <= rest && fit_ring(hours, processors, &rings->hours) &&
			fit_ring(rest - hours - samples, processors, &rings->recent) &&
			(!has_samples || fit_ring(samples, processors, &rings->samples));
}

enum csc_status buffers_for_keeper(uint64_t memory_bytes, unsigned int processors, bool has_samples,
		struct keeper_rings *ret_rings, struct diag *diag)
{
	struct keeper_rings rings = { .state = { STATE_BYTES, STATE_COUNT } };
	uint64_t rest;

	while (STATE_PART * buffers_bytes(&rings.state, processors) > memory_bytes &&
			rings.state.subbuffer_bytes > LEAST_BYTES) {
		rings.state.subbuffer_bytes /= 2;
	}
	rest = buffers_bytes(&rings.state, processors);
	rest = memory_bytes > rest ? memory_bytes - rest : 0;
	if (!fit_rings(rest, processors, has_samples, &rings)) {
		return DIAG_FAIL(diag,
				"too little memory for buffers of %u processors: at least %u KiB, by --memory",
				processors,
				processors * (LEAST_COUNT + 1) * (LEAST_BYTES / 1024) *
						LEAST_PARTS);
	}
	*ret_rings = rings;
	return CSC_OK;
}
