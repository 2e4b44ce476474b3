/*
 * SPDX-License-Identifier: MIT
 */
#include "trend_rows.h"

#include <stdbool.h>
#include <stdlib.h>

#include "growing.h"
#include "judge_sql.h"
#include "trend.h"

/* Columns of a point: the number of its curve, then what trend_fit() takes. */
enum point_column { POINT_CURVE, POINT_FROM, POINT_TO, POINT_TIME, POINT_VALUE };

struct curve {
	int64_t id;
	int64_t from_ns;
	int64_t to_ns;
	struct trend_point *points;
	size_t count;
	size_t room;
};

static enum csc_status write_trend(
		sqlite3 *db, sqlite3_stmt *insert, struct curve *curve, struct diag *diag)
{
	struct trend trend;
	enum csc_status status;

	trend_fit(curve->points, curve->count, curve->from_ns, curve->to_ns, &trend);

	const double values[] = { trend.seconds, trend.first, trend.last, trend.base, trend.z,
		trend.rate_low, trend.rate, trend.rate_high, trend.scatter, trend.monotone,
		trend.grown, trend.fallen, trend.swing, trend.swing_seconds, trend.begin_seconds,
		trend.grow_seconds, trend.pause_seconds, trend.quiet_seconds, trend.late_share,
		trend.power, trend.trough, trend.early_pause_seconds };

	(void)sqlite3_bind_int64(insert, 1, curve->id);
	(void)sqlite3_bind_int64(insert, 2, (int64_t)trend.points);
	(void)sqlite3_bind_int(insert, 3, trend.windows);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		(void)sqlite3_bind_double(insert, 4 + (int)i, values[i]);
	}
	status = judge_sql_check(db, sqlite3_step(insert), diag);
	(void)sqlite3_reset(insert);
	curve->count = 0;
	return status;
}

static enum csc_status read_point(sqlite3_stmt *rows, struct curve *curve, struct diag *diag)
{
	if (!csc_grow(&curve->points, &curve->room, curve->count + 1, sizeof(*curve->points))) {
		return DIAG_NO_MEMORY(diag);
	}

	curve->id = sqlite3_column_int64(rows, POINT_CURVE);
	curve->from_ns = sqlite3_column_int64(rows, POINT_FROM);
	curve->to_ns = sqlite3_column_int64(rows, POINT_TO);
	curve->points[curve->count++] = (struct trend_point){
		.ts_ns = sqlite3_column_int64(rows, POINT_TIME),
		.value = sqlite3_column_double(rows, POINT_VALUE),
	};
	return CSC_OK;
}

static enum csc_status write_trends(
		sqlite3 *db, sqlite3_stmt *rows, sqlite3_stmt *insert, struct diag *diag)
{
	struct curve curve = { 0 };
	int result = SQLITE_DONE;
	enum csc_status status = CSC_OK;

	while (status == CSC_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		if (curve.count > 0 && sqlite3_column_int64(rows, POINT_CURVE) != curve.id) {
			status = write_trend(db, insert, &curve, diag);
		}
		if (status == CSC_OK) {
			status = read_point(rows, &curve, diag);
		}
	}
	if (status == CSC_OK) {
		status = judge_sql_check(db, result, diag);
	}
	if (status == CSC_OK && curve.count > 0) {
		status = write_trend(db, insert, &curve, diag);
	}

	free(curve.points);
	return status;
}

enum csc_status trend_rows_make(sqlite3 *db, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	sqlite3_stmt *insert = NULL;
	enum csc_status status = judge_sql_run(db,
			sqlite3_mprintf("CREATE TEMP TABLE _trend (curve_id INTEGER PRIMARY KEY, points, windows, seconds, \"first\", "
					"\"last\", base, z, rate_low, rate, rate_high, scatter, monotone, grown, fallen, swing, "
					"swing_s, begin_s, grow_s, pause_s, quiet_s, late_share, power, trough, early_pause_s)"),
			diag);

	if (status == CSC_OK) {
		status = judge_sql_prepare(db,
				sqlite3_mprintf("SELECT curve_id, from_ns, to_ns, ts_ns, value FROM _curve_point ORDER BY curve_id, ts_ns"),
				&rows, diag);
	}
	if (status == CSC_OK) {
		status = judge_sql_prepare(db,
				sqlite3_mprintf("INSERT INTO temp._trend VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, "
						"?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25)"),
				&insert, diag);
	}
	if (status == CSC_OK) {
		status = write_trends(db, rows, insert, diag);
	}

	(void)sqlite3_finalize(rows);
	(void)sqlite3_finalize(insert);
	return status;
}
