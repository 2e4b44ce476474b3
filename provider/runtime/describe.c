/* SPDX-License-Identifier: MIT */
/* Names and options of a whole runtime. */
#include "describe.h"

#include <string.h>

#include "block_types.h"
#include "flag_table.h"

/* The runtime's sys_alloc has no instances, but types. */
#define SYS_ALLOC 1

static void describe_flag(struct csc_listener *listener, uint32_t allocator,
		const struct flag *flag, const void *base)
{
	char text[24];

	flag_print(flag, base, text);
	csc_listener_option(listener,
			&(struct csc_option_note){ .allocator = allocator,
					.name = flag->option,
					.value = text });
}

void describe_settings(struct csc_listener *listener, uint32_t allocator,
		const struct csc_settings *settings)
{
	for (const struct flag *flag = flag_table; flag->name; flag++) {
		if (flag->place == FLAG_IN_SETTINGS && flag->option) {
			describe_flag(listener, allocator, flag, settings);
		}
	}
}

void describe_common_settings(struct csc_listener *listener, const struct csc_settings *settings)
{
	struct csc_options common = {
		.ycs = settings->ycs, .mmc = settings->mmc, .sac = settings->sac
	};

	for (const struct flag *flag = flag_table; flag->name; flag++) {
		if (strcmp(flag->letter, "u") == 0 && flag->option) {
			describe_flag(listener, 0, flag, &common);
		}
	}
}

static void describe_classes(struct csc_listener *listener)
{
	/* By enum csc_block_class. */
	static const char *const names[] = { "unknown", "atom_data", "binary_data", "code_data",
		"ets_data", "process_data", "system_data" };

	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		csc_listener_name(listener,
				&(struct csc_name_note){
						.kind = CSC_NAME_CLASS,
						.id = i,
						.name = names[i],
				});
	}
}

static void describe_types(const struct csc_options *options, struct csc_listener *listener)
{
	for (uint32_t i = 1; i <= memory_type_count(); i++) {
		const struct csc_block_type *type = memory_type_at(i, options->generation);
		enum csc_allocator allocator;

		if (!type) {
			continue;
		}
		allocator = memory_type_allocator(type);
		csc_listener_name(listener,
				&(struct csc_name_note){
						.kind = CSC_NAME_TYPE,
						.id = i,
						.class_id = (uint32_t)type->class_id,
						.allocator = allocator < CSC_ALLOCATORS
								? csc_options_number(options,
										  allocator)
								: SYS_ALLOC,
						.name = type->description,
				});
	}
}

static void describe_options(const struct csc_options *options, struct csc_listener *listener)
{
	for (const struct flag *flag = flag_table; flag->name; flag++) {
		if (flag->place == FLAG_IN_OPTIONS && flag->option) {
			describe_flag(listener, 0, flag, options);
		}
	}
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		enum csc_allocator allocator = (enum csc_allocator)i;
		const struct csc_allocator_options *own = &options->allocators[i];
		uint32_t number;

		if (!csc_options_has(options, allocator)) {
			continue;
		}
		number = csc_options_number(options, allocator);
		for (const struct flag *flag = flag_table; flag->name; flag++) {
			if (flag->place == FLAG_IN_ALLOCATOR &&
					(own->is_enabled || flag->kind == FLAG_ENABLED)) {
				describe_flag(listener, number, flag, own);
			}
		}
		if (own->is_enabled) {
			describe_settings(listener, number, &own->settings);
		}
	}
}

void describe_runtime(const struct csc_options *options, struct csc_listener *listener)
{
	describe_classes(listener);
	describe_types(options, listener);
	describe_options(options, listener);
}

void describe_allocators(const struct csc_options *options, const char **names)
{
	names[SYS_ALLOC] = "sys_alloc";
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		enum csc_allocator allocator = (enum csc_allocator)i;

		if (csc_options_has(options, allocator)) {
			names[csc_options_number(options, allocator)] = csc_allocator_infos[i].name;
		}
	}
}
