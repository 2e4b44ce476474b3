/*
 * SPDX-License-Identifier: MIT
 *
 * Damaged traces: repaired copies for --salvage, and without it the sentence
 * that names the damage.
 */
#ifndef CSC_DAMAGE_H
#define CSC_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"
#include "inputs.h"
#include "load_options.h"
#include "sink_link.h"

struct damage;

/*
 * Repairs copies of the inputs beside the database, adds them to `inputs` and tells
 * the sink what they stand for.  The damage must outlive the graph.
 */
enum csc_status damage_repair(const struct load_options *options, struct inputs *inputs,
		struct sink_link *link, struct damage **ret_damage, struct diag *diag);

/* The directory that a repaired copy stands for; `copy` itself if it is none. */
const char *damage_origin(const struct damage *damage, const char *copy);

/* Places where something was lost; metadata made anew is none. */
size_t damage_count(const struct damage *damage);

/*
 * Looks for what is wrong with inputs that could not be loaded; false: nothing that
 * this can see.
 */
bool damage_explain(const struct load_options *options, struct diag *ret_diag);

/* Removes the copies.  NULL is fine. */
/*
 * Removes the copies that this process repairs beside a database, also while it is at work:
 * it is about to end.
 */
void damage_remove_copies(const char *database);

void damage_destroy(struct damage *damage);

#endif
