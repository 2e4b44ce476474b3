/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope load --recover`: what loads that broke off left behind.
 */
#ifndef CSC_RECOVER_H
#define CSC_RECOVER_H

#include "load_options.h"

/* Recovers the database that is the one input; frees the options.  Yields an exit status. */
int recover_run(struct load_options *options);

#endif
