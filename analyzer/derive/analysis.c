/*
 * SPDX-License-Identifier: MIT
 *
 * Brings derivation, pool, lives and scopes together.
 */
#include "analysis.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "growing.h"

/* Makes room for `count` pointers; new ones are NULL. */
static bool reserve(void *array, size_t *capacity, size_t count)
{
	return csc_grow_zeroed(array, capacity, count, sizeof(void *));
}

static bool add_scope(struct analysis *analysis, struct scope *scope, enum scope_kind kind,
		int32_t number)
{
	if (!reserve(&analysis->scopes, &analysis->scope_capacity, analysis->scope_count + 1)) {
		return false;
	}

	scope->kind = kind;
	scope->number = number;
	scope->open_row = -1;
	analysis->scopes[analysis->scope_count++] = scope;
	return true;
}

static struct runtime_analysis *borrow_runtime(struct analysis *analysis, int32_t number)
{
	struct runtime_analysis *runtime;

	if (!reserve(&analysis->runtimes, &analysis->runtime_count, (size_t)number + 1)) {
		return NULL;
	}

	if (analysis->runtimes[number]) {
		return analysis->runtimes[number];
	}

	runtime = calloc(1, sizeof(*runtime));
	if (!runtime || !add_scope(analysis, &runtime->scope, SCOPE_RUNTIME, number)) {
		free(runtime);
		return NULL;
	}

	analysis->runtimes[number] = runtime;
	return runtime;
}

static struct use_analysis *borrow_use(
		struct analysis *analysis, int32_t runtime, int32_t allocator, int32_t *ret_number)
{
	int32_t number = numbering_find(&analysis->use_numbers, runtime, allocator, NULL);
	struct use_analysis *use;

	if (number < 0 || !reserve(&analysis->uses, &analysis->use_count, (size_t)number + 1)) {
		return NULL;
	}

	*ret_number = number;
	if (analysis->uses[number]) {
		return analysis->uses[number];
	}

	use = calloc(1, sizeof(*use));
	if (!use || !add_scope(analysis, &use->scope, SCOPE_ALLOCATOR, number)) {
		free(use);
		return NULL;
	}

	use->runtime = runtime;
	use->allocator = allocator;
	analysis->uses[number] = use;
	return use;
}

static struct instance_analysis *borrow_instance(
		struct analysis *analysis, const struct carrier_row *row)
{
	size_t number = (size_t)row->instance;
	struct instance_analysis *instance;
	struct use_analysis *use;
	int32_t use_number;

	if (number < analysis->instance_count && analysis->instances[number]) {
		return analysis->instances[number];
	}

	use = borrow_use(analysis, row->runtime, row->allocator, &use_number);
	if (!use || !borrow_runtime(analysis, row->runtime) ||
			!reserve(&analysis->instances, &analysis->instance_count, number + 1)) {
		return NULL;
	}

	instance = calloc(1, sizeof(*instance));
	if (!instance || !add_scope(analysis, &instance->scope, SCOPE_INSTANCE, row->instance)) {
		free(instance);
		return NULL;
	}

	instance->runtime = row->runtime;
	instance->allocator = row->allocator;
	instance->number = row->instance_number;
	instance->use = use_number;
	use->instances++;
	analysis->instances[number] = instance;
	return instance;
}

static struct size_analysis *borrow_size(struct analysis *analysis, const struct carrier_row *row)
{
	int32_t number = numbering_find(&analysis->size_numbers, row->runtime, row->size, NULL);
	struct size_analysis *size;

	if (number < 0 || !reserve(&analysis->sizes, &analysis->size_count, (size_t)number + 1)) {
		return NULL;
	}

	if (analysis->sizes[number]) {
		return analysis->sizes[number];
	}

	size = calloc(1, sizeof(*size));
	if (size) {
		size->runtime = row->runtime;
		size->size = row->size;
		analysis->sizes[number] = size;
	}

	return size;
}

/* Counts a flow and yields its bit, if there was any. */
static unsigned int count(struct flows *flows, enum flow flow, int64_t number, int64_t bytes)
{
	flows->count[flow] = number;
	flows->bytes[flow] = bytes;
	return number != 0 || bytes != 0 ? 1U << flow : 0;
}

/* Counts the flows of an event and yields their bits. */
static unsigned int count_flows(struct flows *flows, const struct carrier_row *row,
		const struct derivation *derivation)
{
	static const enum flow of_class[] = {
		[CLASS_MULTI_BLOCK] = FLOW_MBC_CREATE,
		[CLASS_SINGLE_BLOCK] = FLOW_SBC_CREATE,
		[CLASS_OWNED] = FLOW_OWNED_DESTROY,
		[CLASS_POOLED] = FLOW_POOLED_DESTROY,
	};
	enum flow flow = derivation->class >= 0			      ? of_class[derivation->class]
			: row->kind == CARRIER_EVENT_carrier_pool_put ? FLOW_PUT
								      : FLOW_GET;

	return count(flows, flow, 1, row->size) |
			count(flows, FLOW_FETCH, derivation->fetches, derivation->fetch_bytes) |
			count(flows, FLOW_MISS, derivation->misses, 0);
}

static enum csc_status follow_lives(struct analysis *analysis, struct instance_analysis *instance,
		const struct carrier_row *row, const struct derivation *derivation,
		int64_t counters_before_ns, struct diag *diag)
{
	struct runtime_analysis *runtime = analysis->runtimes[instance->runtime];
	struct use_analysis *use = analysis->uses[instance->use];

	if (derivation->class < 0) {
		/* What it abandons before its first create was there before. */
		runtime->is_open = runtime->is_open ||
				(!instance->derive.is_based && instance->derive.puts > 0);
		return CSC_OK;
	}

	if (!instance->derive.is_base_known) {
		runtime->is_open = true;
		instance->single_block.is_open = true;
	}

	for (int64_t i = derivation->ledger[LEDGER_SBC_FREE].carriers; i < 0; i++) {
		if (!life_end(&instance->single_block, counters_before_ns, row->ts_ns,
				    &use->single_block)) {
			break;
		}
	}

	if (derivation->class == CLASS_SINGLE_BLOCK) {
		life_create(&instance->single_block, row->ts_ns);
	} else {
		struct size_analysis *size = borrow_size(analysis, row);

		if (!size) {
			return DIAG_NO_MEMORY(diag);
		}

		size->group.is_open = runtime->is_open;
		if (derivation->class == CLASS_MULTI_BLOCK) {
			life_create(&size->group, row->ts_ns);
		} else {
			(void)life_end(&size->group, row->ts_ns, row->ts_ns, &use->multi_block);
		}
	}

	return CSC_OK;
}

static size_t write_ledger(struct instance_analysis *instance, const struct carrier_row *row,
		const struct derivation *derivation, int foreign_least, struct ledger_row *ledger)
{
	size_t rows = 0;

	for (int kind = 0; kind < LEDGER_KINDS; kind++) {
		int64_t carriers = derivation->ledger[kind].carriers;
		int64_t bytes = derivation->ledger[kind].bytes;
		bool is_foreign = kind == LEDGER_FOREIGN_ADOPTION;
		struct ledger_sum *sum = &instance->ledger[kind];
		struct ledger_row *out = &ledger[rows];

		if (carriers == 0 && bytes == 0) {
			continue;
		}

		*out = (struct ledger_row){
			.event_id = row->id,
			.instance_id = row->instance,
			.kind = kind,
			.carriers_min = is_foreign ? foreign_least : carriers,
			.carriers_max = carriers,
			.bytes_min = is_foreign ? foreign_least * bytes : bytes,
			.bytes_max = bytes,
		};
		sum->rows++;
		sum->carriers_min += out->carriers_min;
		sum->carriers_max += out->carriers_max;
		sum->bytes_min += out->bytes_min;
		sum->bytes_max += out->bytes_max;
		rows++;
	}

	return rows;
}

static enum csc_status apply_to_scopes(struct analysis *analysis,
		struct instance_analysis *instance, const struct scope_change *change,
		struct diag *diag)
{
	struct scope *scopes[] = {
		&instance->scope,
		&analysis->uses[instance->use]->scope,
		&analysis->runtimes[instance->runtime]->scope,
		&analysis->source,
	};

	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		enum csc_status status = scope_apply(scopes[i], &analysis->history, change, diag);

		if (status != CSC_OK) {
			return status;
		}
	}

	return CSC_OK;
}

enum csc_status analysis_take(struct analysis *analysis, struct carrier_row *row,
		struct ledger_row *ledger, size_t *ret_ledger_rows, struct diag *diag)
{
	struct instance_analysis *instance = borrow_instance(analysis, row);
	struct flows flows = { 0 };
	struct scope_change change = { .ts_ns = row->ts_ns, .flows = &flows };
	int64_t delta[CARRIER_COUNTERS];
	struct derivation derivation;
	int64_t counters_before_ns;
	int foreign_least;
	enum csc_status status;
	struct pool *pool;

	if (!instance ||
			(!analysis->has_source &&
					!add_scope(analysis, &analysis->source, SCOPE_SOURCE, 0))) {
		return DIAG_NO_MEMORY(diag);
	}

	assert(row->runtime >= 0 && (size_t)row->runtime < analysis->runtime_count);
	analysis->has_source = true;
	counters_before_ns = instance->derive.counter_ts_ns;
	for (int i = 0; i < CARRIER_COUNTERS; i++) {
		delta[i] = row->counter[i] - instance->derive.counter[i];
	}

	scope_history_advance(
			&analysis->history, row->ts_ns, analysis->scopes, analysis->scope_count);
	derive_step(&instance->derive, row, &derivation);
	pool = &analysis->runtimes[row->runtime]->pool;
	change.pooled_carriers = -pool->carriers;
	change.pooled_bytes = -pool->bytes;
	status = pool_step(pool, row, row->allocator, &derivation, &foreign_least, diag);
	if (status != CSC_OK) {
		return status;
	}

	change.pooled_carriers += pool->carriers;
	change.pooled_bytes += pool->bytes;
	change.counter = derivation.class >= 0 ? delta : NULL;
	change.flow_mask = count_flows(&flows, row, &derivation);
	status = apply_to_scopes(analysis, instance, &change, diag);
	if (status != CSC_OK) {
		return status;
	}

	status = follow_lives(analysis, instance, row, &derivation, counters_before_ns, diag);
	if (status != CSC_OK) {
		return status;
	}

	row->class = derivation.class >= 0 ? derivation.class : ROW_NULL;
	row->class_exact = derivation.class >= 0 ? derivation.is_exact : ROW_NULL;
	row->footprint_bytes = analysis->source.now[MBC_CARRIERS_SIZE] +
			analysis->source.now[SBC_CARRIERS_SIZE];
	*ret_ledger_rows = write_ledger(instance, row, &derivation, foreign_least, ledger);
	return CSC_OK;
}

struct pool_bounds analysis_pool_bounds(const struct analysis *analysis, size_t runtime)
{
	const struct runtime_analysis *state = analysis->runtimes[runtime];
	const struct flows *total = &state->scope.total;
	int64_t sizes_unknown = 0;
	int64_t derived = total->bytes[FLOW_MBC_CREATE] - total->bytes[FLOW_OWNED_DESTROY] -
			total->bytes[FLOW_POOLED_DESTROY] - state->scope.now[MBC_CARRIERS_SIZE];
	struct pool_bounds bounds = { .most_bytes = -1 };

	for (size_t i = 0; i < analysis->instance_count; i++) {
		const struct instance_analysis *instance = analysis->instances[i];

		if (instance && instance->runtime == (int32_t)runtime) {
			sizes_unknown += instance->derive.fetched + instance->derive.is_pending;
			derived += instance->derive.put_bytes;
		}
	}

	/* Fetched carriers of sizes not known yet may be of any size that was ever put. */
	bounds.least_bytes = state->pool.bytes - sizes_unknown * state->pool.largest_bytes;
	derived -= sizes_unknown * state->pool.largest_bytes;
	if (!state->is_open && derived > bounds.least_bytes) {
		bounds.least_bytes = derived;
	}

	if (bounds.least_bytes < 0) {
		bounds.least_bytes = 0;
	}

	/* All that went in and was not destroyed there; fetches may have been of resurrected ones.
	 */
	if (!state->is_open) {
		int64_t fetched = total->bytes[FLOW_FETCH];
		int64_t destroyed = total->bytes[FLOW_OWNED_DESTROY] +
				total->bytes[FLOW_POOLED_DESTROY];

		bounds.most_bytes = state->pool.put_bytes - state->pool.destroyed_bytes - fetched +
				(fetched < destroyed ? fetched : destroyed);
	}

	return bounds;
}

void analysis_finish(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->runtime_count; i++) {
		if (analysis->runtimes[i]) {
			pool_finish(&analysis->runtimes[i]->pool);
		}
	}

	csc_free_each(analysis->instances, analysis->instance_count);
	csc_free_each(analysis->uses, analysis->use_count);
	csc_free_each(analysis->runtimes, analysis->runtime_count);
	csc_free_each(analysis->sizes, analysis->size_count);
	free(analysis->scopes);
	numbering_finish(&analysis->use_numbers);
	numbering_finish(&analysis->size_numbers);
	scope_history_finish(&analysis->history);
	*analysis = (struct analysis){ 0 };
}
