/*
 * SPDX-License-Identifier: MIT
 *
 * Flags of recorded nodes, by the settings that they announced.
 */
#ifndef CSC_PUSH_FLAGS_H
#define CSC_PUSH_FLAGS_H

enum { PUSH_FLAG_STAGES = 2 };

/* Make the temporary table push_flags (runtime_id, flags): a row for each runtime whose settings
 * and release are known, as view flags_in_force has it for dumps and terms. */
extern const char *const push_flag_stages[PUSH_FLAG_STAGES];

#endif
