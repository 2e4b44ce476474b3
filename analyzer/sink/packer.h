/*
 * SPDX-License-Identifier: MIT
 *
 * From Babeltrace's messages to packed records.
 *
 * How to read the events of a class is planned once, when the class is first met, and found again
 * by its address; fields are read by index.
 *
 * A packer is one thread's.  What its records point to lives as long as the packer does; after a
 * record is handed over, the members of streams, traces and plans that are said to be the intake's
 * are the intake's.
 */
#ifndef CSC_PACKER_H
#define CSC_PACKER_H

#include <babeltrace2/babeltrace.h>
#include <stddef.h>

#include "diag.h"
#include "load_channel.h"
#include "packing.h"

struct packer;

/* `paths` renames streams, see load_channel.h; borrowed. */
enum csc_status packer_create(const struct sink_path *paths, size_t path_count,
		struct packer **ret_packer, struct diag *diag);

/*
 * Adds the records of a message: none, one, or two where a stream is met first.  `source`: number
 * of the component it comes from.  The caller keeps the message.
 */
enum csc_status packer_take(struct packer *packer, size_t source, const bt_message *message,
		struct packing *packing, struct diag *diag);

/* NULL is fine. */
void packer_destroy(struct packer *packer);

#endif
