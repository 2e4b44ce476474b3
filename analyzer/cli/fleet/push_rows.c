/*
 * SPDX-License-Identifier: MIT
 *
 * Rollups of a recording by SQL.
 */
#include "push_rows.h"

#include <string.h>

#include "command.h"
#include "database.h"
#include "judge.h"
#include "push_flags.h"
#include "push_hours.h"
#include "push_minutes.h"

/*
 * A minute is named by its begin; its figures are those of its last moment that was recorded.  The
 * best evidence of a minute counts: figures of the end, then readings, then counters of events,
 * which bound nothing (where carriers lie in the pool, or end without an event, they are not
 * right).
 */
enum { MINUTES_MAX = 366 * 24 * 60 };

/* Temporary tables: what the queries below read.  A content hash of zeroes is that of no carriers
 * and blocks: snapshots of one session then differ by their times. */
static const char *const stages[] = {
	"CREATE TEMP TABLE push_label (app TEXT, release TEXT, flags TEXT, node TEXT, page TEXT, file TEXT)",
	"CREATE TEMP TABLE push_born AS SELECT runtime_id, min(ts_ns - age_ms * 1000000) AS born_ns FROM ("
	"  SELECT runtime_id, ts_ns, uptime_ms AS age_ms FROM snapshot_begin "
	"  UNION ALL SELECT runtime_id, ts_ns, hooked_uptime_ms FROM hook_begin WHERE NOT is_again) GROUP BY runtime_id",
	"CREATE TEMP TABLE push_subject AS "
	"WITH place AS ("
	"  SELECT v.*, iif(v.snapshot_id IS NULL, v.runtime_id, -v.snapshot_id) AS subject_id,"
	"    coalesce(e.first_ts_ns, iif(v.snapshot_id IS NULL, s.first_ts_ns, v.as_of_ns)) AS begin_ns,"
	"    coalesce(v.as_of_ns, e.last_ts_ns, iif(v.snapshot_id IS NULL, s.last_ts_ns, NULL)) AS end_ns,"
	"    ifnull((SELECT min(t.uuid) FROM trace AS t WHERE t.source_id = s.id), '') AS uuid,"
	"    s.content_hash, s.complete, s.lost_events, s.kind, r.procname,"
	"    coalesce(r.hostname, (SELECT min(t.hostname) FROM trace AS t WHERE t.source_id = s.id), '') AS host,"
	"    row_number() OVER (PARTITION BY s.id ORDER BY v.runtime_id, v.snapshot_id) AS number"
	"  FROM verdict AS v JOIN source AS s ON s.id = v.source_id"
	"  LEFT JOIN runtime AS r ON r.id = v.runtime_id"
	"  LEFT JOIN runtime_span AS e ON e.runtime_id = v.runtime_id AND v.snapshot_id IS NULL"
	"  WHERE v.level = 'runtime') "
	"SELECT p.subject_id, p.source_id, p.runtime_id, p.snapshot_id,"
	"  fleet_hash(p.uuid || '|' || ifnull(p.vpid, '') || '|' || ifnull(nullif(p.content_hash, '0000000000000000'), p.begin_ns || '-' || p.end_ns)"
	"    || '|' || p.number) AS recording,"
	/* Where a name says no host, or nobody but that host knows it, other hosts have the same.
	 */
	"  CASE WHEN l.node IS NOT NULL THEN l.node"
	"    WHEN ifnull(p.node, 'nonode@nohost') = 'nonode@nohost' THEN coalesce(p.procname, 'unnamed') || iif(p.host = '', '', '@' || p.host)"
	"    WHEN substr(p.node, instr(p.node, '@') + 1) IN ('127.0.0.1', 'localhost', '::1') AND p.host NOT IN ('', 'localhost') THEN p.node || ' of ' || p.host"
	"    ELSE p.node END AS node, p.host, ifnull(l.app, '') AS app, ifnull(l.release, '') AS release,"
	"  coalesce((SELECT f.value FROM runtime_fact AS f WHERE f.runtime_id = p.runtime_id AND f.key = 'otp_release' ORDER BY f.id DESC),"
	"    (SELECT f.value FROM node_fact AS f WHERE f.snapshot_id = p.snapshot_id AND f.key = 'otp_release'), '') AS otp,"
	"  coalesce(l.flags, (SELECT f.flags FROM push_flags AS f WHERE f.runtime_id = p.runtime_id AND p.snapshot_id IS NULL),"
	"    (SELECT f.flags FROM flags_in_force AS f WHERE f.snapshot_id = p.snapshot_id), '') AS flags,"
	/* A life of a node: in containers each has the same pid, so its age counts, where it is
	   known. */
	"  fleet_hash(p.host || '|' || ifnull(p.vpid, p.uuid) || ifnull('|' || (SELECT b.born_ns / 60000000000 FROM push_born AS b"
	"    WHERE b.runtime_id = p.runtime_id), iif(p.kind = 'crash_dump', '|' || p.end_ns, ''))) AS run,"
	"  p.begin_ns, p.end_ns, p.verdict, ifnull(p.allocator, '') AS allocator, p.sentence, p.confidence,"
	"  iif(p.verdict = 'unknown', NULL, p.at_stake_bytes) AS stake, p.complete, p.lost_events, l.file, ifnull(l.page, '') AS page "
	"FROM place AS p JOIN push_label AS l WHERE p.begin_ns IS NOT NULL AND p.end_ns IS NOT NULL",
	/* What is known when.  grade: 0 the end, 1 a reading, 2 counters of events. */
	"CREATE TEMP TABLE push_level (subject_id INTEGER, allocator TEXT, ts_ns INTEGER, grade INTEGER,"
	"  carriers INTEGER, carriers_low INTEGER, carriers_high INTEGER,"
	"  blocks INTEGER, blocks_low INTEGER, blocks_high INTEGER, pool INTEGER, pool_low INTEGER, pool_high INTEGER)",
	"INSERT INTO push_level SELECT f.subject_id, f.allocator, s.end_ns, 0,"
	"  max(f.likely) FILTER (WHERE f.quantity = 'carriers_bytes'), max(f.low) FILTER (WHERE f.quantity = 'carriers_bytes'),"
	"  max(f.high) FILTER (WHERE f.quantity = 'carriers_bytes'),"
	"  max(f.likely) FILTER (WHERE f.quantity = 'blocks_bytes'), max(f.low) FILTER (WHERE f.quantity = 'blocks_bytes'),"
	"  max(f.high) FILTER (WHERE f.quantity = 'blocks_bytes'),"
	"  max(f.likely) FILTER (WHERE f.quantity = 'pool_bytes'), max(f.low) FILTER (WHERE f.quantity = 'pool_bytes'),"
	"  max(f.high) FILTER (WHERE f.quantity = 'pool_bytes') "
	"FROM push_subject AS s JOIN figure AS f ON f.subject_id = s.subject_id WHERE f.moment = 'end' "
	"GROUP BY f.subject_id, f.allocator",
	"CREATE TEMP TABLE push_read AS SELECT s.subject_id, r.runtime_id, r.recorded_id, r.ts_ns "
	"FROM push_subject AS s JOIN (SELECT runtime_id, snapshot_id AS recorded_id, min(ts_ns) AS ts_ns "
	"  FROM snapshot_begin GROUP BY runtime_id, snapshot_id) AS r ON r.runtime_id = s.runtime_id "
	"WHERE s.snapshot_id IS NULL AND s.lost_events = 0 AND r.ts_ns BETWEEN s.begin_ns AND s.end_ns "
	"GROUP BY s.subject_id, r.ts_ns / 60000000000 HAVING max(r.ts_ns)",
	/* As allocator_reading, but of these readings alone. */
	"CREATE TEMP TABLE push_sum AS SELECT r.subject_id, r.ts_ns, " PUSH_MINUTE_SUMS
	"FROM push_read AS r " PUSH_MINUTE_FIGURES " GROUP BY r.subject_id, r.ts_ns, a.name",
	"INSERT INTO push_level SELECT subject_id, allocator, ts_ns, 1, carriers, carriers, carriers, blocks, blocks, blocks,"
	"  pool, pool, pool FROM push_sum",
	"INSERT INTO push_level SELECT subject_id, 'all', ts_ns, 1, sum(carriers), sum(carriers), sum(carriers),"
	"  sum(blocks), sum(blocks), sum(blocks), sum(pool), sum(pool), sum(pool) "
	"FROM push_level WHERE grade = 1 GROUP BY subject_id, ts_ns",
	"CREATE TEMP TABLE push_stretch (subject_id INTEGER, allocator TEXT, begin_ns INTEGER, carriers INTEGER,"
	"  PRIMARY KEY (subject_id, allocator, begin_ns)) WITHOUT ROWID",
	"INSERT OR REPLACE INTO push_stretch SELECT s.subject_id, u.allocator, u.begin_ns, u.carriers_bytes "
	"FROM push_subject AS s JOIN utilisation_allocator AS u ON u.runtime_id = s.runtime_id WHERE s.snapshot_id IS NULL",
	"INSERT OR REPLACE INTO push_stretch SELECT s.subject_id, 'all', u.begin_ns, u.carriers_bytes "
	"FROM push_subject AS s JOIN utilisation_runtime AS u ON u.runtime_id = s.runtime_id WHERE s.snapshot_id IS NULL",
	/* Levels hold until they change: each minute has the last that began in it or before. */
	"INSERT INTO push_level (subject_id, allocator, ts_ns, grade, carriers) "
	"WITH RECURSIVE span AS (SELECT p.subject_id, p.allocator, min(p.begin_ns) / 60000000000 AS minute, s.end_ns"
	"    FROM push_stretch AS p JOIN push_subject AS s USING (subject_id) GROUP BY 1, 2),"
	"  grid AS (SELECT *, 0 AS number FROM span UNION ALL"
	"    SELECT subject_id, allocator, minute + 1, end_ns, number + 1 FROM grid"
	"    WHERE (minute + 1) * 60000000000 <= end_ns AND number < (SELECT minutes_max FROM push_limit)) "
	"SELECT g.subject_id, g.allocator, min(g.minute * 60000000000 + 59999999999, g.end_ns), 2,"
	"  (SELECT p.carriers FROM push_stretch AS p WHERE p.subject_id = g.subject_id AND p.allocator = g.allocator"
	"    AND p.begin_ns <= g.minute * 60000000000 + 59999999999 ORDER BY p.begin_ns DESC LIMIT 1) "
	"FROM grid AS g",
	"CREATE TEMP TABLE push_minute AS SELECT *, ts_ns / 60000000000 * 60 AS ts FROM ("
	"  SELECT *, row_number() OVER (PARTITION BY subject_id, allocator, ts_ns / 60000000000"
	"    ORDER BY grade, ts_ns DESC) AS place FROM push_level) WHERE place = 1",
	"CREATE INDEX temp.push_minute_subject ON push_minute (subject_id, allocator)",
	/* Holders that are known, as view holder has them: what nobody has, and garbage, is none.
	 */
	"CREATE TEMP TABLE push_held AS SELECT source_id, runtime_id, snapshot_id, allocator, type, kind, name, bytes, quality "
	"FROM holder WHERE kind NOT IN ('nobody', 'temporary') AND bytes > 0",
};

/* One letter for each column behind `push`: what row_text.h writes. */
static const struct table {
	/* u: 64 bits, n: the same or NULL, f: a real number or NULL, i: 32 bits, b: 8 bits, s:
	 * text. */
	const char *types;
	const char *sql;
} tables[PUSH_TABLES] = {
	[PUSH_HOUR] = { "ussssus",
			/* A row for each minute: behind these columns its time and its figures. */
			"SELECT s.recording, s.node, s.app, s.release, s.flags, s.run, m.allocator, m.ts, m.carriers, "
			"m.carriers_low, m.carriers_high, m.blocks, m.blocks_low, m.blocks_high, m.pool, m.pool_low, m.pool_high "
			"FROM push_minute AS m JOIN push_subject AS s USING (subject_id) "
			"WHERE (SELECT has_minutes FROM push_limit) ORDER BY m.subject_id, m.allocator, m.ts" },
	[PUSH_FINDING] = { "usssiisssssn",
			"SELECT s.recording, s.node, s.app, s.release, s.end_ns / 1000000000, "
			"row_number() OVER (PARTITION BY s.recording ORDER BY f.rank, f.rule, f.allocator, f.instance), "
			"f.rule, f.severity, ifnull(f.allocator, ''), f.sentence, ifnull(f.flag, ''), f.at_stake_bytes "
			"FROM finding AS f JOIN push_subject AS s "
			"ON s.subject_id = iif(f.snapshot_id IS NULL, f.runtime_id, -f.snapshot_id) ORDER BY 1, 6" },
	[PUSH_HOLDER] = { "usssiissssus",
			"SELECT * FROM (SELECT s.recording, s.node, s.app, s.release, s.end_ns / 1000000000, "
			"row_number() OVER (PARTITION BY s.recording ORDER BY h.bytes DESC, h.name, h.allocator, h.type) AS number, "
			"h.allocator, h.type, h.kind, ifnull(h.name, ''), h.bytes, h.quality "
			"FROM push_held AS h JOIN push_subject AS s "
			"ON s.source_id = h.source_id AND ((s.snapshot_id IS NULL AND s.runtime_id = h.runtime_id) "
			"OR (h.runtime_id IS NULL AND s.snapshot_id = h.snapshot_id))) "
			"WHERE number <= 20 ORDER BY 1, 6" },
	[PUSH_SWEEP] = { "usssissifuuuuuuuu",
			"SELECT s.recording, s.node, s.app, s.release, s.end_ns / 1000000000, w.flags, w.allocator, w.schedules, "
			"w.coverage, w.plain_peak_low_bytes, w.plain_peak_high_bytes, w.peak_low_bytes, w.peak_high_bytes, "
			"w.plain_end_low_bytes, w.plain_end_high_bytes, w.end_low_bytes, w.end_high_bytes "
			"FROM sweep_saving AS w JOIN push_subject AS s ON s.subject_id = w.runtime_id ORDER BY 1, 6, 7" },
	[PUSH_RECORDING] = { "ussssssuiissssnnnnnnnnnnnubiuss",
			"SELECT s.recording, s.node, s.host, s.app, s.release, s.otp, s.flags, s.run, s.begin_ns / 1000000000, "
			"s.end_ns / 1000000000, s.verdict, s.allocator, s.sentence, s.confidence, s.stake, "
			"p.likely, p.low, p.high, e.carriers, e.carriers_low, e.carriers_high, e.blocks, e.blocks_low, e.blocks_high, "
			"(SELECT CAST(avg(m.carriers) AS INTEGER) FROM push_minute AS m WHERE m.subject_id = s.subject_id AND m.allocator = 'all'), "
			"s.lost_events, s.complete, (SELECT schema_version FROM push_limit), "
			"(SELECT has_minutes FROM push_limit) * (SELECT count(*) FROM push_minute AS m WHERE m.subject_id = s.subject_id), s.file, s.page "
			"FROM push_subject AS s "
			"LEFT JOIN push_level AS e ON e.subject_id = s.subject_id AND e.allocator = 'all' AND e.grade = 0 "
			"LEFT JOIN figure AS p ON p.subject_id = s.subject_id AND p.allocator = 'all' AND p.moment = 'peak' "
			"AND p.quantity = 'carriers_bytes' ORDER BY 1" },
};

/* fleet_hash(TEXT): 63 bits of it, which SQLite has a number for. */
static void fleet_hash(sqlite3_context *context, int count, sqlite3_value **values)
{
	const unsigned char *text = sqlite3_value_text(values[0]);

	(void)count;
	sqlite3_result_int64(context,
			(sqlite3_int64)(row_hash(0, text, (size_t)sqlite3_value_bytes(values[0])) &
					INT64_MAX));
}

/* All that is asked below, for judge_prepare(); sqlite3_free() frees it.  NULL: no memory. */
static char *all_questions(void)
{
	sqlite3_str *text = sqlite3_str_new(NULL);

	for (int i = 0; i < PUSH_FLAG_STAGES; i++) {
		sqlite3_str_appendf(text, " %s", push_flag_stages[i]);
	}
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		sqlite3_str_appendf(text, " %s", stages[i]);
	}
	for (int i = 0; i < PUSH_TABLES; i++) {
		sqlite3_str_appendf(text, " %s", tables[i].sql);
	}

	return sqlite3_str_finish(text);
}

static enum csc_status stage(sqlite3 *db, const char *path, const struct push_labels *labels,
		bool has_minutes, struct diag *diag)
{
	const char *slash = strrchr(path, '/');
	enum csc_status status = database_run(db,
			sqlite3_mprintf("CREATE TEMP TABLE push_limit AS SELECT %d AS minutes_max, %d AS has_minutes, user_version AS schema_version FROM pragma_user_version",
					(int)MINUTES_MAX, has_minutes),
			diag);

	if (sqlite3_create_function(db, "fleet_hash", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
			    fleet_hash, NULL, NULL) != SQLITE_OK) {
		return DIAG_NO_MEMORY(diag);
	}

	for (int i = 0; i < PUSH_FLAG_STAGES && status == CSC_OK; i++) {
		status = database_run(db, sqlite3_mprintf("%s", push_flag_stages[i]), diag);
	}
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]) && status == CSC_OK; i++) {
		status = database_run(db, sqlite3_mprintf("%s", stages[i]), diag);
		if (i == 0 && status == CSC_OK) {
			status = database_run(db,
					sqlite3_mprintf("INSERT INTO push_label VALUES (%Q, %Q, %Q, %Q, %Q, %Q)",
							labels->app, labels->release, labels->flags,
							labels->node, labels->page,
							slash ? slash + 1 : path),
					diag);
		}
	}

	return status;
}

/* Where a runtime or a reading has no time, it has no minute. */
static enum csc_status warn_of_timeless(sqlite3 *db, const char *path, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT count(*) - (SELECT count(*) FROM push_subject) FROM verdict WHERE level = 'runtime'"),
			&row, diag);

	if (status == CSC_OK && sqlite3_step(row) == SQLITE_ROW &&
			sqlite3_column_int64(row, 0) > 0) {
		command_print("warning: '%s': runtimes or readings without a time, which are left out: %lld",
				path, (long long)sqlite3_column_int64(row, 0));
	}

	(void)sqlite3_finalize(row);
	return status;
}

/* In a fleet all that have no name, nor a host, are one. */
static enum csc_status warn_of_nameless(sqlite3 *db, const char *path, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT count(*) FROM push_subject WHERE node = 'unnamed'"),
			&row, diag);

	if (status == CSC_OK && sqlite3_step(row) == SQLITE_ROW &&
			sqlite3_column_int64(row, 0) > 0) {
		command_print("warning: '%s': the node has no name, and is 'unnamed' as others are; give --label node=NAME",
				path);
	}

	(void)sqlite3_finalize(row);
	return status;
}

static void write_value(struct row_text *text, char type, sqlite3_stmt *row, int column)
{
	bool is_null = sqlite3_column_type(row, column) == SQLITE_NULL;
	const char *string;

	if (type == 'n' || type == 'f') {
		row_null(text, is_null);
		if (is_null) {
			return;
		}
	}

	switch (type) {
	case 's':
		string = database_text(row, column);
		row_string(text, string, (size_t)sqlite3_column_bytes(row, column));
		break;
	case 'f':
		row_real(text, sqlite3_column_double(row, column));
		break;
	default:
		row_number(text, (uint64_t)sqlite3_column_int64(row, column),
				type == 'i'		      ? 4
						: type == 'b' ? 1
							      : 8);
		break;
	}
}

static void write_row(struct row_text *text, const char *types, sqlite3_stmt *row)
{
	row_begin(text);
	for (int i = 0; types[i]; i++) {
		write_value(text, types[i], row, i);
	}
}

/* Recording and allocator of a minute, as one number. */
static uint64_t series_of(sqlite3_stmt *row, int allocator)
{
	sqlite3_int64 recording = sqlite3_column_int64(row, 0);
	uint64_t hash = row_hash(0, &recording, sizeof(recording));
	const unsigned char *name = sqlite3_column_text(row, allocator);

	return row_hash(hash, name, (size_t)sqlite3_column_bytes(row, allocator));
}

/* Minutes that are still to be written. */
struct minutes {
	struct push_hour hour;
	uint64_t series;
};

static void add_minute(struct row_text *text, struct minutes *minutes, const char *types,
		sqlite3_stmt *row)
{
	int ts = (int)strlen(types);
	uint64_t series = series_of(row, ts - 1);
	int64_t figures[POINT_FIGURES];

	for (int i = 0; i < POINT_FIGURES; i++) {
		int column = ts + 1 + i;

		figures[i] = sqlite3_column_type(row, column) == SQLITE_NULL
				? POINT_UNKNOWN
				: sqlite3_column_int64(row, column);
	}

	if (series != minutes->series ||
			!push_hour_add(&minutes->hour, sqlite3_column_int64(row, ts), figures)) {
		push_hour_end(&minutes->hour, text);
		write_row(text, types, row);
		(void)push_hour_add(&minutes->hour, sqlite3_column_int64(row, ts), figures);
	}
	minutes->series = series;
}

static enum csc_status read_table(
		sqlite3 *db, enum push_table number, struct row_text *text, struct diag *diag)
{
	const struct table *table = &tables[number];
	struct minutes minutes = { 0 };
	sqlite3_stmt *row = NULL;
	int result = SQLITE_DONE;
	enum csc_status status =
			database_prepare(db, sqlite3_mprintf("%s", table->sql), &row, diag);

	while (status == CSC_OK && !text->is_failed && (result = sqlite3_step(row)) == SQLITE_ROW) {
		if (number == PUSH_HOUR) {
			add_minute(text, &minutes, table->types, row);
		} else {
			write_row(text, table->types, row);
			row_end(text);
		}
	}
	push_hour_end(&minutes.hour, text);

	if (status == CSC_OK) {
		status = text->is_failed ? DIAG_NO_MEMORY(diag) : database_check(db, result, diag);
	}

	(void)sqlite3_finalize(row);
	return status;
}

enum csc_status push_rows_read(sqlite3 *db, const char *path, const struct push_labels *labels,
		enum row_format format, bool has_minutes, struct push_rows *rows, struct diag *diag)
{
	char *questions = all_questions();
	enum csc_status status =
			questions ? judge_prepare(db, questions, diag) : DIAG_NO_MEMORY(diag);

	sqlite3_free(questions);
	*rows = (struct push_rows){ 0 };
	if (status == CSC_OK) {
		status = stage(db, path, labels, has_minutes, diag);
	}
	if (status == CSC_OK) {
		status = warn_of_timeless(db, path, diag);
	}
	if (status == CSC_OK) {
		status = warn_of_nameless(db, path, diag);
	}

	for (int i = 0; i < PUSH_TABLES && status == CSC_OK; i++) {
		rows->tables[i].format = format;
		status = read_table(db, (enum push_table)i, &rows->tables[i], diag);
	}

	if (status == CSC_OK && rows->tables[PUSH_RECORDING].row_count == 0) {
		return DIAG_FAIL(diag,
				"'%s' has no runtime whose time is known, so nothing can be pushed",
				path);
	}

	push_rows_hash(rows);
	return status;
}
