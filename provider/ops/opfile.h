/* SPDX-License-Identifier: MIT */
/*
 * An operation file: what a recorded case did to an allocator, and under which settings.
 *
 * The format is that of the golden cases, version 1.  A file is read and checked as a whole
 * before anything runs.
 */
#ifndef CSC_OPFILE_H
#define CSC_OPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csc.h"
#include "diag.h"

enum opfile_setup {
	OPFILE_PRIVATE,
	OPFILE_GLOBAL,
	OPFILE_THREAD_PREFERRED,
	OPFILE_PRIVATE_FIX,
};

/* Instances that a case may have. */
#define OPFILE_INSTANCES_MAX 64

struct opfile_op {
	/*
	 * a r f d s t as recorded cases have them; and `b BYTES`: another sbct for all instances,
	 * which prints `= N ok` or `= N notsup`, as system_flag(erts_alloc, ...) answers.
	 */
	char kind;

	/* Relative to the first instance. */
	uint32_t instance;

	/* Dense number of the block, in order of its first `a`. */
	uint32_t block;

	/* a, r, b: bytes, or the fix type; s, t: K. */
	uint64_t value;
};

struct opfile {
	char otp[32];
	char allocator[32];
	char case_name[64];
	enum opfile_setup setup;
	uint32_t word_bytes;
	uint64_t page_bytes;
	uint64_t unit_bytes;
	uint64_t mbc_header;
	uint64_t sbc_header;
	uint64_t block_header;
	uint64_t min_block;
	uint32_t instances;
	uint32_t first_instance;
	bool has_pool;
	/* By index relative to the first instance. */
	bool is_pool_instance[OPFILE_INSTANCES_MAX];
	uint32_t cache_slots;
	uint64_t cache_rmcbf;
	uint64_t cache_amcbf;
	bool has_events;
	uint64_t limit_bytes;
	struct csc_settings settings;
	bool has_strategy;
	uint64_t fix_bytes[CSC_FIX_TYPES_MAX];
	uint32_t fix_count;

	uint64_t *bases;
	size_t base_count;
	struct opfile_op *ops;
	size_t op_count;
	size_t block_count;
};

/*
 * Reads `path` ("-" is standard input), plain or compressed.  On failure `diag` has where and why.
 * `opfile` must be finished in any case.
 */
enum csc_status opfile_read(struct opfile *opfile, const char *path, struct diag *diag);

/* The same for text in memory, which is changed; one more byte must be writable behind it. */
enum csc_status opfile_parse(struct opfile *opfile, const char *path, char *text, size_t bytes,
		struct diag *diag);

void opfile_finish(struct opfile *opfile);

#endif
