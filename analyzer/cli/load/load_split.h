/*
 * SPDX-License-Identifier: MIT
 *
 * The streams of the inputs in parts of about the same size.
 */
#ifndef CSC_LOAD_SPLIT_H
#define CSC_LOAD_SPLIT_H

#include <babeltrace2/babeltrace.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "inputs.h"

/* One stream: an output port of a source. */
struct split_stream {
	size_t source;
	uint64_t port;

	/* Of its files; 0: not known. */
	uint64_t bytes;

	/* Number of the part that it is in. */
	size_t part;
};

/* Bytes and number of the files of streams in a trace's directory. */
void load_split_measure(const char *path, uint64_t *ret_bytes, size_t *ret_files);

/*
 * Lists the streams of all sources, in their order; inputs[i] is the first input of source i.  The
 * caller frees the list.  Errors: out of memory.
 */
enum csc_status load_split_list(const struct inputs *inputs,
		const bt_component_source *const *sources, const size_t *source_inputs,
		size_t source_count, struct split_stream **ret_streams, size_t *ret_count,
		struct diag *diag);

/* Puts each stream in one of `parts` parts: the largest first, into that with the fewest bytes. */
void load_split(struct split_stream *streams, size_t count, size_t parts);

#endif
