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

/* What is said where it is not; carrierscope_recorder says the same. */
#define LTTNG_LIBRARY_MISSING \
	"LTTng's library is not loaded: this machine has no liblttng-ust.so.1 (Debian: liblttng-ust1), so no block can be recorded"

#endif
