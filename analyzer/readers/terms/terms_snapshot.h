/*
 * SPDX-License-Identifier: MIT
 *
 * What is known of a file of terms that is being read, and the snapshots it fills.
 */
#ifndef CSC_READERS_TERMS_SNAPSHOT_H
#define CSC_READERS_TERMS_SNAPSHOT_H

#include "numbering.h"
#include "snapshot_rows.h"
#include "term.h"

enum {
	TERMS_NAME_BYTES = 64,

	/* Figures of one instance; OTP 29 has 90. */
	TERMS_FIGURES = 512,

	/* Allocators with blocks in one carrier. */
	TERMS_CARRIER_ALLOCATORS = 16,

	TERMS_BUCKETS = 32,
};

struct terms_name {
	char bytes[TERMS_NAME_BYTES];
	size_t length;
};

/* A figure or an option of the instance whose term is being read. */
struct figure {
	struct terms_name section;
	struct terms_name key;
	struct terms_name of;

	/* An option; its value is a text. */
	bool is_option;
	struct terms_name value;

	/* ROW_NULL: not recorded. */
	int64_t numbers[3];
};

/* What snapshots are open, of those that several terms fill. */
enum terms_class {
	CLASS_FULL,
	CLASS_SIZES,
	TERMS_CLASSES,
};

struct terms_snapshot {
	/* 0: none. */
	int64_t id;

	/* What is in it: a second of the same begins another snapshot. */
	struct numbering seen;
};

/* Blocks of one allocator in the carrier that is being read. */
struct carrier_blocks {
	struct terms_name allocator;
	int64_t blocks;
	int64_t bytes;
};

struct terms_reader {
	struct terms terms;
	struct reader_input *input;
	struct store *store;
	struct diag *diag;
	enum csc_status status;

	struct terms_snapshot open[TERMS_CLASSES];

	/* Where the term being read begins. */
	int64_t term_line;

	/* The subject that the text before a term names; empty: none. */
	struct terms_name context;

	/* Of the instance being read. */
	struct figure *figures;
	size_t figure_count;
	bool has_options;
	bool has_raw_blocks;

	/* terms_scan.c */
	int64_t scan;
	int64_t buckets[TERMS_BUCKETS];
	size_t bucket_count;
	struct carrier_blocks blocks[TERMS_CARRIER_ALLOCATORS];
	size_t block_count;

	/* The last system version seen; 0: none. */
	int64_t release;

	int64_t instances;
	int64_t memory_keys;
	int64_t areas;
	int64_t carriers;
	int64_t histograms;
	int64_t options;
};

/*
 * The snapshot of a class; a new one when there is none, or when it has a `what` of the
 * allocator and instance already.
 */
int64_t terms_snapshot_of(struct terms_reader *reader, enum terms_class class, struct text what,
		int64_t instance);

/* Keeps the first failure of the database. */
void terms_note(struct terms_reader *reader, enum csc_status status);

void terms_name_set(struct terms_name *name, struct text text);
static inline struct text terms_name_text(const struct terms_name *name)
{
	return (struct text){ name->bytes, name->length };
}

#endif
