/* SPDX-License-Identifier: MIT */
/* The targets that allocations are measured on: this machine, and a window of 2 GiB for words of 32
 * bits. */
#ifndef CSC_TEST_MACHINES_H
#define CSC_TEST_MACHINES_H

#include "linux.h"
#include "window.h"

static const struct linux_options machine = {
	.mseg_count = 1,
	.segment = {
		.page_bytes = 4096,
		.unit_bytes = 16384,
		.slots = 10,
		.relative_bad_fit = 20,
		.absolute_bad_fit = 4194304,
	},
};

static const struct window_options small = {
	.first = 0x40000000,
	.end = 0xC0000000,
	.page_bytes = 4096,
	.unit_bytes = 262144,
	.limit_bytes = UINT64_MAX,
	.has_mseg = true,
};

#endif
