/*
 * SPDX-License-Identifier: MIT
 *
 * Stages, then views that see them.
 */
#include "judgement.h"

#include "database.h"
#include "maker_sums.h"
#include "reading_sums.h"
#include "store_stage.h"

/* 1: the statement yields a row of a number that is not 0. */
static bool is_so(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	bool is = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
			sqlite3_step(statement) == SQLITE_ROW &&
			sqlite3_column_int(statement, 0) != 0;

	(void)sqlite3_finalize(statement);
	return is;
}

static enum csc_status make_figures(sqlite3 *db, struct stages *stages, struct diag *diag)
{
	enum csc_status status = stages_make(stages, "figure", true, diag);

	return status == CSC_OK ? database_run(db,
						  sqlite3_mprintf("CREATE TEMP TABLE figure AS "
								  "SELECT * FROM temp._figure"),
						  diag)
				: status;
}

/* Blocks by maker first, which the others are made of. */
static enum csc_status make_holders(sqlite3 *db, struct stages *stages, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	if (stages_is_asked(stages, "_live_sum")) {
		status = maker_sums_stage_live(db, stages_is_asked(stages, "_page_stack"), diag);
	}
	if (status == CSC_OK && stages_is_asked(stages, "_page_block_sum")) {
		status = maker_sums_stage_changes(db, diag);
	}

	return status == CSC_OK ? stages_make(stages, "holders", false, diag) : status;
}

enum csc_status judgement_add_holders(sqlite3 *db, const char *view, struct diag *diag)
{
	struct stages *stages = NULL;
	enum csc_status status = stages_open(db, view, &stages, diag);

	if (status == CSC_OK) {
		status = make_holders(db, stages, diag);
	}
	if (status == CSC_OK) {
		status = stages_copy(stages, false, diag);
	}

	stages_close(stages);
	return status;
}

enum csc_status judgement_prepare(
		sqlite3 *db, enum judgement what, const char *sql, struct diag *diag)
{
	/* A file that was loaded whole has its figures. */
	bool has_figures = is_so(db,
			"SELECT EXISTS (SELECT 1 FROM main.figure) OR NOT EXISTS ("
			"SELECT 1 FROM main.source)");
	struct stages *stages = NULL;
	enum csc_status status = stages_open(db, sql, &stages, diag);

	if (status == CSC_OK && stages_is_asked(stages, "figure") &&
			(what == JUDGEMENT_MOMENT || (what >= JUDGEMENT_VERDICT && !has_figures))) {
		status = make_figures(db, stages, diag);
	}
	if (status == CSC_OK && what >= JUDGEMENT_VERDICT && stages_is_asked(stages, "_read_sum")) {
		status = reading_sums_stage(db, diag);
	}
	if (status == CSC_OK && what >= JUDGEMENT_VERDICT) {
		status = stages_make(stages, "judge", false, diag);
	}
	if (status == CSC_OK && what >= JUDGEMENT_OVERVIEW) {
		status = stages_make(stages, "page", false, diag);
	}
	if (status == CSC_OK && what >= JUDGEMENT_PAGE) {
		status = make_holders(db, stages, diag);
	}

	if (status == CSC_OK) {
		status = stages_copy(stages, what <= JUDGEMENT_MOMENT, diag);
	}

	stages_close(stages);
	return status;
}
