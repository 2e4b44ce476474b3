/* SPDX-License-Identifier: MIT */
/*
 * Lists of freed objects of fixed size.
 * Source: facts/allocator-core.md 9.
 */
#ifndef CSC_FIX_H
#define CSC_FIX_H

#include "instance.h"

void fix_init(struct csc_instance *instance, const struct csc_instance_config *config);

#endif
