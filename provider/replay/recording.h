/* SPDX-License-Identifier: MIT */
/*
 * A finished database, read as the calls that a runtime made of its allocators: what is replayed.
 *
 * The database is opened to be read and not to be trusted: tables only, no view.
 */
#ifndef CSC_RECORDING_H
#define CSC_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "options.h"

struct recording;

/* What is known of the runtime that was recorded. */
struct recording_facts {
	/* runtime.id, and the first and last row of block_event of its source. */
	int64_t runtime;
	int64_t first_row;
	int64_t last_row;

	/* From state_begin; "" and 0: not recorded.  Owned by the recording. */
	const char *release;
	uint32_t word_bytes;
	uint32_t schedulers;

	/* Different releases that it has of this runtime. */
	int64_t releases;

	/* Blocks that were live at the same time, and bytes asked for in them: most of each. */
	uint64_t most_blocks;
	uint64_t most_bytes;

	/* It has the work between calls. */
	bool has_work;

	/*
	 * The process in memory at the node's last reading, without what recording itself took; -1:
	 * not recorded.
	 */
	int64_t resident_bytes;

	/* Milliseconds between snapshots: as asked for, and as they came, in the median; 0: not
	 * known. */
	int64_t snapshots_ms;
	int64_t snapshots_came_ms;

	/* Carriers that were there when the recording began; events that it lost. */
	uint64_t early_carriers;
	int64_t lost_events;
};

enum recording_kind {
	RECORDING_ALLOC,
	RECORDING_FREE,
	RECORDING_REALLOC,
	RECORDING_ROUND,
	RECORDING_AUX,
	RECORDING_SECOND,
};

/* One call, or one piece of work between calls. */
struct recording_step {
	enum recording_kind kind;
	int64_t ts_ns;
	uint32_t scheduler;

	/* name_type.type_id. */
	uint32_t type;
	uint64_t bytes;

	/* Row of block_event; rows that made a block are how it is named. */
	int64_t row;

	/*
	 * The row that made what this call frees or resizes; of an alloc: what was live at its
	 * address, whose free was not seen.  0: none that was seen.
	 */
	int64_t ended;

	/* Resized: what was live at the new address, as above. */
	int64_t other_ended;

	/* A reallocation of nothing. */
	bool is_new;
};

/* What the recording says of an allocator at its end. */
struct recording_figures {
	bool has_blocks;
	int64_t blocks;
	int64_t asked_bytes;

	/* How carriers are known. */
	enum {
		RECORDING_CARRIERS_NONE,
		/* By their own events: exact. */
		RECORDING_CARRIERS_EVENTS,
		/* By the counters that were recorded last. */
		RECORDING_CARRIERS_COUNTERS,
	} carriers_by;
	int64_t carriers;
	int64_t carriers_bytes;
};

/*
 * `runtime` 0: the only one with block events.  NULL: `diag` says why, also when there are
 * several and which.
 */
struct recording *recording_open(const char *path, int64_t runtime, struct diag *diag);
void recording_close(struct recording *recording);

void recording_facts(const struct recording *recording, struct recording_facts *ret_facts);

/*
 * The options that were recorded, as they were before they were settled: a default value is
 * taken as not given, so that flags have on it the effect that they would have had there.
 * `options` are those of csc_options_init().  Returns CSC_ERROR if one means nothing here.
 */
enum csc_status recording_options(
		const struct recording *recording, struct csc_options *options, struct diag *diag);

/* What a type that was named is; `bytes`: the only size of its blocks, if it is fix_alloc's. */
typedef void recording_take_type(void *context, uint32_t type, const char *name,
		const char *allocator, uint64_t bytes);

/* Calls for each type that was named. */
enum csc_status recording_types(const struct recording *recording, void *context,
		recording_take_type *take, struct diag *diag);

/* From now on only calls of these rows of block_event. */
void recording_limit(struct recording *recording, int64_t first_row, int64_t last_row);

/* Begins again with the first step; the recording is decoded (decoded.h). */
void recording_rewind(struct recording *recording);

/* Whether there is a next step, in the order of time. */
bool recording_next(struct recording *recording, struct recording_step *ret_step);

/*
 * Bytes of carriers of an allocator at the end: by their own events, by the last whole snapshot of
 * a node, or by the counters that were recorded last; 0: it is not recorded.
 */
enum csc_status recording_carriers(const struct recording *recording, const char *allocator,
		int64_t *ret_bytes, struct diag *diag);

enum csc_status recording_figures(const struct recording *recording, const char *allocator,
		struct recording_figures *ret_figures, struct diag *diag);

#endif
