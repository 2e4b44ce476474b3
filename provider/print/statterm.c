/* SPDX-License-Identifier: MIT */
/* The figures of instances in the shape of `erlang:system_info({allocator, A})`. */
#include "statterm.h"

#include <inttypes.h>
#include <string.h>

#include "optionterm.h"

#define GIGA UINT64_C(1000000000)

static void print_figure(const char *name, const struct csc_figure *figure, FILE *out)
{
	fprintf(out, "{%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "}", name, figure->now, figure->max,
			figure->ever);
}

/* Types that ever had a block, the highest number first. */
static void print_blocks(const struct statterm *statterm, const struct csc_instance *instance,
		enum csc_carrier_kind kind, FILE *out)
{
	const char *comma = "";

	fputs("{blocks,[", out);
	for (uint32_t type = CSC_TYPES_MAX - 1; type > 0; type--) {
		struct csc_type_statistics statistics;

		statterm->api->blocks(instance, kind, type, &statistics);
		if (!statistics.blocks.ever || !statterm->names[type]) {
			continue;
		}
		fprintf(out, "%s{%s,[", comma, statterm->names[type]);
		print_figure("count", &statistics.blocks, out);
		fputc(',', out);
		print_figure("size", &statistics.blocks_bytes, out);
		fputs("]}", out);
		comma = ",";
	}
	fputs("]}", out);
}

static void print_group(const struct statterm *statterm, const struct csc_instance *instance,
		const struct csc_group_statistics *group, enum csc_carrier_kind kind, FILE *out)
{
	fprintf(out, "  {%s,[", kind == CSC_CARRIER_SBC ? "sbcs" : "mbcs");
	print_blocks(statterm, instance, kind, out);
	fputc(',', out);
	print_figure("carriers", &group->carriers, out);
	fprintf(out, ",{mseg_alloc_carriers,%" PRIu64 "},{sys_alloc_carriers,%" PRIu64 "},",
			group->mseg_carriers, group->sys_carriers);
	print_figure("carriers_size", &group->carriers_bytes, out);
	fprintf(out,
			",{mseg_alloc_carriers_size,%" PRIu64 "},{sys_alloc_carriers_size,%" PRIu64
			"}",
			group->mseg_carriers_bytes, group->sys_carriers_bytes);
	fputs("]},\n", out);
}

static void print_count(const char *name, uint64_t count, FILE *out)
{
	fprintf(out, "{%s,%" PRIu64 ",%" PRIu64 "}", name, count / GIGA, count % GIGA);
}

static void print_pool(const struct statterm *statterm, const struct csc_instance *instance,
		const struct csc_statistics *statistics, FILE *out)
{
	static const struct {
		const char *name;
		enum csc_pool_counter counter;
	} counters[] = {
		{ "entrance_removed", CSC_POOL_ENTRANCE_REMOVED },
		{ "skip_race", CSC_POOL_SKIP_RACE },
		{ "skip_homecoming", CSC_POOL_SKIP_HOMECOMING },
		{ "skip_not_pooled", CSC_POOL_SKIP_NOT_POOLED },
		{ "skip_busy", CSC_POOL_SKIP_BUSY },
		{ "skip_size", CSC_POOL_SKIP_SIZE },
		{ "fetch", CSC_POOL_FETCH },
		{ "fail", CSC_POOL_FAIL },
		{ "fail_pend_dealloc", CSC_POOL_FAIL_PENDING },
		{ "fail_shared", CSC_POOL_FAIL_SHARED },
		{ "fail_pooled", CSC_POOL_FAIL_POOLED },
	};
	const char *comma = "";

	fputs("  {mbcs_pool,[{blocks,[", out);
	for (uint32_t type = CSC_TYPES_MAX - 1; type > 0; type--) {
		struct csc_type_statistics blocks;

		statterm->api->pool_blocks(instance, type, &blocks);
		if (blocks.blocks.now && statterm->names[type]) {
			fprintf(out, "%s{%s,[{count,%" PRIu64 "},{size,%" PRIu64 "}]}", comma,
					statterm->names[type], blocks.blocks.now,
					blocks.blocks_bytes.now);
			comma = ",";
		}
	}
	fprintf(out, "]},{carriers,%" PRIu64 "},{carriers_size,%" PRIu64 "}",
			statistics->pool_carriers, statistics->pool_carriers_bytes);
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		fputc(',', out);
		print_count(counters[i].name, statistics->pool_counters[counters[i].counter], out);
	}
	fputs("]},\n", out);
}

/* Only instances without pool report their types of fixed size. */
static void print_fix(
		const struct statterm *statterm, const struct csc_instance *instance, FILE *out)
{
	fputs("  {fix_types,[", out);
	for (uint32_t i = 0; i < statterm->fix_count; i++) {
		struct csc_fix_statistics statistics;
		int64_t bytes = (int64_t)statterm->fix_bytes[i];

		statterm->api->fix_statistics(instance, i, &statistics);
		fprintf(out, "%s{%s,%" PRId64 ",%" PRId64 "}", i ? "," : "", statterm->fix_names[i],
				statistics.allocated * bytes, statistics.used * bytes);
	}
	fputs("]},\n", out);
}

static void print_calls(
		const struct statterm *statterm, const struct csc_statistics *statistics, FILE *out)
{
	static const char *const own[] = { "alloc", "free", "realloc" };
	static const char *const below[] = { "mseg_alloc", "mseg_dealloc", "mseg_realloc",
		"sys_alloc", "sys_free", "sys_realloc" };
	const char *tail = strstr(statterm->name, "_alloc");
	int length = tail ? (int)(tail - statterm->name) : (int)strlen(statterm->name);
	char name[64];

	fputs("  {calls,[", out);
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%.*s_%s", length, statterm->name, own[i]);
		print_count(name, statistics->calls[i], out);
		fputc(',', out);
	}
	for (int i = 0; i < 6; i++) {
		print_count(below[i], statistics->calls[CSC_CALL_MSEG_ALLOC + i], out);
		fputs(i < 5 ? "," : "]}", out);
	}
}

void statterm_instance(const struct statterm *statterm, struct csc_instance *instance,
		const struct csc_instance_config *config, FILE *out)
{
	struct csc_statistics statistics;

	statterm->api->statistics(instance, false, &statistics);
	fprintf(out, "{instance,%" PRIu32 ",\n [{versions,\"%s\",\"3.0\"},\n  {options,[",
			config->index, config->settings.strategy == CSC_GF ? "2.1" : "0.9");
	optionterm_settings(statterm->generation, config, statterm->has_threads, out);
	fputs("]},\n", out);
	if (statterm->fix_count && !statistics.has_pool) {
		print_fix(statterm, instance, out);
	}
	print_group(statterm, instance, &statistics.mbcs, CSC_CARRIER_MBC, out);
	if (statistics.has_pool) {
		print_pool(statterm, instance, &statistics, out);
	}
	print_group(statterm, instance, &statistics.sbcs, CSC_CARRIER_SBC, out);
	print_calls(statterm, &statistics, out);
	fputs("]}", out);
	/* Only now: what was printed includes the maxima of the period that ends here. */
	statterm->api->statistics(instance, true, &statistics);
}
