/* SPDX-License-Identifier: MIT */
/*
 * Describes a runtime to its listener: the names of its ids, and its options one by one.
 */
#ifndef CSC_DESCRIBE_H
#define CSC_DESCRIBE_H

#include "listener.h"
#include "options.h"

/* Classes, types and options; `options` are settled. */
void describe_runtime(const struct csc_options *options, struct csc_listener *listener);

/* The settings of an allocator, under the names of the runtime's flags; unlimited is 2^64 - 1. */
void describe_settings(struct csc_listener *listener, uint32_t allocator,
		const struct csc_settings *settings);

/* Those of all allocators. */
void describe_common_settings(struct csc_listener *listener, const struct csc_settings *settings);

/* The names of the allocators by their numbers; `names` has room for CSC_TYPES_MAX. */
void describe_allocators(const struct csc_options *options, const char **names);

#endif
