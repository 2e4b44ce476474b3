/*
 * SPDX-License-Identifier: MIT
 *
 * Rows of schema/events/snapshots.sql that more than one reader writes.
 */
#ifndef CSC_READERS_SNAPSHOT_ROWS_H
#define CSC_READERS_SNAPSHOT_ROWS_H

#include "reader_row.h"
#include "store.h"
#include "text.h"

/*
 * Adds a snapshot and yields its id.  `kind`: see table snapshot.  `ts_ns` and
 * `line`: ROW_NULL when not known.
 */
int64_t snapshot_add(struct store *store, const char *kind, int64_t ts_ns, int64_t line);

/* One figure of an allocator instance; all ROW_NULL where not recorded. */
struct instance_stat {
	int64_t snapshot;
	struct text allocator;
	int64_t instance;
	struct text section;
	struct text key;
	int64_t current;
	int64_t max_since_last;
	int64_t max_ever;

	/* Allocator whose blocks are counted; at NULL: not of one allocator's blocks. */
	struct text of;
};

/* Whether a section of an allocator's figures is of carriers and blocks: mbcs, sbcs, mbcs_pool. */
static inline bool snapshot_is_carriers(struct text section)
{
	return text_is(section, "mbcs") || text_is(section, "sbcs") ||
			text_is(section, "mbcs_pool");
}

void snapshot_stat(struct store *store, const struct instance_stat *stat);
void snapshot_memory(struct store *store, int64_t snapshot, struct text key, int64_t bytes);

/* One setting of an allocator; `instance` ROW_NULL: of the allocator, or of the node. */
void snapshot_option(struct store *store, int64_t snapshot, struct text allocator, int64_t instance,
		struct text name, struct text value);

/* A fact about the node: see table node_fact. */
void snapshot_fact(struct store *store, int64_t snapshot, const char *key, struct text value);

/*
 * system_version as the node prints it, and the facts in it: otp_release, erts_version,
 * word_bits, schedulers.
 */
void snapshot_system_version(struct store *store, int64_t snapshot, struct text version);

/* `used` ROW_NULL: not distinguished. */
void snapshot_area(struct store *store, int64_t snapshot, struct text name, int64_t allocated,
		int64_t used);

#endif
