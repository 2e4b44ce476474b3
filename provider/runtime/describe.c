/* SPDX-License-Identifier: MIT */
/* Names and options of a whole runtime. */
#include "describe.h"

#include "block_types.h"
#include "describe_options.h"

/* The runtime's sys_alloc has no instances, but types. */
#define SYS_ALLOC 1

static void tell_classes(struct csc_listener *listener)
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

static void tell_types(const struct csc_options *options, struct csc_listener *listener)
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
static void tell_cache(const struct csc_options *options, struct csc_listener *listener)
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
		tell_number(listener, 0, numbers[i].name, numbers[i].value);
	}
}

static void tell_options(const struct csc_options *options, struct csc_listener *listener)
{
	const struct csc_settings common = {
		.ycs = options->ycs,
		.mmc = options->mmc,
		.sac = options->sac,
	};

	tell_common_settings(listener, &common);
	tell_cache(options, listener);
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
			tell_settings(listener, number, &own->settings);
		}
	}
}

void runtell(const struct csc_options *options, struct csc_listener *listener)
{
	tell_classes(listener);
	tell_types(options, listener);
	tell_options(options, listener);
}

void runtell_allocators(const struct csc_options *options, const char **names)
{
	names[SYS_ALLOC] = "sys_alloc";
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		enum csc_allocator allocator = (enum csc_allocator)i;

		if (csc_options_has(options, allocator)) {
			names[csc_options_number(options, allocator)] = csc_allocator_infos[i].name;
		}
	}
}
