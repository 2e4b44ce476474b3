/* SPDX-License-Identifier: MIT */
/* Settings in the shape of `erlang:system_info(allocator)`. */
#include "optionterm.h"

#include <gnu/libc-version.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "block_types.h"
#include "flag_table.h"

/* Carriers have the extra word since `acful` exists. */
static bool has_acful(const struct csc_options *options)
{
	return options->generation->header_extra_words > 0;
}

static const char *bool_of(bool value)
{
	return value ? "true" : "false";
}

/* Whether instances of these settings list an option. */
static bool is_shown(const struct flag *flag, const struct csc_generation *generation,
		const struct csc_settings *settings)
{
	bool is_of_strategy = strcmp(flag->name, "mbsd") != 0 || settings->strategy == CSC_GF;

	return flag_is_each(flag) && flag->is_listed && flag_is_known(flag, generation) &&
			is_of_strategy;
}

/* All options of an instance, or those of carriers that may migrate. */
static void print_options(const struct csc_generation *generation,
		const struct csc_instance_config *config, bool has_threads, bool is_migration,
		FILE *out)
{
	const struct csc_settings *settings = &config->settings;
	const char *separator = "";

	for (const struct flag *flag = flag_table; flag->name; flag++) {
		char value[24] = "true";

		if (!is_shown(flag, generation, settings) ||
				(is_migration && !flag->is_migration)) {
			continue;
		}
		if (flag->place == FLAG_IN_SETTINGS) {
			flag_print(flag, settings, value);
		} else if (flag->kind == FLAG_THREADS) {
			snprintf(value, sizeof(value), "%s", bool_of(has_threads));
		} else if (flag->kind == FLAG_POOL && settings->acul && config->pool) {
			snprintf(value, sizeof(value), "'%c'", config->pool);
		} else if (flag->kind == FLAG_POOL) {
			snprintf(value, sizeof(value), "undefined");
		}
		fprintf(out, "%s{%s,%s}", separator, flag->name, value);
		separator = ",";
	}
}

void optionterm_settings(const struct csc_generation *generation,
		const struct csc_instance_config *config, bool has_threads, FILE *out)
{
	print_options(generation, config, has_threads, false, out);
}

static void print_settings(
		const struct csc_options *options, enum csc_allocator allocator, FILE *out)
{
	const struct csc_allocator_options *own = &options->allocators[allocator];
	struct csc_instance_config config;

	csc_options_config(options, allocator, 0, &config);
	/* The first instance of ets_alloc starts without a carrier, but says the same. */
	if (!config.settings.mmbcs) {
		config.settings.mmbcs = own->settings.mmbcs;
	}
	optionterm_settings(options->generation, &config, own->threading != CSC_GLOBAL, out);
}

static void print_allocator(
		const struct csc_options *options, enum csc_allocator allocator, FILE *out)
{
	fprintf(out, "  {%s,[", csc_allocator_infos[allocator].name);
	if (csc_options_instances(options, allocator)) {
		print_settings(options, allocator, out);
	} else {
		fputs("{e,false}", out);
	}
	fputs("]},\n", out);
}

/* As it is used: whole units, and nothing where that is too much for a word. */
static uint64_t ycs_of(const struct csc_options *options)
{
	uint64_t unit = UINT64_C(1)
			<< (options->word_bytes == 4 ? 18 : options->generation->unit_bits);

	return (options->ycs + unit - 1) & ~(unit - 1) & csc_options_max(options);
}

static void print_features(const struct csc_options *options, FILE *out)
{
	fputs(" [sys_alloc", out);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		/* Those that are disabled are no features. */
		if (csc_options_instances(options, (enum csc_allocator)i)) {
			fprintf(out, ",%s", csc_allocator_infos[i].name);
		}
	}
	fputs(",mseg_alloc,sys_aligned_alloc,literal_mmap],\n", out);
}

static void print_super(const struct csc_options *options, FILE *out)
{
	uint64_t taken = csc_options_descriptors_bytes(options, options->scrfsd);

	if (!options->scs) {
		fputs("  {erts_mmap,[{scs,0}]},\n", out);
		return;
	}
	fprintf(out,
			"  {erts_mmap,[{scs,%" PRIu64 "},{sco,%s},{scrpm,%s},{scrfsd,%" PRIu64
			"}]},\n",
			options->scs > taken ? options->scs - taken : 0, bool_of(options->sco),
			bool_of(options->scrpm), csc_options_descriptors(options, options->scrfsd));
}

/* What the runtime reports by system_info({allocator,erts_mmap}) of the area for literals. */
static void print_literal_area(const struct csc_options *options, FILE *out)
{
	uint64_t taken = csc_options_descriptors_bytes(options, CSC_LITERAL_DESCRIPTORS);

	if (options->word_bytes == 8) {
		fprintf(out,
				"%% {literal_mmap,[{scs,%" PRIu64
				"},{sco,true},{scrpm,false},{scrfsd,%" PRIu64 "}]}\n",
				options->literal_scs > taken ? options->literal_scs - taken : 0,
				csc_options_descriptors(options, CSC_LITERAL_DESCRIPTORS));
	}
}

/* What instances behind the first have of their own. */
static void print_other_instances(const struct csc_options *options, FILE *out)
{
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		enum csc_allocator allocator = (enum csc_allocator)i;
		struct csc_instance_config config;

		if (csc_options_instances(options, allocator) < 2) {
			continue;
		}
		csc_options_config(options, allocator, 1, &config);
		fprintf(out, "%% {%s,1..%" PRIu32 ",[", csc_allocator_infos[i].name,
				options->schedulers);
		print_options(options->generation, &config, false, true, out);
		fprintf(out, ",{as,%s}]}\n", csc_strategy_name(config.settings.strategy));
	}
}

void optionterm_print(const struct csc_options *options, FILE *out)
{
	char *rest = NULL;
	unsigned long major = strtoul(gnu_get_libc_version(), &rest, 10);
	unsigned long minor = *rest == '.' ? strtoul(rest + 1, NULL, 10) : 0;

	fprintf(out, "{glibc,[%lu,%lu],\n", major, minor);
	print_features(options, out);
	fprintf(out, " [{sys_alloc,[{e,true},{m,libc},{tt,%" PRIu64 "},{tp,%" PRIu64 "}]},\n",
			options->trim_threshold, options->top_pad);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		if (csc_options_has(options, (enum csc_allocator)i)) {
			print_allocator(options, (enum csc_allocator)i, out);
		}
	}
	fprintf(out,
			"  {mseg_alloc,[{amcbf,%" PRIu64 "},{rmcbf,%" PRIu64 "},{mcs,%" PRIu64
			"}]},\n",
			options->amcbf, options->rmcbf, options->mcs);
	fprintf(out, "  {alloc_util,[{mmc,%" PRIu64 "},{ycs,%" PRIu64 "},{sac,%s}]},\n",
			options->mmc, ycs_of(options), bool_of(options->sac));
	print_super(options, out);
	if (!has_acful(options)) {
		fputs("  {instr,[{t,false}]},\n", out);
	}
	fprintf(out, "  {lock_physical_memory,%s}]}.\n", options->is_locked ? "all" : "no");
	print_other_instances(options, out);
	print_literal_area(options, out);
	fixed_types_print(options->generation, options->word_bytes, out);
}
