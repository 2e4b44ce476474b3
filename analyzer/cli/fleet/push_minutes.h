/*
 * SPDX-License-Identifier: MIT
 *
 * A push of minutes alone, as a keeper has them: no recording is loaded for it.
 */
#ifndef CSC_PUSH_MINUTES_H
#define CSC_PUSH_MINUTES_H

#include <stdint.h>

#include "diag.h"
#include "push_table.h"

enum { MINUTE_ALLOCATORS = 24, MINUTE_NAME_BYTES = 24 };

/* SQL: columns of an allocator, in bytes, and what they are the sums of: figures of the readings
 * `r` (runtime_id, recorded_id), to be grouped by reading and a.name. */
#define PUSH_MINUTE_SUMS                                                                                          \
	"a.name AS allocator, ifnull(sum(f.current) FILTER (WHERE f.key = 'carriers_size'), 0) AS carriers, "     \
	"ifnull(sum(f.current) FILTER (WHERE f.key IN ('blocks_size', 'blocks_size/' || a.name)), 0) AS blocks, " \
	"ifnull(sum(f.current) FILTER (WHERE f.section = 'mbcs_pool' AND f.key = 'carriers_size'), 0) AS pool "
#define PUSH_MINUTE_FIGURES                                                                                 \
	"CROSS JOIN snapshot_figure AS f ON f.runtime_id = r.runtime_id AND f.snapshot_id = r.recorded_id " \
	"JOIN allocator_name AS a ON a.runtime_id = f.runtime_id AND a.allocator_id = f.allocator_id "      \
	"WHERE f.section IN ('mbcs', 'sbcs', 'mbcs_pool')"

/* What a snapshot of the node has of an allocator, in bytes. */
struct minute_figures {
	char allocator[MINUTE_NAME_BYTES];
	uint64_t carriers;
	uint64_t blocks;
	uint64_t pool;
};

/* The last snapshot of a minute. */
struct push_minute {
	/* Seconds since 1970. */
	int64_t ts;
	unsigned int count;
	struct minute_figures figures[MINUTE_ALLOCATORS];
};

/* "TIME NAME CARRIERS BLOCKS POOL ...", to the end of a text or of its line; false: it is no such
 * text. */
bool push_minute_read(const char *text, struct push_minute *ret_minute);

/* Hands on such a text of each reading in a database, in the order of their times. */
enum csc_status push_minutes_read(const char *database,
		void (*take)(void *context, const char *line), void *context, struct diag *diag);

/*
 * Makes rows of minutes; `identity` is a push of a recording of the same node (TSV), which has its
 * name, release and so on.  There is a minute at least, and each is later than the one before.
 * push_rows_finish() in every case.  Errors: it is no such push, out of memory.
 */
enum csc_status push_minutes_make(const struct push_rows *identity,
		const struct push_minute *minutes, size_t count, struct push_rows *rows,
		struct diag *diag);

#endif
