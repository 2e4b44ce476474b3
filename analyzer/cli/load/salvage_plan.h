/*
 * SPDX-License-Identifier: MIT
 *
 * Damaged traces: repaired copies for --salvage, and without it the sentence
 * that names the damage.
 */
#ifndef CSC_SALVAGE_PLAN_H
#define CSC_SALVAGE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"
#include "inputs.h"
#include "load_channel.h"
#include "load_options.h"

struct salvage_plan;

/*
 * Repairs copies of the inputs beside the database, adds them to `inputs` and passes
 * the sink what they stand for.  The plan must outlive the graph.
 */
enum csc_status salvage_plan_repair(const struct load_options *options, struct inputs *inputs,
		struct load_channel *channel, struct salvage_plan **ret_plan, struct diag *diag);

/* The directory that a repaired copy stands for; `copy` itself if it is none. */
const char *salvage_plan_origin(const struct salvage_plan *plan, const char *copy);

/* Places where something was lost; metadata made anew is none. */
size_t salvage_plan_count(const struct salvage_plan *plan);

/*
 * Looks for what is wrong with inputs that could not be loaded; false: nothing that
 * this can see.
 */
bool salvage_plan_explain(const struct load_options *options, struct diag *ret_diag);

/* Removes copies in a database's folder that are provably ours, of loads that are no more. */
void salvage_plan_remove_stale(const char *database);

/*
 * Removes the copies that this process repairs beside a database, also while it is at work:
 * it is about to end.
 */
void salvage_plan_remove_copies(const char *database);

/* Removes the copies.  NULL is fine. */
void salvage_plan_destroy(struct salvage_plan *plan);

#endif
