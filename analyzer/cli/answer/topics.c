/*
 * SPDX-License-Identifier: MIT
 */
#include "topics.h"

#include <string.h>

#include "database.h"
#include "nearest.h"

/* What a report with many rows is made of: to count its rows takes longer than to print the answer.
 */
static const char blocks[] = "SELECT 1 FROM block_span";
static const char carriers[] = "SELECT 1 FROM carrier_event";
static const char readings[] = "SELECT 1 FROM snapshot UNION ALL SELECT 1 FROM snapshot_begin";

static const struct {
	const char *topic;
	const char *report;

	/* Has rows where the report may have some; NULL: the report itself is looked at. */
	const char *source;
} reports[] = {
	{ "answer", "verdict", NULL },
	{ "answer", "findings", NULL },
	{ "answer", "alarms", NULL },
	{ "answer", "dump", "SELECT 1 FROM crash_dump" },
	{ "answer", "metrics", NULL },
	{ "memory", "waterfall", NULL },
	{ "memory", "figures", NULL },
	{ "memory", "peaks", NULL },
	{ "memory", "live", NULL },
	{ "memory", "libc", NULL },
	{ "holders", "holders", NULL },
	{ "holders", "functions", NULL },
	{ "holders", "samples",
			"SELECT 1 FROM sample_alloc UNION ALL SELECT 1 FROM sample_alloc_by_process" },
	{ "holders", "code", "SELECT 1 FROM stack_frame" },
	{ "growth", "growth_top", NULL },
	{ "growth", "growth_holders", NULL },
	{ "growth", "growth", blocks },
	{ "growth", "growth_processes", blocks },
	{ "sizes", "block_sizes", blocks },
	{ "sizes", "block_sizes_at", blocks },
	{ "sizes", "block_waste", blocks },
	{ "sizes", "blocks", NULL },
	{ "sizes", "histograms", NULL },
	{ "time", "footprint", NULL },
	{ "time", "block_rate", blocks },
	{ "time", "block_lifetimes", blocks },
	{ "time", "temporary", blocks },
	{ "time", "churn", carriers },
	{ "time", "lifetimes", carriers },
	{ "allocators", "utilisation", NULL },
	{ "allocators", "allocators", blocks },
	{ "allocators", "instances", NULL },
	{ "allocators", "kinds", NULL },
	{ "allocators", "ratio", NULL },
	{ "allocators", "pool", NULL },
	{ "allocators", "map",
			"SELECT 1 FROM carrier_alloc UNION ALL SELECT 1 FROM state_carrier UNION ALL SELECT 1 FROM block_span" },
	{ "flags", "flags", NULL },
	{ "flags", "settings", NULL },
	{ "flags", "sweep", NULL },
	{ "recording", "summary", NULL },
	{ "recording", "node", NULL },
	{ "recording", "events", NULL },
	{ "recording", "loss", NULL },
	{ "recording", "problems", NULL },
	{ "recording", "ledger", carriers },
	{ "recording", "recon", readings },
	{ "recording", "pasted", NULL },
	{ "recording", "thresholds", NULL },
	{ "recording", "glossary", NULL },
	{ "board", "board", "SELECT 1 FROM heap_reading" },
	{ "board", "board_readings", NULL },
};

enum { REPORTS = sizeof(reports) / sizeof(reports[0]) };

static bool has_rows(sqlite3 *db, size_t at)
{
	sqlite3_stmt *row = NULL;
	struct diag ignored = { 0 };
	char *query = reports[at].source
			? sqlite3_mprintf("SELECT EXISTS (%s)", reports[at].source)
			: sqlite3_mprintf("SELECT EXISTS (SELECT 1 FROM \"report_%w\")",
					  reports[at].report);
	/* What cannot be asked says so when it is printed. */
	bool result = database_prepare(db, query, &row, &ignored) != CSC_OK ||
			sqlite3_step(row) != SQLITE_ROW || sqlite3_column_int(row, 0);

	(void)sqlite3_finalize(row);
	return result;
}

bool topics_has_rows(sqlite3 *db, const char *report)
{
	for (size_t i = 0; i < REPORTS; i++) {
		if (strcmp(reports[i].report, report) == 0) {
			return has_rows(db, i);
		}
	}

	return true;
}

/* The name of a report or of another view or table that may be asked. */
static bool is_taken(sqlite3 *db, const char *name)
{
	sqlite3_stmt *row = NULL;
	struct diag ignored = { 0 };
	bool result = database_prepare(db,
				      sqlite3_mprintf("SELECT 1 FROM view_doc WHERE column = '' AND view IN ('report_' || %Q, %Q)",
						      name, name),
				      &row, &ignored) == CSC_OK &&
			sqlite3_step(row) == SQLITE_ROW;

	(void)sqlite3_finalize(row);
	return result;
}

const char *topics_report(sqlite3 *db, const char *topic)
{
	const char *first = NULL;

	for (size_t i = 0; i < REPORTS; i++) {
		if (strcmp(reports[i].topic, topic) != 0) {
			continue;
		}
		if (!first && is_taken(db, topic)) {
			return NULL;
		}
		if (has_rows(db, i)) {
			return reports[i].report;
		}
		first = first ? first : reports[i].report;
	}

	return first;
}

const char *topics_nearest(const char *name)
{
	const char *names[2 * REPORTS + 1];
	size_t count = 0;

	for (size_t i = 0; i < REPORTS; i++) {
		names[count++] = reports[i].report;
	}
	for (size_t i = 0; i < REPORTS; i++) {
		names[count++] = reports[i].topic;
	}
	names[count] = NULL;
	return nearest_word(name, names);
}

char *topics_list(sqlite3 *db)
{
	const char *topic = "";
	sqlite3_str *list = sqlite3_str_new(NULL);

	for (size_t i = 0; i < REPORTS; i++) {
		if (strcmp(topic, reports[i].topic) != 0 &&
				strcmp(reports[i].topic, "answer") != 0 && has_rows(db, i)) {
			sqlite3_str_appendf(list, "%s%s", *topic ? ", " : "", reports[i].topic);
			topic = reports[i].topic;
		}
	}

	return sqlite3_str_finish(list);
}

char *topics_query(sqlite3 *db)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);
	const char *before = "SELECT column1 AS topic, column2 AS report, meaning FROM (VALUES ";

	for (size_t i = 0; i < REPORTS; i++) {
		if (has_rows(db, i)) {
			sqlite3_str_appendf(sql, "%s(%Q, %Q, %d)", before, reports[i].topic,
					reports[i].report, (int)i);
			before = ", ";
		}
	}
	if (sqlite3_str_length(sql) == 0) {
		sqlite3_str_appendall(
				sql, "SELECT '' AS topic, '' AS report, '' AS meaning WHERE 0");
		return sqlite3_str_finish(sql);
	}

	sqlite3_str_appendall(sql,
			") JOIN view_doc ON view = 'report_' || column2 AND column = '' ORDER BY column3");
	return sqlite3_str_finish(sql);
}
