/* SPDX-License-Identifier: MIT */
/* Settings of single allocators, and the flags that make them. */
#ifndef CSC_SETTING_H
#define CSC_SETTING_H

#include "sweep.h"

/* What a search varies, of each allocator; sizes in KiB. */
enum setting_knob {
	KNOB_LMBCS,
	KNOB_SBCT,
	KNOB_MMSBC,
	KNOB_ACUL,
	/* Number of setting_strategy(). */
	KNOB_AS,
	KNOB_MBCGS,
	KNOB_SMBCS,
	KNOB_RSBCST,
	KNOB_RMBCMT,
	KNOBS,
};

/* As recorded. */
#define SETTING_RECORDED INT64_C(-1)

struct setting {
	int64_t knobs[KNOBS];
};

/* Of each allocator, by its number. */
struct settings {
	struct setting of[CSC_ALLOCATORS];
};

/* Room for the flags of all allocators. */
#define SETTING_FLAGS_BYTES 4096

/* Nothing is changed. */
void settings_init(struct settings *settings);

/* Static: a strategy by its number; NULL: there are no more. */
const char *setting_strategy(int64_t number);

/* What is as `options`, which are settled, have it is as recorded. */
void settings_forget(struct settings *settings, const struct csc_options *options);

/* The flags of all that is not as recorded. */
void settings_print(const struct settings *settings, char ret_flags[SETTING_FLAGS_BYTES]);

/* The flags that lead back: what `options`, which are settled, have of what is changed. */
void settings_print_undo(const struct settings *settings, const struct csc_options *options,
		char ret_flags[SETTING_FLAGS_BYTES]);

#endif
