/* SPDX-License-Identifier: MIT */
/* What several programs about the core begin with: an instance, and the targets that are measured.
 */
#ifndef CSC_TEST_SAMPLE_H
#define CSC_TEST_SAMPLE_H

#include "csc.h"
#include "linux.h"
#include "window.h"

/* Instance `index` of a thread-preferred allocator, or the only one; carriers of 64 to 128 KiB. */
static inline struct csc_instance_config sample_config(
		uint32_t index, enum csc_strategy strategy, bool is_thread_preferred)
{
	struct csc_instance_config config = {
		.type = 5,
		.index = index,
		.mseg = index,
		.is_thread_preferred = is_thread_preferred,
		.is_thread_safe = index == 0,
	};

	csc_settings_init(&config.settings);
	config.settings.strategy = strategy;
	config.settings.sbct = 65536;
	config.settings.mmbcs = 0;
	config.settings.smbcs = 65536;
	config.settings.lmbcs = 131072;
	return config;
}

#endif
