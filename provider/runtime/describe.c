/* SPDX-License-Identifier: MIT */
/* Names and options of a whole runtime. */
#include "describe.h"

#include <inttypes.h>
#include <stdio.h>

#include "block_types.h"

/* The runtime's sys_alloc has no instances, but types. */
#define SYS_ALLOC 1

static void describe_text(struct csc_listener *listener, uint32_t allocator, const char *name,
		const char *value)
{
	csc_listener_option(listener,
			&(struct csc_option_note){
					.allocator = allocator, .name = name, .value = value });
}

static void describe_number(
		struct csc_listener *listener, uint32_t allocator, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	describe_text(listener, allocator, name, text);
}

void describe_settings(struct csc_listener *listener, uint32_t allocator,
		const struct csc_settings *settings)
{
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {
		{ "sbct", settings->sbct },
		{ "asbcst", settings->asbcst },
		{ "rsbcst", settings->rsbcst },
		{ "rsbcmt", settings->rsbcmt },
		{ "rmbcmt", settings->rmbcmt },
		{ "mmbcs", settings->mmbcs },
		{ "mmsbc", settings->mmsbc },
		{ "mmmbc", settings->mmmbc },
		{ "lmbcs", settings->lmbcs },
		{ "smbcs", settings->smbcs },
		{ "mbcgs", settings->mbcgs },
		{ "acul", settings->acul },
		{ "acful", settings->acful },
		{ "acnl", settings->acnl },
		{ "acfml", settings->acfml },
		{ "mbsd", settings->mbsd },
	};

	describe_text(listener, allocator, "as", csc_strategy_name(settings->strategy));
	describe_text(listener, allocator, "ramv", settings->ramv ? "true" : "false");
	describe_text(listener, allocator, "atags", settings->atags ? "true" : "false");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		describe_number(listener, allocator, numbers[i].name, numbers[i].value);
	}
}

void describe_common_settings(struct csc_listener *listener, const struct csc_settings *settings)
{
	describe_number(listener, 0, "ycs", settings->ycs);
	describe_number(listener, 0, "mmc", settings->mmc);
	describe_text(listener, 0, "sac", settings->sac ? "true" : "false");
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

/* The segment cache and the super carrier: `+MM...`. */
static void describe_cache(const struct csc_options *options, struct csc_listener *listener)
{
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {
		{ "Mamcbf", options->amcbf },
		{ "Mrmcbf", options->rmcbf },
		{ "Mmcs", options->mcs },
		{ "Mscs", options->scs },
		{ "Msco", options->sco },
		{ "Mscrfsd", options->scrfsd },
		{ "dai", options->dirty_instances },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		describe_number(listener, 0, numbers[i].name, numbers[i].value);
	}
}

static void describe_options(const struct csc_options *options, struct csc_listener *listener)
{
	const struct csc_settings common = {
		.ycs = options->ycs,
		.mmc = options->mmc,
		.sac = options->sac,
	};

	describe_common_settings(listener, &common);
	describe_cache(options, listener);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		enum csc_allocator allocator = (enum csc_allocator)i;
		const struct csc_allocator_options *own = &options->allocators[i];
		uint32_t number;

		if (!csc_options_has(options, allocator)) {
			continue;
		}
		number = csc_options_number(options, allocator);
		csc_listener_option(listener,
				&(struct csc_option_note){
						.allocator = number,
						.name = "e",
						.value = own->is_enabled ? "true" : "false",
				});
		if (own->is_enabled) {
			const char pool[] = { own->pool, '\0' };

			csc_listener_option(listener,
					&(struct csc_option_note){
							.allocator = number,
							.name = "t",
							.value = own->threading == CSC_GLOBAL
									? "false"
									: "true",
					});
			csc_listener_option(listener,
					&(struct csc_option_note){ .allocator = number,
							.name = "cp",
							.value = pool });
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
