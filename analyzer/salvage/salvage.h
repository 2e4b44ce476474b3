/*
 * SPDX-License-Identifier: MIT
 *
 * Makes copies of damaged CTF traces that Babeltrace reads, and lists what is
 * lost.  The input is only ever read.
 *
 * A packet is kept when its front is the trace's, its sizes and times can be
 * true, and its events decode one by one to the end of its content.  Of a packet
 * that is cut the whole events are kept; of one whose events do not decode, those
 * before the damage, less the last (damage seldom begins where an event does).
 * Damage that leaves events decodable cannot be seen.
 */
#ifndef CSC_SALVAGE_H
#define CSC_SALVAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "diag.h"
#include "salvage_loss.h"

struct salvage;

/*
 * Repairs every trace in or below the inputs into subdirectories of work_dir,
 * which may not be there yet.  metadata_file (or NULL) is the metadata of a
 * sibling session, used for traces whose own is missing or damaged.
 *
 * Fails when no trace could be salvaged, or when the copies cannot be written;
 * work_dir is then as empty as before.  A trace that could not be salvaged beside
 * others is a loss.
 */
enum csc_status salvage_run(const char *const *inputs, size_t input_count,
		const char *metadata_file, const char *work_dir, struct salvage **ret_salvage,
		struct diag *diag);

/* The directory of a repaired copy, and the input directory it stands for. */
size_t salvage_trace_count(const struct salvage *salvage);
const char *salvage_trace_dir(const struct salvage *salvage, size_t i);
const char *salvage_trace_origin(const struct salvage *salvage, size_t i);

size_t salvage_loss_count(const struct salvage *salvage);
const struct salvage_loss *salvage_loss_at(const struct salvage *salvage, size_t i);

/* Removes the copies too, and work_dir when salvage_run() made it. */
void salvage_destroy(struct salvage *salvage);

/*
 * Removes a work_dir that has the mark of salvage_run(), with all copies in it; one that `writer`
 * made only if that process is no more and nobody is at work in it, in another container either.
 */
void salvage_remove(const char *work_dir);
void salvage_remove_stale(const char *work_dir, pid_t writer);

#endif
