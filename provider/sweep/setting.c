/* SPDX-License-Identifier: MIT */
/* Settings as flags. */
#include "setting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "flag_table.h"

static const char *const knob_names[KNOBS] = { "lmbcs", "sbct", "mmsbc", "acul", "as", "mbcgs",
	"smbcs", "rsbcst", "rmbcmt" };

static const char *const strategies[] = { "aoffcbf", "aoff", "ageffcaoff", "ageffcbf", "aobf",
	"bf" };

const char *setting_strategy(int64_t number)
{
	return number >= 0 && (uint64_t)number < sizeof(strategies) / sizeof(strategies[0])
			? strategies[number]
			: NULL;
}

void settings_init(struct settings *settings)
{
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		for (int k = 0; k < KNOBS; k++) {
			settings->of[i].knobs[k] = SETTING_RECORDED;
		}
	}
}

static void append(char *flags, const char *text)
{
	size_t length = strlen(flags);

	(void)snprintf(flags + length, SETTING_FLAGS_BYTES - length, "%s%s", length ? " " : "",
			text);
}

static void append_flag(char *flags, int allocator, int knob, const char *value)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "+M%c%s %s", csc_allocator_infos[allocator].letter,
			knob_names[knob], value);
	append(flags, text);
}

void settings_print(const struct settings *settings, char ret_flags[SETTING_FLAGS_BYTES])
{
	ret_flags[0] = 0;
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		for (int k = 0; k < KNOBS; k++) {
			int64_t value = settings->of[i].knobs[k];
			char text[24];

			if (value == SETTING_RECORDED) {
				continue;
			}
			(void)snprintf(text, sizeof(text), "%" PRId64, value);
			append_flag(ret_flags, i, k, k == KNOB_AS ? setting_strategy(value) : text);
		}
	}
}

/* What an option is now, as the command line takes it. */
static void print_value(const struct csc_options *options, int allocator, int knob, char text[24])
{
	struct csc_options copy = *options;

	for (const struct flag *flag = flag_table; flag->name; flag++) {
		if (flag_is_each(flag) && strcmp(flag->name, knob_names[knob]) == 0) {
			const void *base = flag_base(flag, &copy, (enum csc_allocator)allocator);
			const uint64_t *number = (const void *)((const char *)base + flag->offset);

			if (flag->kind == FLAG_KIB) {
				(void)snprintf(text, 24, "%" PRIu64, *number / 1024);
			} else {
				flag_print(flag, base, text);
			}
		}
	}
}

void settings_forget(struct settings *settings, const struct csc_options *options)
{
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		for (int k = 0; k < KNOBS; k++) {
			int64_t *value = &settings->of[i].knobs[k];
			char text[24] = "";
			char wanted[24];

			if (*value == SETTING_RECORDED) {
				continue;
			}
			print_value(options, i, k, text);
			(void)snprintf(wanted, sizeof(wanted), "%" PRId64, *value);
			if (strcmp(text, k == KNOB_AS ? setting_strategy(*value) : wanted) == 0) {
				*value = SETTING_RECORDED;
			}
		}
	}
}

void settings_print_undo(const struct settings *settings, const struct csc_options *options,
		char ret_flags[SETTING_FLAGS_BYTES])
{
	ret_flags[0] = 0;
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		for (int k = 0; k < KNOBS; k++) {
			char text[24] = "";

			if (settings->of[i].knobs[k] != SETTING_RECORDED) {
				print_value(options, i, k, text);
				append_flag(ret_flags, i, k, text);
			}
		}
	}
}
