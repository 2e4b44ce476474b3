/* SPDX-License-Identifier: MIT */
/* Statistics as Erlang terms. */
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

static void print_counter(const char *name, uint64_t value, FILE *out)
{
	fprintf(out, "{%s,%" PRIu64 ",%" PRIu64 "}", name, value / GIGA, value % GIGA);
}

/* The allocator that has a number; CSC_ALLOCATORS: sys_alloc. */
static enum csc_allocator allocator_of(const struct csc_options *options, uint32_t number)
{
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		enum csc_allocator allocator = (enum csc_allocator)i;

		if (csc_options_has(options, allocator) &&
				csc_options_number(options, allocator) == number) {
			return allocator;
		}
	}
	return CSC_ALLOCATORS;
}

/* Which blocks of an instance. */
enum block_group {
	GROUP_MBCS,
	GROUP_SBCS,
	GROUP_POOL,
};

/* Of one type: false if it never had any. */
static bool print_type(const struct csc_instance *instance, uint32_t number, const char *name,
		enum block_group group, bool is_first, FILE *out)
{
	struct csc_type_statistics told;
	const struct csc_figure *count = &told.mbc_blocks;
	const struct csc_figure *size = &told.mbc_blocks_bytes;
	const char *comma = is_first ? "" : ",";

	csc_instance_type_statistics(instance, number, &told);
	if (group == GROUP_POOL) {
		if (!told.pool_blocks) {
			return false;
		}
		fprintf(out, "%s{%s,[{count,%" PRIu64 "},{size,%" PRIu64 "}]}", comma, name,
				told.pool_blocks, told.pool_blocks_bytes);
		return true;
	}
	if (group == GROUP_SBCS) {
		count = &told.sbc_blocks;
		size = &told.sbc_blocks_bytes;
	}
	if (!count->ever) {
		return false;
	}
	fprintf(out, "%s{%s,[", comma, name);
	print_figure("count", count, out);
	fputc(',', out);
	print_figure("size", size, out);
	fputs("]}", out);
	return true;
}

/* The highest number comes first. */
static void print_blocks(const struct csc_options *options, const struct csc_instance *instance,
		enum block_group group, FILE *out)
{
	bool is_first = true;

	fputs("{blocks,[", out);
	for (uint32_t number = options->generation->types; number > 0; number--) {
		enum csc_allocator allocator = allocator_of(options, number);

		if (allocator < CSC_ALLOCATORS &&
				print_type(instance, number, csc_allocator_infos[allocator].name,
						group, is_first, out)) {
			is_first = false;
		}
	}
	fputs("]}", out);
}

static void print_group(const struct csc_options *options, const struct csc_instance *instance,
		const struct csc_group_statistics *told, enum block_group group, FILE *out)
{
	fprintf(out, "   {%s,\n    [", group == GROUP_SBCS ? "sbcs" : "mbcs");
	print_blocks(options, instance, group, out);
	fputs(",\n     ", out);
	print_figure("carriers", &told->carriers, out);
	fprintf(out,
			",{mseg_alloc_carriers,%" PRIu64 "},{sys_alloc_carriers,%" PRIu64
			"},\n     ",
			told->mseg_carriers, told->sys_carriers);
	print_figure("carriers_size", &told->carriers_bytes, out);
	fprintf(out,
			",{mseg_alloc_carriers_size,%" PRIu64 "},{sys_alloc_carriers_size,%" PRIu64
			"}]},\n",
			told->mseg_carriers_bytes, told->sys_carriers_bytes);
}

static void print_pool(const struct csc_options *options, const struct csc_instance *instance,
		const struct csc_statistics *told, FILE *out)
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

	fputs("   {mbcs_pool,\n    [", out);
	print_blocks(options, instance, GROUP_POOL, out);
	fprintf(out, ",{carriers,%" PRIu64 "},{carriers_size,%" PRIu64 "}", told->pool_carriers,
			told->pool_carriers_bytes);
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		fputs(i % 4 ? "," : ",\n     ", out);
		print_counter(counters[i].name, told->pool_counters[counters[i].counter], out);
	}
	fputs("]},\n", out);
}

/* Only instances without pool tell their fixed-size types. */
static void print_fix(const struct csc_options *options, const struct csc_instance *instance,
		FILE *out)
{
	const struct fixed_type *types[CSC_FIX_TYPES_MAX];
	uint32_t count = fixed_types_of(options->generation, types);

	fputs("   {fix_types,\n    [", out);
	for (uint32_t i = 0; i < count; i++) {
		struct csc_fix_statistics told;
		int64_t size_bytes = (int64_t)types[i]->size_bytes;

		csc_fix_statistics(instance, i, &told);
		fprintf(out, "%s{%s,%" PRId64 ",%" PRId64 "}", i ? ",\n     " : "", types[i]->name,
				told.allocated * size_bytes, told.used * size_bytes);
	}
	fputs("]},\n", out);
}

static void print_calls(enum csc_allocator allocator, const uint64_t *calls, FILE *out)
{
	static const char *const names[CSC_CALLS] = { "alloc", "free", "realloc", "mseg_alloc",
		"mseg_dealloc", "mseg_realloc", "sys_alloc", "sys_free", "sys_realloc" };
	const char *name = csc_allocator_infos[allocator].name;
	/* "binary" */
	int length = (int)(strlen(name) - strlen("_alloc"));

	fputs("   {calls,\n    [", out);
	for (int i = 0; i < CSC_CALLS; i++) {
		char full[64];

		if (i < CSC_CALL_MSEG_ALLOC) {
			snprintf(full, sizeof(full), "%.*s_%s", length, name, names[i]);
		} else {
			snprintf(full, sizeof(full), "%s", names[i]);
		}
		fputs(i % 3 ? "," : i ? ",\n     " : "", out);
		print_counter(full, calls[i], out);
	}
	fputs("]}]}", out);
}

static void print_instance(const struct runtime *runtime, enum csc_allocator allocator,
		uint32_t index, FILE *out)
{
	const struct csc_options *options = runtime_options(runtime);
	struct csc_instance *instance = runtime_instance(runtime, allocator, index);
	struct csc_instance_config config;
	struct csc_statistics told;

	csc_options_config(options, allocator, index, &config);
	csc_instance_statistics(instance, false, &told);
	fprintf(out, " {instance,%" PRIu32 ",\n  [{versions,\"%s\",\"3.0\"},\n   {options,[", index,
			config.settings.strategy == CSC_GF ? "2.1" : "0.9");
	optionterm_print_instance(options, allocator, index, out);
	fputs("]},\n", out);
	if (allocator == CSC_FIX && !told.has_pool) {
		print_fix(options, instance, out);
	}
	print_group(options, instance, &told.mbcs, GROUP_MBCS, out);
	if (told.has_pool) {
		print_pool(options, instance, &told, out);
	}
	print_group(options, instance, &told.sbcs, GROUP_SBCS, out);
	print_calls(allocator, told.calls, out);
}

void statterm_print(const struct runtime *runtime, FILE *out)
{
	const struct csc_options *options = runtime_options(runtime);

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		enum csc_allocator allocator = (enum csc_allocator)i;
		uint32_t count = csc_options_instances(options, allocator);

		if (!csc_options_has(options, allocator)) {
			continue;
		}
		if (!count) {
			fprintf(out, "{%s,false}.\n", csc_allocator_infos[i].name);
			continue;
		}
		fprintf(out, "{%s,[\n", csc_allocator_infos[i].name);
		for (uint32_t index = 0; index < count; index++) {
			fputs(index ? ",\n" : "", out);
			print_instance(runtime, allocator, index, out);
		}
		fputs("]}.\n", out);
	}
}
