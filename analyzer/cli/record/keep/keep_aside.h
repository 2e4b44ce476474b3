/*
 * SPDX-License-Identifier: MIT
 *
 * Work that may take minutes on a busy machine.
 */
#ifndef CSC_KEEP_ASIDE_H
#define CSC_KEEP_ASIDE_H

#include "diag.h"

/*
 * Does `work` in a process of its own, which ends with this one, and calls `meanwhile` each 5 s.
 * Errors: those of `work`; it was ended.
 */
enum csc_status keep_aside(enum csc_status (*work)(void *context, struct diag *diag), void *context,
		void (*meanwhile)(void *context), void *meanwhile_context, struct diag *diag);

#endif
