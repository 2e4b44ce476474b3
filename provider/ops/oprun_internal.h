/* SPDX-License-Identifier: MIT */
/*
 * A run of an operation file, for oprun.c and opprint.c.
 */
#ifndef CSC_OPRUN_INTERNAL_H
#define CSC_OPRUN_INTERNAL_H

#include "api.h"
#include "listener.h"
#include "listener_pair.h"
#include "opfile.h"
#include "opreport.h"
#include "oprun.h"
#include "scripted.h"

/* A run. */
struct run {
	/* Borrowed. */
	const struct opfile *opfile;
	FILE *out;
	const struct oprun_witness *witness;
	struct diag *diag;

	struct scripted *scripted;
	struct opreport report;
	/* The report's, and a further listener; the latter borrowed, NULL: none. */
	struct csc_listener listener;
	struct csc_listener *other;
	struct listener_pair pair;
	struct csc_listener_subject runtime;
	/* Static. */
	const struct csc_api *api;
	struct csc_core *core;
	uint32_t types;
	struct csc_generation generation;
	struct csc_instance *table[OPFILE_INSTANCES_MAX + 1];
	struct csc_instance *instances[OPFILE_INSTANCES_MAX];

	/* User addresses by block number; 0: none. */
	uint64_t *blocks;

	/* Bytes asked for, by block number. */
	uint64_t *sizes;

	/* Fix cases: the type of each block, and the counters as last printed. */
	uint32_t *fix_types;
	struct csc_fix_statistics fixes[CSC_FIX_TYPES_MAX];
};

/* Lines of the result; `number` is that of the operation. */
void opprint_statistics(struct run *run, bool is_new_period);
void opprint_pool_counters(struct run *run);
void opprint_snapshot(struct run *run, size_t number, bool is_new_period);
void opprint_block(struct run *run, size_t number, uint64_t user);
void opprint_fixes(struct run *run, size_t number);

#endif
