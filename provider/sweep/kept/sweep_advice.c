/* SPDX-License-Identifier: MIT */
/* Tables sweep_advice and sweep_curve: what a search has found. */
#include "sweep_file.h"

/* Runs a statement whose only parameter is the runtime. */
static enum csc_status execute(struct sweep_file *file, const char *sql)
{
	sqlite3_stmt *row = NULL;
	bool is_done = sqlite3_prepare_v2(file->db, sql, -1, &row, NULL) == SQLITE_OK &&
			sqlite3_bind_int64(row, 1, file->runtime) == SQLITE_OK &&
			sqlite3_step(row) == SQLITE_DONE;

	sqlite3_finalize(row);
	return is_done ? CSC_OK : CSC_ERROR;
}

static void letters_of(uint32_t letters, char text[CSC_ALLOCATORS + 1])
{
	size_t count = 0;

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		if (letters >> i & 1) {
			text[count++] = csc_allocator_infos[i].letter;
		}
	}
	text[count] = 0;
}

static enum csc_status write_finding(struct sweep_file *file, const struct sweep_finding *finding)
{
	static const char sql[] =
			"INSERT OR REPLACE INTO sweep_advice (runtime_id, objective, flags, refusal, "
			"letters, coverage, bound_bytes, half_chosen, half_other, composed_bytes, "
			"replayed_bytes, settings, is_cut_short) "
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
	const struct search_answer *answer = finding->answer;
	double coverage = sweep_coverage(finding->sweep, &answer->plain, SWEEP_ALL);
	char letters[CSC_ALLOCATORS + 1];
	sqlite3_stmt *row = NULL;
	bool is_done = false;

	letters_of(answer->letters, letters);
	if (sqlite3_prepare_v2(file->db, sql, -1, &row, NULL) == SQLITE_OK) {
		(void)sqlite3_bind_int64(row, 1, file->runtime);
		(void)sqlite3_bind_text(
				row, 2, compose_objective(finding->objective), -1, SQLITE_STATIC);
		(void)sqlite3_bind_text(row, 3,
				finding->refusal ? NULL : answer->candidates[answer->best].flags,
				-1, SQLITE_STATIC);
		(void)sqlite3_bind_text(row, 4, finding->refusal, -1, SQLITE_STATIC);
		(void)sqlite3_bind_text(row, 5, letters, -1, SQLITE_STATIC);
		if (coverage >= 0) {
			(void)sqlite3_bind_double(row, 6, coverage);
		}
		(void)sqlite3_bind_int64(row, 7, (int64_t)answer->bound);
		(void)sqlite3_bind_double(row, 8, answer->half_chosen);
		(void)sqlite3_bind_double(row, 9, answer->half_other);
		(void)sqlite3_bind_int64(row, 10, (int64_t)answer->composed);
		(void)sqlite3_bind_int64(row, 11, (int64_t)answer->replayed);
		(void)sqlite3_bind_int64(row, 12, (int64_t)(answer->parts + answer->wholes));
		(void)sqlite3_bind_int(row, 13, answer->is_cut_short);
		is_done = sqlite3_step(row) == SQLITE_DONE;
	}
	sqlite3_finalize(row);
	return is_done ? CSC_OK : CSC_ERROR;
}

static enum csc_status write_curve(struct sweep_file *file, const struct sweep_facts *facts,
		const struct sweep_result *result, bool is_advised)
{
	int64_t width_ns = (facts->last_ns - facts->first_ns) / SWEEP_SAMPLES;
	sqlite3_stmt *row = NULL;
	bool is_done = sqlite3_prepare_v2(file->db,
				       "INSERT OR REPLACE INTO sweep_curve (runtime_id, is_advised, "
				       "ts_ns, carriers_bytes) VALUES (?, ?, ?, ?)",
				       -1, &row, NULL) == SQLITE_OK;

	for (int i = 0; is_done && i < SWEEP_SAMPLES; i++) {
		(void)sqlite3_bind_int64(row, 1, file->runtime);
		(void)sqlite3_bind_int(row, 2, is_advised);
		(void)sqlite3_bind_int64(row, 3, facts->first_ns + width_ns * i);
		(void)sqlite3_bind_int64(row, 4, (int64_t)result->most[i][SWEEP_ALL]);
		is_done = sqlite3_step(row) == SQLITE_DONE && sqlite3_reset(row) == SQLITE_OK;
	}
	sqlite3_finalize(row);
	return is_done ? CSC_OK : CSC_ERROR;
}

/* With its ranges: flags "" as recorded, or the best that were found. */
static enum csc_status write_prediction(
		struct sweep_file *file, const struct sweep_finding *finding, const char *flags)
{
	const struct sweep_facts *facts = sweep_facts(finding->sweep);
	const struct sweep_prediction *prediction =
			*flags ? &finding->answer->after : &finding->answer->before;
	bool is_refused = *flags && finding->refusal;
	const struct sweep_rows rows = {
		.flags = flags,
		.is_advised = *flags && !is_refused,
		.schedules = facts->schedules,
		.result = &prediction->usual,
		.prediction = prediction,
	};

	if (sweep_file_put(file, &rows) != CSC_OK) {
		return CSC_ERROR;
	}
	return is_refused ? CSC_OK : write_curve(file, facts, &prediction->usual, rows.is_advised);
}

enum csc_status sweep_file_advise(
		struct sweep_file *file, const struct sweep_finding *finding, struct diag *diag)
{
	const struct search_answer *answer = finding->answer;
	enum csc_status status = sweep_file_begin(file, diag);

	if (status != CSC_OK) {
		return status;
	}
	if (execute(file, "UPDATE sweep_result SET is_advised = 0 WHERE runtime_id = ?") !=
					CSC_OK ||
			execute(file, "DELETE FROM sweep_curve WHERE runtime_id = ?") != CSC_OK ||
			write_finding(file, finding) != CSC_OK ||
			write_prediction(file, finding, "") != CSC_OK) {
		status = CSC_ERROR;
	} else if (answer->best > 0) {
		status = write_prediction(file, finding, answer->candidates[answer->best].flags);
	}
	return sweep_file_end(file, status, diag);
}
