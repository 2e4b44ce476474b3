/*
 * SPDX-License-Identifier: MIT
 *
 * Tables are asked, not the views that judge: those would take a second of CPU at each refresh.  A
 * snapshot's rows are among the last of their table.
 */
#include "top_database.h"

#include <stdio.h>
#include <string.h>

#include "database.h"
#include "guard.h"

/* Each runtime with the name of its node, as it last recorded it, else of its program: what table
 * node_name has when a load has ended. */
#define NODE_NAMES                                                                                        \
	"(SELECT r.id AS runtime_id, r.source_id, r.vpid, ifnull((SELECT f.value FROM runtime_fact AS f " \
	"WHERE f.runtime_id = r.id AND f.key = 'node_name' ORDER BY f.id DESC LIMIT 1), r.procname) AS name FROM runtime AS r)"

/* A node's snapshot has some 1,000 figures: its rows are among so many last ones, also of several
 * nodes; those of a minute of snapshots, too. */
enum { ROWS = 30000, ROWS_OF_A_MINUTE = 400000 };

struct moment {
	int64_t runtime;
	int64_t snapshot;
	int64_t ts_ns;

	/* It is among so many last rows of each table. */
	int rows;
};

static int64_t number_at(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL ? TOP_UNKNOWN
							       : sqlite3_column_int64(row, column);
}

static void copy_text(char *ret_text, size_t bytes, sqlite3_stmt *row, int column)
{
	(void)snprintf(ret_text, bytes, "%s", database_text(row, column));
}

/* Calls `take` for each row; `sql` is freed. */
static enum csc_status each_row(sqlite3 *db, char *sql,
		void (*take)(struct top_reading *reading, sqlite3_stmt *row),
		struct top_reading *reading, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	int result;
	enum csc_status status = database_prepare(db, sql, &rows, diag);

	if (status != CSC_OK) {
		return status;
	}
	while ((result = sqlite3_step(rows)) == SQLITE_ROW) {
		take(reading, rows);
	}
	status = database_check(db, result, diag);
	(void)sqlite3_finalize(rows);
	return status;
}

static void take_node(struct top_reading *reading, sqlite3_stmt *row)
{
	copy_text(reading->node, sizeof(reading->node), row, 0);
	reading->pid = (long)sqlite3_column_int64(row, 1);
	reading->lost_events = number_at(row, 2);
}

static void take_allocator(struct top_reading *reading, sqlite3_stmt *row)
{
	struct top_allocator *one;

	if (reading->allocator_count == TOP_ALLOCATORS) {
		return;
	}
	one = &reading->allocators[reading->allocator_count++];
	copy_text(one->name, sizeof(one->name), row, 0);
	one->carriers = number_at(row, 1);
	one->blocks = number_at(row, 2);
	one->pool = number_at(row, 3);
	one->growth = TOP_UNKNOWN;
}

static void take_holder(struct top_reading *reading, sqlite3_stmt *row)
{
	struct top_holder *one;

	if (reading->holder_count == TOP_HOLDERS) {
		return;
	}
	one = &reading->holders[reading->holder_count++];
	copy_text(one->kind, sizeof(one->kind), row, 0);
	copy_text(one->id, sizeof(one->id), row, 1);
	copy_text(one->text, sizeof(one->text), row, 2);
	one->bytes = sqlite3_column_int64(row, 3);
	one->binaries = sqlite3_column_int64(row, 4);
	one->growth = TOP_UNKNOWN;
}

static void take_resident(struct top_reading *reading, sqlite3_stmt *row)
{
	reading->resident = number_at(row, 0);
}

static void take_counts(struct top_reading *reading, sqlite3_stmt *row)
{
	reading->processes = number_at(row, 0);
	reading->ports = number_at(row, 1);
}

/* Of the last whole snapshot, or of the oldest in the minute before. */
static bool find_snapshot(sqlite3 *db, long pid, enum top_moment which, struct moment *ret_moment)
{
	struct diag ignored = { 0 };
	sqlite3_stmt *row = NULL;
	bool is_found = false;
	char *sql = sqlite3_mprintf(
			"WITH last AS (SELECT e.runtime_id, e.snapshot_id, e.ts_ns FROM snapshot_end AS e "
			"JOIN runtime AS r ON r.id = e.runtime_id WHERE %ld IN (0, r.vpid) ORDER BY e.id DESC LIMIT 1) "
			"SELECT e.runtime_id, e.snapshot_id, e.ts_ns FROM snapshot_end AS e JOIN last AS l "
			"ON l.runtime_id = e.runtime_id WHERE e.ts_ns BETWEEN l.ts_ns - %lld AND l.ts_ns "
			"ORDER BY e.ts_ns LIMIT 1",
			pid, which == TOP_LAST ? 0LL : 60000000000LL);

	if (database_prepare(db, sql, &row, &ignored) == CSC_OK &&
			sqlite3_step(row) == SQLITE_ROW) {
		*ret_moment = (struct moment){ sqlite3_column_int64(row, 0),
			sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2),
			which == TOP_LAST ? ROWS : ROWS_OF_A_MINUTE };
		is_found = true;
	}
	(void)sqlite3_finalize(row);
	return is_found;
}

static char *node_query(int64_t runtime)
{
	return sqlite3_mprintf(
			"SELECT n.name, n.vpid, (SELECT total(events) FROM lost_interval AS i "
			"WHERE i.source_id = n.source_id) FROM " NODE_NAMES
			" AS n WHERE n.runtime_id = %lld",
			(long long)runtime);
}

static enum csc_status read_holders(sqlite3 *db, const struct moment *moment,
		struct top_reading *reading, struct diag *diag)
{
	static const char sql[] =
			"WITH list AS (SELECT snapshot_id FROM snapshot_holders WHERE runtime_id = ?1 "
			"AND ts_ns <= ?2 ORDER BY id DESC LIMIT 1), "
			"held AS (SELECT 'process' AS kind, p.pid AS id, "
			"(SELECT CASE WHEN n.name LIKE 'carrierscope\\_%%' ESCAPE '\\' OR n.initial_call LIKE 'carrierscope:%%' "
			"OR n.initial_call LIKE 'carrierscope\\_%%' ESCAPE '\\' THEN 'this recorder' "
			"WHEN n.label LIKE 'queue \"%%' OR n.label LIKE 'connection \"%%' OR n.label LIKE 'channel %% of \"%%' THEN n.label ELSE "
			"coalesce(nullif(n.name, ''), nullif(iif(n.initial_call LIKE 'proc\\_lib:%%' ESCAPE '\\' "
			"OR n.initial_call LIKE 'erlang:apply/%%', n.current_function, n.initial_call), ''), n.initial_call) "
			"|| iif(n.label = '', '', ' \"' || n.label || '\"') || iif(n.application = '', '', ' (' || n.application || ')') END "
			"FROM process_name AS n WHERE n.runtime_id = p.runtime_id AND n.pid = p.pid ORDER BY n.id DESC LIMIT 1) AS text, "
			"max(0, p.heap_bytes) AS bytes, max(0, p.binary_bytes) AS binaries "
			"FROM snapshot_process AS p JOIN list USING (snapshot_id) WHERE p.runtime_id = ?1 "
			"AND p.id > (SELECT max(id) FROM snapshot_process) - %d UNION ALL SELECT 'table', \"table\", name, memory_bytes, 0 FROM snapshot_table JOIN list USING (snapshot_id) "
			"WHERE runtime_id = ?1 AND id > (SELECT max(id) FROM snapshot_table) - %d UNION ALL SELECT 'port', port, name, memory_bytes + queue_bytes, 0 FROM snapshot_port JOIN list USING (snapshot_id) "
			"WHERE runtime_id = ?1 AND id > (SELECT max(id) FROM snapshot_port) - %d) SELECT kind, id, ifnull(text, ''), bytes, binaries FROM held ORDER BY bytes + binaries DESC LIMIT %d";
	sqlite3_stmt *rows = NULL;
	int result;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf(sql, moment->rows, moment->rows, moment->rows, TOP_HOLDERS),
			&rows, diag);

	if (status != CSC_OK) {
		return status;
	}
	(void)sqlite3_bind_int64(rows, 1, moment->runtime);
	(void)sqlite3_bind_int64(rows, 2, reading->ts_ns);
	while ((result = sqlite3_step(rows)) == SQLITE_ROW) {
		take_holder(reading, rows);
	}
	status = database_check(db, result, diag);
	(void)sqlite3_finalize(rows);
	return status;
}

static enum csc_status read_snapshot(sqlite3 *db, const struct moment *moment,
		struct top_reading *reading, struct diag *diag)
{
	enum csc_status status = each_row(db,
			sqlite3_mprintf("SELECT n.name, sum(iif(f.key = 'carriers_size', f.current, 0)), "
					"sum(iif(f.key = 'blocks_size' OR f.key LIKE 'blocks\\_size/%%' ESCAPE '\\', f.current, 0)), "
					"sum(iif(f.section = 'mbcs_pool' AND f.key = 'carriers_size', f.current, 0)) "
					"FROM snapshot_figure AS f JOIN (SELECT DISTINCT runtime_id, allocator_id, name FROM name_allocator) AS n "
					"ON n.runtime_id = f.runtime_id AND n.allocator_id = f.allocator_id "
					"WHERE f.id > (SELECT max(id) FROM snapshot_figure) - %d AND f.runtime_id = %lld AND f.snapshot_id = %lld "
					"AND f.section IN ('mbcs', 'sbcs', 'mbcs_pool') GROUP BY n.name",
					moment->rows, (long long)moment->runtime,
					(long long)moment->snapshot),
			take_allocator, reading, diag);

	reading->ts_ns = moment->ts_ns;
	if (status == CSC_OK) {
		status = each_row(db, node_query(moment->runtime), take_node, reading, diag);
	}
	if (status == CSC_OK) {
		status = each_row(db,
				sqlite3_mprintf("SELECT bytes FROM snapshot_memory WHERE runtime_id = %lld "
						"AND snapshot_id = %lld AND key = 'os_resident'",
						(long long)moment->runtime,
						(long long)moment->snapshot),
				take_resident, reading, diag);
	}
	if (status == CSC_OK) {
		status = each_row(db,
				sqlite3_mprintf("SELECT processes, ports FROM snapshot_holders WHERE runtime_id = %lld "
						"AND snapshot_id = %lld",
						(long long)moment->runtime,
						(long long)moment->snapshot),
				take_counts, reading, diag);
	}
	return status == CSC_OK ? read_holders(db, moment, reading, diag) : status;
}

/* Of a node whose carriers were recorded, by its last counters; of a loaded one, its figures. */
static enum csc_status read_counters(
		sqlite3 *db, long pid, struct top_reading *reading, struct diag *diag)
{
	static const char counters[] =
			"SELECT allocator, carriers_bytes, blocks_bytes, NULL FROM utilisation_now_allocator "
			"WHERE carriers_bytes IS NOT NULL AND %ld IN (0, vpid)";
	static const char figures[] =
			"SELECT f.allocator, max(iif(f.quantity = 'carriers_bytes', f.likely, NULL)), "
			"max(iif(f.quantity = 'blocks_bytes', f.likely, NULL)), max(iif(f.quantity = 'pool_bytes', f.likely, NULL)) "
			"FROM figure AS f LEFT JOIN runtime AS r ON r.id = f.runtime_id "
			"WHERE f.moment = 'end' AND f.allocator <> 'all' AND %ld IN (0, r.vpid) "
			"AND f.subject_id = (SELECT g.subject_id FROM figure AS g LEFT JOIN runtime AS s ON s.id = g.runtime_id "
			"WHERE g.quantity = 'carriers_bytes' AND g.allocator = 'all' AND g.moment = 'end' "
			"AND %ld IN (0, s.vpid) ORDER BY g.likely DESC LIMIT 1) "
			"GROUP BY f.allocator HAVING max(iif(f.quantity = 'carriers_bytes', f.likely, NULL)) IS NOT NULL";
	enum csc_status status = each_row(
			db, sqlite3_mprintf(figures, pid, pid), take_allocator, reading, diag);

	if (status == CSC_OK && reading->allocator_count == 0) {
		status = each_row(
				db, sqlite3_mprintf(counters, pid), take_allocator, reading, diag);
	}
	if (status == CSC_OK) {
		status = each_row(db,
				sqlite3_mprintf("SELECT n.name, n.vpid, s.lost_events FROM " NODE_NAMES
						" AS n "
						"JOIN source AS s ON s.id = n.source_id WHERE %ld IN (0, n.vpid) "
						"ORDER BY s.last_ts_ns LIMIT 1",
						pid),
				take_node, reading, diag);
	}
	return status;
}

static int64_t last_event_ns(sqlite3 *db)
{
	struct diag ignored = { 0 };
	sqlite3_stmt *row = NULL;
	int64_t ts_ns = 0;

	if (database_prepare(db, sqlite3_mprintf("SELECT max(last_ts_ns) FROM source"), &row,
			    &ignored) == CSC_OK &&
			sqlite3_step(row) == SQLITE_ROW) {
		ts_ns = sqlite3_column_int64(row, 0);
	}
	(void)sqlite3_finalize(row);
	return ts_ns;
}

enum csc_status top_database_read(sqlite3 *db, long pid, enum top_moment which,
		struct top_reading *ret_reading, struct diag *diag)
{
	struct moment moment;
	enum csc_status status = CSC_OK;

	*ret_reading = (struct top_reading){ .resident = TOP_UNKNOWN,
		.processes = TOP_UNKNOWN,
		.ports = TOP_UNKNOWN,
		.lost_events = TOP_UNKNOWN };
	guard_restart(db);
	if (find_snapshot(db, pid, which, &moment)) {
		status = read_snapshot(db, &moment, ret_reading, diag);
	} else if (which == TOP_LAST) {
		status = read_counters(db, pid, ret_reading, diag);
		ret_reading->ts_ns = last_event_ns(db);
	}
	if (status == CSC_OK && ret_reading->allocator_count == 0) {
		return pid ? DIAG_FAIL(diag, "the database has nothing about allocators of process %ld",
					     pid)
			   : DIAG_FAIL(diag, "the database has nothing about allocators yet; record with snapshots, as 'carrierscope record' does");
	}
	top_reading_sum(ret_reading);
	return status;
}

bool top_database_is_growing(sqlite3 *db)
{
	struct diag ignored = { 0 };
	sqlite3_stmt *row = NULL;
	bool is_growing =
			database_prepare(db,
					sqlite3_mprintf("SELECT 1 FROM source WHERE NOT complete "
							"UNION ALL SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM source)"),
					&row, &ignored) == CSC_OK &&
			sqlite3_step(row) == SQLITE_ROW;

	(void)sqlite3_finalize(row);
	return is_growing;
}
