/* SPDX-License-Identifier: MIT */
/*
 * LTTng's library, which is looked for when the module is loaded: a node without it loads the
 * module all the same, and has readings of it.
 */
#ifndef CSC_BEAM_LTTNG_LIBRARY_H
#define CSC_BEAM_LTTNG_LIBRARY_H

#include <stdbool.h>

/* Whether it is there; it is mapped from the first call on. */
bool lttng_library_is_there(void);

/* Why it is not, as the loader says: it may be there, and of another C library.  Else NULL. */
const char *lttng_library_missing(void);

#endif
