/* SPDX-License-Identifier: MIT */
/*
 * What other threads have sent to an instance: blocks to free, carriers to take home.
 * Source: facts/allocator-core.md 11.2.
 */
#ifndef CSC_DELAYED_H
#define CSC_DELAYED_H

#include "instance.h"
#include "layout.h"

/* Queues a block (header address), which counts as `type`, to its owner. */
void delayed_send_block(struct csc_core *core, uint32_t type, csc_word block);

/* Queues a carrier to its creator. */
void delayed_send_carrier(struct csc_core *core, csc_word carrier);

/*
 * Processes at most `count` elements; only those that every thread has left behind.  Returns
 * whether there was anything to do.
 */
bool delayed_serve(struct csc_instance *instance, uint32_t count);

/* Processes everything, safe or not; returns whether there was anything. */
bool delayed_drain(struct csc_instance *instance);

#endif
