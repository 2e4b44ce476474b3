/* SPDX-License-Identifier: MIT */
/* Settings in the shape of `erlang:system_info(allocator)`. */
#include "optionterm.h"

#include <gnu/libc-version.h>
#include <inttypes.h>
#include <stdlib.h>

#include "block_types.h"

/* Carriers have the extra word since `acful` exists. */
static bool has_acful(const struct csc_options *options)
{
	return options->generation->header_extra_words > 0;
}

static const char *bool_of(bool value)
{
	return value ? "true" : "false";
}

void optionterm_migration(const struct csc_generation *generation,
		const struct csc_instance_config *config, FILE *out)
{
	const struct csc_settings *settings = &config->settings;

	if (generation->header_extra_words) {
		fprintf(out, "{acful,%" PRIu64 "},", settings->acful);
	}
	fprintf(out, "{acul,%" PRIu64 "},{acnl,%" PRIu64 "},{acfml,%" PRIu64 "}", settings->acul,
			settings->acnl, settings->acfml);
	if (generation->has_common_pool) {
		return;
	}
	if (settings->acul && config->pool) {
		fprintf(out, ",{cp,'%c'}", config->pool);
	} else {
		fputs(",{cp,undefined}", out);
	}
}

void optionterm_settings(const struct csc_generation *generation,
		const struct csc_instance_config *config, bool has_threads, FILE *out)
{
	const struct csc_settings *settings = &config->settings;

	fprintf(out, "{e,true},{t,%s},{atags,%s},{ramv,%s},", bool_of(has_threads),
			bool_of(settings->atags), bool_of(settings->ramv));
	fprintf(out, "{sbct,%" PRIu64 "},{asbcst,%" PRIu64 "},{rsbcst,%" PRIu64 "},",
			settings->sbct, settings->asbcst, settings->rsbcst);
	fprintf(out, "{rsbcmt,%" PRIu64 "},{rmbcmt,%" PRIu64 "},{mmbcs,%" PRIu64 "},",
			settings->rsbcmt, settings->rmbcmt, settings->mmbcs);
	fprintf(out, "{mmmbc,%" PRIu64 "},{mmsbc,%" PRIu64 "},{lmbcs,%" PRIu64 "},",
			settings->mmmbc, settings->mmsbc, settings->lmbcs);
	fprintf(out, "{smbcs,%" PRIu64 "},{mbcgs,%" PRIu64 "},", settings->smbcs, settings->mbcgs);
	optionterm_migration(generation, config, out);
	if (settings->strategy == CSC_GF) {
		fprintf(out, ",{mbsd,%" PRIu64 "}", settings->mbsd);
	}
	fprintf(out, ",{as,%s}", csc_strategy_name(settings->strategy));
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
		optionterm_migration(options->generation, &config, out);
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
