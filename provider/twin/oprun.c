/* SPDX-License-Identifier: MIT */
/* Runs an operation file. */
#include "oprun.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "opreport.h"
#include "scripted.h"

/* A run. */
struct run {
	/* Borrowed. */
	const struct opfile *opfile;
	FILE *out;
	struct trouble *trouble;

	struct scripted *scripted;
	struct opreport report;
	struct csc_listener listener;
	/* Static. */
	const struct csc_api *api;
	struct csc_core *core;
	uint32_t types;
	struct csc_instance *table[OPFILE_INSTANCES_MAX + 1];
	struct csc_instance *instances[OPFILE_INSTANCES_MAX];

	/* User addresses by block number; 0: none. */
	uint64_t *blocks;

	/* Fix cases: the type of each block, and the counters as last printed. */
	uint32_t *fix_types;
	struct csc_fix_statistics fixes[CSC_FIX_TYPES_MAX];
};

/* The number of an allocator type; the runtime with exec_alloc has one more. */
static uint32_t run_type(const char *allocator, uint32_t types)
{
	static const char *const names[] = { "", "sys_alloc", "temp_alloc", "sl_alloc", "std_alloc",
		"ll_alloc", "eheap_alloc", "ets_alloc", "fix_alloc", "literal_alloc",
		"binary_alloc", "driver_alloc", "test_alloc" };

	for (uint32_t i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], allocator) == 0) {
			return i < 10 ? i : i + types - 12;
		}
	}
	return 1;
}

/* The generation of the case, with the sizes that the file gives. */
static bool run_generation(const struct opfile *opfile, struct csc_generation *ret_generation,
		struct trouble *trouble)
{
	static const char *const prefixes[][2] = { { "24rc0", "24rc0" }, { "24.0-rc0", "24rc0" },
		{ "24", "24.0.1" }, { "25", "25" }, { "28", "28" } };
	bool is_first_fit = csc_strategy_is_first_fit(opfile->settings.strategy);
	const struct csc_generation *found = csc_generation_find("25");

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (strncmp(opfile->otp, prefixes[i][0], strlen(prefixes[i][0])) == 0) {
			found = csc_generation_find(prefixes[i][1]);
			break;
		}
	}
	*ret_generation = *found;
	if (opfile->unit_bytes) {
		ret_generation->unit_bits = (uint32_t)__builtin_ctzll(opfile->unit_bytes);
	}
	if (opfile->mbc_header) {
		uint64_t size = opfile->word_bytes;
		uint64_t fixed = size == 8 ? 168 : 96;
		uint64_t types;

		if (is_first_fit) {
			fixed += size == 8 ? 72 : 44;
		}
		types = opfile->mbc_header < fixed ? 0 : (opfile->mbc_header - fixed) / (2 * size);
		if (types < 12) {
			return trouble_fail(trouble,
					"a carrier header of %" PRIu64 " bytes is too small",
					opfile->mbc_header);
		}
		ret_generation->types = types > 13 ? 13 : (uint32_t)types;
	}
	return true;
}

static struct csc_instance_config run_config(const struct run *run, uint32_t index)
{
	const struct opfile *opfile = run->opfile;
	bool has_pool = opfile->has_pool && opfile->is_pool_instance[index];
	struct csc_instance_config config = {
		.settings = opfile->settings,
		.type = run_type(opfile->allocator, run->types),
		.index = opfile->first_instance + index,
		.mseg = index,
		.is_thread_preferred = opfile->setup == OPFILE_THREAD_PREFERRED,
		.is_thread_safe = !has_pool,
		.mbc_header = opfile->mbc_header,
		.min_block = opfile->min_block,
	};

	if (!has_pool) {
		config.settings.acul = 0;
		config.settings.acnl = 0;
		config.settings.acfml = 0;
	}
	if (opfile->setup == OPFILE_PRIVATE_FIX) {
		config.fix_count = opfile->fix_count;
		memcpy(config.fix_bytes, opfile->fix_bytes, sizeof(config.fix_bytes));
	}
	return config;
}

static bool run_prepare(struct run *run)
{
	const struct opfile *opfile = run->opfile;
	struct scripted_options options = {
		.bases = opfile->bases,
		.base_count = opfile->base_count,
		.limit_bytes = opfile->limit_bytes,
		.word_bytes = opfile->word_bytes,
		.mseg_count = opfile->instances,
	};
	struct csc_generation generation;
	const char *reason = NULL;

	if (!run_generation(opfile, &generation, run->trouble)) {
		return false;
	}
	options.segment = (struct segment_options){
		.page_bytes = opfile->page_bytes,
		.unit_bytes = UINT64_C(1) << generation.unit_bits,
		.slots = opfile->cache_slots,
		.relative_bad_fit = opfile->cache_rmcbf,
		.absolute_bad_fit = opfile->cache_amcbf,
	};
	run->scripted = scripted_create(&options, &reason);
	if (!run->scripted) {
		return trouble_fail(run->trouble, "%s", reason);
	}
	run->api = csc_api_find(opfile->word_bytes);
	run->core = malloc(run->api->core_bytes);
	run->blocks = calloc(opfile->block_count + 1, sizeof(*run->blocks));
	run->fix_types = calloc(opfile->block_count + 1, sizeof(*run->fix_types));
	if (!run->core || !run->blocks || !run->fix_types ||
			!opreport_init(&run->report, run->out, run->scripted, opfile->allocator,
					opfile->has_events, opfile->base_count)) {
		return trouble_fail(run->trouble, "out of memory");
	}
	run->listener = opreport_listener(&run->report);
	run->types = generation.types;
	run->api->core_init(run->core, &generation, scripted_memory(run->scripted), &run->listener,
			run->table, OPFILE_INSTANCES_MAX + 1);
	return true;
}

static bool run_start(struct run *run)
{
	for (uint32_t i = 0; i < run->opfile->instances; i++) {
		struct csc_instance_config config = run_config(run, i);

		run->instances[i] = malloc(run->api->instance_bytes);
		if (!run->instances[i]) {
			return trouble_fail(run->trouble, "out of memory");
		}
		if (!run->api->instance_init(run->instances[i], run->core, &config)) {
			return trouble_fail(run->trouble, "Failed to create main carrier for %s",
					run->opfile->allocator);
		}
	}
	return true;
}

static void run_print_figure(FILE *out, const struct csc_figure *figure)
{
	fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64, figure->now, figure->max, figure->ever);
}

static void run_print_group(FILE *out, uint32_t index, const char *name,
		const struct csc_group_statistics *group)
{
	fprintf(out, "%% %" PRIu32 " %s", index, name);
	run_print_figure(out, &group->blocks);
	run_print_figure(out, &group->blocks_bytes);
	run_print_figure(out, &group->carriers);
	run_print_figure(out, &group->carriers_bytes);
	fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", group->mseg_carriers,
			group->mseg_carriers_bytes, group->sys_carriers, group->sys_carriers_bytes);
}

static void run_print_statistics(struct run *run, bool is_new_period)
{
	for (uint32_t i = 0; i < run->opfile->instances; i++) {
		uint32_t index = run->opfile->first_instance + i;
		struct csc_statistics told;

		run->api->statistics(run->instances[i], is_new_period, &told);
		run_print_group(run->out, index, "mbcs", &told.mbcs);
		run_print_group(run->out, index, "sbcs", &told.sbcs);
		if (told.has_pool) {
			fprintf(run->out,
					"%% %" PRIu32 " pool %" PRIu64 " %" PRIu64 " %" PRIu64
					" %" PRIu64 "\n",
					index, told.pool_carriers, told.pool_carriers_bytes,
					told.pool_blocks, told.pool_blocks_bytes);
		}
		fprintf(run->out, "%% %" PRIu32 " calls", index);
		for (int k = 0; k < CSC_CALLS; k++) {
			fprintf(run->out, " %" PRIu64, told.calls[k]);
		}
		fputc('\n', run->out);
	}
}

static void run_print_pool_counters(struct run *run)
{
	for (uint32_t i = 0; i < run->opfile->instances; i++) {
		struct csc_statistics told;

		run->api->statistics(run->instances[i], false, &told);
		if (!told.has_pool) {
			continue;
		}
		fprintf(run->out, "%% %" PRIu32 " poolcnt", run->opfile->first_instance + i);
		for (int k = 0; k < CSC_POOL_COUNTERS; k++) {
			fprintf(run->out, " %" PRIu64, told.pool_counters[k]);
		}
		fputc('\n', run->out);
	}
}

static void run_print_carrier(struct run *run, size_t serial)
{
	static const char *const places[] = { "used", "pool", "pend" };
	uint64_t address = run->report.lives[serial].address;
	struct csc_carrier_view view;
	struct csc_block_view block;
	char base[32] = "-";

	run->api->carrier_view(run->core, address, &view);
	if (view.kind != CSC_CARRIER_SBC) {
		snprintf(base, sizeof(base), "0x%" PRIx64, scripted_base(run->scripted, serial));
	}
	fprintf(run->out, "m %zu %s %s %" PRIu64 " %s %s %" PRIu32 " %" PRIu32 " %" PRIu64 " :",
			serial, opreport_kind(view.kind), opreport_source(view.source),
			view.size_bytes, base, places[view.place], view.owner, view.origin,
			view.first);
	address += view.first;
	do {
		run->api->block_view(run->core, address, &block);
		fprintf(run->out, " %c%" PRIu64, block.is_free ? 'f' : 'u', block.size_bytes);
		address += block.size_bytes;
	} while (!block.is_last);
	fputc('\n', run->out);
}

static void run_snapshot(struct run *run, size_t number, bool is_new_period)
{
	fprintf(run->out, "@ %zu map %zu\n", number, run->report.live_count);
	for (size_t i = 0; i < run->report.serial_count; i++) {
		if (run->report.lives[i].is_live) {
			run_print_carrier(run, i);
		}
	}
	run_print_statistics(run, is_new_period);
}

static void run_print_block(struct run *run, size_t number, uint64_t user)
{
	struct csc_block_place place;

	if (!user) {
		fprintf(run->out, "= %zu NULL\n", number);
		return;
	}
	run->api->block_place(run->core, user, &place);
	fprintf(run->out, "= %zu %zu %" PRIu64 " %" PRIu64 "\n", number,
			scripted_serial(run->scripted, place.carrier), place.offset,
			place.size_bytes);
}

static void run_print_fixes(struct run *run, size_t number)
{
	for (uint32_t i = 0; i < run->opfile->fix_count; i++) {
		struct csc_fix_statistics *was = &run->fixes[i];
		struct csc_fix_statistics now;

		run->api->fix_statistics(run->instances[0], i, &now);
		if (now.allocated != was->allocated || now.used != was->used ||
				now.length != was->length) {
			fprintf(run->out, "F %zu %" PRIu32 " %" PRId64 " %" PRId64 " %" PRIu64 "\n",
					number, i, now.allocated, now.used, now.length);
			*was = now;
		}
	}
}

/* Everything that is queued arrives, everybody passes, what waits for destruction goes. */
static void run_drain(struct run *run)
{
	bool has_more = true;

	run->api->core_progress(run->core);
	while (has_more) {
		has_more = false;
		for (uint32_t i = 0; i < run->opfile->instances; i++) {
			has_more |= run->api->drain(run->instances[i]);
		}
	}
	run->api->core_progress(run->core);
	for (uint32_t i = 0; i < run->opfile->instances; i++) {
		run->api->release(run->instances[i]);
	}
}

static uint64_t run_alloc(struct run *run, const struct opfile_op *op)
{
	struct csc_instance *instance = run->instances[op->instance];

	if (run->opfile->setup == OPFILE_PRIVATE_FIX) {
		run->fix_types[op->block] = (uint32_t)op->value;
		return run->api->fix_alloc(instance, (uint32_t)op->value);
	}
	return run->api->alloc(instance, op->value);
}

static void run_free(struct run *run, const struct opfile_op *op)
{
	struct csc_instance *instance = run->instances[op->instance];
	uint64_t user = run->blocks[op->block];

	run->blocks[op->block] = 0;
	if (!user) {
		return;
	}
	if (run->opfile->setup == OPFILE_PRIVATE_FIX) {
		run->api->fix_free(instance, run->fix_types[op->block], user);
	} else {
		run->api->free(instance, user);
	}
}

static void run_op(struct run *run, size_t number, const struct opfile_op *op)
{
	static const enum csc_fix_visit visits[] = { CSC_FIX_FLUSH, CSC_FIX_TICK,
		CSC_FIX_CONTINUE };
	uint64_t user = 0;

	switch (op->kind) {
	case 'a':
		user = run_alloc(run, op);
		run->blocks[op->block] = user;
		break;
	case 'r':
		user = run->api->realloc(
				run->instances[op->instance], run->blocks[op->block], op->value);
		if (user) {
			run->blocks[op->block] = user;
		}
		break;
	case 'f':
		run_free(run, op);
		break;
	case 'd':
		run_drain(run);
		break;
	case 't':
		run->api->fix_visit(run->instances[0], visits[op->value]);
		break;
	default:
		break;
	}
	opreport_print(&run->report, number, op->kind == 'd');
	if (op->kind == 'a' || op->kind == 'r') {
		run_print_block(run, number, user);
	}
	if (run->opfile->setup == OPFILE_PRIVATE_FIX) {
		run_print_fixes(run, number);
	}
	if (op->kind == 's') {
		run_snapshot(run, number, op->value == 1);
	}
}

/* The addresses of the file were those of the carriers that the core made. */
static bool run_check_script(struct run *run)
{
	size_t serial = 0;
	const char *problem = run->scripted ? scripted_problem(run->scripted, &serial) : NULL;

	return !problem ||
			trouble_fail(run->trouble, "the address of carrier %zu %s", serial,
					problem);
}

static void run_finish(struct run *run)
{
	for (uint32_t i = 0; i < run->opfile->instances; i++) {
		free(run->instances[i]);
	}
	free(run->blocks);
	free(run->fix_types);
	free(run->core);
	opreport_finish(&run->report);
	scripted_destroy(run->scripted);
}

bool oprun(const struct opfile *opfile, FILE *out, struct trouble *trouble)
{
	struct run run = { .opfile = opfile, .out = out, .trouble = trouble };
	bool is_good = run_prepare(&run) && run_start(&run);

	if (is_good) {
		opreport_print(&run.report, 0, false);
		run_print_statistics(&run, false);
		for (size_t i = 0; i < opfile->op_count && !run.report.has_failed; i++) {
			run_op(&run, i + 1, &opfile->ops[i]);
		}
		if (opfile->setup == OPFILE_THREAD_PREFERRED) {
			run_print_pool_counters(&run);
		}
		fprintf(out, ". %zu\n", opfile->op_count);
		if (run.report.has_failed) {
			is_good = trouble_fail(trouble, "out of memory");
		}
	}
	is_good = run_check_script(&run) && is_good;
	run_finish(&run);
	return is_good;
}
