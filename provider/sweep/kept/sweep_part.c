/* SPDX-License-Identifier: MIT */
/* A part is a small database of its own: tables sweep_part and sweep_replay. */
#include "sweep_part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "guard.h"
#include "pack.h"
#include "sweep_file.h"

static const char script[] =
		"CREATE TABLE IF NOT EXISTS sweep_part (shard INTEGER, shards INTEGER, recording TEXT, "
		"objective INTEGER, letters INTEGER, is_complete INTEGER) STRICT;"
		"CREATE TABLE IF NOT EXISTS sweep_replay (id INTEGER PRIMARY KEY, runtime_id INTEGER NOT "
		"NULL, flags TEXT NOT NULL, is_part INTEGER NOT NULL, result BLOB NOT NULL, "
		"UNIQUE (runtime_id, flags, is_part)) STRICT;";

static enum csc_status describe(struct sweep_file *file, struct sweep_part *ret_part, bool *ret_has)
{
	sqlite3_stmt *row = NULL;

	*ret_has = false;
	if (sqlite3_prepare_v2(file->db,
			    "SELECT shard, shards, recording, objective, letters, is_complete "
			    "FROM sweep_part",
			    -1, &row, NULL) != SQLITE_OK) {
		return CSC_ERROR;
	}
	if (sqlite3_step(row) == SQLITE_ROW) {
		const char *recording = (const char *)sqlite3_column_text(row, 2);
		int objective = sqlite3_column_int(row, 3);

		*ret_part = (struct sweep_part){
			.shard = (uint32_t)sqlite3_column_int64(row, 0),
			.shards = (uint32_t)sqlite3_column_int64(row, 1),
			.objective = objective >= OBJECTIVE_PEAK && objective <= OBJECTIVE_RSS
					? (enum sweep_objective)objective
					: OBJECTIVE_PEAK,
			.letters = (uint32_t)sqlite3_column_int64(row, 4),
			.is_complete = sqlite3_column_int(row, 5) != 0,
		};
		strncpy(ret_part->recording, recording ? recording : "",
				sizeof(ret_part->recording) - 1);
		*ret_has = true;
	}
	sqlite3_finalize(row);
	return CSC_OK;
}

static enum csc_status note(struct sweep_file *file, const struct sweep_part *part)
{
	sqlite3_stmt *row = NULL;
	bool is_done = false;

	if (sqlite3_prepare_v2(file->db, "INSERT INTO sweep_part VALUES (?, ?, ?, ?, ?, 0)", -1,
			    &row, NULL) == SQLITE_OK) {
		(void)sqlite3_bind_int64(row, 1, part->shard);
		(void)sqlite3_bind_int64(row, 2, part->shards);
		(void)sqlite3_bind_text(row, 3, part->recording, -1, SQLITE_STATIC);
		(void)sqlite3_bind_int(row, 4, (int)part->objective);
		(void)sqlite3_bind_int64(row, 5, part->letters);
		is_done = sqlite3_step(row) == SQLITE_DONE;
	}
	sqlite3_finalize(row);
	return is_done ? CSC_OK : CSC_ERROR;
}

static bool is_same_part(const struct sweep_part *one, const struct sweep_part *other)
{
	return one->shard == other->shard && one->shards == other->shards &&
			one->objective == other->objective && one->letters == other->letters &&
			strcmp(one->recording, other->recording) == 0;
}

static enum csc_status begin_part(
		struct sweep_file *file, const struct sweep_part *part, struct diag *diag)
{
	struct sweep_part found = { 0 };
	bool has_part = false;

	if (sqlite3_exec(file->db, script, NULL, NULL, NULL) != SQLITE_OK ||
			describe(file, &found, &has_part) != CSC_OK) {
		return sweep_file_fail(file, diag);
	}
	if (has_part && !is_same_part(&found, part)) {
		return DIAG_FAIL(diag,
				"'%s' is part %u of %u of a search of '%s', with its own options: remove it "
				"or name another file",
				file->path, found.shard, found.shards, found.recording);
	}
	return has_part || note(file, part) == CSC_OK ? CSC_OK : sweep_file_fail(file, diag);
}

static struct sweep_file *open_part(
		const char *path, int64_t runtime, enum guard_use use, struct diag *diag)
{
	struct sweep_file *file = calloc(1, sizeof(*file));

	if (!file) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	file->path = path;
	file->runtime = runtime;
	file->has_only_replays = true;
	if (guard_open(path, use, &file->db, diag) != CSC_OK) {
		sweep_file_close(file);
		return NULL;
	}
	return file;
}

struct sweep_file *sweep_part_open(
		const char *path, const struct sweep_part *part, int64_t runtime, struct diag *diag)
{
	struct sweep_file *file;
	int fd = files_create(path);

	if (fd < 0 && errno != EEXIST) {
		(void)DIAG_FAIL(diag, "cannot write '%s': %s", path, strerror(errno));
		return NULL;
	}
	if (fd >= 0) {
		(void)close(fd);
	}
	/* A part that broke off goes on where it was: nobody else wrote it. */
	file = open_part(path, runtime, GUARD_RECOVER, diag);
	if (file && begin_part(file, part, diag) != CSC_OK) {
		sweep_file_close(file);
		return NULL;
	}
	return file;
}

enum csc_status sweep_part_finish(struct sweep_file *file, struct diag *diag)
{
	return sqlite3_exec(file->db, "UPDATE sweep_part SET is_complete = 1", NULL, NULL, NULL) ==
					SQLITE_OK
			? CSC_OK
			: sweep_file_fail(file, diag);
}

struct sweep_file *sweep_part_read(
		const char *path, int64_t runtime, struct sweep_part *ret_part, struct diag *diag)
{
	struct sweep_file *file = open_part(path, runtime, GUARD_READ, diag);
	bool has_part = false;

	if (file && (describe(file, ret_part, &has_part) != CSC_OK || !has_part)) {
		(void)DIAG_REFUSE(diag,
				"'%s' is no part of a search: see carrierscope advise --shard",
				path);
		sweep_file_close(file);
		return NULL;
	}
	return file;
}

enum csc_status sweep_part_copy(struct sweep_file *to, struct sweep_file *part, struct diag *diag)
{
	struct sweep_result *result = malloc(sizeof(*result));
	sqlite3_stmt *rows = NULL;
	enum csc_status status = result ? CSC_OK : DIAG_NO_MEMORY(diag);

	if (status == CSC_OK &&
			sqlite3_prepare_v2(part->db,
					"SELECT flags, is_part, result FROM sweep_replay ORDER BY flags",
					-1, &rows, NULL) != SQLITE_OK) {
		status = sweep_file_fail(part, diag);
	}
	while (status == CSC_OK && sqlite3_step(rows) == SQLITE_ROW) {
		const struct sweep_job job = { .flags = (const char *)sqlite3_column_text(rows, 0),
			.is_part = sqlite3_column_int(rows, 1) != 0 };
		const unsigned char *bytes = sqlite3_column_blob(rows, 2);
		size_t count = (size_t)sqlite3_column_bytes(rows, 2);

		status = job.flags && bytes && pack_read(bytes, count, result)
				? sweep_file_keep(to, &job, result, 1, diag)
				: DIAG_REFUSE(diag, "'%s' is damaged: make this part again",
						  part->path);
	}
	sqlite3_finalize(rows);
	free(result);
	return status;
}
