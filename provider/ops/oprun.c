/* SPDX-License-Identifier: MIT */
/* Runs an operation file. */
#include "oprun.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "oprun_internal.h"
#include "statterm.h"

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
static enum csc_status run_generation(const struct opfile *opfile,
		struct csc_generation *ret_generation, struct diag *diag)
{
	static const char *const prefixes[][2] = { { "24rc0", "24rc0" }, { "24.0-rc0", "24rc0" },
		{ "24", "24.0.1" }, { "25", "25" }, { "27", "27" }, { "28", "28" },
		{ "29", "29" } };
	bool is_first_fit = csc_strategy_is_first_fit(opfile->settings.strategy);
	const struct csc_generation *found = csc_generation_find("25");

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (strncmp(opfile->otp, prefixes[i][0], strlen(prefixes[i][0])) == 0) {
			found = csc_generation_find(prefixes[i][1]);
			break;
		}
	}
	*ret_generation = *found;
	if (opfile->word_bytes == 4) {
		ret_generation->unit_bits = 18;
	}
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
			return DIAG_FAIL(diag, "a carrier header of %" PRIu64 " bytes is too small",
					opfile->mbc_header);
		}
		ret_generation->types = types > 13 ? 13 : (uint32_t)types;
	}
	return CSC_OK;
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

/* Operation files have one allocator and know no types. */
static void run_describe(void *context, struct csc_listener *listener)
{
	const struct run *run = context;
	uint32_t type = run_type(run->opfile->allocator, run->types);

	csc_listener_name(listener,
			&(struct csc_name_note){
					.kind = CSC_NAME_CLASS,
					.name = "unknown",
			});
	csc_listener_name(listener,
			&(struct csc_name_note){
					.kind = CSC_NAME_TYPE,
					.allocator = type,
					.name = "unknown",
			});
	describe_common_settings(listener, &run->opfile->settings);
	describe_settings(listener, type, &run->opfile->settings);
}

/* The other gets to know the runtime before its first carrier. */
static void run_introduce(struct run *run, const struct csc_generation *generation)
{
	const struct opfile *opfile = run->opfile;

	run->runtime = (struct csc_listener_subject){
		.release = generation->name,
		.word_bytes = opfile->word_bytes,
		.unit_bytes = UINT64_C(1) << generation->unit_bits,
		.schedulers = opfile->instances,
		.api = run->api,
		.core = run->core,
		.instances = run->instances,
		.instance_count = opfile->instances,
		.context = run,
		.describe = run_describe,
	};
	run->runtime.allocator_names[run_type(opfile->allocator, run->types)] = opfile->allocator;
	csc_listener_begin(run->other, &run->runtime);
	listener_pair_refresh(&run->pair);
}

static enum csc_status run_prepare(struct run *run)
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

	if (run_generation(opfile, &generation, run->diag) != CSC_OK) {
		return CSC_ERROR;
	}
	options.segment = (struct segment_options){
		.page_bytes = opfile->page_bytes,
		.unit_bytes = UINT64_C(1) << generation.unit_bits,
		.slots = opfile->cache_slots,
		.relative_bad_fit = opfile->cache_rmcbf,
		.absolute_bad_fit = opfile->cache_amcbf,
	};
	run->scripted = scripted_create(&options, run->diag);
	if (!run->scripted) {
		return CSC_ERROR;
	}
	run->core = malloc(run->api->core_bytes);
	run->blocks = calloc(opfile->block_count + 1, sizeof(*run->blocks));
	run->sizes = calloc(opfile->block_count + 1, sizeof(*run->sizes));
	run->fix_types = calloc(opfile->block_count + 1, sizeof(*run->fix_types));
	if (!run->core || !run->blocks || !run->sizes || !run->fix_types ||
			opreport_init(&run->report, run->out, run->scripted, opfile->allocator,
					opfile->has_events, opfile->base_count) != CSC_OK) {
		return DIAG_NO_MEMORY(run->diag);
	}
	run->listener = opreport_listener(&run->report);
	run->types = generation.types;
	run->generation = generation;
	listener_pair_init(&run->pair, &run->listener, run->other);
	run->api->core_init(run->core, &generation, scripted_memory(run->scripted),
			&run->pair.listener, run->table, OPFILE_INSTANCES_MAX + 1);
	run_introduce(run, &generation);
	return CSC_OK;
}

static enum csc_status run_start(struct run *run)
{
	for (uint32_t i = 0; i < run->opfile->instances; i++) {
		struct csc_instance_config config = run_config(run, i);

		run->instances[i] = malloc(run->api->instance_bytes);
		if (!run->instances[i]) {
			return DIAG_NO_MEMORY(run->diag);
		}
		if (!run->api->instance_init(run->instances[i], run->core, &config)) {
			return DIAG_FAIL(run->diag, "Failed to create main carrier for %s",
					run->opfile->allocator);
		}
	}
	return CSC_OK;
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

/* What the operation is about, for those who hear of blocks. */
static void run_subject(struct run *run, const struct opfile_op *op)
{
	uint64_t *size = &run->sizes[op->block];

	if (op->kind != 'a' && op->kind != 'r' && op->kind != 'f') {
		return;
	}
	csc_listener_next_block(run->other, 0, *size);
	if (op->kind != 'f') {
		*size = run->opfile->setup == OPFILE_PRIVATE_FIX ? run->opfile->fix_bytes[op->value]
								 : op->value;
	}
}

/* It is enough that one instance takes it. */
static void run_set_sbct(struct run *run, size_t number, uint64_t bytes)
{
	bool is_taken = false;

	for (uint32_t i = 0; i < run->opfile->instances; i++) {
		is_taken |= run->api->set_sbct(run->instances[i], bytes);
	}
	fprintf(run->out, "= %zu %s\n", number, is_taken ? "ok" : "notsup");
}

static void run_op(struct run *run, size_t number, const struct opfile_op *op)
{
	static const enum csc_fix_visit visits[] = { CSC_FIX_FLUSH, CSC_FIX_TICK,
		CSC_FIX_CONTINUE };
	uint64_t user = 0;

	csc_listener_tick(run->other);
	listener_pair_refresh(&run->pair);
	run_subject(run, op);
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
	case 'b':
		run_set_sbct(run, number, op->value);
		break;
	case 't':
		run->api->fix_visit(run->instances[0], visits[op->value]);
		break;
	default:
		break;
	}
	opreport_print(&run->report, number, op->kind == 'd');
	if (op->kind == 'a' || op->kind == 'r') {
		opprint_block(run, number, user);
	}
	if (run->opfile->setup == OPFILE_PRIVATE_FIX) {
		opprint_fixes(run, number);
	}
	if (op->kind == 's') {
		opprint_snapshot(run, number, op->value == 1);
	}
}

/* The figures at the end, as the runtime would report them. */
static void run_print_figures(struct run *run, FILE *out)
{
	struct statterm statterm = {
		.api = run->api,
		.generation = &run->generation,
		.name = run->opfile->allocator,
		.has_threads = run->opfile->setup == OPFILE_THREAD_PREFERRED,
	};

	statterm.names[run_type(run->opfile->allocator, run->types)] = run->opfile->allocator;
	for (uint32_t i = 0; i < run->opfile->instances; i++) {
		struct csc_instance_config config = run_config(run, i);

		fputs(i ? ",\n " : "[", out);
		statterm_instance(&statterm, run->instances[i], &config, out);
	}
	fputs("].\n", out);
}

/* The addresses of the file were those of the carriers that the core made. */
static enum csc_status run_check_script(struct run *run)
{
	size_t serial = 0;
	const char *problem = run->scripted ? scripted_problem(run->scripted, &serial) : NULL;

	return !problem ? CSC_OK
			: DIAG_FAIL(run->diag, "the address of carrier %zu %s", serial, problem);
}

static void run_finish(struct run *run)
{
	csc_listener_end(run->other);
	for (uint32_t i = 0; i < run->opfile->instances; i++) {
		free(run->instances[i]);
	}
	free(run->blocks);
	free(run->sizes);
	free(run->fix_types);
	free(run->core);
	opreport_finish(&run->report);
	scripted_destroy(run->scripted);
}

enum csc_status oprun(const struct opfile *opfile, FILE *out, const struct oprun_witness *witness,
		struct diag *diag)
{
	struct run run = {
		.opfile = opfile,
		.out = out,
		.witness = witness,
		.other = witness ? witness->other : NULL,
		.diag = diag,
	};
	enum csc_status status;

	run.api = csc_api_find(opfile->word_bytes);
	if (!run.api) {
		return DIAG_FAIL(diag, "a word has 4 or 8 bytes");
	}
	status = run_prepare(&run);
	if (status == CSC_OK) {
		status = run_start(&run);
	}
	if (status == CSC_OK) {
		opreport_print(&run.report, 0, false);
		opprint_statistics(&run, false);
		for (size_t i = 0; i < opfile->op_count && !run.report.has_failed; i++) {
			run_op(&run, i + 1, &opfile->ops[i]);
		}
		if (opfile->setup == OPFILE_THREAD_PREFERRED) {
			opprint_pool_counters(&run);
		}
		fprintf(out, ". %zu\n", opfile->op_count);
		if (run.report.has_failed) {
			status = DIAG_NO_MEMORY(diag);
		}
	}
	if (status == CSC_OK && witness && witness->statistics) {
		run_print_figures(&run, witness->statistics);
	}
	if (run_check_script(&run) != CSC_OK) {
		status = CSC_ERROR;
	}
	run_finish(&run);
	return status;
}
