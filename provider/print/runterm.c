/* SPDX-License-Identifier: MIT */
/* The figures of a whole runtime as Erlang terms. */
#include "runterm.h"

#include "statterm.h"

static void runterm_names(const struct csc_options *options, struct statterm *statterm)
{
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		enum csc_allocator allocator = (enum csc_allocator)i;

		if (csc_options_has(options, allocator)) {
			statterm->names[csc_options_number(options, allocator)] =
					csc_allocator_infos[i].name;
		}
	}
}

static void runterm_fix(const struct runtime *runtime, struct statterm *statterm)
{
	const struct fixed_type *types[CSC_FIX_TYPES_MAX];

	statterm->fix_count = fixed_types_of(runtime_options(runtime)->generation, types);
	for (uint32_t i = 0; i < statterm->fix_count; i++) {
		statterm->fix_names[i] = types[i]->name;
		statterm->fix_bytes[i] = runtime_fix_bytes(runtime, i);
	}
}

static void runterm_allocator(
		const struct runtime *runtime, enum csc_allocator allocator, FILE *out)
{
	const struct csc_options *options = runtime_options(runtime);
	const struct csc_allocator_options *own = &options->allocators[allocator];
	uint32_t count = csc_options_instances(options, allocator);
	struct statterm statterm = {
		.api = runtime_api(runtime),
		.generation = options->generation,
		.name = csc_allocator_infos[allocator].name,
		.has_threads = own->threading != CSC_GLOBAL,
	};

	runterm_names(options, &statterm);
	if (allocator == CSC_FIX) {
		runterm_fix(runtime, &statterm);
	}
	if (allocator == CSC_FIX) {
		fprintf(out, "%% fix_alloc: sizes of fix_types are %s\n",
				runtime_fix_basis(runtime));
	}
	fprintf(out, "{%s,[\n", statterm.name);
	for (uint32_t index = 0; index < count; index++) {
		struct csc_instance_config config;

		csc_options_config(options, allocator, index, &config);
		/* The first instance of ets_alloc starts without a carrier, but says the same. */
		if (!config.settings.mmbcs) {
			config.settings.mmbcs = own->settings.mmbcs;
		}
		fputs(index ? ",\n" : "", out);
		statterm_instance(&statterm, runtime_instance(runtime, allocator, index), &config,
				out);
	}
	fputs("]}.\n", out);
}

void runterm_print(const struct runtime *runtime, FILE *out)
{
	const struct csc_options *options = runtime_options(runtime);

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		enum csc_allocator allocator = (enum csc_allocator)i;

		if (!csc_options_has(options, allocator)) {
			continue;
		}
		if (csc_options_instances(options, allocator)) {
			runterm_allocator(runtime, allocator, out);
		} else {
			fprintf(out, "{%s,false}.\n", csc_allocator_infos[i].name);
		}
	}
}
