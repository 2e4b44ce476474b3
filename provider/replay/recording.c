/* SPDX-License-Identifier: MIT */
/* A database that is opened and looked over, and the calls that were decoded from it. */
#include "recording.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "decoded_internal.h"
#include "guard.h"
#include "recording_internal.h"
#include "schema_version.h"

sqlite3_stmt *recording_ask(const struct recording *recording, const char *sql, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;

	int result;

	guard_watch();
	result = sqlite3_prepare_v2(recording->db, sql, -1, &rows, NULL);
	guard_rest();
	if (result != SQLITE_OK) {
		(void)DIAG_FAIL(diag, "cannot read '%s': %s", recording->path,
				guard_why(recording->db));
		return NULL;
	}
	return rows;
}

bool recording_step_row(const struct recording *recording, sqlite3_stmt *rows, struct diag *diag)
{
	int result = sqlite3_step(rows);

	if (result != SQLITE_ROW && result != SQLITE_DONE) {
		(void)DIAG_FAIL(diag, "cannot read '%s': %s", recording->path,
				guard_why(recording->db));
	}
	return result == SQLITE_ROW;
}

static enum csc_status recording_number(const struct recording *recording, const char *sql,
		int64_t *ret_number, struct diag *diag)
{
	sqlite3_stmt *rows = recording_ask(recording, sql, diag);

	if (!rows) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(rows, 1, recording->facts.runtime);
	*ret_number = 0;
	if (recording_step_row(recording, rows, diag)) {
		*ret_number = sqlite3_column_int64(rows, 0);
	}
	sqlite3_finalize(rows);
	return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
}

/* What to record instead. */
static enum csc_status refuse_without_blocks(struct recording *recording, struct diag *diag)
{
	int64_t has_samples = 0;

	if (recording_number(recording,
			    "SELECT EXISTS (SELECT 1 FROM sample_alloc) OR EXISTS "
			    "(SELECT 1 FROM sample_alloc_by_process)",
			    &has_samples, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	return DIAG_REFUSE(diag,
			"'%s' has %s, and a replay needs every block: record with carrierscope record "
			"--every-block -o NEW.db -- COMMAND, or --node NAME instead of COMMAND",
			recording->path,
			has_samples ? "samples of blocks"
				    : "no block event of a runtime's allocators");
}

/* The runtime that is meant: the one given, or the only one with blocks of its allocators. */
static enum csc_status recording_choose(
		struct recording *recording, int64_t wanted, struct diag *diag)
{
	sqlite3_stmt *rows = recording_ask(recording,
			"SELECT runtime_id, ifnull((SELECT s.release FROM state_begin AS s WHERE "
			"s.runtime_id = b.runtime_id ORDER BY s.id LIMIT 1), 'unknown') FROM "
			"block_account AS b WHERE scope = 'runtime' AND EXISTS "
			"(SELECT 1 FROM block_account AS a WHERE a.runtime_id = "
			"b.runtime_id AND a.allocator_id IS NOT NULL) ORDER BY 1",
			diag);
	char list[256] = "";
	size_t count = 0;

	if (!rows) {
		return CSC_ERROR;
	}
	while (recording_step_row(recording, rows, diag)) {
		int64_t runtime = sqlite3_column_int64(rows, 0);
		size_t length = strlen(list);

		if (wanted == 0 || wanted == runtime) {
			recording->facts.runtime = runtime;
			count++;
		}
		sqlite3_snprintf((int)(sizeof(list) - length), list + length, "%s%lld (OTP %s)",
				length ? ", " : "", runtime,
				(const char *)sqlite3_column_text(rows, 1));
	}
	sqlite3_finalize(rows);
	if (diag_is_set(diag) || count == 1) {
		return diag_is_set(diag) ? CSC_ERROR : CSC_OK;
	}
	if (!*list) {
		return refuse_without_blocks(recording, diag);
	}
	return DIAG_REFUSE(diag, "'%s' has blocks of the runtimes %s: use --runtime=ID",
			recording->path, list);
}

static enum csc_status recording_learn(struct recording *recording, struct diag *diag)
{
	struct recording_facts *facts = &recording->facts;
	sqlite3_stmt *rows = recording_ask(recording,
			"SELECT s.first_id, s.last_id, c.lost_events FROM runtime AS r "
			"JOIN block_span AS s ON s.source_id = r.source_id "
			"JOIN source AS c ON c.id = r.source_id WHERE r.id = ?",
			diag);
	int64_t number = 0;

	if (!rows) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(rows, 1, facts->runtime);
	if (recording_step_row(recording, rows, diag)) {
		facts->first_row = sqlite3_column_int64(rows, 0);
		facts->last_row = sqlite3_column_int64(rows, 1);
		facts->lost_events = sqlite3_column_int64(rows, 2);
	}
	sqlite3_finalize(rows);
	if (diag_is_set(diag)) {
		return CSC_ERROR;
	}
	if (facts->first_row < 1 || facts->last_row < facts->first_row ||
			facts->last_row - facts->first_row >= UINT32_MAX) {
		return DIAG_FAIL(diag, "'%s': block_span does not make sense", recording->path);
	}

	recording_limit(recording, facts->first_row, facts->last_row);
	rows = recording_ask(recording,
			"SELECT release, word_bytes, schedulers FROM state_begin "
			"WHERE runtime_id = ? ORDER BY id LIMIT 1",
			diag);
	if (!rows) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(rows, 1, facts->runtime);
	if (recording_step_row(recording, rows, diag)) {
		const char *release = (const char *)sqlite3_column_text(rows, 0);

		(void)strncpy(recording->release, release ? release : "",
				sizeof(recording->release) - 1);
		facts->word_bytes = (uint32_t)sqlite3_column_int(rows, 1);
		facts->schedulers = (uint32_t)sqlite3_column_int(rows, 2);
	}
	sqlite3_finalize(rows);
	facts->release = recording->release;
	if (diag_is_set(diag) ||
			recording_number(recording,
					"SELECT carrier_count FROM state_end WHERE runtime_id = ? "
					"ORDER BY id LIMIT 1",
					&number, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	facts->early_carriers = (uint64_t)number;
	if (recording_number(recording,
			    "SELECT count(DISTINCT release) FROM state_begin WHERE runtime_id = ?",
			    &facts->releases, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	if (recording_number(recording,
			    "SELECT max(most_blocks) FROM block_account "
			    "WHERE runtime_id = ? AND scope = 'runtime'",
			    &number, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	facts->most_blocks = number > 0 ? (uint64_t)number : 0;
	if (recording_number(recording,
			    "SELECT max(most_bytes) FROM block_account "
			    "WHERE runtime_id = ? AND scope = 'runtime'",
			    &number, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	facts->most_bytes = number > 0 ? (uint64_t)number : 0;
	if (recording_number(recording,
			    "SELECT EXISTS (SELECT 1 FROM runtime_work WHERE runtime_id = ?)",
			    &number, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	facts->has_work = number != 0;
	if (recording_number(recording,
			    "SELECT ifnull((SELECT m.bytes - ifnull((SELECT sum(o.bytes) FROM "
			    "snapshot_memory AS o WHERE o.runtime_id = m.runtime_id AND "
			    "o.snapshot_id = m.snapshot_id AND o.key IN ('own_buffers', 'own_tables')), "
			    "0) FROM snapshot_memory AS m WHERE m.runtime_id = ? AND m.key = "
			    "'os_resident' ORDER BY m.id DESC LIMIT 1), -1)",
			    &facts->resident_bytes, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	if (recording_number(recording,
			    "SELECT ifnull(max(CAST(value AS INTEGER)), 0) FROM runtime_fact "
			    "WHERE runtime_id = ? AND key = 'snapshot_every_ms'",
			    &facts->snapshots_ms, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	return recording_number(recording,
			"WITH began AS (SELECT min(ts_ns) AS ts_ns FROM snapshot_begin "
			"WHERE runtime_id = ? GROUP BY snapshot_id), "
			"apart AS (SELECT ts_ns - lag(ts_ns) OVER (ORDER BY ts_ns) AS ns FROM began), "
			"placed AS (SELECT ns, row_number() OVER (ORDER BY ns) AS place, count(*) OVER () "
			"AS count FROM apart WHERE ns IS NOT NULL) "
			"SELECT ifnull((SELECT ns / 1000000 FROM placed WHERE count >= 5 AND "
			"place = (count + 1) / 2), 0)",
			&facts->snapshots_came_ms, diag);
}

/* As `carrierscope report` does, with the same sentences. */
static enum csc_status check_identity(struct recording *recording, struct diag *diag)
{
	int64_t application = 0;
	int64_t version = 0;

	if (recording_number(recording, "PRAGMA application_id", &application, diag) != CSC_OK ||
			recording_number(recording, "PRAGMA user_version", &version, diag) !=
					CSC_OK) {
		return CSC_ERROR;
	}
	if (application != SCHEMA_APPLICATION_ID) {
		return DIAG_FAIL(diag, "'%s' is not a carrierscope database", recording->path);
	}
	if (version > SCHEMA_VERSION) {
		return DIAG_FAIL(diag, SCHEMA_NEWER, recording->path, (int)version, SCHEMA_VERSION);
	}
	if (version < SCHEMA_VERSION) {
		return DIAG_FAIL(diag, SCHEMA_OLDER, recording->path, (int)version, SCHEMA_VERSION);
	}
	return CSC_OK;
}

struct recording *recording_open(const char *path, int64_t runtime, struct diag *diag)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	enum csc_status status;

	if (!recording) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	recording->path = path;
	guard_watch();
	status = guard_open(path, GUARD_READ, &recording->db, diag);
	if (status == CSC_OK) {
		status = check_identity(recording, diag);
	}
	if (status == CSC_OK) {
		status = recording_choose(recording, runtime, diag);
	}
	if (status == CSC_OK) {
		status = recording_learn(recording, diag);
	}
	guard_rest();
	if (status != CSC_OK) {
		recording_close(recording);
		return NULL;
	}
	return recording;
}

void recording_close(struct recording *recording)
{
	if (recording) {
		decoded_destroy(recording->decoded);
		sqlite3_close(recording->db);
		free(recording);
	}
}

void recording_facts(const struct recording *recording, struct recording_facts *ret_facts)
{
	*ret_facts = recording->facts;
	if (recording->decoded) {
		ret_facts->first_row = 1;
		ret_facts->last_row = decoded_slots(recording->decoded);
	}
}

void recording_limit(struct recording *recording, int64_t first_row, int64_t last_row)
{
	recording->from_row = first_row;
	recording->to_row = last_row;
}

void recording_rewind(struct recording *recording)
{
	recording->decoded->at = 0;
}

bool recording_next(struct recording *recording, struct recording_step *ret_step)
{
	return decoded_next(recording->decoded, ret_step);
}
