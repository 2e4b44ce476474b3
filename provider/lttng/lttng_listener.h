/* SPDX-License-Identifier: MIT */
/*
 * What the core says, as LTTng-UST events: OTP's four under both names of their provider, and
 * ours.
 *
 * A room of its own, since the twin is not the only one who may run the core, and since neither
 * the core nor the twin's tests are to carry a tracer.
 *
 * Who has come is noticed by csc_listener_tick(), without a thread: it reads the state words of
 * the tracepoints into the mask that the core tests, and compares the lists of probes of those
 * events with names and state.  A list that has changed means that a session has come, is
 * now recording, or has gone; everything is emitted again, then, to all sessions.  A session that
 * ends and another that starts between two ticks may be taken for the same one: who pauses, ticks
 * while pausing.
 */
#ifndef CSC_LTTNG_LISTENER_H
#define CSC_LTTNG_LISTENER_H

#include "listener.h"

/* Static; there is one, since a process has one set of tracepoints. */
struct csc_listener *lttng_listener(void);

/*
 * From now on block_alloc, block_free and block_realloc are records of block_batch, while a session
 * wants that event, and LTTng's clock counts ns.
 */
void lttng_listener_pack(void);

#endif
