/* SPDX-License-Identifier: MIT */
/*
 * The one place where a listener is attached to what the twin runs.
 *
 * By default nobody listens.  A build with a tracer supplies another listener.c.
 */
#ifndef CSC_TWIN_LISTENER_H
#define CSC_TWIN_LISTENER_H

#include "emit.h"
#include "options.h"

/*
 * Who listens to a runtime with these settings; NULL: nobody.  Called once, before the first
 * carrier exists.  The listener is called from every thread of the run; it must live until
 * twin_listener_flush().
 */
const struct csc_listener *twin_listener(const struct csc_options *options);

/* All events have been spoken: brings them to safety.  Called once, before the twin exits. */
void twin_listener_flush(void);

#endif
