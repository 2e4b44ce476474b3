/*
 * SPDX-License-Identifier: MIT
 *
 * From Babeltrace's messages, or packed records of them, to rows of a store.
 *
 * A value that SQLite cannot hold (an unsigned one of 2^63 or more) is never
 * wrapped: its event goes into load_problem.  So is INT64_MIN, which stands
 * for NULL in rows.h.
 */
#ifndef CSC_INTAKE_H
#define CSC_INTAKE_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

#include "diag.h"
#include "load_channel.h"
#include "packed.h"
#include "store.h"

struct intake;

/* `paths` renames streams, and `takes_rings`: see load_channel.h.  The store and the paths are
 * borrowed. */
enum csc_status intake_create(struct store *store, const struct sink_path *paths, size_t path_count,
		bool takes_rings, struct intake **ret_intake, struct diag *diag);

/* Takes a message of any kind; the caller keeps it. */
enum csc_status intake_take(struct intake *intake, const bt_message *message, struct diag *diag);

/*
 * The same of a record, which may be of any packer as long as the records of each come in their
 * order, and those of all in order of time.  The packers live until intake_end().
 */
enum csc_status intake_take_packed(
		struct intake *intake, const struct packed *record, struct diag *diag);

/* Takes what is held, and notes what is known at the end only, such as missing contexts. */
enum csc_status intake_end(struct intake *intake, struct diag *diag);

void intake_destroy(struct intake *intake);

#endif
