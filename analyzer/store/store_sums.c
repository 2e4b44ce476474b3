/*
 * SPDX-License-Identifier: MIT
 *
 * Writes the tables of schema/sums/rollups.sql.
 */
#include <stdlib.h>
#include <string.h>

#include "insert.h"
#include "store_block_sums.h"
#include "store_db.h"
#include "store_sums.h"

enum { SAMPLES = 100 };

static const char *const scope_names[] = { "instance", "allocator", "runtime", "source" };

/* The id in the database of a scope's owner. */
static int64_t scope_id(const struct store *store, const struct scope *scope)
{
	const struct id_bases *bases = &store->bases;

	switch (scope->kind) {
	case SCOPE_INSTANCE:
		return bases->instance + scope->number + 1;
	case SCOPE_ALLOCATOR:
		return bases->use + scope->number + 1;
	case SCOPE_RUNTIME:
		return bases->runtime + scope->number + 1;
	case SCOPE_SOURCE:
		break;
	}

	return bases->source + 1;
}

/* Ids of the allocators by their number in the catalog; the caller frees it. */
static enum csc_status find_allocator_ids(struct store *store, int64_t **ret_ids, struct diag *diag)
{
	const struct numbering *allocators = &store->catalog.allocators;
	int64_t *ids = malloc((allocators->count + 1) * sizeof(*ids));
	enum csc_status status = CSC_OK;
	sqlite3_stmt *find = NULL;

	if (!ids) {
		return DIAG_NO_MEMORY(diag);
	}

	if (sqlite3_prepare_v2(store->db, "SELECT id FROM allocator WHERE name = ?", -1, &find,
			    NULL) != SQLITE_OK) {
		status = DIAG_FAIL(diag, "cannot read allocators: %s", sqlite3_errmsg(store->db));
	}

	for (size_t i = 0; i < allocators->count && status == CSC_OK; i++) {
		if (sqlite3_bind_text(find, 1, allocators->entries[i].text, -1, SQLITE_STATIC) !=
						SQLITE_OK ||
				sqlite3_step(find) != SQLITE_ROW) {
			status = DIAG_FAIL(diag, "cannot read allocators: %s",
					sqlite3_errmsg(store->db));
		} else {
			ids[i] = sqlite3_column_int64(find, 0);
			(void)sqlite3_reset(find);
		}
	}

	(void)sqlite3_finalize(find);
	if (status == CSC_OK) {
		*ret_ids = ids;
	} else {
		free(ids);
	}

	return status;
}

static enum csc_status write_instances(
		struct store *store, const int64_t *allocator_ids, struct diag *diag)
{
	const struct analysis *analysis = &store->analysis;
	struct insert insert;
	enum csc_status status;

	insert_open(&insert, store->db, "INSERT", "instance",
			"id, runtime_id, allocator_id, number, base_known, "
			"ambiguous_creates, inconsistent, gets_unresolved, "
			"puts_since_stat, put_bytes_since_stat, fetched_since_stat, "
			"sbc_silent_frees");
	for (size_t i = 0; i < analysis->instance_count; i++) {
		const struct instance_analysis *instance = analysis->instances[i];

		if (!instance) {
			continue;
		}

		insert_integer(&insert, store->bases.instance + (int64_t)i + 1);
		insert_integer(&insert, store->bases.runtime + instance->runtime + 1);
		insert_integer(&insert, allocator_ids[instance->allocator]);
		insert_integer(&insert, instance->number);
		insert_sum(&insert, instance->derive.is_base_known);
		insert_sum(&insert, instance->derive.ambiguous_creates);
		insert_sum(&insert, instance->derive.inconsistent);
		insert_sum(&insert, instance->derive.is_pending);
		insert_sum(&insert, instance->derive.puts);
		insert_sum(&insert, instance->derive.put_bytes);
		insert_sum(&insert, instance->derive.fetched);
		insert_sum(&insert, instance->derive.sbc_silent_frees);
		insert_row(&insert);
	}

	status = insert_close(&insert, diag);
	insert_open(&insert, store->db, "INSERT", "allocator_use",
			"id, runtime_id, allocator_id, instances");
	for (size_t i = 0; i < analysis->use_count; i++) {
		const struct use_analysis *use = analysis->uses[i];

		if (!use) {
			continue;
		}

		insert_integer(&insert, store->bases.use + (int64_t)i + 1);
		insert_integer(&insert, store->bases.runtime + use->runtime + 1);
		insert_integer(&insert, allocator_ids[use->allocator]);
		insert_integer(&insert, use->instances);
		insert_row(&insert);
	}

	return insert_close(&insert, diag) == CSC_OK ? status : CSC_ERROR;
}

static void put_flows(struct insert *insert, const struct flows *flows)
{
	for (int i = 0; i < FLOWS; i++) {
		insert_sum(insert, flows->count[i]);
		if (i != FLOW_MISS) {
			insert_sum(insert, flows->bytes[i]);
		}
	}
}

static void put_least(struct insert *insert, const struct least_utilisation *least)
{
	bool is_known = least->carriers_bytes > 0;

	insert_integer(insert, is_known ? least->blocks_bytes : ROW_NULL);
	insert_integer(insert, is_known ? least->carriers_bytes : ROW_NULL);
	insert_integer(insert, is_known ? least->ts_ns : ROW_NULL);
}

static void put_null_unless(struct insert *insert, bool is_known, int64_t value)
{
	insert_integer(insert, is_known ? value : ROW_NULL);
}

static void put_pool(struct insert *insert, const struct store *store, const struct scope *scope)
{
	const struct analysis *analysis = &store->analysis;
	struct pool_bounds sum = { 0 };

	if (scope->kind != SCOPE_RUNTIME && scope->kind != SCOPE_SOURCE) {
		insert_integer(insert, ROW_NULL);
		insert_integer(insert, ROW_NULL);
		insert_integer(insert, ROW_NULL);
		return;
	}

	for (size_t i = 0; i < analysis->runtime_count; i++) {
		struct pool_bounds bounds;

		if (!analysis->runtimes[i] ||
				(scope->kind == SCOPE_RUNTIME && (int32_t)i != scope->number)) {
			continue;
		}

		bounds = analysis_pool_bounds(analysis, i);
		sum.least_bytes += bounds.least_bytes;
		sum.most_bytes = sum.most_bytes < 0 || bounds.most_bytes < 0
				? -1
				: sum.most_bytes + bounds.most_bytes;
	}

	insert_sum(insert, scope->pooled_carriers);
	insert_sum(insert, sum.least_bytes);
	insert_integer(insert, sum.most_bytes < 0 ? ROW_NULL : sum.most_bytes);
}

static void write_total(struct insert *insert, const struct store *store, const struct scope *open)
{
	struct scope closed = *open;
	const struct scope *scope = &closed;

	scope_close(&closed, store->catalog.last_ns);
	insert_integer(insert, store->bases.source + 1);
	insert_text(insert, scope_names[scope->kind]);
	insert_integer(insert, scope_id(store, scope));
	put_flows(insert, &scope->total);
	put_null_unless(insert, scope->has_stat, scope->first_stat_ns);
	put_null_unless(insert, scope->has_stat, scope->last_stat_ns);
	for (int i = 0; i < CARRIER_COUNTERS; i++) {
		insert_sum(insert, scope->now[i]);
	}

	put_null_unless(insert, scope->has_stat, scope->max_carriers_bytes);
	put_null_unless(insert, scope->has_stat, scope->max_carriers_ns);
	put_null_unless(insert, scope->has_stat, scope->max_blocks_bytes);
	put_null_unless(insert, scope->has_stat, scope->max_blocks_ns);
	put_null_unless(insert, scope->has_stat, scope->blocks_at_max_bytes);
	put_least(insert, &scope->least);
	put_least(insert, &scope->least_of_two);
	insert_sum(insert, scope->weighted_ns);
	if (scope->weighted_ns > 0) {
		insert_real(insert, scope->utilisation_ns / (double)scope->weighted_ns);
		insert_real(insert,
				(double)scope->blocks_byte_ns / (double)scope->carriers_byte_ns);
	} else {
		insert_integer(insert, ROW_NULL);
		insert_integer(insert, ROW_NULL);
	}

	put_pool(insert, store, scope);
	insert_row(insert);
}

/* In the order of the table's key, so that rows are only ever appended to it. */
static int compare_rows(const void *left, const void *right)
{
	const struct scope_bucket *a = *(const struct scope_bucket *const *)left;
	const struct scope_bucket *b = *(const struct scope_bucket *const *)right;
	int order = strcmp(scope_names[a->scope->kind], scope_names[b->scope->kind]);

	if (order == 0) {
		order = (a->scope->number > b->scope->number) -
				(a->scope->number < b->scope->number);
	}

	return order ? order : (a->bucket > b->bucket) - (a->bucket < b->bucket);
}

static const char scope_total_columns[] =
		"source_id, scope, scope_id, mbc_creates, mbc_create_bytes, "
		"sbc_creates, sbc_create_bytes, owned_destroys, "
		"owned_destroy_bytes, pooled_destroys, pooled_destroy_bytes, "
		"puts, put_bytes, gets, get_bytes, fetches, fetch_bytes, "
		"misses, first_stat_ts_ns, last_stat_ts_ns, last_mbc_carriers, "
		"last_mbc_carriers_bytes, last_mbc_blocks, "
		"last_mbc_blocks_bytes, last_sbc_carriers, "
		"last_sbc_carriers_bytes, last_sbc_blocks, "
		"last_sbc_blocks_bytes, max_carriers_bytes, max_carriers_ts_ns, "
		"max_blocks_bytes, max_blocks_ts_ns, blocks_bytes_at_max, "
		"min_util_blocks_bytes, min_util_carriers_bytes, min_util_ts_ns, "
		"min_util2_blocks_bytes, min_util2_carriers_bytes, "
		"min_util2_ts_ns, weighted_time_ns, mean_utilisation, "
		"ratio_of_integrals, pooled_carriers_clamped, "
		"pooled_bytes_min, pooled_bytes_max";

static const char scope_bucket_columns[] =
		"source_id, scope, scope_id, bucket, mbc_creates, "
		"mbc_create_bytes, sbc_creates, sbc_create_bytes, "
		"owned_destroys, owned_destroy_bytes, pooled_destroys, "
		"pooled_destroy_bytes, puts, put_bytes, gets, get_bytes, "
		"fetches, fetch_bytes, misses, last_mbc_carriers, "
		"last_mbc_carriers_bytes, last_mbc_blocks, "
		"last_mbc_blocks_bytes, last_sbc_carriers, "
		"last_sbc_carriers_bytes, last_sbc_blocks, "
		"last_sbc_blocks_bytes, max_carriers_bytes, "
		"pooled_carriers_clamped, pooled_bytes_min";

static enum csc_status write_scopes(struct store *store, struct diag *diag)
{
	const struct analysis *analysis = &store->analysis;
	size_t row_count = analysis->history.row_count;
	const struct scope_bucket **rows =
			malloc((row_count + 1) * sizeof(const struct scope_bucket *));
	struct insert insert;
	enum csc_status status;

	if (!rows) {
		return DIAG_NO_MEMORY(diag);
	}

	insert_open(&insert, store->db, "INSERT", "scope_total", scope_total_columns);
	for (size_t i = 0; i < analysis->scope_count; i++) {
		write_total(&insert, store, analysis->scopes[i]);
	}

	status = insert_close(&insert, diag);
	for (size_t i = 0; i < row_count; i++) {
		rows[i] = &analysis->history.rows[i];
	}

	qsort(rows, row_count, sizeof(const struct scope_bucket *), compare_rows);
	insert_open(&insert, store->db, "INSERT", "scope_bucket", scope_bucket_columns);
	for (size_t i = 0; i < row_count; i++) {
		const struct scope_bucket *row = rows[i];
		bool has_pool = row->scope->kind == SCOPE_RUNTIME ||
				row->scope->kind == SCOPE_SOURCE;

		insert_integer(&insert, store->bases.source + 1);
		insert_text(&insert, scope_names[row->scope->kind]);
		insert_integer(&insert, scope_id(store, row->scope));
		insert_integer(&insert, row->bucket);
		put_flows(&insert, &row->flows);
		for (int k = 0; k < CARRIER_COUNTERS; k++) {
			insert_sum(&insert, row->last[k]);
		}

		insert_sum(&insert, row->max_carriers_bytes);
		put_null_unless(&insert, has_pool, row->pooled_carriers);
		put_null_unless(&insert, has_pool, row->pooled_bytes);
		insert_row(&insert);
	}

	free(rows);
	return insert_close(&insert, diag) == CSC_OK ? status : CSC_ERROR;
}

static enum csc_status write_ledger_totals(struct store *store, struct diag *diag)
{
	const struct analysis *analysis = &store->analysis;
	struct insert insert;

	insert_open(&insert, store->db, "INSERT", "ledger_total",
			"instance_id, kind, rows, carriers_min, carriers_max, "
			"bytes_min, bytes_max");
	for (size_t i = 0; i < analysis->instance_count; i++) {
		for (int kind = 0; kind < LEDGER_KINDS && analysis->instances[i]; kind++) {
			const struct ledger_sum *sum = &analysis->instances[i]->ledger[kind];

			if (sum->rows == 0) {
				continue;
			}

			insert_integer(&insert, store->bases.instance + (int64_t)i + 1);
			insert_integer(&insert, kind);
			insert_sum(&insert, sum->rows);
			insert_sum(&insert, sum->carriers_min);
			insert_sum(&insert, sum->carriers_max);
			insert_sum(&insert, sum->bytes_min);
			insert_sum(&insert, sum->bytes_max);
			insert_row(&insert);
		}
	}

	return insert_close(&insert, diag);
}

static void put_lives(struct insert *insert, struct store *store, const struct use_analysis *use,
		int64_t allocator_id, const char *kind, const struct life_histogram *histogram)
{
	for (int i = 0; i < LIFE_BUCKETS; i++) {
		if (histogram->at_least[i] == 0 && histogram->at_most[i] == 0) {
			continue;
		}

		insert_integer(insert, store->bases.runtime + use->runtime + 1);
		insert_integer(insert, allocator_id);
		insert_text(insert, kind);
		insert_integer(insert, i - 1);
		insert_sum(insert, histogram->at_least[i]);
		insert_sum(insert, histogram->at_most[i]);
		insert_row(insert);
	}
}

static enum csc_status write_lives(
		struct store *store, const int64_t *allocator_ids, struct diag *diag)
{
	const struct analysis *analysis = &store->analysis;
	struct insert insert;
	enum csc_status status;

	insert_open(&insert, store->db, "INSERT", "carrier_life",
			"runtime_id, allocator_id, kind, log2_ns, at_least, at_most");
	for (size_t i = 0; i < analysis->use_count; i++) {
		const struct use_analysis *use = analysis->uses[i];

		if (use) {
			int64_t id = allocator_ids[use->allocator];

			put_lives(&insert, store, use, id, "multi_block", &use->multi_block);
			put_lives(&insert, store, use, id, "single_block", &use->single_block);
		}
	}

	status = insert_close(&insert, diag);
	insert_open(&insert, store->db, "INSERT", "carrier_life_size",
			"runtime_id, size, creates, destroys, unmatched_destroys, "
			"alive, carrier_ns");
	for (size_t i = 0; i < analysis->size_count; i++) {
		struct life_group group;

		if (!analysis->sizes[i]) {
			continue;
		}

		group = analysis->sizes[i]->group;
		life_close(&group, store->catalog.last_ns);
		insert_integer(&insert, store->bases.runtime + analysis->sizes[i]->runtime + 1);
		insert_sum(&insert, analysis->sizes[i]->size);
		insert_sum(&insert, group.creates);
		insert_sum(&insert, group.destroys);
		insert_sum(&insert, group.unmatched_destroys);
		insert_sum(&insert, group.alive);
		insert_sum(&insert, group.carrier_ns);
		insert_row(&insert);
	}

	return insert_close(&insert, diag) == CSC_OK ? status : CSC_ERROR;
}

static int64_t threads_of(const struct catalog *catalog, size_t runtime)
{
	int64_t threads = 0;

	for (size_t i = 0; i < catalog->threads.count; i++) {
		threads += catalog->threads.entries[i].a == (int64_t)runtime;
	}

	return threads;
}

static enum csc_status write_libc(struct store *store, struct diag *diag)
{
	const struct libc_use *use = &store->libc_use;
	struct insert insert;
	enum csc_status status;

	insert_open(&insert, store->db, "INSERT", "libc_total",
			"runtime_id, events, threads, allocations, allocated_bytes, "
			"frees_known, frees_unknown, frees_null, released_bytes, "
			"reallocs, reallocs_of_unknown, reallocs_moved, failed, "
			"address_reused_without_free, live_blocks, live_bytes, "
			"peak_live_bytes, peak_ts_ns");
	for (size_t i = 0; i < use->process_count; i++) {
		const struct libc_process *process = &use->processes[i];

		if (process->events == 0) {
			continue;
		}

		insert_integer(&insert, store->bases.runtime + (int64_t)i + 1);
		insert_sum(&insert, process->events);
		insert_integer(&insert, threads_of(&store->catalog, i));
		insert_sum(&insert, process->allocations);
		insert_sum(&insert, process->allocated_bytes);
		insert_sum(&insert, process->frees_known);
		insert_sum(&insert, process->frees_unknown);
		insert_sum(&insert, process->frees_null);
		insert_sum(&insert, process->released_bytes);
		insert_sum(&insert, process->reallocs);
		insert_sum(&insert, process->reallocs_of_unknown);
		insert_sum(&insert, process->reallocs_moved);
		insert_sum(&insert, process->failed);
		insert_sum(&insert, process->address_reused_without_free);
		insert_sum(&insert, process->live_blocks);
		insert_sum(&insert, process->live_bytes);
		insert_sum(&insert, process->peak_live_bytes);
		put_null_unless(&insert, process->peak_live_bytes > 0, process->peak_ns);
		insert_row(&insert);
	}

	status = insert_close(&insert, diag);
	insert_open(&insert, store->db, "INSERT", "libc_size",
			"runtime_id, log2_size, allocations");
	for (size_t i = 0; i < use->process_count; i++) {
		for (int k = 0; k < LIBC_SIZE_BUCKETS; k++) {
			if (use->processes[i].by_size[k] > 0) {
				insert_integer(&insert, store->bases.runtime + (int64_t)i + 1);
				insert_integer(&insert, k);
				insert_integer(&insert, use->processes[i].by_size[k]);
				insert_row(&insert);
			}
		}
	}

	return insert_close(&insert, diag) == CSC_OK ? status : CSC_ERROR;
}

/* Finds the row with a given id: its time and the footprint after it. */
static bool read_row(sqlite3_stmt *row, int64_t id, int64_t *ret_ts_ns, int64_t *ret_bytes)
{
	bool is_found;

	(void)sqlite3_bind_int64(row, 1, id);
	is_found = sqlite3_step(row) == SQLITE_ROW;
	if (is_found) {
		*ret_ts_ns = sqlite3_column_int64(row, 0);
		*ret_bytes = sqlite3_column_int64(row, 1);
	}

	(void)sqlite3_reset(row);
	return is_found;
}

/* The footprint at a time: rows are in the order of time, so halve the range. */
static bool footprint_at(struct store *store, sqlite3_stmt *row, int64_t ts_ns, int64_t *ret_bytes)
{
	int64_t first = store->bases.carrier_event + 1;
	int64_t count = store->carrier_ids;

	*ret_bytes = 0;
	while (count > 0) {
		int64_t half = count / 2;
		int64_t at_ns;
		int64_t bytes;

		if (!read_row(row, first + half, &at_ns, &bytes)) {
			return false;
		}

		if (at_ns <= ts_ns) {
			*ret_bytes = bytes;
			first += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}

	return true;
}

static enum csc_status write_samples(struct store *store, struct diag *diag)
{
	const struct catalog *catalog = &store->catalog;
	uint64_t span_ns = (uint64_t)(catalog->last_ns - catalog->first_ns);
	sqlite3_stmt *row = NULL;
	struct insert insert;
	enum csc_status status = CSC_OK;

	if (store->carrier_ids == 0) {
		return CSC_OK;
	}

	if (sqlite3_prepare_v2(store->db,
			    "SELECT ts_ns, footprint_bytes FROM carrier_event WHERE id = ?", -1,
			    &row, NULL) != SQLITE_OK) {
		return DIAG_FAIL(diag, "cannot read '%s': %s", store->path,
				sqlite3_errmsg(store->db));
	}

	insert_open(&insert, store->db, "INSERT", "footprint_sample",
			"source_id, i, ts_ns, footprint_bytes");
	for (uint64_t i = 0; i < SAMPLES && status == CSC_OK; i++) {
		int64_t ts_ns = catalog->first_ns +
				(int64_t)((unsigned __int128)span_ns * i / (SAMPLES - 1));
		int64_t bytes;

		if (!footprint_at(store, row, ts_ns, &bytes)) {
			status = DIAG_FAIL(diag, "cannot read '%s': %s", store->path,
					sqlite3_errmsg(store->db));
		} else {
			insert_integer(&insert, store->bases.source + 1);
			insert_integer(&insert, (int64_t)i);
			insert_integer(&insert, ts_ns);
			insert_integer(&insert, bytes);
			insert_row(&insert);
		}
	}

	(void)sqlite3_finalize(row);
	return insert_close(&insert, diag) == CSC_OK ? status : CSC_ERROR;
}

enum csc_status store_write_sums(struct store *store, struct diag *diag)
{
	int64_t *allocator_ids = NULL;
	enum csc_status status = find_allocator_ids(store, &allocator_ids, diag);

	if (status == CSC_OK) {
		status = write_instances(store, allocator_ids, diag);
	}
	if (status == CSC_OK) {
		status = write_scopes(store, diag);
	}
	if (status == CSC_OK) {
		status = write_ledger_totals(store, diag);
	}
	if (status == CSC_OK) {
		status = write_lives(store, allocator_ids, diag);
	}
	if (status == CSC_OK) {
		status = write_libc(store, diag);
	}
	if (status == CSC_OK) {
		status = store_write_blocks(store, diag);
	}
	if (status == CSC_OK) {
		status = write_samples(store, diag);
	}

	free(allocator_ids);
	return status;
}
