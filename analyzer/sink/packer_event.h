/*
 * SPDX-License-Identifier: MIT
 *
 * One event to one record.
 */
#ifndef CSC_PACKER_EVENT_H
#define CSC_PACKER_EVENT_H

#include <babeltrace2/babeltrace.h>

#include "diag.h"
#include "packing.h"

struct packer;
struct stream_state;

/* Packs an event of a stream that is known; the caller keeps the message. */
enum csc_status packer_pack_event(struct packer *packer, struct stream_state *stream,
		const bt_message *message, struct packing *packing, struct diag *diag);

#endif
