/* SPDX-License-Identifier: MIT */
/* What a recording has beside its calls: options, types, figures at the end. */
#include <stdlib.h>
#include <string.h>

#include "flag_table.h"
#include "recording_internal.h"

/* Of each allocator, and a number. */
static bool is_number(const struct flag *flag)
{
	return flag->place == FLAG_IN_SETTINGS && strcmp(flag_unit(flag), "word") != 0;
}

static uint64_t *number_in(struct csc_settings *settings, const struct flag *flag)
{
	return (uint64_t *)(void *)((char *)settings + flag->offset);
}

/* False: the value means nothing.  Options that do not matter here are passed over. */
static bool set_own(struct csc_options *options, enum csc_allocator allocator, const char *name,
		const char *value)
{
	for (const struct flag *flag = flag_table; flag->name; flag++) {
		if (flag_is_each(flag) && flag->option && strcmp(flag->option, name) == 0) {
			return flag_scan(flag, flag_base(flag, options, allocator), value);
		}
	}
	return true;
}

/* The twin puts the letter of mseg before its options; nodes record them as they print them. */
static void set_common(struct csc_options *options, const char *recorded, const char *value)
{
	const char *name = recorded[0] == 'M' ? recorded + 1 : recorded;

	for (const struct flag *flag = flag_table; flag->name; flag++) {
		if (!flag_is_each(flag) && flag->option && strcmp(flag->name, name) == 0) {
			(void)flag_scan(flag, options, value);
		}
	}
}

/* Puts what was recorded into settled options. */
static enum csc_status apply_recorded(
		const struct recording *recording, struct csc_options *options, struct diag *diag)
{
	/* What was recorded last is in force. */
	sqlite3_stmt *rows = recording_ask(recording,
			"SELECT o.name, o.value, n.name FROM option AS o LEFT JOIN "
			"(SELECT allocator_id, max(name) AS name FROM name_allocator "
			"WHERE runtime_id = ?1 GROUP BY 1) AS n ON n.allocator_id = o.allocator_id "
			"WHERE o.runtime_id = ?1 ORDER BY o.id",
			diag);

	if (!rows) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(rows, 1, recording->facts.runtime);
	while (!diag_is_set(diag) && recording_step_row(recording, rows, diag)) {
		const char *name = (const char *)sqlite3_column_text(rows, 0);
		const char *value = (const char *)sqlite3_column_text(rows, 1);
		const char *allocator = (const char *)sqlite3_column_text(rows, 2);

		if (!name || !value) {
			continue;
		}
		if (!allocator) {
			set_common(options, name, value);
		}
		for (int i = 0; allocator && i < CSC_ALLOCATORS; i++) {
			if (strcmp(csc_allocator_infos[i].name, allocator) == 0 &&
					!set_own(options, (enum csc_allocator)i, name, value)) {
				(void)DIAG_FAIL(diag,
						"'%s': invalid value '%s' for option %s of %s",
						recording->path, value, name, allocator);
			}
		}
	}
	sqlite3_finalize(rows);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

/* Instances of dirty schedulers, which a node shows by their figures alone. */
static enum csc_status apply_dirty(
		const struct recording *recording, struct csc_options *options, struct diag *diag)
{
	sqlite3_stmt *rows = recording_ask(recording,
			"SELECT max(instance) FROM snapshot_figure WHERE runtime_id = ? "
			"AND allocator_id <> 0",
			diag);

	if (!rows) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(rows, 1, recording->facts.runtime);
	if (recording_step_row(recording, rows, diag)) {
		int64_t most = sqlite3_column_int64(rows, 0);

		if (most > options->schedulers && most <= UINT16_MAX) {
			options->dirty_instances = (uint32_t)most - options->schedulers;
		}
	}
	sqlite3_finalize(rows);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

/* What is as it is by default was not given. */
static void forget_defaults(struct csc_allocator_options *recorded,
		const struct csc_allocator_options *settled,
		const struct csc_allocator_options *unsettled)
{
	struct csc_settings of_settled = settled->settings;
	struct csc_settings of_unsettled = unsettled->settings;

	for (const struct flag *flag = flag_table; flag->name; flag++) {
		uint64_t *value = number_in(&recorded->settings, flag);

		if (is_number(flag) && *value == *number_in(&of_settled, flag)) {
			*value = *number_in(&of_unsettled, flag);
		}
	}
	recorded->has_mmbcs = recorded->settings.mmbcs != of_unsettled.mmbcs;
	recorded->has_lmbcs = recorded->settings.lmbcs != of_unsettled.lmbcs;
	recorded->has_smbcs = recorded->settings.smbcs != of_unsettled.smbcs;
	if (recorded->settings.strategy == of_settled.strategy) {
		recorded->settings.strategy = of_unsettled.strategy;
	}
	if (recorded->threading == settled->threading) {
		recorded->threading = unsettled->threading;
	}
}

static bool is_same(
		const struct csc_allocator_options *one, const struct csc_allocator_options *other)
{
	struct csc_settings of_one = one->settings;
	struct csc_settings of_other = other->settings;

	for (const struct flag *flag = flag_table; flag->name; flag++) {
		if (is_number(flag) && *number_in(&of_one, flag) != *number_in(&of_other, flag)) {
			return false;
		}
	}
	return of_one.strategy == of_other.strategy && one->threading == other->threading;
}

enum csc_status recording_options(
		const struct recording *recording, struct csc_options *options, struct diag *diag)
{
	const struct csc_options unsettled = *options;
	struct csc_options settled = *options;
	struct csc_options recorded;
	struct csc_options check;

	csc_options_settle(&settled);
	recorded = settled;
	if (apply_recorded(recording, &recorded, diag) != CSC_OK ||
			apply_dirty(recording, &recorded, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	*options = recorded;
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		forget_defaults(&options->allocators[i], &settled.allocators[i],
				&unsettled.allocators[i]);
	}
	check = *options;
	csc_options_settle(&check);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		struct csc_allocator_options *own = &recorded.allocators[i];

		/* Where that does not lead back to what was recorded, what was recorded stands. */
		if (!is_same(&check.allocators[i], own)) {
			own->has_mmbcs = own->has_lmbcs = own->has_smbcs = true;
			options->allocators[i] = *own;
		}
	}
	return CSC_OK;
}

enum csc_status recording_types(const struct recording *recording, void *context,
		recording_take_type *take, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;

	if (recording->decoded) {
		decoded_types(recording->decoded, context, take);
		return CSC_OK;
	}
	/* Sizes in force are those that the runtime asks for: releases differ, and so do builds. */
	rows = recording_ask(recording,
			"WITH fixed AS MATERIALIZED (SELECT b.type_id, max(b.size) AS bytes "
			"FROM block_event AS b LEFT JOIN thread AS h ON h.id = b.thread_id "
			"WHERE b.id BETWEEN ?2 AND ?3 AND b.op = 0 AND b.allocator_id IN "
			"(SELECT allocator_id FROM name_allocator WHERE runtime_id = ?1 "
			"AND name = 'fix_alloc') AND (h.runtime_id = ?1 OR h.id IS NULL) GROUP BY 1) "
			"SELECT t.type_id, max(t.name), max(n.name), max(f.bytes) FROM name_type AS t "
			"LEFT JOIN name_allocator AS n ON n.runtime_id = t.runtime_id "
			"AND n.allocator_id = t.allocator_id LEFT JOIN fixed AS f "
			"ON f.type_id = t.type_id WHERE t.runtime_id = ?1 GROUP BY 1",
			diag);

	if (!rows) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(rows, 1, recording->facts.runtime);
	(void)sqlite3_bind_int64(rows, 2, recording->facts.first_row);
	(void)sqlite3_bind_int64(rows, 3, recording->facts.last_row);
	while (recording_step_row(recording, rows, diag)) {
		const char *name = (const char *)sqlite3_column_text(rows, 1);
		const char *allocator = (const char *)sqlite3_column_text(rows, 2);

		take(context, (uint32_t)sqlite3_column_int(rows, 0), name ? name : "",
				allocator ? allocator : "",
				(uint64_t)sqlite3_column_int64(rows, 3));
	}
	sqlite3_finalize(rows);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

/* Up to three numbers of one allocator; `*ret_has`: there was a row. */
static enum csc_status ask_allocator(const struct recording *recording, const char *sql,
		const char *allocator, bool *ret_has, int64_t numbers[3], struct diag *diag)
{
	sqlite3_stmt *rows = recording_ask(recording, sql, diag);

	if (!rows) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(rows, 1, recording->facts.runtime);
	(void)sqlite3_bind_text(rows, 2, allocator, -1, SQLITE_STATIC);
	*ret_has = recording_step_row(recording, rows, diag);
	for (int i = 0; *ret_has && i < 3; i++) {
		numbers[i] = sqlite3_column_int64(rows, i);
	}
	sqlite3_finalize(rows);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

#define ITS_NUMBER \
	"(SELECT allocator_id FROM name_allocator WHERE runtime_id = ?1 AND name = ?2 LIMIT 1)"

enum csc_status recording_figures(const struct recording *recording, const char *allocator,
		struct recording_figures *ret_figures, struct diag *diag)
{
	/* The last that was said of each address; a carrier that moved leaves its old one. */
	static const char events[] =
			"WITH said AS ("
			"SELECT id, ts_ns, address, size_bytes, 1 AS is_there FROM carrier_alloc "
			"WHERE runtime_id = ?1 AND allocator_id = " ITS_NUMBER " UNION ALL "
			"SELECT id, ts_ns, address, 0, 0 FROM carrier_free "
			"WHERE runtime_id = ?1 AND allocator_id = " ITS_NUMBER " UNION ALL "
			"SELECT id, ts_ns, old_address, 0, 0 FROM carrier_realloc WHERE runtime_id = ?1 "
			"AND old_address <> address AND allocator_id = " ITS_NUMBER " UNION ALL "
			"SELECT id, ts_ns, address, size_bytes, 1 FROM carrier_realloc "
			"WHERE runtime_id = ?1 AND allocator_id = " ITS_NUMBER "), "
			"last AS (SELECT max(ts_ns), size_bytes, is_there FROM said GROUP BY address) "
			"SELECT coalesce(sum(is_there), 0), coalesce(sum(size_bytes * is_there), 0), "
			"count(*) FROM last";
	static const char counters[] =
			"SELECT last_mbc_carriers + last_sbc_carriers, "
			"last_mbc_carriers_bytes + last_sbc_carriers_bytes, 1 FROM scope_total AS t "
			"JOIN allocator_use AS u ON u.id = t.scope_id JOIN allocator AS a "
			"ON a.id = u.allocator_id WHERE t.scope = 'allocator' AND u.runtime_id = ?1 "
			"AND a.name = ?2";
	static const char blocks[] =
			"SELECT live_blocks, live_bytes, 1 FROM block_account WHERE runtime_id = ?1 "
			"AND scope = 'allocator' AND allocator_id = " ITS_NUMBER;
	struct recording_figures figures = { .carriers_by = RECORDING_CARRIERS_NONE };
	int64_t numbers[3] = { 0 };
	bool has_row = false;

	if (ask_allocator(recording, blocks, allocator, &figures.has_blocks, numbers, diag) !=
			CSC_OK) {
		return CSC_ERROR;
	}
	figures.blocks = figures.has_blocks ? numbers[0] : 0;
	figures.asked_bytes = figures.has_blocks ? numbers[1] : 0;
	if (ask_allocator(recording, events, allocator, &has_row, numbers, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	/* Without a word about any carrier of it, ours were not recorded. */
	if (has_row && numbers[2] > 0 && recording->facts.early_carriers == 0) {
		figures.carriers_by = RECORDING_CARRIERS_EVENTS;
	} else {
		if (ask_allocator(recording, counters, allocator, &has_row, numbers, diag) !=
				CSC_OK) {
			return CSC_ERROR;
		}
		if (has_row) {
			figures.carriers_by = RECORDING_CARRIERS_COUNTERS;
		}
	}
	if (figures.carriers_by != RECORDING_CARRIERS_NONE) {
		figures.carriers = numbers[0];
		figures.carriers_bytes = numbers[1];
	}
	*ret_figures = figures;
	return CSC_OK;
}

enum csc_status recording_carriers(const struct recording *recording, const char *allocator,
		int64_t *ret_bytes, struct diag *diag)
{
	static const char read[] =
			"SELECT total(f.current), count(*), 1 FROM snapshot_figure AS f "
			"WHERE f.runtime_id = ?1 AND f.key = 'carriers_size' AND f.section IN ('mbcs', "
			"'mbcs_pool', 'sbcs') AND f.allocator_id = " ITS_NUMBER
			" AND f.snapshot_id = "
			"(SELECT e.snapshot_id FROM snapshot_end AS e WHERE e.runtime_id = ?1 "
			"ORDER BY e.ts_ns DESC LIMIT 1)";
	struct recording_figures figures;
	int64_t numbers[3] = { 0 };
	bool has_row = false;

	*ret_bytes = 0;
	if (recording_figures(recording, allocator, &figures, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	if (figures.carriers_by != RECORDING_CARRIERS_EVENTS) {
		if (ask_allocator(recording, read, allocator, &has_row, numbers, diag) != CSC_OK) {
			return CSC_ERROR;
		}
		if (has_row && numbers[1] > 0) {
			*ret_bytes = numbers[0];
			return CSC_OK;
		}
	}
	*ret_bytes = figures.carriers_by == RECORDING_CARRIERS_NONE ? 0 : figures.carriers_bytes;
	return CSC_OK;
}
