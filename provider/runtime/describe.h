/* SPDX-License-Identifier: MIT */
/*
 * The names and the options of a whole runtime, told to whoever hears it.
 */
#ifndef CSC_RUNTELL_H
#define CSC_RUNTELL_H

#include "listener.h"
#include "options.h"

/* Classes, types and options; `options` are settled. */
void runtell(const struct csc_options *options, struct csc_listener *listener);

/* The names of the allocators by their numbers; `names` has room for CSC_TYPES_MAX. */
void runtell_allocators(const struct csc_options *options, const char **names);

#endif
