/* SPDX-License-Identifier: MIT */
/*
 * Who hears the twin.  Linked into the program alone: the twin's library and its tests work with
 * any listener or with none.
 */
#ifndef CSC_TWIN_LISTENER_H
#define CSC_TWIN_LISTENER_H

#include "emit.h"

/* Static: the listener that speaks through LTTng-UST. */
struct csc_listener *twin_listener(void);

#endif
