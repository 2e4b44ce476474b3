/* SPDX-License-Identifier: MIT */
/*
 * Options in force, told to a listener one by one.
 */
#ifndef CSC_TELL_H
#define CSC_TELL_H

#include "emit.h"
#include "settings.h"

/* One option that is a number. */
void tell_number(struct csc_listener *listener, uint32_t allocator, const char *name,
		uint64_t value);

/* The settings of an allocator, under the names of the runtime's flags; unlimited is 2^64 - 1. */
void tell_settings(struct csc_listener *listener, uint32_t allocator,
		const struct csc_settings *settings);

/* Those of all allocators. */
void tell_common_settings(struct csc_listener *listener, const struct csc_settings *settings);

#endif
